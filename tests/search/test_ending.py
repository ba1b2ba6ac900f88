"""What the search still does once it must end: as little as gives the clusters that were asked for."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.datasets import make_blobs

from polyclust.search.branches import list_clusters
from polyclust.search.candidates import list_candidates
from polyclust.search.distances import measure_distances
from polyclust.search.family import AxisFamily
from polyclust.search.grafting import Grafter, graft_tree
from polyclust.search.journal import Journal
from polyclust.search.plan import SearchPlan
from polyclust.search.points import Points
from polyclust.search.scoring import CallScorer, SilhouetteScorer, SizeBounds
from polyclust.search.slack import PairErrors
from polyclust.search.solve import search_partitions
from polyclust.search.starting import Starter
from polyclust.search.trees import grow_tree
from polyclust.search.two import search_two
from strategies import partitioned_points

ANY_SIZE = SizeBounds((1.0, np.inf))


class PatientJournal(Journal):
    """Over after so many looks."""

    def __init__(self, n_looks):
        super().__init__()
        self.n_looks = n_looks

    def is_over(self):
        self.n_looks -= 1
        self.was_cut_short |= self.n_looks < 0
        return self.was_cut_short


def blobs(n_rows, n_features=3, centers=4):
    values, _ = make_blobs(n_rows, centers=centers, n_features=n_features, random_state=0)
    return Points(measure_distances(values, "euclidean"), np.ones(n_rows), values, values.copy(), values)


def plan_for(n_clusters):
    return SearchPlan(n_clusters, AxisFamily(), lambda p: SilhouetteScorer(p, ANY_SIZE), 10, 0, ANY_SIZE)


def test_items_are_worked_out_only_in_time():
    worked_out = []
    items = (worked_out.append(n) or n for n in range(9))
    journal = PatientJournal(2)
    assert list(journal.in_time(items, at_least=3)) == [0, 1, 2, 3, 4]
    assert worked_out == [0, 1, 2, 3, 4]
    assert list(journal.in_time(items)) == []
    assert next(items) == 5  # nothing was taken and lost
    assert list(Journal().in_time(range(3))) == [0, 1, 2]


def test_seconds_left():
    assert Journal().seconds_left() is None
    assert 0.0 < Journal(time_limit=1e6).seconds_left() <= 1e6
    assert Journal(time_limit=1e-9).seconds_left() == 0.0
    interrupted = Journal()
    interrupted.interrupt()
    assert interrupted.seconds_left() == 0.0


@pytest.mark.parametrize("n_looks", [0, 1])
def test_two_clusters_cut_short_are_the_best_so_far(n_looks, monkeypatch):
    monkeypatch.setattr("polyclust.search.two.CELLS_BETWEEN_LOOKS", 1.0)  # a look after every direction
    some = blobs(60)
    scorer = SilhouetteScorer(some, ANY_SIZE)
    found = search_two(scorer, AxisFamily(), PatientJournal(n_looks))
    cuts = [scorer.start((some.raw[:, f] > t).astype(np.intp), 2) for f in range(n_looks + 1) for t in some.raw[:-1, f]]
    cuts = [cut for cut in cuts if cut.sizes.min() > 0]
    assert found.score == pytest.approx(max(cut.score for cut in cuts), abs=1e-6)
    result = search_partitions(some, plan_for((2, 2)), PatientJournal(n_looks))
    assert result.partitions[2].score == found.score
    assert not result.is_optimal
    assert not result.is_exhaustive


def test_looks_at_the_clock_change_no_score(monkeypatch):
    some = blobs(60)
    whole = search_two(SilhouetteScorer(some, ANY_SIZE), AxisFamily(), Journal())
    monkeypatch.setattr("polyclust.search.two.CELLS_BETWEEN_LOOKS", 1.0)
    parts = search_two(SilhouetteScorer(some, ANY_SIZE), AxisFamily(), Journal())
    assert parts.score == whole.score
    assert (parts.labels == whole.labels).all()


def test_late_starts_have_as_many_clusters_as_were_asked_for():
    scorer = SilhouetteScorer(blobs(80), ANY_SIZE)
    journal = Journal()
    journal.interrupt()
    legality = AxisFamily().legality(scorer.points)
    late = list(Starter(scorer, plan_for((6, 7)), journal).make(legality, "alone"))
    in_time = list(Starter(scorer, plan_for((6, 7)), Journal()).make(legality, "alone"))
    assert late[0].n_clusters == 1
    assert {p.n_clusters for p in late[1:]} == {6, 7}
    assert len(late) == 5  # for each count Ward's and those of one seed
    assert {p.n_clusters for p in in_time} == set(range(1, 8))


@pytest.mark.parametrize("n_rows", [80, 900])
@pytest.mark.parametrize("n_clusters", [2, 12])
def test_searches_that_are_late_from_the_beginning_make_few_partitions(n_rows, n_clusters, monkeypatch):
    n_made = itertools.count()
    start = SilhouetteScorer.start
    monkeypatch.setattr(SilhouetteScorer, "start", lambda *given_: (next(n_made), start(*given_))[1])
    journal = Journal()
    journal.interrupt()
    found = search_partitions(blobs(n_rows), plan_for((n_clusters, n_clusters)), journal).partitions
    assert list(found) == [n_clusters]
    assert next(n_made) <= 10


@settings(deadline=None, max_examples=30)
@given(partitioned_points())
def test_a_late_scan_by_calls_tries_one_cut(drawn):
    some, labels, n_clusters = drawn
    calls = []
    late = CallScorer(some, ANY_SIZE, lambda given_: calls.append(given_.copy()) or 0.5, lambda: True)
    partition = late.start(labels, n_clusters)
    calls.clear()
    orders = some.order_along_axes(labels == 0)
    scores = late.scan(partition, 0, None, orders)
    assert (scores == 0.5).sum() == len(calls) == orders.is_end.any()


def test_late_trees_are_left_as_they_are_but_for_their_thresholds():
    some = blobs(200)
    labels = np.random.default_rng(0).integers(0, 3, 200)
    fates = np.eye(3)[labels]
    start = grow_tree(some, fates)
    grafter = Grafter.make(some, fates, (2, 3))
    late, prices = graft_tree(start, replace(grafter, is_over=lambda: True), ANY_SIZE)
    assert (prices == 0.0).all()
    assert sorted(list_clusters(late)) == sorted(list_clusters(start)) == [0, 1, 2]
    assert late.cut.features == start.cut.features
    assert grafter.sum_worth(start) <= grafter.sum_worth(late)
    assert grafter.sum_worth(late) < grafter.sum_worth(graft_tree(start, grafter, ANY_SIZE).tree)


def test_candidates_without_a_race_are_the_axes():
    values = np.random.default_rng(0).normal(size=(4, 50))
    late = list_candidates(values, np.random.default_rng(1).normal(size=(50, 3)), 2, 3, lambda: True)
    assert [directions.features[:, 0].tolist() for directions in late] == [[0, 1, 2, 3]] * 3
    assert all((directions.coefficients[:, 1] == 0.0).all() for directions in late)


def test_late_pairs_are_told_apart_by_one_term_and_not_remembered():
    some = blobs(60, centers=3)
    seconds = [0.0]
    errors = PairErrors(some, some.values, None, None, None, lambda: seconds[0])
    first, second = np.arange(30), np.arange(30, 60)
    late = errors.separate(first, second)
    assert np.count_nonzero(late.w) == 1
    seconds[0] = None
    found = errors.separate(first, second)
    assert np.count_nonzero(found.w) > 1
    assert found.error <= late.error
    seconds[0] = 0.0
    assert errors.separate(first, second) is found
    turned = errors.separate(second, first)
    assert (turned.w == -found.w).all()
    assert turned.error == found.error
