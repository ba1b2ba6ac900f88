"""Starting partitions: labels that use every cluster, and weights that are repetitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans

from naive import same_partition
from polyclust.clusters.starts import start_by_kmeans, start_by_linkage, start_by_medoids
from polyclust.search.distances import measure_distances
from strategies import points


def test_kmeans_is_that_of_scikit_learn_and_heeds_weights():
    rng = np.random.default_rng(0)
    rows, weights = rng.normal(size=(60, 3)), rng.integers(1, 4, 60).astype(float)
    expected = KMeans(4, n_init=1, random_state=7).fit(rows, sample_weight=weights).labels_
    assert start_by_kmeans(rows, weights, 4, seeds=[7])[0].tolist() == expected.tolist()


def test_starts_are_the_same_on_any_number_of_workers():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    alone = start_by_kmeans(rows, np.ones(60), 4, seeds=range(5))
    together = start_by_kmeans(rows, np.ones(60), 4, seeds=range(5), n_jobs=2)
    assert [labels.tolist() for labels in together] == [labels.tolist() for labels in alone]


def test_points_that_coincide_make_fewer_clusters_without_a_word():
    labels = start_by_kmeans(np.repeat([[0.0], [1.0]], 5, axis=0), np.ones(10), 3, seeds=[0])[0]
    assert len(np.unique(labels)) == 2


def test_ward_on_single_rows_is_that_of_scipy():
    rows = np.random.default_rng(1).normal(size=(40, 2))
    found = start_by_linkage(measure_distances(rows, "euclidean"), np.ones(40), 6)
    assert list(found) == [2, 3, 4, 5, 6]
    tree = linkage(rows, method="ward")
    for k, labels in found.items():
        assert same_partition(labels, fcluster(tree, k, criterion="maxclust"))


def test_ward_takes_weights_as_repetitions():
    """Three blobs of two places each, one of them heavy: the same tree as with every row repeated."""
    places = np.array([[0.0], [1.0], [10.0], [11.5], [30.0], [32.0]])
    weights = np.array([5.0, 1.0, 1.0, 4.0, 2.0, 2.0])
    repeated = np.repeat(np.arange(6), weights.astype(int))
    tree = linkage(places[repeated], method="ward")
    found = start_by_linkage(measure_distances(places, "euclidean"), weights, 3)
    for k, labels in found.items():
        assert same_partition(labels[repeated], fcluster(tree, k, criterion="maxclust"))


@settings(deadline=None, max_examples=50)
@given(points(n_rows=st.integers(5, 16)), st.integers(2, 4), st.integers(0, 3))
def test_medoids_are_stable(some, n_clusters, seed):
    assume(len(np.unique(some.raw, axis=0)) >= n_clusters)
    labels = start_by_medoids(some.distances, some.weights, n_clusters, seed, n_rounds=50)
    assert set(labels) == set(range(n_clusters))
    medoids = []
    for k in range(n_clusters):
        rows = np.flatnonzero(labels == k)
        costs = some.distances[np.ix_(rows, rows)].astype(float) @ some.weights[rows]
        medoids.append(rows[costs.argmin()])
    nearest = some.distances[medoids].min(axis=0)
    own = some.distances[np.array(medoids)[labels], np.arange(len(some))]
    assert own == pytest.approx(nearest, abs=1e-5)


def test_medoids_of_rows_that_are_all_alike():
    assert set(start_by_medoids(np.zeros((5, 5), dtype=np.float32), np.ones(5), 3, seed=0)) == {0}
