"""From a sample to all rows: rows that no polytope holds are settled, thresholds are those of all rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from blockwise import axis_plane, cuts_of, in_blocks, numbers
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polyclust.geometry.hyperplane import Hyperplane, find_members, place_rows
from polyclust.hyperplanes.reading import read_hyperplanes
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.scale import blocks, settling
from polyclust.scale.cuts import grow_cuts
from polyclust.scale.settling import Ends, place_anew, settle_rows
from polyclust.search.fates import mark_labels
from polyclust.table.features import Column, Feature
from strategies import partitioned_points, weights_for


def parts(raw, labels, hyperplanes):
    """Whether every pair has a hyperplane with all of one cluster above it and all of the other below."""
    pairs = {frozenset((h.above, h.below)) for h in hyperplanes}
    assert pairs == {frozenset(p) for p in combinations(range(int(labels.max()) + 1), 2)}
    return all(
        (h.value(raw[labels == h.above]) >= h.threshold).all() and (h.value(raw[labels == h.below]) < h.threshold).all()
        for h in hyperplanes
    )


def ends_of(raw, labels, planes, n_clusters):
    ends = Ends(planes, n_clusters)
    ends.include(raw, labels)
    return ends


@st.composite
def samples_of_rows(draw):
    """Rows, hyperplanes read from some of them, and how many clusters there are."""
    some, labels, n_clusters = draw(partitioned_points(st.integers(12, 20)))
    tree = grow_cuts(some, mark_labels(labels, n_clusters) * some.weights[:, None], numbers(some.n_features))
    leaves = tree.label_rows(some.raw)
    is_sampled = np.array(draw(st.lists(st.booleans(), min_size=len(some), max_size=len(some))))
    inside = np.unique(leaves[is_sampled])
    assume(len(inside) > 1)
    codes = np.searchsorted(inside, leaves[is_sampled])
    planes = read_hyperplanes(some.raw[is_sampled], codes, len(inside), numbers(some.n_features))
    return some.raw, planes, len(inside), is_sampled, codes


@settings(max_examples=150)
@given(st.data(), samples_of_rows(), st.sampled_from([3, 100_000]), st.sampled_from([1000, -settling.MOST_LOST]))
def test_every_row_is_settled_where_hyperplanes_still_part_the_clusters(data, drawn, rows_at_once, limit):
    raw, planes, n_clusters, is_sampled, codes = drawn
    weights = data.draw(weights_for(len(raw)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ROWS_AT_ONCE", rows_at_once)
        patch.setattr(settling, "ROWS_SHOWN", limit)  # below zero: every block with a lost row is asked again
        settled = settle_rows(in_blocks(raw, weights, data.draw(cuts_of(len(raw)))), planes, n_clusters)
    if settled is None:
        assert not find_members(raw, planes, n_clusters).any(axis=1).all()
        return
    tally, ends = settled
    placed = place_anew(ends, numbers(raw.shape[1]))
    assert placed is not None
    labels = place_rows(raw, placed, n_clusters, "none")
    assert labels[is_sampled].tolist() == codes.tolist()
    members = find_members(raw, planes, n_clusters)
    assert members[members.any(axis=1), labels[members.any(axis=1)]].all()
    assert parts(raw, labels, placed)
    assert tally.total_sizes.tolist() == np.bincount(labels, weights=weights, minlength=n_clusters).tolist()
    assert tally.counts.sum(axis=0).tolist() == np.bincount(labels, minlength=n_clusters).tolist()
    assert tally.first.tolist() == [np.flatnonzero(labels == k)[0] for k in range(n_clusters)]
    again = ends_of(raw, labels, planes, n_clusters)
    assert again.highest_below.tolist() == ends.highest_below.tolist()
    assert again.lowest_above.tolist() == ends.lowest_above.tolist()


@settings(max_examples=80)
@given(st.data(), samples_of_rows())
def test_blocks_change_nothing(data, drawn):
    raw, planes, n_clusters, *_ = drawn
    weights = data.draw(weights_for(len(raw)))
    whole = settle_rows(in_blocks(raw, weights), planes, n_clusters)
    parted = settle_rows(in_blocks(raw, weights, data.draw(cuts_of(len(raw)))), planes, n_clusters)
    assert (whole is None) == (parted is None)
    if whole is not None:
        assert whole[0].total_sizes.tolist() == parted[0].total_sizes.tolist()
        assert whole[0].names.tolist() == parted[0].names.tolist()
        assert place_anew(whole[1], numbers(raw.shape[1])) == place_anew(parted[1], numbers(raw.shape[1]))


@settings(max_examples=60)
@given(samples_of_rows())
def test_thresholds_are_the_roundest_that_all_rows_leave(drawn):
    raw, planes, n_clusters, *_ = drawn
    settled = settle_rows(in_blocks(raw), planes, n_clusters)
    assume(settled is not None)
    placed = place_anew(settled[1], numbers(raw.shape[1]))
    labels = place_rows(raw, placed, n_clusters)
    for old, h in zip(planes, placed, strict=True):
        assert (h.features, h.coefficients, h.above, h.below) == (old.features, old.coefficients, old.above, old.below)
        same = [p for p in planes if (p.features, p.threshold) == (old.features, old.threshold)]
        low = max(p.value(raw[labels == p.below]).max() for p in same)
        high = min(p.value(raw[labels == p.above]).min() for p in same)
        if low >= high:
            low, high = h.value(raw[labels == h.below]).max(), h.value(raw[labels == h.above]).min()
        assert h.threshold == choose_threshold(low, high)


WINDMILL = [  # four boxes around an empty middle, 4..6 by 4..6
    axis_plane(0, 4.0, 1, 0), axis_plane(0, 6.0, 2, 0), axis_plane(1, 4.0, 3, 0),
    axis_plane(1, 4.0, 2, 1), axis_plane(1, 6.0, 3, 1), axis_plane(0, 6.0, 2, 3),
]  # fmt: skip


def windmill_rows(n, seed):
    raw = np.random.default_rng(seed).uniform(0, 10, (n, 2))
    return raw[find_members(raw, WINDMILL, 4).any(axis=1)]


def test_a_row_between_the_boxes_joins_the_nearest():
    raw = np.vstack([windmill_rows(300, 0), [[5.0, 4.3]]])
    assert not find_members(raw[-1:], WINDMILL, 4).any()
    _, ends = settle_rows(in_blocks(raw), WINDMILL, 4)
    placed = place_anew(ends, numbers(2))
    assert parts(raw, place_rows(raw, placed, 4), placed)
    assert find_members(raw, placed, 4).sum(axis=1).tolist() == [1] * len(raw)


def test_rows_that_fit_nowhere_are_admitted():
    planes = [axis_plane(0, 5.0, 1, 0), axis_plane(0, 5.0, 2, 0), axis_plane(1, 5.0, 2, 1), axis_plane(2, 5.0, 3, 0)]
    planes += [axis_plane(2, 5.0, 3, 1), axis_plane(2, 5.0, 3, 2)]
    raw = np.array([[1, 1, 1], [9, 1, 1], [9, 9, 1], [1, 1, 9]], dtype=float)
    assert settle_rows(in_blocks(raw), planes, 4)[0].counts.tolist() == [[1, 1, 1, 1]]
    crossed = [axis_plane(0, 5.0, 1, 0), axis_plane(1, 5.0, 2, 0), axis_plane(2, 5.0, 2, 1)]
    # 0: x < 5, y < 5; 1: x >= 5, z < 5; 2: y >= 5, z >= 5
    corners = np.array([[4.99, 4.99, 0], [5, 0, 4.99], [0, 5, 5]])
    lost = np.array([[2.0, 7.0, 2.0]])  # not 0 (y), not 1 (x), not 2 (z)
    assert settle_rows(in_blocks(corners), crossed, 3)[0].first.tolist() == [0, 1, 2]
    blocking = np.array([[2.5, 4.99, 0], [5, 0, 2.0], [0, 5, 5], [9, 9, 2.1]])
    assert settle_rows(in_blocks(np.vstack([corners, blocking, lost]), cuts=[2, 5]), crossed, 3) is None


def test_more_lost_rows_than_one_machine_should_hold_are_not_settled(monkeypatch):
    raw = np.vstack([windmill_rows(300, 0), np.full((5, 2), 5.0)])
    monkeypatch.setattr(settling, "MOST_LOST", 5)
    assert settle_rows(in_blocks(raw, cuts=[100, 302]), WINDMILL, 4) is not None
    monkeypatch.setattr(settling, "MOST_LOST", 4)
    assert settle_rows(in_blocks(raw, cuts=[100, 302]), WINDMILL, 4) is None


def test_planes_of_one_cut_part_company_where_all_rows_ask_for_it():
    planes = [axis_plane(0, 5.0, 1, 0), axis_plane(0, 5.0, 3, 2), axis_plane(1, 5.0, 2, 0)]
    planes += [axis_plane(1, 5.0, 3, 1), axis_plane(1, 5.0, 2, 1), axis_plane(1, 5.0, 3, 0)]
    raw = np.array([[1, 0], [3, 0], [4, 0], [9, 0], [1, 9], [6, 9], [7, 9], [9, 9]], dtype=float)
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    placed = place_anew(ends_of(raw, labels, planes, 4), numbers(2))
    assert [h.threshold for h in placed[:2]] == [3.5, 6.5]
    assert parts(raw, labels, placed)
    labels[1], labels[2] = 1, 0
    assert place_anew(ends_of(raw, labels, planes, 4), numbers(2)) is None


def test_whole_features_keep_whole_thresholds_unless_coefficients_are_not():
    features = tuple(Feature(Column(n, "integer", n), "integer") for n in "ab")
    raw, labels = np.array([[0, 1], [4, 1], [5, 2], [9, 3]], dtype=float), np.array([0, 0, 1, 1])
    assert place_anew(ends_of(raw, labels, [axis_plane(0, 4.5, 1, 0)], 2), features)[0].threshold == 5
    oblique = Hyperplane((0, 1), (0.5, 0.25), (1.0, 1.0), 2.6, 1.0, 1, 0)
    assert place_anew(ends_of(raw, labels, [oblique], 2), features)[0].threshold == 2.5
