"""Groups of points: seeds against scikit-learn's, and what groups stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import kmeans_plusplus

from polyclust.search.distances import measure_distances
from polyclust.search.grouping import choose_seeds, group_points
from polyclust.search.points import Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 5), st.booleans())
def test_seeds_are_those_of_scikit_learn(seed, n_rows, n_features, is_weighted):
    random = np.random.default_rng(seed)
    space = random.normal(size=(n_rows, n_features))
    weights = random.integers(1, 5, n_rows).astype(float) if is_weighted else np.ones(n_rows)
    n_seeds = int(random.integers(1, n_rows + 1))
    _, expected = kmeans_plusplus(space, n_seeds, sample_weight=weights, random_state=seed, n_local_trials=1)
    assert choose_seeds(space, weights, n_seeds, seed).tolist() == expected.tolist()


@pytest.mark.parametrize("has_coordinates", [True, False])
def test_distances_between_groups_are_means(has_coordinates):
    random = np.random.default_rng(0)
    space, weights = random.normal(size=(80, 3)), random.integers(1, 4, 80).astype(float)
    distances = measure_distances(space, "euclidean")
    groups = group_points(Points(distances, weights, space, space, space if has_coordinates else None), 12, seed=1)
    assert groups.points.weights.sum() == weights.sum()
    for g in range(len(groups.points)):
        for h in range(g):
            pairs = np.ix_(groups.code == g, groups.code == h)
            of_pairs = np.outer(weights[groups.code == g], weights[groups.code == h])
            expected = np.average(distances[pairs], weights=of_pairs)
            assert groups.points.distances[g, h] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_clusters_of_groups_are_those_of_their_points(seed):
    """Joined from the sums of groups, or started from all points."""
    random = np.random.default_rng(seed)
    space, weights = random.normal(size=(200, 3)), random.integers(1, 4, 200).astype(float)
    points = Points(measure_distances(space, "euclidean"), weights, space, space, space)
    groups = group_points(points, 30, seed)
    labels = np.concatenate([np.arange(4), random.integers(0, 4, len(groups.points) - 4)])
    scorer = SilhouetteScorer(points, SizeBounds((1.0, 1e9)))
    joined, started = scorer.join_groups(labels, groups.code, groups.sums), scorer.start(groups.spread(labels), 4)
    assert joined.labels.tolist() == started.labels.tolist()
    assert joined.sizes.tolist() == started.sizes.tolist()
    assert joined.score == pytest.approx(started.score, abs=1e-6)
    np.testing.assert_allclose(joined.sums, started.sums, rtol=1e-5)
