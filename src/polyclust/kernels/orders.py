"""Numba kernels over sorted rows: orders of a subset, intervals of clusters, separating directions, cuts of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE

__all__ = [
    "count_mistakes",
    "cut_along_axes",
    "find_beside",
    "find_overlaps",
    "find_separating",
    "find_straight_cut",
    "list_in_order",
    "measure_direction_intervals",
    "measure_ends",
    "measure_gaps",
    "measure_rank_intervals",
    "number_by_first",
    "pick_orders",
    "weigh_directions",
    "widen_boxes",
]

Array = NDArray[Any]
RELATIVE_GAP = 1e-9
N_GLANCED, N_KEPT = 12, 4
N_BINS = 128


@njit(cache=True, nogil=True, error_model="numpy")
def pick_orders(orders: Array, ranks: Array, axes: Array, is_member: Array, picked: Array, is_end: Array) -> None:
    """The members of a subset in the order of some axes; is_end where the next member has a larger value."""
    n_members = picked.shape[1]
    for a in range(axes.shape[0]):
        f = axes[a]
        at = 0
        for p in range(orders.shape[1]):
            r = orders[f, p]
            if is_member[r]:
                picked[a, at] = r
                at += 1
        for p in range(n_members - 1):
            is_end[a, p] = ranks[picked[a, p], f] < ranks[picked[a, p + 1], f]
        is_end[a, n_members - 1] = False


@njit(cache=True, nogil=True, error_model="numpy")
def list_in_order(
    rows: Array, projections: Array, order: Array, relative_gap: float, ordered: Array, is_end: Array
) -> None:
    """ordered[d]: the rows as order[d] has them; is_end where the next lies further on by more than a relative gap.

    projections[d] : the rows along direction d, which order[d] sorts
    """
    n = rows.shape[0]
    for d in range(projections.shape[0]):
        here = projections[d]
        scale = relative_gap * max(abs(here[order[d, 0]]), abs(here[order[d, n - 1]]))
        for p in range(n):
            ordered[d, p] = rows[order[d, p]]
        for p in range(n - 1):
            is_end[d, p] = here[order[d, p + 1]] - here[order[d, p]] > scale
        is_end[d, n - 1] = False


@njit(cache=True, nogil=True, error_model="numpy")
def find_separating(first: Array, second: Array, features: Array, coefficients: Array) -> int:
    """The first direction along which the rows of both sets lie apart by more than a relative 1e-9, or -1.

    A few rows of each set are looked at first. Those that showed an overlap are remembered: they mostly show the next.
    """
    seen_first, seen_second = _spread(first.shape[0]), _spread(second.shape[0])
    at = 0
    for d in range(features.shape[0]):
        if _overlap(first, seen_first, second, seen_second, features[d], coefficients[d]):
            continue
        lowest, highest, at_lowest, at_highest = np.inf, -np.inf, 0, 0
        for r in range(first.shape[0]):
            v = _along(first[r], features[d], coefficients[d])
            if v < lowest:
                lowest, at_lowest = v, r
            if v > highest:
                highest, at_highest = v, r
        scale = RELATIVE_GAP * max(max(abs(lowest), abs(highest)), 1e-300)
        is_above = _along(second[0], features[d], coefficients[d]) > highest
        clash = -1
        for r in range(second.shape[0]):
            v = _along(second[r], features[d], coefficients[d])
            if not (v > highest + scale if is_above else v < lowest - scale):
                clash = r
                break
        if clash < 0:
            return d
        seen_first[at % N_GLANCED] = at_highest if is_above else at_lowest
        seen_second[at % N_GLANCED] = clash
        at += 1
    return -1


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(n: int) -> Array:
    """A few row numbers, far apart."""
    some = np.empty(N_GLANCED, dtype=np.intp)
    for g in range(N_GLANCED):
        some[g] = g * n // N_GLANCED
    return some


@njit(cache=True, nogil=True, error_model="numpy")
def _overlap(first: Array, some: Array, second: Array, others: Array, features: Array, coefficients: Array) -> bool:
    """Whether the intervals of some rows of two sets along a direction have a point in common."""
    low_first, high_first, low_second, high_second = np.inf, -np.inf, np.inf, -np.inf
    for g in range(some.shape[0]):
        v = _along(first[some[g]], features, coefficients)
        low_first, high_first = min(low_first, v), max(high_first, v)
        v = _along(second[others[g]], features, coefficients)
        low_second, high_second = min(low_second, v), max(high_second, v)
        if low_first <= high_second and low_second <= high_first:
            return True
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def find_beside(
    values: Array, rows: Array, features: Array, coefficients: Array, lows: Array, highs: Array, some: Array
) -> int:
    """The first of some directions along which the rows lie apart from an interval by more than a relative 1e-9, or -1.

    lows[d], highs[d] : the interval along direction d. As ``find_separating`` for rows with these ends.
    The rows that showed the last overlaps are looked at first: they mostly show the next.
    """
    here = values[rows]
    kept = np.zeros(N_KEPT, dtype=np.intp)
    for g in range(N_KEPT):
        kept[g] = g * here.shape[0] // N_KEPT
    at = 0
    for d in some:
        low, high = lows[d], highs[d]
        lowest, highest = np.inf, -np.inf
        for g in range(N_KEPT):
            v = _along(here[kept[g]], features[d], coefficients[d])
            lowest, highest = min(lowest, v), max(highest, v)
            if lowest <= high and low <= highest:
                break
        if lowest <= high and low <= highest:
            continue
        clash = -1
        for r in range(here.shape[0]):
            v = _along(here[r], features[d], coefficients[d])
            lowest, highest = min(lowest, v), max(highest, v)
            if lowest <= high and low <= highest:
                clash = r
                break
        if clash >= 0:
            kept[at % N_KEPT] = clash
            at += 1
            continue
        scale = RELATIVE_GAP * max(max(abs(lowest), abs(highest)), 1e-300)
        if low > highest + scale or high < lowest - scale:
            return d  # type: ignore[no-any-return]
    return -1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _along(row: Array, features: Array, coefficients: Array) -> float:
    total = coefficients[0] * row[features[0]]
    for term in range(1, features.shape[0]):
        if features[term] >= 0:
            total += coefficients[term] * row[features[term]]
    return total  # type: ignore[no-any-return]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})
def measure_direction_intervals(
    values: Array, labels: Array, features: Array, coefficients: Array, lows: Array, highs: Array
) -> None:
    """Intervals of every cluster along every direction: lows[d, k], highs[d, k]. Negative labels do not count."""
    n_clusters = lows.shape[1]
    ends = np.zeros(n_clusters + 1, dtype=np.intp)
    columns = _sort_by_cluster(values, labels, ends)
    along = np.empty(columns.shape[1])
    for d in range(features.shape[0]):
        _project(columns, features[d], coefficients[d], along)
        for k in range(n_clusters):
            low, high = np.inf, -np.inf
            for r in range(ends[k], ends[k + 1]):
                low = along[r] if along[r] < low else low
                high = along[r] if along[r] > high else high
            lows[d, k], highs[d, k] = low, high


@njit(cache=True, nogil=True, error_model="numpy")
def measure_ends(
    values: Array,
    labels: Array,
    features: Array,
    coefficients: Array,
    lows: Array,
    highs: Array,
    first: Array,
    last: Array,
) -> None:
    """Both ends of every cluster along every direction: the two lowest values and the two highest, the outermost first.

    lows[:, d, k] and highs[:, d, k] : those values; the second is infinite for a cluster of one row
    first[d, k], last[d, k] : the rows at the ends, of several the one that comes first
    """
    n_clusters = lows.shape[2]
    ends = np.zeros(n_clusters + 1, dtype=np.intp)
    columns = _sort_by_cluster(values, labels, ends)
    order, free = np.empty(values.shape[0], dtype=np.intp), ends[:-1].copy()
    for r in range(values.shape[0]):
        order[free[labels[r]]] = r
        free[labels[r]] += 1
    along = np.empty(columns.shape[1])
    for d in range(features.shape[0]):
        _project(columns, features[d], coefficients[d], along)
        for k in range(n_clusters):
            low, next_low, high, next_high = np.inf, np.inf, -np.inf, -np.inf
            at_low, at_high = ends[k], ends[k]
            for r in range(ends[k], ends[k + 1]):
                v = along[r]
                if v < next_low:
                    if v < low:
                        low, next_low, at_low = v, low, r
                    else:
                        next_low = v
                if v > next_high:
                    if v > high:
                        high, next_high, at_high = v, high, r
                    else:
                        next_high = v
            lows[0, d, k], lows[1, d, k], highs[0, d, k], highs[1, d, k] = low, next_low, high, next_high
            first[d, k], last[d, k] = order[at_low], order[at_high]


@njit(cache=True, nogil=True, error_model="numpy")
def _project(columns: Array, features: Array, coefficients: Array, along: Array) -> None:
    """along[r]: the sum of terms of row r; ``columns`` (F, n)."""
    column, coefficient = columns[features[0]], coefficients[0]
    for r in range(along.shape[0]):
        along[r] = coefficient * column[r]
    for term in range(1, features.shape[0]):
        if features[term] >= 0:
            column, coefficient = columns[features[term]], coefficients[term]
            for r in range(along.shape[0]):
                along[r] += coefficient * column[r]


@njit(cache=True, nogil=True, error_model="numpy")
def _sort_by_cluster(values: Array, labels: Array, ends: Array) -> Array:
    """(F, n): the features of the rows, cluster by cluster; cluster k is ends[k] to ends[k + 1]."""
    for r in range(labels.shape[0]):
        if labels[r] >= 0:
            ends[labels[r] + 1] += 1
    for k in range(ends.shape[0] - 1):
        ends[k + 1] += ends[k]
    columns = np.empty((values.shape[1], ends[-1]))
    free = ends[:-1].copy()
    for r in range(labels.shape[0]):
        if labels[r] >= 0:
            columns[:, free[labels[r]]] = values[r]
            free[labels[r]] += 1
    return columns


@njit(cache=True, nogil=True, error_model="numpy")
def widen_boxes(values: Array, labels: Array, lows: Array, highs: Array) -> None:
    """lows[k, f] and highs[k, f]: the least and the greatest value of every cluster so far, with these rows too."""
    for r in range(values.shape[0]):
        k = labels[r]
        for f in range(values.shape[1]):
            lows[k, f] = min(lows[k, f], values[r, f])
            highs[k, f] = max(highs[k, f], values[r, f])


@njit(cache=True, nogil=True, error_model="numpy")
def measure_gaps(values: Array, first: Array, second: Array, gaps: Array) -> None:
    """For every feature how far the means of two sets of rows lie apart, in units of both standard deviations."""
    n_features = values.shape[1]
    means, spreads = np.zeros((2, n_features)), np.zeros((2, n_features))
    for s, rows in enumerate((first, second)):
        for r in rows:
            for f in range(n_features):
                means[s, f] += values[r, f]
        for f in range(n_features):
            means[s, f] /= rows.shape[0]
        for r in rows:
            for f in range(n_features):
                spreads[s, f] += (values[r, f] - means[s, f]) ** 2
        for f in range(n_features):
            spreads[s, f] = np.sqrt(spreads[s, f] / rows.shape[0])
    for f in range(n_features):
        gaps[f] = abs(means[0, f] - means[1, f]) / (spreads[0, f] + spreads[1, f] + 1e-300)


@njit(cache=True, nogil=True, error_model="numpy")
def count_mistakes(
    order: Array, is_end: Array, labels: Array, weights: Array, sizes: Array, mistakes: Array, n_below: Array
) -> None:
    """For every cut after a position of ``order``: the weight parted from its cluster's majority side.

    labels are 0..k-1 or -1 (does not count); n_below[p] counts the clusters whose majority is below.
    """
    below = np.zeros_like(sizes)
    wrong, count = 0.0, 0
    for p in range(order.shape[0]):
        r = order[p]
        k = labels[r]
        if k >= 0:
            was = below[k]
            now = was + weights[r]
            below[k] = now
            half = 0.5 * sizes[k]
            wrong += min(now, sizes[k] - now) - min(was, sizes[k] - was)
            if was <= half < now:
                count += 1
        mistakes[p] = wrong if is_end[p] else np.inf
        n_below[p] = count


@njit(cache=True, nogil=True, error_model="numpy")
def cut_along_axes(
    orders: Array, ranks: Array, fates: Array, rows: Array, clusters: Array, order: Array, is_below: Array
) -> tuple[int, int]:
    """The axis and the position of the cut of some rows whose mistakes weigh least, then of the most even one.

    fates[r, k] : what row r is worth in cluster k. Each row belongs to the best of these clusters, and weighs what it
        would lose in the second best. (-1, -1) where every cut has clusters on one side only.
    order, is_below : filled with the rows along that axis, and which clusters have their larger part below the cut
    """
    n, n_clusters = rows.shape[0], clusters.shape[0]
    labels, weights = np.full(ranks.shape[0], -1, dtype=np.intp), np.zeros(ranks.shape[0])
    is_member = np.zeros(ranks.shape[0], dtype=np.bool_)
    sizes = np.zeros(n_clusters)
    for r in rows:
        best, second, own = -np.inf, -np.inf, 0
        for k in range(n_clusters):
            worth = fates[r, clusters[k]]
            if worth > best:
                best, second, own = worth, best, k
            elif worth > second:
                second = worth
        is_member[r], labels[r], weights[r] = True, own, best - second
        sizes[own] += best - second
    shape = ranks.shape[1], n
    picked, is_end = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.bool_)
    pick_orders(orders, ranks, np.arange(ranks.shape[1]), is_member, picked, is_end)
    mistakes, n_below = np.empty(shape), np.empty(shape, dtype=np.intp)
    lightest = np.inf
    for f in range(shape[0]):
        count_mistakes(picked[f], is_end[f], labels, weights, sizes, mistakes[f], n_below[f])
        for p in range(n):
            if 0 < n_below[f, p] < n_clusters:
                lightest = min(lightest, mistakes[f, p])
    axis, position, least = -1, -1, n_clusters + 1
    for f in range(shape[0] if lightest < np.inf else 0):
        for p in range(n):
            unevenness = abs(2 * n_below[f, p] - n_clusters)
            if 0 < n_below[f, p] < n_clusters and mistakes[f, p] <= lightest + 1e-9 and unevenness < least:
                axis, position, least = f, p, unevenness
    below = np.zeros(n_clusters)
    for p in range(position + 1):
        below[labels[picked[axis, p]]] += weights[picked[axis, p]]
    for k in range(n_clusters if axis >= 0 else 0):
        is_below[k] = below[k] > 0.5 * sizes[k]
    if axis >= 0:
        order[:] = picked[axis]
    return axis, position


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_directions(
    values: Array, labels: Array, weights: Array, features: Array, coefficients: Array, n_clusters: int, lightest: Array
) -> None:
    """lightest[d]: about the least weight that a cut along direction d parts from its clusters' majority sides.

    Rows are counted in bins of equal width and cuts tried between them; infinite where none has clusters on both sides.
    Rows whose label is negative do not count.
    """
    n_rows = values.shape[0]
    along = np.empty(n_rows)
    counts = np.empty((N_BINS, n_clusters))
    sizes = np.zeros(n_clusters)
    for r in range(n_rows):
        if labels[r] >= 0:
            sizes[labels[r]] += weights[r]
    for d in range(features.shape[0]):
        low, high = np.inf, -np.inf
        f, g = features[d, 0], features[d, 1]
        a, b = coefficients[d, 0], coefficients[d, 1]
        for r in range(n_rows):
            v = a * values[r, f] + b * values[r, g]
            along[r] = v
            low, high = min(low, v), max(high, v)
        lightest[d] = np.inf
        if not high > low:
            continue
        scale = (N_BINS - 0.5) / (high - low)
        counts[:] = 0.0
        for r in range(n_rows):
            if labels[r] >= 0:
                counts[int((along[r] - low) * scale), labels[r]] += weights[r]
        below = np.zeros(n_clusters)
        for p in range(N_BINS - 1):
            wrong, n_below = 0.0, 0
            for k in range(n_clusters):
                below[k] += counts[p, k]
                wrong += min(below[k], sizes[k] - below[k])
                n_below += below[k] > 0.5 * sizes[k]
            if 0 < n_below < n_clusters:
                lightest[d] = min(lightest[d], wrong)


@njit(cache=True, nogil=True, error_model="numpy")
def number_by_first(labels: Array, renumbered: Array, numbers: Array) -> None:
    """Number clusters in the order of their first rows: numbers[k] of label k, -1 without rows; and so all rows."""
    numbers[:] = -1
    count = 0
    for r in range(labels.shape[0]):
        k = labels[r]
        if numbers[k] < 0:
            numbers[k] = count
            count += 1
        renumbered[r] = numbers[k]


@njit(cache=True, nogil=True, error_model="numpy")
def measure_rank_intervals(ranks: Array, labels: Array, lows: Array, highs: Array) -> None:
    """lows[k, f] and highs[k, f]: the least and the greatest rank of every cluster along every axis."""
    lows[:] = ranks.shape[0]
    highs[:] = -1
    for r in range(ranks.shape[0]):
        k = labels[r]
        for f in range(ranks.shape[1]):
            lows[k, f] = min(lows[k, f], ranks[r, f])
            highs[k, f] = max(highs[k, f], ranks[r, f])


@njit(cache=True, nogil=True, error_model="numpy")
def find_overlaps(ranks: Array, rows: Array, lows: Array, highs: Array, is_other: Array, overlaps: Array) -> int:
    """Which of the other clusters overlap the rows along every axis; their number."""
    n_features = ranks.shape[1]
    low = np.full(n_features, ranks.shape[0], dtype=np.int32)
    high = np.full(n_features, -1, dtype=np.int32)
    for r in rows:
        for f in range(n_features):
            low[f] = min(low[f], ranks[r, f])
            high[f] = max(high[f], ranks[r, f])
    count = 0
    for k in range(lows.shape[0]):
        overlaps[k] = is_other[k]
        if is_other[k]:
            for f in range(n_features):
                if high[f] < lows[k, f] or low[f] > highs[k, f]:
                    overlaps[k] = False
                    break
            count += overlaps[k]
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def find_straight_cut(
    ranks: Array, orders: Array, scores: Array, lows: Array, highs: Array, is_other: Array, floor: float, n_tries: int
) -> tuple[int, int, int]:
    """The best cut above the floor, both sides of which lie apart from the other clusters along some axis.

    It is the cut after position p of order d; (d, p, tries left), or d = -1. What is found to overlap becomes
    IMPOSSIBLE, and so do the cuts with a larger side there.
    """
    overlaps = np.empty(is_other.shape[0], dtype=np.bool_)
    while n_tries > 0:
        n_tries -= 1
        d, p = 0, 0
        for e in range(scores.shape[0]):
            for q in range(scores.shape[1]):
                if scores[e, q] > scores[d, p]:
                    d, p = e, q
        if scores[d, p] <= floor:
            break
        if find_overlaps(ranks, orders[d, : p + 1], lows, highs, is_other, overlaps) > 0:
            scores[d, p:] = IMPOSSIBLE
        elif find_overlaps(ranks, orders[d, p + 1 :], lows, highs, is_other, overlaps) > 0:
            scores[d, : p + 1] = IMPOSSIBLE
        else:
            return d, p, n_tries
    return -1, -1, 0
