"""A finite slack weight: the price of errors is that of the best hyperplanes, and it is not worked out in vain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclust import PolytopeClustering
from polyclust.hyperplanes.pair import separate_pair
from polyclust.hyperplanes.pricing import ErrorFinder
from polyclust.search.distances import measure_distances
from polyclust.search.family import AxisFamily, SlackFamily
from polyclust.search.moves import Neighbourhood
from polyclust.search.points import Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from polyclust.search.slack import PairErrors, SlackScorer
from strategies import labels_for, partitioned_points

ANY_SIZE = SizeBounds((1.0, np.inf))
WEIGHT = 0.5


def price(points, labels, n_clusters, limits):
    """The hinge errors of all pairs, each from rows as they are."""
    errors = 0.0
    for i, j in itertools.combinations(range(n_clusters), 2):
        first, second = (np.flatnonzero(labels == k) for k in (i, j))
        first, second = (first, second) if first[0] < second[0] else (second, first)
        errors += separate_pair(
            points.values[first],
            points.values[second],
            upper_weights=points.weights[first],
            lower_weights=points.weights[second],
            max_terms=limits[0],
            max_coefficient=limits[1],
        ).error
    return errors / points.total_weight


@settings(deadline=None, max_examples=40)
@given(partitioned_points(), st.sampled_from([(1, 1), (2, 2)]), st.data())
def test_a_change_is_priced_in_full_where_it_is_above_the_floor(drawn, limits, data):
    points, labels, n_clusters = drawn
    scorer = SlackScorer(SilhouetteScorer(points, ANY_SIZE), PairErrors(points, points.values, *limits, None), WEIGHT)
    partition = scorer.start(labels, n_clusters)
    plain = scorer.base.start(labels, n_clusters).score
    assert partition.score == pytest.approx(plain - WEIGHT * price(points, labels, n_clusters, limits), abs=1e-9)
    other = data.draw(labels_for(len(points), n_clusters))
    full = scorer.base.start(other, n_clusters).score - WEIGHT * price(points, other, n_clusters, limits)
    floor = full + data.draw(st.sampled_from([-1.0, -1e-3, 0.0, 1e-3, 1.0]))
    changed = scorer.change(partition, other, n_clusters, floor)
    if full > floor:
        assert changed.score == pytest.approx(full, abs=1e-9)
    else:
        assert changed.score <= floor + 1e-9
    assert scorer.change(partition, other, n_clusters).score == pytest.approx(full, abs=1e-9)


def test_no_plane_is_sought_once_the_known_ones_cost_too_much(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2))
    sought = []
    find = ErrorFinder.find
    monkeypatch.setattr(ErrorFinder, "find", lambda *given: sought.append(1) or find(*given))
    points = _points_of(X)
    scorer = SlackScorer(SilhouetteScorer(points, ANY_SIZE), PairErrors(points, points.values, 1, 1, None), 1.0)
    mixed = np.arange(40) % 4
    whole = scorer.start(mixed, 4)
    assert len(sought) == 6
    other = mixed.copy()
    other[[0, 1]] = other[[1, 0]]  # the pair of the two other clusters is known, and bad enough
    errors = scorer.errors.total(whole)
    floor = scorer.base.start(other, 4).score - errors / 20
    assert scorer.change(whole, other, 4, floor).score <= floor
    assert len(sought) == 6
    scorer.change(whole, other, 4)
    assert len(sought) == 6 + 5


@pytest.mark.parametrize("limits", [(1, 1), (2, 2), (None, None)])
def test_merges_come_best_first_at_their_full_price_and_no_more_are_priced_than_asked_for(limits, monkeypatch):
    random = np.random.default_rng(3)
    points = _points_of(random.normal(size=(60, 3)))
    errors = PairErrors(points, points.values, *limits, None)
    scorer = SlackScorer(SilhouetteScorer(points, ANY_SIZE), errors, 0.01)
    family = SlackFamily(AxisFamily())
    moves = Neighbourhood(scorer, family.legality(points), family.directions(points))
    partition = scorer.start(random.integers(5, size=60), 5)
    priced = []
    merge = SlackScorer.merge
    monkeypatch.setattr(SlackScorer, "merge", lambda *given: priced.append(1) or merge(*given))
    first = next(moves.merges(partition))
    assert len(priced) < 10
    every = list(moves.merges(partition))
    full = [scorer.start(merged.labels, 4).score for merged in every]
    assert len(every) == 10
    assert [merged.score for merged in every] == pytest.approx(full, abs=1e-9)
    assert full == sorted(full, reverse=True)
    assert (first.labels == every[0].labels).all()


def _points_of(X):
    return Points(measure_distances(X, "euclidean"), np.ones(len(X)), X, X, X)


@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
@pytest.mark.parametrize("seed", range(4))
def test_general_planes_through_rows_of_a_grid_can_be_read(seed):
    X = np.random.default_rng(seed).integers(0, 5, size=(90, 3)).astype(float)
    model = PolytopeClustering(
        5, max_terms=None, max_coefficient=None, representation_weight=1.0, random_state=0, n_init=1
    ).fit(X)
    assert model.n_clusters_ == 5
    assert np.isfinite([h.threshold for h in model.hyperplanes_]).all()
