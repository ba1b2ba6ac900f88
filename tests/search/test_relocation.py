"""Single rows that move to another cluster: legal, within the bounds, never worse, and none left that may gain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from naive import lattice, lie_apart, pairs_in_conflict, silhouette_of_repeats
from polyclust.search.descent import shift_boundaries
from polyclust.search.distances import measure_distances
from polyclust.search.family import choose_family
from polyclust.search.journal import Journal
from polyclust.search.moves import Neighbourhood
from polyclust.search.points import Points
from polyclust.search.relocation import move_rows, refine
from polyclust.search.repair import make_legal
from polyclust.search.sampled import SampledNeighbourhood
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from strategies import partitioned_points

LIMITS = [(1, 1), (2, 1), (2, 3)]
BOUNDS = [(1.0, np.inf), (2.0, np.inf), (3.0, 14.0)]


def neighbourhood_of(some, limits, bounds, kind=Neighbourhood):
    family = choose_family(some.n_features, *limits, np.zeros(some.n_features), np.ones(some.n_features))
    return kind(SilhouetteScorer(some, SizeBounds(bounds)), family.legality(some), family.directions(some))


def is_legal(some, labels, limits):
    """By brute force."""
    directions = lattice(some.n_features, *limits)
    return not pairs_in_conflict(some.raw, labels, lambda a, b: lie_apart(a, b, directions=directions))


@settings(deadline=None, max_examples=50)
@given(partitioned_points(), st.sampled_from(LIMITS), st.sampled_from(BOUNDS))
def test_rows_move_where_they_may_and_gain(drawn, limits, bounds):
    some, labels, _ = drawn
    moves = neighbourhood_of(some, limits, bounds)
    start = make_legal(labels, moves.scorer, moves.legality)
    assume(start is not None)
    journal = Journal()
    end = move_rows(start, moves, journal)
    assert end.score >= start.score
    assert [step.move for step in journal.steps] == ["row"] * len(journal.steps)
    assert (end is start) == (not journal.steps)
    assert end.score == pytest.approx(silhouette_of_repeats(some.distances, end.labels, some.weights), abs=1e-6)
    assert is_legal(some, end.labels, limits)
    assert bounds[0] <= end.sizes.min()
    assert end.sizes.max() <= bounds[1]
    assert_none_is_left(some, end, moves.scorer, limits, bounds)


def assert_none_is_left(some, end, scorer, limits, bounds):
    """No row that seems worth more elsewhere may go there and gain, by brute force."""
    worth = scorer.fates(end, "whole")
    for row, cluster in itertools.product(range(len(some)), range(end.n_clusters)):
        left = end.labels[row]
        if worth[row, cluster] <= worth[row, left] + 1e-5:
            continue
        labels = end.labels.copy()
        labels[row] = cluster
        sizes = np.bincount(labels, weights=some.weights, minlength=end.n_clusters)
        if sizes.min() < max(bounds[0], 1e-9) or sizes.max() > bounds[1] or not is_legal(some, labels, limits):
            continue
        score = silhouette_of_repeats(some.distances, labels, some.weights)
        assert score <= end.score + 2e-6, (row, left, cluster)


def make_slanted(n_rows=900, seed=3):
    """Blobs with noise, of so many features that directions are raced."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-10, 10, (5, 20))
    values = centres[rng.integers(5, size=n_rows)] + rng.normal(0, 2, (n_rows, 20))
    values[: n_rows // 20] = rng.uniform(-15, 15, (n_rows // 20, 20))
    return Points(measure_distances(values, "euclidean"), np.ones(n_rows), values, values, values)


def test_rows_find_planes_that_races_leave_out():
    gains = []
    for seed in range(4):
        some = make_slanted(seed=seed)
        moves = neighbourhood_of(some, (2, 3), (18.0, np.inf), SampledNeighbourhood)
        labels = KMeans(5, n_init=3, random_state=0).fit_predict(some.raw).astype(np.intp)
        start = make_legal(labels, moves.scorer, moves.legality)
        shifted = shift_boundaries(start, moves, Journal())
        refined = refine(start, moves, Journal())
        assert refined.score >= shifted.score
        assert moves.legality.holds_for(refined)
        gains.append(refined.score - shifted.score)
    assert max(gains) > 0


def test_general_hyperplanes_are_left_alone():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 2))
    some = Points(measure_distances(values, "euclidean"), np.ones(40), values, values, values)
    moves = neighbourhood_of(some, (None, None), (1.0, np.inf))
    start = moves.scorer.start((values[:, 0] > 0).astype(np.intp), 2)
    assert move_rows(start, moves, Journal()) is start


def test_time_that_is_up_ends_it():
    some = make_slanted()
    moves = neighbourhood_of(some, (2, 3), (18.0, np.inf))
    start = make_legal((some.raw[:, 0] > 0).astype(np.intp), moves.scorer, moves.legality)
    assert move_rows(start, moves, Journal(was_cut_short=True)) is start
