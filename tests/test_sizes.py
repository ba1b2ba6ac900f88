"""Sizes and numbers of clusters: as asked for, or a sentence that says why not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclust import PolyclustWarning, PolytopeClustering, SmallClusterWarning
from strategies import TENTHS

quietly = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


@quietly
@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=12, max_size=30, unique=True), st.integers(2, 5))
def test_sizes_stay_within_their_bounds(rows, least):
    X = np.array(rows)
    if 2 * least > len(X) - 2:
        return
    model = PolytopeClustering(min_cluster_size=least, max_cluster_size=len(X) - least, n_init=1, max_clusters=4)
    sizes = np.bincount(model.fit(X).labels_)
    assert sizes.min() >= least
    assert sizes.max() <= len(X) - least or model.n_clusters_ == 1


def test_shares_of_rows_as_sizes(iris):
    model = PolytopeClustering(3, min_cluster_size=0.251, max_cluster_size=0.449, random_state=0).fit(iris)
    sizes = np.bincount(model.labels_)
    assert len(sizes) == 3
    assert sizes.min() >= 38
    assert sizes.max() <= 67


def test_fewer_clusters_than_asked_come_with_a_warning():
    X = np.zeros((100, 1))
    X[0] = 1.0
    with pytest.warns(PolyclustWarning, match="Only 1 cluster"):
        model = PolytopeClustering(2, min_cluster_size=0.02).fit(X)
    assert model.n_clusters_ == 1
    assert (model.predict(X) == model.labels_).all()


def noisy_blobs(n_rows=1500):
    rng = np.random.default_rng(0)
    centres = rng.uniform(-10, 10, size=(5, 12))
    rows = centres[rng.integers(5, size=n_rows)] + rng.normal(scale=2.0, size=(n_rows, 12))
    is_noise = rng.random(n_rows) < 0.05
    rows[is_noise] = rng.uniform(-15, 15, size=(int(is_noise.sum()), 12))
    return rows


@quietly
@pytest.mark.parametrize("limits", [(1, 1), (2, 3)])
@pytest.mark.parametrize("n_clusters", [7, 12])
def test_more_clusters_than_the_rows_show_are_still_given(limits, n_clusters):
    rows = noisy_blobs()
    terms, coefficient = limits
    model = PolytopeClustering(n_clusters, max_terms=terms, max_coefficient=coefficient, random_state=0).fit(rows)
    assert model.n_clusters_ == n_clusters
    assert np.bincount(model.labels_).min() >= 0.02 * 1500


@quietly
@pytest.mark.parametrize("n_clusters", [6, 9])
def test_many_rows_in_clusters_of_a_maximum_size(n_clusters):
    model = PolytopeClustering(n_clusters, max_cluster_size=1.3 / n_clusters, random_state=0).fit(noisy_blobs())
    sizes = np.bincount(model.labels_)
    assert len(sizes) == n_clusters
    assert sizes.max() <= 1500 * 1.3 / n_clusters


def test_a_cluster_at_the_minimum_is_flagged():
    X = np.concatenate([np.linspace(0, 1, 48), [9.0, 9.1]])[:, None]
    with pytest.warns(SmallClusterWarning, match=r"cluster 1 \(2 rows\)"):
        model = PolytopeClustering(2, min_cluster_size=2).fit(X)
    assert [r.is_at_minimum for r in model.explanation_.rules] == [False, True]
