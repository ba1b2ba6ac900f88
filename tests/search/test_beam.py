"""A beam of splits: sound partitions, the best single cut among them, and more than greedy splitting finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_descent import BOUNDS, assert_sound

from naive import best_axis_cut, same_partition
from polyclust.search import beam
from polyclust.search.beam import split_widely
from polyclust.search.directions import AxisDirections
from polyclust.search.distances import measure_distances
from polyclust.search.legality import IntervalLegality
from polyclust.search.moves import Neighbourhood
from polyclust.search.points import Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from strategies import points


def make_scorer(values, least=2.0):
    some = Points(measure_distances(values, "euclidean"), np.ones(len(values)), values, values, values)
    return SilhouetteScorer(some, SizeBounds((least, np.inf)))


@settings(max_examples=60, deadline=None)
@given(points(), st.sampled_from(BOUNDS[:2]))
def test_what_is_given_is_sound_and_no_two_are_the_same(some, bounds):
    scorer = SilhouetteScorer(some, SizeBounds(bounds))
    given_ = list(split_widely(scorer, AxisDirections(1.0), 4))
    for partition in given_:
        assert_sound(some, partition, (1, 1), bounds)
    assert not any(same_partition(a.labels, b.labels) for a, b in itertools.combinations(given_, 2))
    counts = [p.n_clusters for p in given_]
    assert counts == sorted(counts)


@settings(max_examples=40, deadline=None)
@given(points())
def test_the_best_single_cut_comes_first(some):
    scorer = SilhouetteScorer(some, SizeBounds((1.0, np.inf)))
    found = list(split_widely(scorer, AxisDirections(1.0), 2))
    expected = best_axis_cut(some.raw, some.distances, some.weights, 1.0)
    assert (found[0].score if found else -np.inf) == pytest.approx(expected, abs=1e-6)


def test_the_beam_holds_what_greedy_splitting_finds_and_more():
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(12):
        scorer = make_scorer(rng.normal(size=(60, 3)))
        greedy = scorer.start(np.zeros(60, dtype=np.intp), 1)
        moves = Neighbourhood(scorer, IntervalLegality(scorer.points), AxisDirections(1.0))
        for _ in range(3):
            splits = (moves.split(greedy, i) for i in range(greedy.n_clusters))
            greedy = max((s for s in splits if s is not None), key=lambda s: s.score)
        widely = max(p.score for p in split_widely(scorer, AxisDirections(1.0), 4) if p.n_clusters == 4)
        gains.append(widely - greedy.score)
    assert min(gains) > -1e-9
    assert max(gains) > 0.01


def test_nothing_is_split_where_that_costs_much(monkeypatch):
    scorer = make_scorer(np.random.default_rng(0).normal(size=(30, 2)))
    monkeypatch.setattr(beam, "MOST_CELLS", 2 * 30**2 * beam.WIDTH * 3 - 1)
    assert list(split_widely(scorer, AxisDirections(1.0), 4)) == []
    assert list(split_widely(scorer, AxisDirections(1.0), 3)) != []
