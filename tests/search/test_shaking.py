"""What no move improves is shaken: the same K, legal, within the sizes, never worse, and better where it was a trap."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from naive import lattice, lie_apart, pairs_in_conflict, silhouette_of_repeats
from polyclust import PolytopeClustering
from polyclust.errors import SmallClusterWarning
from polyclust.search import solve
from polyclust.search.descent import go_beyond, shift_boundaries
from polyclust.search.distances import measure_distances
from polyclust.search.family import choose_family
from polyclust.search.journal import Journal
from polyclust.search.moves import Neighbourhood
from polyclust.search.plan import SearchPlan
from polyclust.search.points import FEW_POINTS, Points
from polyclust.search.repair import make_legal
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from polyclust.search.shaking import shake
from polyclust.search.starting import Starter
from strategies import partitioned_points

ANY_SIZE = (1.0, np.inf)


def points_at(raw):
    return Points(measure_distances(raw, "euclidean"), np.ones(len(raw)), raw, raw, raw)


def family_of(some, limits):
    return choose_family(some.n_features, *limits, np.zeros(some.n_features), np.ones(some.n_features))


def neighbourhood_of(some, limits=(1, 1), bounds=ANY_SIZE):
    family = family_of(some, limits)
    scorer = SilhouetteScorer(some, SizeBounds(bounds))
    return Neighbourhood(scorer, family.legality(some), family.directions(some))


def four_blobs(n_each=12):
    """Two blobs near each other and two far from all."""
    rng = np.random.default_rng(0)
    centers = [[0.0, 0.0], [3.0, 0.0], [12.0, 0.0], [0.0, 12.0]]
    return points_at(np.concatenate([rng.normal(size=(n_each, 2), scale=0.4) + center for center in centers]))


def trapped(some, n_each=12):
    """Clusters that no shift improves: a blob in two parts, and two blobs as one."""
    labels = np.repeat([0, 0, 1, 2], n_each)
    far = np.flatnonzero(labels == 2)
    labels[far[np.argsort(some.raw[far, 1])[: n_each // 2]]] = 3
    return labels


@settings(deadline=None, max_examples=40)
@given(partitioned_points(), st.sampled_from([(1, 1), (2, 1), (2, 3)]), st.sampled_from([ANY_SIZE, (3.0, 14.0)]))
def test_what_is_shaken_stays_legal_and_within_the_sizes_and_never_gets_worse(drawn, limits, bounds):
    some, labels, _ = drawn
    moves = neighbourhood_of(some, limits, bounds)
    start = make_legal(labels, moves.scorer, moves.legality)
    assume(start is not None and start.sizes.min() >= bounds[0] and start.sizes.max() <= bounds[1])
    found = shake(start, moves, Journal(), 30, seed=0)
    assert found.score >= start.score
    assert sorted(np.unique(found.labels)) == list(range(start.n_clusters))
    assert bounds[0] <= found.sizes.min()
    assert found.sizes.max() <= bounds[1]
    directions = lattice(some.n_features, *limits)
    assert not pairs_in_conflict(some.raw, found.labels, lambda a, b: lie_apart(a, b, directions))
    expected = silhouette_of_repeats(some.distances, found.labels, some.weights)
    assert found.score == pytest.approx(expected, abs=1e-6)


def test_a_trap_that_holds_every_shift_is_left():
    some = four_blobs()
    moves = neighbourhood_of(some)
    start = shift_boundaries(moves.scorer.start(trapped(some), 4), moves, Journal())
    truth = moves.scorer.start(np.repeat([0, 1, 2, 3], 12), 4)
    assert start.score < truth.score - 0.05
    journal = Journal()
    found = shake(start, moves, journal, 50, seed=0)
    assert found.score == pytest.approx(truth.score, abs=1e-9)
    assert {step.move for step in journal.steps} == {"shift", "shake"}


@pytest.mark.parametrize("seed", range(8))
def test_on_one_column_the_best_of_all_cuts_is_found(seed):
    raw = np.random.default_rng(seed).gamma(1.0, size=(14, 1))
    raw.sort(axis=0)
    some = points_at(raw)
    moves = neighbourhood_of(some)
    start = moves.scorer.start(np.repeat([0, 1, 2, 3], [1, 1, 1, 11]), 4)
    cuts = itertools.combinations(range(1, 14), 3)
    several = (np.searchsorted(cut, np.arange(14), side="right") for cut in cuts)
    best = max(silhouette_of_repeats(some.distances, labels, some.weights) for labels in several)
    assert shake(start, moves, Journal(), 100, seed=0).score == pytest.approx(best, abs=1e-6)


def test_the_same_seed_finds_the_same_clusters():
    some = points_at(np.random.default_rng(3).normal(size=(60, 2)))
    moves = neighbourhood_of(some, (2, 3))
    start = moves.scorer.start((some.raw[:, 0] > 0).astype(np.intp) + 2 * (some.raw[:, 1] > 0), 4)
    once, again = (shake(start, neighbourhood_of(some, (2, 3)), Journal(), 40, seed=5) for _ in range(2))
    assert once.score > start.score
    assert (once.labels == again.labels).all()


def fit_five(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PolytopeClustering(5, max_terms=2, max_coefficient=3, random_state=0, **options).fit(X)


class OverJournal(Journal):
    """Over from the first look on."""

    def is_over(self):
        return True


def test_without_tries_or_time_nothing_changes():
    some = four_blobs()
    moves = neighbourhood_of(some)
    start = moves.scorer.start(trapped(some), 4)
    assert shake(start, moves, Journal(), 0, seed=0) is start
    assert shake(start, moves, OverJournal(), 50, seed=0) is start


def test_one_cluster_cannot_be_shaken():
    some = four_blobs()
    moves = neighbourhood_of(some)
    one = moves.scorer.start(np.zeros(len(some), dtype=np.intp), 1)
    assert shake(one, moves, Journal(), 20, seed=0).n_clusters == 1


def plan_for(some, n_clusters, limits=(1, 1), bounds=ANY_SIZE):
    bounds = SizeBounds(bounds)
    return SearchPlan(n_clusters, family_of(some, limits), lambda p: SilhouetteScorer(p, bounds), 10, 0, bounds)


def test_few_numbers_of_clusters_are_shaken_more_and_costly_tables_less():
    few, many = four_blobs(), points_at(np.random.default_rng(0).normal(size=(2000, 4)))
    some = points_at(np.random.default_rng(0).normal(size=(400, 4)))
    narrow, wide = plan_for(few, (4, 4)), plan_for(few, (2, 10))
    assert narrow.n_shakes(few) == wide.n_shakes(few)  # they cost next to nothing
    assert narrow.n_shakes(some) > wide.n_shakes(some) > 0
    assert 0 < narrow.n_shakes(many) < narrow.n_shakes(few)
    assert 0 < plan_for(few, (80, 80)).n_shakes(few) < narrow.n_shakes(few)
    assert 0 < plan_for(few, (4, 4), limits=(None, None)).n_shakes(few) < narrow.n_shakes(few)
    assert replace(narrow, n_init=100).n_shakes(few) == 10 * narrow.n_shakes(few)


def test_more_clusters_than_were_asked_for_lead_to_better_ones():
    some = four_blobs()
    moves = neighbourhood_of(some)
    truth = np.repeat([0, 1, 2, 3], 12)
    found = {3: moves.scorer.start(np.where(trapped(some) == 1, 0, trapped(some).clip(1) - 1), 3)}
    larger = moves.scorer.start(truth, 4)
    joined = moves.scorer.start(np.repeat([0, 0, 1, 2], 12), 3)
    assert found[3].score < joined.score - 0.1
    reached = go_beyond(found, [larger], moves, (3, 3), 2, Journal())
    assert list(reached) == [3]
    assert reached[3].score >= joined.score - 1e-9


def test_starts_beyond_have_more_clusters_than_were_asked_for():
    some = four_blobs()
    moves = neighbourhood_of(some)
    starter = Starter(moves.scorer, plan_for(some, (4, 4)), Journal())
    assert {p.n_clusters for p in starter.make_beyond(moves.legality, "alone")} == {5, 6}
    assert {p.n_clusters for p in starter.make(moves.legality, "alone")} == {1, 2, 3, 4}
    wide = Starter(moves.scorer, plan_for(some, (2, 7)), Journal())
    assert {p.n_clusters for p in wide.make_beyond(moves.legality, "alone")} == {8, 9}


def test_even_trees_are_starts_for_every_k_that_was_asked_for_whatever_the_counts():
    some = points_at(np.random.default_rng(0).normal(size=(FEW_POINTS + 50, 2)))
    bounds = (1.0, 0.3 * len(some))
    moves = neighbourhood_of(some, bounds=bounds)
    starter = Starter(moves.scorer, plan_for(some, (2, 6), bounds=bounds), Journal())
    assert {p.n_clusters for p in starter.make(moves.legality, "alone", counts={5})} >= {1, 4, 5, 6}


def test_only_the_silhouette_of_exact_rules_is_shaken(monkeypatch):
    n_tries = []
    monkeypatch.setattr(solve, "shake", lambda p, moves, journal, n, seed: n_tries.append(n) or p)
    X = load_iris().data[::3]
    for options in (
        {"representation_weight": 2.0},
        {"criterion": "dunn"},
        {"criterion": lambda _, labels: -len(np.unique(labels))},
    ):
        fit_five(X, **options)
    assert n_tries == []
    fit_five(X)
    assert max(n_tries) == 100


def test_as_many_clusters_as_rows_leave_nothing_beyond():
    model = PolytopeClustering(5, min_cluster_size=1, random_state=0)
    with pytest.warns(SmallClusterWarning):
        model.fit(np.arange(5.0)[:, None] ** 2)
    assert len(np.unique(model.labels_)) == 5


def test_eight_clusters_of_iris_score_what_only_shaking_finds():
    model = PolytopeClustering(8, max_terms=2, max_coefficient=3, random_state=0)
    with pytest.warns(SmallClusterWarning):
        model.fit(load_iris().data)
    assert model.score_ > 0.458  # without it .4508, by the same starts and moves
