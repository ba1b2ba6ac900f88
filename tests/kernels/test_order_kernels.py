"""The kernels over sorted rows against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import RELATIVE_GAP
from polyclust.hyperplanes.lattice import list_directions
from polyclust.kernels.branching import N_BINS, count_mistakes, cut_along_axes, weigh_directions
from polyclust.kernels.intervals import measure_direction_intervals, measure_ends, measure_gaps
from polyclust.kernels.orders import find_overlaps, list_in_order, measure_rank_intervals, number_by_first, pick_orders
from polyclust.kernels.separating import find_beside, find_separating
from polyclust.search.trees import _Node
from strategies import TIED, matrices, partitioned_points, points, weights_for


@settings(deadline=None, max_examples=80)
@given(points(), st.data())
def test_members_in_the_order_of_every_feature(some, data):
    is_member = data.draw(arrays(bool, len(some)))
    assume(is_member.any())
    shape = (some.n_features, int(is_member.sum()))
    picked, is_end = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=bool)
    pick_orders(some.axis_orders, some.axis_ranks, np.arange(some.n_features), is_member, picked, is_end)
    for f in range(some.n_features):
        assert sorted(picked[f]) == np.flatnonzero(is_member).tolist()
        values = some.raw[picked[f], f]
        assert (np.diff(values) >= 0).all()
        assert is_end[f].tolist() == [*(values[1:] > values[:-1]).tolist(), False]


def dense(directions, n_features):
    w = np.zeros((len(directions), n_features))
    for d in range(len(directions)):
        features, coefficients = directions.terms(d)
        w[d, list(features)] = coefficients
    return w


@settings(deadline=None, max_examples=150)
@given(matrices(n_rows=st.integers(2, 14)), st.data())
def test_the_first_direction_that_separates(values, data):
    n_features = values.shape[1]
    cut = data.draw(st.integers(1, len(values) - 1))
    first, second = values[:cut], values[cut:]
    directions = list_directions(n_features, 2, 2)
    found = find_separating(first, second, directions.features, directions.coefficients)
    expected = -1
    for d, w in enumerate(dense(directions, n_features)):
        a, b = first @ w, second @ w
        least = RELATIVE_GAP * np.abs(a).max()
        if b.min() - a.max() > least or a.min() - b.max() > least:
            expected = d
            break
    assert found == expected


@settings(deadline=None, max_examples=150)
@given(matrices(n_rows=st.integers(2, 14)), st.sampled_from([(2, 2), (3, 1)]), st.data())
def test_beside_the_ends_of_a_cluster_as_beside_its_rows(values, limits, data):
    directions = list_directions(values.shape[1], *limits)
    terms = directions.features, directions.coefficients
    some = np.array(data.draw(st.lists(st.integers(0, len(directions) - 1), min_size=1, unique=True)))
    rows = np.flatnonzero(data.draw(arrays(bool, len(values))))
    assume(0 < len(rows) < len(values))
    others = np.setdiff1d(np.arange(len(values)), rows)
    along = directions.project(values[others])
    found = find_beside(values, rows, *terms, along.min(axis=1), along.max(axis=1), some)
    expected = find_separating(values[rows], values[others], *(part[some] for part in terms))
    assert found == (-1 if expected < 0 else some[expected])


def test_a_gap_of_rounding_size_does_not_separate():
    first, second = np.array([[0.1, 0.2]]), np.array([[0.3, 0.0]])
    directions = list_directions(2, 2, 1)
    sums = directions.take(np.array([2]))
    assert sums.terms(0) == ((0, 1), (1.0, 1.0))
    assert 0.1 + 0.2 != 0.3 + 0.0
    assert find_separating(first, second, sums.features, sums.coefficients) == -1


@settings(deadline=None, max_examples=80)
@given(partitioned_points(), st.data())
def test_intervals_of_every_cluster(drawn, data):
    some, labels, n_clusters = drawn
    labels = np.where(data.draw(arrays(bool, len(some))), -1, labels)
    directions = list_directions(some.n_features, 2, 2)
    lows, highs = np.empty((2, len(directions), n_clusters))
    measure_direction_intervals(some.values, labels, directions.features, directions.coefficients, lows, highs)
    along = dense(directions, some.n_features) @ some.values.T
    for k in range(n_clusters):
        inside = along[:, labels == k]
        expected = inside.min(axis=1, initial=np.inf), inside.max(axis=1, initial=-np.inf)
        assert lows[:, k] == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
        assert highs[:, k] == pytest.approx(expected[1], rel=1e-12, abs=1e-12)


@settings(deadline=None, max_examples=80)
@given(partitioned_points(), st.sampled_from([(1, 1), (2, 1), (2, 3), (3, 2)]))
def test_the_two_outermost_rows_at_both_ends_of_every_cluster(drawn, limits):
    some, labels, n_clusters = drawn
    directions = list_directions(some.n_features, *limits)
    shape = len(directions), n_clusters
    lows, highs = np.empty((2, 2, *shape))
    first, last = np.empty((2, *shape), dtype=np.intp)
    measure_ends(some.values, labels, directions.features, directions.coefficients, lows, highs, first, last)
    along = directions.project(some.values)
    for d, k in np.ndindex(*shape):
        members = np.flatnonzero(labels == k)
        ordered = np.sort(along[d, members])
        assert lows[:, d, k].tolist() == [*ordered[:2], *[np.inf] * (2 - len(ordered[:2]))]
        assert highs[:, d, k].tolist() == [*ordered[::-1][:2], *[-np.inf] * (2 - len(ordered[:2]))]
        assert first[d, k] == members[np.argmin(along[d, members])]
        assert last[d, k] == members[np.argmax(along[d, members])]


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_mistakes_of_a_cut_are_the_weight_on_its_clusters_minor_side(data):
    n, n_clusters = data.draw(st.integers(2, 20)), data.draw(st.integers(1, 4))
    keys = data.draw(arrays(float, n, elements=TIED))
    weights = data.draw(weights_for(n))
    labels = data.draw(arrays(np.intp, n, elements=st.integers(-1, n_clusters - 1)))
    order = np.argsort(keys, kind="stable").astype(np.int32)
    is_end = np.append(np.diff(keys[order]) > 0, False)
    sizes = np.array([weights[labels == k].sum() for k in range(n_clusters)])
    mistakes, n_below = np.empty(n), np.empty(n, dtype=np.intp)
    count_mistakes(order, is_end, labels, weights, sizes, mistakes, n_below)
    for p in range(n):
        below = np.isin(np.arange(n), order[: p + 1])
        low = np.array([weights[below & (labels == k)].sum() for k in range(n_clusters)])
        if is_end[p]:
            assert mistakes[p] == pytest.approx(np.minimum(low, sizes - low).sum())
            assert n_below[p] == (low > 0.5 * sizes).sum()
        else:
            assert mistakes[p] == np.inf


@settings(deadline=None, max_examples=100)
@given(partitioned_points(), st.data())
def test_the_lightest_mistakes_of_a_direction_in_bins(drawn, data):
    some, labels, n_clusters = drawn
    assume(some.n_features > 1)
    labels = np.where(data.draw(arrays(bool, len(some))), -1, labels)
    every = list_directions(some.n_features, 2, 2)
    slanted = every.take(np.flatnonzero(every.features[:, 1] >= 0))
    lightest = np.empty(len(slanted))
    terms = slanted.features, slanted.coefficients
    weigh_directions(some.values, labels, some.weights, *terms, n_clusters, lightest)
    counts = np.array([some.weights[labels == k].sum() for k in range(n_clusters)])
    for d, along in enumerate(slanted.project(some.values)):
        width = float(along.max() - along.min())
        expected = np.inf
        if width > 0:
            at = (along - along.min()) * ((N_BINS - 0.5) / width)
            assume((np.abs(at - np.round(at)) > 1e-6)[at > 0.5].all())  # else its bin is a matter of rounding
            bins = at.astype(int)
            for last in np.unique(bins)[:-1]:
                low = np.array([some.weights[(labels == k) & (bins <= last)].sum() for k in range(n_clusters)])
                if 0 < (low > 0.5 * counts).sum() < n_clusters:
                    expected = min(expected, np.minimum(low, counts - low).sum())
        assert lightest[d] == pytest.approx(expected)


@settings(deadline=None, max_examples=80)
@given(partitioned_points(), st.data())
def test_rank_intervals_and_the_clusters_that_overlap_some_rows(drawn, data):
    some, labels, n_clusters = drawn
    ranks = some.axis_ranks
    lows, highs = np.empty((2, n_clusters, some.n_features), dtype=np.int32)
    measure_rank_intervals(ranks, labels, lows, highs)
    for k in range(n_clusters):
        assert lows[k].tolist() == ranks[labels == k].min(axis=0).tolist()
        assert highs[k].tolist() == ranks[labels == k].max(axis=0).tolist()
    rows = np.array(data.draw(st.lists(st.sampled_from(range(len(some))), min_size=1, unique=True)))
    is_other = data.draw(arrays(bool, n_clusters))
    overlaps = np.empty(n_clusters, dtype=bool)
    count = find_overlaps(ranks, rows, lows, highs, is_other, overlaps)
    here = some.raw[rows]
    for k in range(n_clusters):
        there = some.raw[labels == k]
        is_apart = ((here.max(axis=0) < there.min(axis=0)) | (here.min(axis=0) > there.max(axis=0))).any()
        assert overlaps[k] == (is_other[k] and not is_apart)
    assert count == overlaps.sum()


@settings(deadline=None, max_examples=80)
@given(partitioned_points(most=2))
def test_how_far_the_means_of_two_clusters_lie_apart(drawn):
    some, labels, _ = drawn
    first, second = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    gaps = np.empty(some.n_features)
    measure_gaps(some.values, first, second, gaps)
    for f in range(some.n_features):
        a, b = some.values[first, f], some.values[second, f]
        spread = a.std() + b.std()
        if spread > 1e-9:
            assert gaps[f] == pytest.approx(abs(a.mean() - b.mean()) / spread, rel=1e-9, abs=1e-12)
        else:
            assert gaps[f] > 1e6 or a.mean() == pytest.approx(b.mean())


@settings(deadline=None, max_examples=150)
@given(points(), st.integers(2, 4), st.data())
def test_a_cut_along_the_axes_as_trials_of_every_axis_find_it(some, n_clusters, data):
    fates = data.draw(arrays(float, (len(some), n_clusters), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])))
    rows = np.flatnonzero(data.draw(arrays(bool, len(some))))
    clusters = np.array(data.draw(st.lists(st.integers(0, n_clusters - 1), min_size=2, unique=True)))
    assume(len(rows))
    order, is_below = np.empty(len(rows), dtype=np.intp), np.empty(len(clusters), dtype=bool)
    axis, position = cut_along_axes(some.axis_orders, some.axis_ranks, fates, rows, clusters, order, is_below)
    node = _Node(some, fates, rows, clusters.tolist())
    expected = node.cut_best([node.try_axes()])
    assert (axis < 0) == (expected is None)
    if expected is not None:
        (low, below), (up, above) = expected.sides
        assert expected.terms == ((axis,), (1.0,))
        assert order.tolist() == [*low, *up]
        assert position == len(low) - 1
        assert clusters[is_below].tolist() == below
        assert clusters[~is_below].tolist() == above


@given(arrays(np.intp, st.integers(1, 20), elements=st.integers(0, 5)))
def test_clusters_are_numbered_in_the_order_of_their_first_rows(labels):
    renumbered, numbers = np.empty(len(labels), dtype=np.int32), np.empty(labels.max() + 1, dtype=np.intp)
    number_by_first(labels, renumbered, numbers)
    present = list(dict.fromkeys(labels.tolist()))
    assert renumbered.tolist() == [present.index(k) for k in labels]
    assert numbers.tolist() == [present.index(k) if k in present else -1 for k in range(len(numbers))]


@given(st.integers(1, 4), st.integers(1, 12), st.sampled_from([1e-9, 0.1]), st.data())
def test_rows_in_the_order_of_projections(n_directions, n, gap, data):
    projections = data.draw(arrays(float, (n_directions, n), elements=TIED))
    rows = np.arange(n, dtype=np.int32)[::-1].copy()
    order = np.argsort(projections, axis=1)
    ordered, is_end = np.empty(order.shape, dtype=np.int32), np.empty(order.shape, dtype=bool)
    list_in_order(rows, projections, order, gap, ordered, is_end)
    assert (ordered == rows[order]).all()
    along = np.sort(projections, axis=1)
    expected = np.diff(along, axis=1) > gap * np.abs(along).max(axis=1, keepdims=True)
    assert (is_end[:, :-1] == expected).all()
    assert not is_end[:, -1].any()
