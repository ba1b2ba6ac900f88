"""The silhouette kernels against scikit-learn and brute force; weights are repetitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import silhouette_of_repeats, silhouettes_of_repeats
from polyclust.kernels.silhouette import (
    IMPOSSIBLE,
    describe_pair,
    scan_pair,
    score_rows,
    score_total,
    shift_sums,
    sum_distances,
    sweep_direction,
    sweep_directions,
)
from strategies import labels_for, partitioned_points

ABSENT = np.float32(1e30)


def naive_sums(points, labels, n_clusters):
    weighted = points.weights[:, None] * points.distances.astype(np.float64)
    return np.array([weighted[labels == k].sum(axis=0) for k in range(n_clusters)])


def sums_of(points, labels, n_clusters):
    sums = np.empty((n_clusters, len(points)))
    sum_distances(points.distances, labels, points.weights, sums)
    return sums


@settings(deadline=None, max_examples=80)
@given(partitioned_points(), st.data())
def test_distance_sums_and_rows_that_do_not_count(drawn, data):
    points, labels, n_clusters = drawn
    is_left_out = data.draw(arrays(bool, len(points)))
    labels = np.where(is_left_out, -1, labels)
    assert sums_of(points, labels, n_clusters) == pytest.approx(naive_sums(points, labels, n_clusters), rel=1e-6)


@settings(deadline=None, max_examples=80)
@given(partitioned_points(), st.data())
def test_shifted_sums_are_the_sums_of_the_new_labels(drawn, data):
    points, labels, n_clusters = drawn
    changed = data.draw(labels_for(len(points), n_clusters))
    sums = sums_of(points, labels, n_clusters)
    moved = np.flatnonzero(changed != labels)
    shift_sums(points.distances, moved, labels[moved], changed[moved], points.weights, sums)
    assert sums == pytest.approx(sums_of(points, changed, n_clusters), rel=1e-6, abs=1e-5)


@settings(deadline=None, max_examples=100)
@given(partitioned_points())
def test_the_silhouette_of_every_row_and_its_mean(drawn):
    points, labels, n_clusters = drawn
    sums, n = sums_of(points, labels, n_clusters), len(points)
    sizes = np.bincount(labels, weights=points.weights, minlength=n_clusters)
    own, nearest, scores = np.empty(n), np.empty(n, dtype=np.intp), np.empty(n)
    score_rows(sums, sizes, labels, own, nearest, scores)
    expected = silhouettes_of_repeats(points.distances, labels, points.weights)
    assert scores == pytest.approx(expected, abs=1e-6)
    total = score_total(sums, sizes, labels, points.weights)
    assert total == pytest.approx(silhouette_of_repeats(points.distances, labels, points.weights), abs=1e-6)
    means = sums / sizes[:, None]
    means[labels, np.arange(n)] = np.inf
    assert means[nearest, np.arange(n)] == pytest.approx(means.min(axis=0))
    inside = np.maximum(sizes[labels] - 1, 1e-300)
    expected_own = np.where(sizes[labels] > 1, sums[labels, np.arange(n)] / inside, 0.0)
    assert own == pytest.approx(expected_own)


@st.composite
def sweeps(draw):
    """A partition, one or two of its clusters in some order, where cuts may be, some columns (those of the pair first),
    and size bounds."""
    points, labels, n_clusters = draw(partitioned_points())
    pair = [0] if draw(st.booleans()) else [0, 1]
    members = np.flatnonzero(np.isin(labels, pair)).astype(np.int32)
    n_directions = draw(st.integers(1, 3))
    orders = np.array([draw(st.permutations(members.tolist())) for _ in range(n_directions)], dtype=np.int32)
    is_end = draw(arrays(bool, orders.shape))
    is_end[:, -1] = False
    is_column = draw(arrays(bool, len(points)))
    columns = np.concatenate([np.flatnonzero(is_column & np.isin(labels, pair)),
                              np.flatnonzero(is_column & ~np.isin(labels, pair))])  # fmt: skip
    bounds = draw(st.sampled_from([(1.0, np.inf), (2.0, np.inf), (1.0, 6.0), (3.0, 9.0)]))
    return points, labels, n_clusters, pair, orders, is_end, columns, bounds


def brute_scores(drawn, orders, is_end):
    """Every allowed cut: labels, then scikit-learn."""
    points, labels, n_clusters, _, _, _, columns, (least, most) = drawn
    scores = np.full(orders.shape, IMPOSSIBLE)
    for d, p in np.argwhere(is_end):
        low, up = orders[d, : p + 1], orders[d, p + 1 :]
        sizes = points.weights[low].sum(), points.weights[up].sum()
        if min(sizes) >= least and max(sizes) <= most:
            changed = labels.copy()
            changed[low], changed[up] = 0, n_clusters
            every = silhouettes_of_repeats(points.distances, changed, points.weights)
            scores[d, p] = points.weights[columns] @ every[columns]
    return scores


def sweep_arrays(drawn):
    """What the sweep needs to know of every column, from its definition."""
    points, labels, n_clusters, pair, _, _, columns, _ = drawn
    sums = naive_sums(points, labels, n_clusters)
    sizes = np.bincount(labels, weights=points.weights, minlength=n_clusters)
    own, other = np.zeros(len(points)), np.full(len(points), ABSENT)
    counted = points.weights.copy()
    for t, k in enumerate(labels):
        if k not in pair:
            own[t] = sums[k, t] / max(sizes[k] - 1, 1e-9)
            counted[t] *= sizes[k] > 1
        others = [sums[c, t] / sizes[c] for c in range(n_clusters) if c != k and c not in pair]
        other[t] = min([ABSENT, *others])
    side = np.where(np.isin(labels, pair), 2.0, 0.0)
    column_of = np.full(len(points), -1, dtype=np.int32)
    column_of[columns] = np.arange(len(columns))
    distances = np.ascontiguousarray(points.distances[:, columns])
    per_column = [a[columns].astype(np.float32) for a in (counted, own, other, sums[pair].sum(axis=0), side)]
    return distances, column_of, per_column, float(sizes[pair].sum())


@settings(deadline=None, max_examples=100)
@given(sweeps())
def test_a_sweep_scores_every_cut_as_brute_force_does(drawn):
    points, _, _, _, orders, is_end, columns, bounds = drawn
    distances, column_of, (counted, own, other, total, side), mass = sweep_arrays(drawn)
    scores = np.empty(orders.shape)
    n_inside = int((side > 0).sum())
    sweep_directions(
        distances, orders, is_end, column_of, points.weights, counted, own, other, total, n_inside, mass, *bounds,
        IMPOSSIBLE, scores,
    )  # fmt: skip
    expected = brute_scores(drawn, orders, is_end)
    assert ((scores == IMPOSSIBLE) == (expected == IMPOSSIBLE)).all()
    assert scores == pytest.approx(expected, abs=5e-4 * max(1, len(columns)))


@settings(deadline=None, max_examples=100)
@given(sweeps(), st.floats(-0.5, 1.0))
def test_a_sweep_with_a_floor_leaves_out_only_what_scores_no_more(drawn, share):
    points, _, _, _, orders, is_end, columns, bounds = drawn
    distances, column_of, (counted, own, other, total, side), mass = sweep_arrays(drawn)
    every, some = np.empty(orders.shape), np.empty(orders.shape)
    n_inside, floor = int((side > 0).sum()), share * float(points.weights[columns].sum())
    for least, scores in ((IMPOSSIBLE, every), (floor, some)):
        sweep_directions(
            distances, orders, is_end, column_of, points.weights, counted, own, other, total, n_inside, mass, *bounds,
            least, scores,
        )  # fmt: skip
    is_left_out = (some == IMPOSSIBLE) & (every > IMPOSSIBLE)
    assert (every[is_left_out] <= floor + 1e-5 * max(1, len(columns))).all()
    assert some[~is_left_out] == pytest.approx(every[~is_left_out], abs=1e-5 * max(1, len(columns)))


@settings(deadline=None, max_examples=60)
@given(sweeps(), st.data())
def test_a_sweep_may_begin_anywhere(drawn, data):
    """A window of the order: what lies before it has gone to the lower side already."""
    points, _, _, _, orders, is_end, columns, bounds = drawn
    begin = data.draw(st.integers(0, orders.shape[1] - 1))
    distances, column_of, (counted, own, other, total, side), mass = sweep_arrays(drawn)
    before = orders[0, :begin]
    side[column_of[before][column_of[before] >= 0]] = 1.0
    low = (points.weights[before] @ distances[before]).astype(np.float32)
    scores = np.empty(orders.shape[1] - begin)
    sweep_direction(
        distances, orders[0, begin:], is_end[0, begin:], column_of, points.weights, counted, own, other, total, low,
        side, float(points.weights[before].sum()), mass, *bounds, scores,
    )  # fmt: skip
    expected = brute_scores(drawn, orders, is_end)[0, begin:]
    assert ((scores == IMPOSSIBLE) == (expected == IMPOSSIBLE)).all()
    assert scores == pytest.approx(expected, abs=5e-4 * max(1, len(columns)))


@settings(deadline=None, max_examples=150)
@given(sweeps(), st.floats(-0.5, 0.9), st.integers(1, 2))
def test_a_scan_with_a_floor_scores_all_that_score_more_as_without(drawn, floor, n_copies):
    points, labels, n_clusters, pair, orders, is_end, _, bounds = drawn
    sizes = np.bincount(labels, weights=points.weights, minlength=n_clusters)
    orders, is_end = np.repeat(orders, n_copies, axis=0), np.repeat(is_end, n_copies, axis=0)
    sums, second = sums_of(points, labels, n_clusters), pair[1] if len(pair) == 2 else -1
    every, some = np.empty(orders.shape), np.empty(orders.shape)
    for least, scores in ((IMPOSSIBLE, every), (floor, some)):
        scan_pair(
            points.distances, sums, sizes, labels, points.weights, pair[0], second, ABSENT, orders, is_end, *bounds,
            least, scores,
        )  # fmt: skip
    is_scored = some > IMPOSSIBLE
    assert (every[~is_scored] <= floor + 1e-5).all()
    assert some[is_scored].tolist() == every[is_scored].tolist()


@settings(deadline=None, max_examples=60)
@given(sweeps())
def test_what_a_sweep_needs_to_know_of_every_point(drawn):
    points, labels, n_clusters, pair = drawn[:4]
    every = (points, labels, n_clusters, pair, None, None, np.arange(len(points)), None)
    _, _, (counted, own, other, total, side), _ = sweep_arrays(every)
    found = {name: np.empty(len(points), dtype=np.float32) for name in ("own", "other", "total", "side", "counted")}
    sizes = np.bincount(labels, weights=points.weights, minlength=n_clusters)
    second = pair[1] if len(pair) == 2 else -1
    describe_pair(
        sums_of(points, labels, n_clusters), sizes, labels, points.weights, pair[0], second, ABSENT, *found.values()
    )
    assert found["side"].tolist() == side.tolist()
    assert found["counted"].tolist() == counted.tolist()
    assert found["other"] == pytest.approx(other, rel=1e-5)
    assert found["total"] == pytest.approx(total, rel=1e-5)
    is_counted = counted > 0
    assert found["own"][is_counted] == pytest.approx(own[is_counted], rel=1e-5)
