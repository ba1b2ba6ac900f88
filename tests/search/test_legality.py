"""Legality of clusters along a lattice: what it allows is apart, also where it asks the likely features only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclust.hyperplanes.lattice import list_directions
from polyclust.search import legality
from polyclust.search.distances import measure_distances
from polyclust.search.legality import IntervalLegality, _PairwiseLegality
from polyclust.search.points import Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from strategies import partitioned_points


def is_apart(first, second, directions):
    """Whether some direction has all rows of one set below all rows of the other."""
    gaps = []
    for along in directions.project(np.vstack([first, second])):
        a, b = along[: len(first)], along[len(first) :]
        gaps.append(max(b.min() - a.max(), a.min() - b.max()))
    return max(gaps) > 1e-6


def ask(drawn):
    points, labels, n_clusters = drawn
    directions = list_directions(points.n_features, 2, 2)
    partition = SilhouetteScorer(points, SizeBounds((1.0, np.inf))).start(labels, n_clusters)
    answers = IntervalLegality(points, directions).allows(partition, partition.rows_of(0), [1])
    return answers, is_apart(points.values[labels == 0], points.values[labels == 1], directions)


@settings(deadline=None, max_examples=80)
@given(partitioned_points(n_columns=st.integers(2, 4)))
def test_clusters_are_allowed_where_a_direction_parts_them(drawn):
    allowed, expected = ask(drawn)
    assert allowed == expected


@settings(deadline=None, max_examples=80)
@given(partitioned_points(n_columns=st.integers(3, 5)))
def test_with_the_likely_features_only_what_is_allowed_is_apart(drawn):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("VALUES_TO_LIST", 0), ("FEW_POINTS", 0), ("N_LIKELY", 2)):
            patch.setattr(legality, name, value)
        allowed, expected = ask(drawn)
    assert expected or not allowed


def test_the_likely_features_are_those_with_means_apart():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 6))
    labels = np.repeat([0, 1], 30)
    values[:, 2] += 3.0 * labels
    values[:, 4] -= 3.0 * labels
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("VALUES_TO_LIST", 0), ("FEW_POINTS", 0), ("N_LIKELY", 2)):
            patch.setattr(legality, name, value)
        directions = list_directions(6, 2, 1)
        some = IntervalLegality(
            Points(measure_distances(values, "euclidean"), np.ones(60), values, values, values), directions
        )
        likely = some._choose_likely(np.flatnonzero(labels == 0), np.flatnonzero(labels == 1))
    assert {frozenset(directions.terms(int(d))[0]) for d in likely} == {
        frozenset({2}),
        frozenset({4}),
        frozenset({2, 4}),
    }


@settings(deadline=None, max_examples=80)
@given(partitioned_points(n_columns=st.integers(1, 3)), st.integers(1, 12), st.data())
def test_the_best_straight_cut_is_that_of_the_slow_search(drawn, n_tries, data):
    points, labels, n_clusters = drawn
    partition = SilhouetteScorer(points, SizeBounds((1.0, np.inf))).start(labels, n_clusters)
    orders = points.order_along_axes(labels <= 1)
    drawn_scores = data.draw(st.lists(st.integers(-2, 5), min_size=orders.rows.size, max_size=orders.rows.size))
    quick, slow = (np.array(drawn_scores, dtype=np.float64).reshape(orders.rows.shape) for _ in range(2))
    legal = IntervalLegality(points)
    found = legal.find_cut(partition, 0, 1, orders, quick, 0.0, n_tries)
    assert found == _PairwiseLegality.find_cut(legal, partition, 0, 1, orders, slow, 0.0, n_tries)
    assert (quick == slow).all()


@settings(deadline=None, max_examples=60)
@given(partitioned_points(n_columns=st.integers(2, 4)))
def test_what_is_remembered_of_few_points_is_what_would_be_found_again(drawn):
    points, labels, n_clusters = drawn
    directions = list_directions(points.n_features, 2, 2)
    partition = SilhouetteScorer(points, SizeBounds((1.0, np.inf))).start(labels, n_clusters)
    remembers = IntervalLegality(points, directions)
    asked = [(i, j) for i in range(n_clusters) for j in range(n_clusters) if i != j]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(legality, "FEW_POINTS", 0)
        forgets = IntervalLegality(points, directions)
        expected = [forgets.allows(partition, partition.rows_of(i), [j]) for i, j in [*asked, *asked]]
    answers = [remembers.allows(partition, partition.rows_of(i), [j]) for i, j in [*asked, *asked]]
    assert answers == expected
    assert remembers._witnesses == forgets._witnesses
