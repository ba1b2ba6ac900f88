"""What becomes of the score with a row in another cluster, beside scores of the labels with that row moved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclust.search.distances import measure_distances
from polyclust.search.fates import compare_means, mark_labels, weigh_influence
from polyclust.search.points import Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from strategies import partitioned_points


def make_scorer(values, weights=None):
    weights = np.ones(len(values)) if weights is None else weights
    return SilhouetteScorer(
        Points(measure_distances(values, "euclidean"), weights, values, values, values), SizeBounds((1, np.inf))
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_fate_is_what_moving_the_row_does_to_the_sum(seed):
    """To first order: the clusters are so heavy that one row changes little."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, 800)
    values = rng.normal(size=(4, 3))[labels] * 3 + rng.normal(size=(800, 3))
    values[:40] = rng.uniform(-12, 12, (40, 3))
    weights = np.where(np.arange(800) < 40, 1.0, 50.0)
    scorer = make_scorer(values, weights)
    partition = scorer.start(labels, 4)
    fates = scorer.fates(partition, "whole")
    told, found = [], []
    for row in rng.choice(40, 12, replace=False):
        for cluster in set(range(4)) - {labels[row]}:
            moved = labels.copy()
            moved[row] = cluster
            told.append(fates[row, cluster] - fates[row, labels[row]])
            found.append(weights.sum() * (scorer.start(moved, 4).score - partition.score))
    assert np.abs(np.subtract(told, found)).max() < 0.01 * np.abs(found).max()


def test_a_far_row_harms_others_more_than_itself():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [100, 100, 10])
    values = np.vstack([rng.normal(0, 1, (100, 2)), rng.normal(9, 1, (100, 2)), rng.uniform(-60, 60, (10, 2))])
    labels[200] = 0  # one of the far rows is counted in with a tight cluster
    scorer = make_scorer(values)
    partition = scorer.start(labels, 3)
    alone = scorer.row_scores(partition)[200]
    fates = scorer.fates(partition, "whole")[200]
    assert fates.argmax() == 2
    assert fates[2] - fates[0] > 2 * abs(alone)


@settings(deadline=None, max_examples=60)
@given(partitioned_points(most=4), st.integers(2, 3))
def test_a_weight_is_a_repetition(drawn, n_times):
    some, labels, n_clusters = drawn
    light = make_scorer(some.values, np.full(len(some), float(n_times)))
    repeated = make_scorer(np.repeat(some.values, n_times, axis=0))
    once = light.fates(light.start(labels, n_clusters), "whole")
    often = repeated.fates(repeated.start(np.repeat(labels, n_times), n_clusters), "whole")
    assert often[::n_times] == pytest.approx(once, abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(partitioned_points(), st.randoms(use_true_random=False))
def test_some_rows_have_the_fates_that_they_have_among_all(drawn, chance):
    points, labels, n_clusters = drawn
    scorer = SilhouetteScorer(points, SizeBounds((1.0, 1e9)))
    partition = scorer.start(labels, n_clusters)
    rows = np.array(chance.choices(range(len(points)), k=7))
    some = scorer.weigh_wholly(partition, rows)
    np.testing.assert_allclose(some, scorer.fates(partition, "whole")[rows], rtol=1e-5, atol=1e-5)
    assert scorer.weigh_wholly(partition, rows[:0]).shape == (0, n_clusters)


def test_one_cluster_has_no_fates_to_compare():
    assert (compare_means(np.ones((3, 1))) == 0).all()
    assert mark_labels(np.array([1, 0]), 3).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_rows_without_weight_feel_no_influence():
    means = np.array([[1.0, 2.0], [2.0, 1.0]])
    influence = weigh_influence(np.array([0, 1]), means, np.ones(2), np.zeros(2))
    assert (influence.of(np.ones((5, 2))) == 0).all()
