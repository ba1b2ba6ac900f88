"""Cuts through all clusters, and slices off all of them: sound, and they find what single splits do not."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_score
from test_descent import BOUNDS, assert_sound, family_of

from naive import same_partition, silhouette_of_repeats
from polyclust import PolytopeClustering
from polyclust.search import crossing, moves
from polyclust.search.crossing import cross_cuts
from polyclust.search.distances import measure_distances
from polyclust.search.moves import Neighbourhood
from polyclust.search.points import Points
from polyclust.search.repair import make_legal
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from strategies import partitioned_points, points


def make_answers(n_rows=600, seed=0):
    """A questionnaire: three answers that matter, some that seldom differ, and two numbers around."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.random((n_rows, 3)) < 0.5, columns=["member", "car", "city"]).astype(float)
    table[["ill", "away"]] = (rng.random((n_rows, 2)) < 0.05).astype(float)
    table[["age", "income"]] = rng.normal(0.5, 0.15, size=(n_rows, 2)).clip(0, 1)
    return table


def scorer_of(values, least=2.0):
    some = Points(measure_distances(values, "euclidean"), np.ones(len(values)), values, values, values)
    return SilhouetteScorer(some, SizeBounds((least, np.inf)))


@settings(max_examples=80, deadline=None)
@given(points(), st.sampled_from(BOUNDS[:2]))
def test_crossed_cuts_are_sound_and_no_two_partitions_are_the_same(some, bounds):
    found = list(cross_cuts(SilhouetteScorer(some, SizeBounds(bounds)), 5))
    for partition in found:
        assert_sound(some, partition, (1, 1), bounds)
        assert 2 <= partition.n_clusters <= 5
    assert not any(same_partition(a.labels, b.labels) for a, b in itertools.combinations(found, 2))


def test_three_answers_make_eight_clusters():
    table = make_answers()
    planted = table[["member", "car", "city"]].to_numpy() @ [1, 2, 4]
    found = [p for p in cross_cuts(scorer_of(table.to_numpy(), least=12.0), 10) if p.n_clusters == 8]
    assert any(same_partition(p.labels, planted) for p in found)


@pytest.mark.parametrize("n_rows", [600, 1500])
def test_a_fit_finds_them_at_least(n_rows):
    table = make_answers(n_rows)
    planted = table[["member", "car", "city"]].to_numpy() @ [1, 2, 4]
    model = PolytopeClustering(scale="none", n_init=1, random_state=0).fit(table)
    assert model.score_ >= silhouette_score(table, planted) - 1e-6


def test_nothing_is_crossed_or_sliced_where_that_costs_much(monkeypatch):
    scorer = scorer_of(np.random.default_rng(0).normal(size=(30, 2)))
    family = family_of(scorer.points, (1, 1))
    neighbourhood = Neighbourhood(scorer, family.legality(scorer.points), family.directions(scorer.points))
    partition = scorer.start((scorer.points.raw[:, 0] > 0).astype(np.intp), 2)
    assert list(cross_cuts(scorer, 4)) != []
    assert neighbourhood.slice_off(partition) is not None
    monkeypatch.setattr(crossing, "MOST_CELLS", 1.0)
    monkeypatch.setattr(moves, "CELLS_OF_SLICES", 1.0)
    assert list(cross_cuts(scorer, 4)) == []
    assert neighbourhood.slice_off(partition) is None


@settings(max_examples=80, deadline=None)
@given(partitioned_points(), st.sampled_from(BOUNDS[:2]))
def test_the_best_slice_is_sound_and_the_best(drawn, bounds):
    some, labels, _ = drawn
    scorer = SilhouetteScorer(some, SizeBounds(bounds))
    family = family_of(some, (1, 1))
    neighbourhood = Neighbourhood(scorer, family.legality(some), family.directions(some))
    legal = make_legal(labels, scorer, neighbourhood.legality)
    assume(legal is not None and legal.n_clusters >= 2 and scorer.bounds.hold_for(legal.sizes))
    found = neighbourhood.slice_off(legal)
    best = max(_list_slices(some, legal, bounds), default=None)
    assert (found is None) == (best is None)
    if found is not None:
        assert_sound(some, found, (1, 1), bounds)
        assert found.n_clusters == legal.n_clusters + 1
        assert found.score == pytest.approx(best, abs=2e-5)


def _list_slices(some, partition, bounds):
    """The scores of all slices, by brute force."""
    for axis, sign in itertools.product(range(some.n_features), (1.0, -1.0)):
        along = sign * some.raw[:, axis]
        for threshold in np.unique(along)[1:]:
            labels = np.where(along < threshold, partition.n_clusters, partition.labels)
            sizes = np.bincount(labels, weights=some.weights, minlength=partition.n_clusters + 1)
            if sizes.min() >= max(bounds[0], 1e-9) and sizes.max() <= bounds[1]:
                yield silhouette_of_repeats(some.distances, labels, some.weights)


def test_values_recur_in_booleans_and_codes_but_not_in_measurements():
    rng = np.random.default_rng(0)
    measured = rng.normal(size=(200, 3))
    coded = measured.copy()
    coded[:15, 1] = 99.0
    assert not scorer_of(measured).points.has_recurring_values
    assert scorer_of(coded).points.has_recurring_values
    assert scorer_of(np.column_stack([measured, rng.random(200) < 0.2])).points.has_recurring_values
