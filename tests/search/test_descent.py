"""Moves, repair and descent: always legal, always within the size bounds, always scored truly, never worse."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive import lattice, lie_apart, lie_apart_by_any_plane, pairs_in_conflict, silhouette_of_repeats
from polyclust import PolytopeClustering
from polyclust.search.branches import label_rows
from polyclust.search.descent import explore, shift_boundaries
from polyclust.search.distances import measure_distances
from polyclust.search.family import choose_family
from polyclust.search.fates import mark_labels
from polyclust.search.journal import Journal
from polyclust.search.moves import Neighbourhood
from polyclust.search.partition import member_mask
from polyclust.search.plan import SearchPlan
from polyclust.search.points import Points
from polyclust.search.repair import make_legal
from polyclust.search.sampled import SampledNeighbourhood, scan_sample, scan_window
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from polyclust.search.solve import search_partitions
from polyclust.search.trees import Slants, grow_tree
from strategies import labels_for, partitioned_points, points, weights_for

LIMITS = [(1, 1), (2, 1), (2, 3), (None, None)]
BOUNDS = [(1.0, np.inf), (2.0, np.inf), (3.0, 14.0)]


def family_of(some, limits):
    return choose_family(some.n_features, *limits, np.zeros(some.n_features), np.ones(some.n_features))


def conflicts_of(some, labels, limits):
    """The pairs that the family cannot tell apart, by brute force."""
    if limits == (None, None):
        return pairs_in_conflict(some.raw, labels, lie_apart_by_any_plane)
    directions = lattice(some.n_features, *limits)
    return pairs_in_conflict(some.raw, labels, partial(lie_apart, directions=directions))


def assert_sound(some, partition, limits, bounds):
    """Legal, within the bounds, and scored as scikit-learn scores it."""
    assert sorted(np.unique(partition.labels)) == list(range(partition.n_clusters))
    assert partition.sizes == pytest.approx(np.bincount(partition.labels, weights=some.weights))
    assert bounds[0] <= partition.sizes.min()
    assert partition.sizes.max() <= bounds[1]
    assert conflicts_of(some, partition.labels, limits) == []
    expected = silhouette_of_repeats(some.distances, partition.labels, some.weights)
    assert partition.score == pytest.approx(expected, abs=1e-6)


class WitnessJournal(Journal):
    """Keeps every partition that is accepted."""

    def accept(self, move, partition):
        self.__dict__.setdefault("seen", []).append(partition)
        super().accept(move, partition)


def neighbourhood_of(some, limits, bounds, kind=Neighbourhood):
    family = family_of(some, limits)
    scorer = SilhouetteScorer(some, SizeBounds(bounds))
    return kind(scorer, family.legality(some), family.directions(some))


@settings(deadline=None, max_examples=60)
@given(partitioned_points(), st.sampled_from(LIMITS), st.sampled_from(BOUNDS), st.booleans())
def test_any_labels_can_be_made_legal(drawn, limits, bounds, is_slanted):
    some, labels, _ = drawn
    moves = neighbourhood_of(some, limits, bounds)
    slants = Slants(limits[1]) if is_slanted and limits[0] == 2 else None
    legal = make_legal(labels, moves.scorer, moves.legality, slants=slants)
    if legal is not None:
        assert_sound(some, legal, limits, bounds)
    before = moves.scorer.start(labels, int(labels.max()) + 1)
    if not conflicts_of(some, labels, limits) and SizeBounds(bounds).hold_for(before.sizes):
        assert legal is not None
        assert legal.labels.tolist() == labels.tolist()


def weigh_alike(some, labels, n_clusters):
    """Every row is worth its weight in its own cluster and nothing elsewhere."""
    return mark_labels(labels, n_clusters) * some.weights[:, None]


def grow_leaves(some, fates, slants=None):
    """The leaf of every row."""
    return label_rows(grow_tree(some, fates, slants), some.columns)


@settings(deadline=None, max_examples=60)
@given(partitioned_points(most=5))
def test_the_leaves_of_a_tree_are_told_apart_by_axes(drawn):
    some, labels, n_clusters = drawn
    leaves = grow_leaves(some, weigh_alike(some, labels, n_clusters))
    assert set(leaves) <= set(range(n_clusters))
    assert conflicts_of(some, leaves, (1, 1)) == []


@settings(deadline=None, max_examples=60)
@given(partitioned_points(most=5), st.integers(1, 3))
def test_the_leaves_of_a_slanted_tree_are_told_apart_by_two_terms(drawn, max_coefficient):
    some, labels, n_clusters = drawn
    leaves = grow_leaves(some, weigh_alike(some, labels, n_clusters), Slants(max_coefficient))
    assert set(leaves) <= set(range(n_clusters))
    assert conflicts_of(some, leaves, (2, max_coefficient)) == []


def test_slanted_cuts_part_bands_that_axes_cannot():
    """Four bands along a diagonal of a plane, in a space with other features."""
    rng = np.random.default_rng(0)
    values = rng.uniform(0, 1, (400, 8))
    labels = rng.integers(0, 4, 400)
    values[:, 3] = 2 * values[:, 7] + labels + rng.uniform(-0.3, 0.3, 400)
    some = Points(measure_distances(values, "euclidean"), np.ones(400), values, values, values)
    fates = weigh_alike(some, labels, 4)
    assert (grow_leaves(some, fates, Slants(3)) == labels).all()
    assert (grow_leaves(some, fates, Slants(1)) != labels).any()
    assert (grow_leaves(some, fates) != labels).any()


@settings(deadline=None, max_examples=40)
@given(partitioned_points(), st.sampled_from(LIMITS), st.sampled_from(BOUNDS), st.booleans())
def test_shifts_never_lower_the_score_and_keep_it_true(drawn, limits, bounds, is_sampled):
    some, labels, _ = drawn
    kind = SampledNeighbourhood if is_sampled else Neighbourhood
    moves = neighbourhood_of(some, limits, bounds, kind)
    start = make_legal(labels, moves.scorer, moves.legality)
    assume(start is not None)
    journal = WitnessJournal()
    end = shift_boundaries(start, replace(moves, least_leaning=0.0), journal)
    steps = [start, *journal.__dict__.get("seen", [])]
    assert end is steps[-1]
    assert (np.diff([p.score for p in steps]) > 0).all()
    assert [s.score for s in journal.steps] == [p.score for p in steps[1:]]
    for partition in steps:
        assert_sound(some, partition, limits, bounds)


@settings(deadline=None, max_examples=30)
@given(partitioned_points(), st.sampled_from(LIMITS), st.data())
def test_a_pair_that_no_shift_improves_is_known_under_other_numbers(drawn, limits, data):
    some, labels, _ = drawn
    moves = neighbourhood_of(some, limits, (1.0, np.inf))
    start = make_legal(labels, moves.scorer, moves.legality)
    assume(start is not None and start.n_clusters > 1)
    end = shift_boundaries(start, replace(moves, least_leaning=0.0), Journal())
    numbers = np.array(data.draw(st.permutations(range(end.n_clusters))))
    renamed = moves.scorer.start(numbers[end.labels], end.n_clusters)
    for i, j in itertools.combinations(range(end.n_clusters), 2):
        assert end.name_pair(i, j) == renamed.name_pair(numbers[i], numbers[j]) == end.name_pair(j, i)
        assert moves.shift(end, i, j) is None
        assert end.name_pair(i, j) in moves.in_vain
    names = {end.name_pair(i, j) for i, j in itertools.combinations(range(end.n_clusters), 2)}
    assert len(names) == len(moves.in_vain) == end.n_clusters * (end.n_clusters - 1) // 2
    other = moves.scorer.start(np.roll(end.labels, 1), end.n_clusters)
    if sorted(map(tuple, _members(other))) != sorted(map(tuple, _members(end))):
        assert other.name_pair(0, 1) not in moves.in_vain


def _members(partition):
    return [partition.rows_of(k).tolist() for k in range(partition.n_clusters)]


@settings(deadline=None, max_examples=30)
@given(partitioned_points(), st.sampled_from(LIMITS), st.sampled_from(BOUNDS))
def test_splits_and_merges_are_sound(drawn, limits, bounds):
    some, labels, _ = drawn
    moves = neighbourhood_of(some, limits, bounds)
    start = make_legal(labels, moves.scorer, moves.legality)
    assume(start is not None)
    for i in range(start.n_clusters):
        split = moves.split(start, i)
        if split is not None:
            assert split.n_clusters == start.n_clusters + 1
            assert_sound(some, split, limits, bounds)
    merges = list(moves.merges(start)) if start.n_clusters > 2 else []
    assert [m.score for m in merges] == sorted((m.score for m in merges), reverse=True)
    for merged in merges:
        assert merged.n_clusters == start.n_clusters - 1
        assert_sound(some, merged, limits, bounds)


@settings(deadline=None, max_examples=25)
@given(points(n_rows=st.integers(6, 20)), st.sampled_from(LIMITS), st.sampled_from(BOUNDS))
def test_what_a_search_returns_is_sound_for_every_number_of_clusters(some, limits, bounds):
    first = np.unique(some.raw, axis=0, return_index=True)[1]
    some = some.take(first, some.weights[first])
    assume(len(some) > 2)
    plan = SearchPlan(
        n_clusters=(2, 4),
        family=family_of(some, limits),
        make_scorer=lambda p: SilhouetteScorer(p, SizeBounds(bounds)),
        n_init=2,
        seed=0,
        bounds=SizeBounds(bounds),
    )
    for n_clusters, partition in search_partitions(some, plan, Journal()).partitions.items():
        assert partition.n_clusters == n_clusters
        if n_clusters > 1:
            assert_sound(some, partition, limits, bounds)


def test_a_search_over_groups_of_points_is_sound(monkeypatch):
    """The way of large tables, on a small one."""
    monkeypatch.setattr("polyclust.search.solve.FEW_POINTS", 60)
    monkeypatch.setattr("polyclust.search.solve.FEWEST_GROUPS", 40)
    monkeypatch.setattr("polyclust.search.solve.MOST_GROUPS", 40)
    monkeypatch.setattr("polyclust.search.sampled.CELLS_TO_SCAN", 0)
    rng = np.random.default_rng(3)
    raw = np.unique(np.vstack([rng.normal(c, 0.6, size=(50, 2)) for c in ((0, 0), (3, 1), (1, 4))]).round(2), axis=0)
    some = Points(measure_distances(raw, "euclidean"), rng.integers(1, 3, len(raw)).astype(float), raw, raw, raw)
    for limits in LIMITS:
        plan = SearchPlan(
            n_clusters=(2, 4),
            family=family_of(some, limits),
            make_scorer=lambda p: SilhouetteScorer(p, SizeBounds((5.0, 200.0))),
            n_init=3,
            seed=0,
            bounds=SizeBounds((5.0, 200.0)),
        )
        found = search_partitions(some, plan, Journal()).partitions
        assert sorted(found) == [2, 3, 4]
        assert max(found.values(), key=lambda p: p.score).n_clusters == 3
        for partition in found.values():
            assert_sound(some, partition, limits, (5.0, 200.0))


@settings(deadline=None, max_examples=50)
@given(partitioned_points(), st.booleans(), st.sampled_from(BOUNDS))
def test_a_sample_of_all_columns_scans_as_the_exact_scan_does(drawn, is_split, bounds):
    some, labels, n_clusters = drawn
    scorer = SilhouetteScorer(some, SizeBounds(bounds))
    partition = scorer.start(labels, n_clusters)
    j = None if is_split else 1
    orders = some.order_along_axes(member_mask(partition, 0, j))
    assert scan_sample(scorer, partition, 0, j, orders) == pytest.approx(scorer.scan(partition, 0, j, orders), abs=5e-4)


@settings(deadline=None, max_examples=50)
@given(partitioned_points(), st.sampled_from(BOUNDS), st.data())
def test_a_window_scans_as_the_exact_scan_does(drawn, bounds, data):
    some, labels, n_clusters = drawn
    pair = np.flatnonzero(labels <= 1)
    axis = data.draw(st.integers(0, some.n_features - 1))
    assume(len(np.unique(some.raw[pair, axis])) > 1)
    order = some.order_along_axes(labels <= 1)
    rows, is_end = order.rows[axis], order.is_end[axis]
    position = data.draw(st.sampled_from(np.flatnonzero(is_end).tolist()))
    swap = data.draw(st.booleans())
    labels = labels.copy()
    labels[rows[: position + 1]], labels[rows[position + 1 :]] = (1, 0) if swap else (0, 1)
    scorer = SilhouetteScorer(some, SizeBounds(bounds))
    partition = scorer.start(labels, n_clusters)
    begin = data.draw(st.integers(0, position + 1))
    end = data.draw(st.integers(max(begin + 1, position + 1), len(rows)))
    window = scan_window(scorer, partition, 0, 1, rows, is_end, position, begin, end)
    exact = scorer.scan(partition, 0, 1, order)[axis, begin:end]
    assert window == pytest.approx(exact, abs=5e-4)


@settings(deadline=None, max_examples=20)
@given(st.data())
def test_exploring_keeps_the_best_of_every_number_of_clusters(data):
    raw = np.array(data.draw(st.permutations(range(12))), dtype=float)[:, None] * 1.5
    some = Points(measure_distances(raw, "euclidean"), data.draw(weights_for(12)), raw, raw, raw)
    moves = neighbourhood_of(some, (1, 1), (1.0, np.inf))
    starts = [moves.scorer.start(data.draw(labels_for(12, k)), k) for k in (2, 3)]
    starts = [make_legal(s.labels, moves.scorer, moves.legality) for s in starts]
    starts = [s for s in starts if s is not None]
    found = explore(starts, moves, (2, 4), Journal())
    for start in starts:
        assert found[start.n_clusters].score >= start.score - 1e-9
    for partition in found.values():
        assert_sound(some, partition, (1, 1), (1.0, np.inf))


def test_a_maximum_size_is_held_where_an_even_tree_can_hold_it():
    X = np.random.default_rng(0).normal(size=(200, 3))
    for n_clusters, share in ((3, 0.34), ("auto", 0.2)):
        model = PolytopeClustering(n_clusters, max_cluster_size=share, max_clusters=6, n_init=1, random_state=0).fit(X)
        assert np.bincount(model.labels_).max() <= share * len(X)
        assert (model.predict(X) == model.labels_).all()


class CountingNeighbourhood(Neighbourhood):
    """Remembers the scores of the partitions whose boundaries it was asked to shift."""

    def shift(self, partition, i, j):
        self.__dict__.setdefault("asked", set()).add(round(partition.score, 6))
        return super().shift(partition, i, j)


@pytest.mark.parametrize("improves_all", [True, False])
def test_what_lies_far_behind_the_best_is_only_improved_when_all_is(improves_all):
    rng = np.random.default_rng(0)
    raw = np.concatenate([rng.normal(size=(20, 2)) + center for center in ([0, 0], [9, 0], [0, 9])])
    some = Points(measure_distances(raw, "euclidean"), np.ones(60), raw, raw, raw)
    scorer = SilhouetteScorer(some, SizeBounds((1.0, np.inf)))
    family = family_of(some, (1, 1))
    moves = CountingNeighbourhood(scorer, family.legality(some), family.directions(some))
    good = scorer.start(np.repeat([0, 1, 2], 20), 3)
    bad = scorer.start((raw[:, 0] > raw[30, 0]).astype(np.intp), 2)
    assert bad.score < good.score - 0.2
    found = explore([good, bad], moves, (2, 3), Journal(), n_swapped=0, carry_all=improves_all)
    assert (round(bad.score, 6) in moves.asked) == improves_all
    assert found[3].score >= good.score


@settings(deadline=None, max_examples=40)
@given(partitioned_points())
def test_a_row_counts_by_half_of_what_it_would_lose_in_its_neighbour(drawn):
    some, labels, n_clusters = drawn
    scorer = SilhouetteScorer(some, SizeBounds((1, np.inf)))
    partition = scorer.start(labels, n_clusters)
    fates, nearest = scorer.fates(partition, "alone"), scorer.neighbours(partition)
    losses = fates[np.arange(len(some)), labels]
    assert (losses > 0).all()
    assert (np.count_nonzero(fates, axis=1) == 1).all()
    for t in np.flatnonzero(partition.sizes[labels] > 1):
        own = partition.sums[labels[t], t] / (partition.sizes[labels[t]] - 1)
        means = partition.sums[:, t] / partition.sizes
        means[labels[t]] = own
        there = min(np.delete(means, nearest[t]))  # what would be the nearest cluster to it there
        here, elsewhere = means[nearest[t]] - own, there - means[nearest[t]]
        lost = here / max(means[nearest[t]], own, 1e-300) - elsewhere / max(there, means[nearest[t]], 1e-300)
        assert losses[t] == pytest.approx(max(lost / 2, 1e-6), abs=1e-9)


def test_cuts_go_through_rows_that_hardly_care():
    """Two clusters differ along four axes, of which two explain; each of these is wrong for a few rows."""
    labels = np.repeat([0, 1], 60)
    space = labels[:, None] + np.random.default_rng(0).uniform(-0.1, 0.1, (120, 4))
    space[:2, 0] = 1.0  # two rows of the first cluster, nearer to it all the same
    space[2:5, 1:3] = 1.0  # three rows as near to the one cluster as to the other
    some = Points(measure_distances(space, "euclidean"), np.ones(120), space[:, :2], space[:, :2], space)
    scorer = SilhouetteScorer(some, SizeBounds((1, np.inf)))
    partition = scorer.start(labels, 2)
    alike = grow_leaves(some, scorer.fates(partition, "alike"))
    by_loss = grow_leaves(some, scorer.fates(partition, "alone"))
    assert np.flatnonzero(alike != labels).tolist() == [0, 1]
    assert np.flatnonzero(by_loss != labels).tolist() == [2, 3, 4]
    assert scorer.start(by_loss, 2).score > scorer.start(alike, 2).score


def test_clusters_too_few_are_carried_on_where_only_the_best_is():
    """Four groups on a line: three of them cut well are split once more, instead of four that are cut badly."""
    values = np.concatenate([np.linspace(at, at + 1, 12) for at in (0.0, 10.0, 20.0, 30.0)])[:, None]
    some = Points(measure_distances(values, "euclidean"), np.ones(48), values, values, values)
    moves = neighbourhood_of(some, (1, 1), (1.0, np.inf))
    moves.least_gain = np.inf  # no shift mends a bad cut
    bad = moves.scorer.start(np.repeat([0, 1, 2, 3], [3, 3, 3, 39]), 4)
    three = moves.scorer.start(np.repeat([0, 1, 2], [12, 12, 24]), 3)
    found = explore([three], moves, (4, 4), Journal(), {4: bad}, n_swapped=0, carry_all=False)
    assert found[4].labels.tolist() == np.repeat([0, 1, 2, 3], 12).tolist()
