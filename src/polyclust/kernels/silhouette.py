"""Numba kernels of the silhouette: distance sums, scores, and the sweep of all intercepts of a direction.

Items are rows, or groups of rows; ``distances[r, t]`` is the mean distance between the rows of r and of t.
``sums[k, t]`` is the weighted sum of distances from t to cluster k. The loops over t have no branches, so that
they vectorise (this needs error_model="numpy").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "IMPOSSIBLE",
    "describe_pair",
    "gather",
    "scan_pair",
    "score_rows",
    "score_total",
    "shift_sums",
    "sum_distances",
    "sweep_direction",
    "sweep_directions",
]

Array = NDArray[Any]

OUTSIDE, LOWER, UPPER = 0.0, 1.0, 2.0
TINY = np.float32(1e-30)
FEW_ORDERS = 3
CELLS_TO_COPY = 4_000_000
ROUNDING = 1e-6  # of a mean silhouette, in float32
IMPOSSIBLE = -1e300  # not -inf: fastmath may assume there is none


@njit(cache=True, nogil=True, error_model="numpy")
def sum_distances(distances: Array, labels: Array, weights: Array, sums: Array) -> None:
    """Fill sums[k, t] = sum over r in k of weights[r] * distances[r, t]; rows of label -1 do not count."""
    sums[:] = 0.0
    for r in range(distances.shape[0]):
        k = labels[r]
        if k >= 0:
            w = weights[r]
            for t in range(distances.shape[1]):
                sums[k, t] += w * distances[r, t]


@njit(cache=True, nogil=True, error_model="numpy")
def shift_sums(distances: Array, rows: Array, source: Array, target: Array, weights: Array, sums: Array) -> None:
    """Update sums after rows went from one cluster to another."""
    for m in range(rows.shape[0]):
        r, i, j = rows[m], source[m], target[m]
        w = weights[r]
        for t in range(distances.shape[1]):
            change = w * distances[r, t]
            sums[i, t] -= change
            sums[j, t] += change


@njit(cache=True, nogil=True, error_model="numpy")
def score_rows(sums: Array, sizes: Array, labels: Array, own: Array, nearest: Array, scores: Array) -> None:
    """Fill own[t] (mean distance inside), nearest[t] (the neighbouring cluster) and the silhouette of each row."""
    n_clusters = sums.shape[0]
    for t in range(sums.shape[1]):
        k = labels[t]
        best, which = np.inf, -1
        for c in range(n_clusters):
            if c != k and sizes[c] > 0:
                mean = sums[c, t] / sizes[c]
                if mean < best:
                    best, which = mean, c
        nearest[t] = which
        if sizes[k] <= 1.0 or which < 0:
            own[t] = 0.0
            scores[t] = 0.0
        else:
            inside = max(sums[k, t], 0.0) / (sizes[k] - 1.0)
            own[t] = inside
            top = max(inside, best)
            scores[t] = (best - inside) / top if top > 0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def score_total(sums: Array, sizes: Array, labels: Array, weights: Array) -> float:
    """The weighted mean silhouette."""
    n_clusters = sums.shape[0]
    total, mass = 0.0, 0.0
    for t in range(sums.shape[1]):
        k = labels[t]
        mass += weights[t]
        if sizes[k] <= 1.0:
            continue
        best = np.inf
        for c in range(n_clusters):
            if c != k and sizes[c] > 0:
                best = min(best, sums[c, t] / sizes[c])
        inside = max(sums[k, t], 0.0) / (sizes[k] - 1.0)
        top = max(inside, best)
        if top > 0 and best < np.inf:
            total += weights[t] * (best - inside) / top
    return total / mass


@njit(cache=True, nogil=True, error_model="numpy")
def compare(inside: float, other: float) -> float:
    """The silhouette of a row that is not alone."""
    top = max(inside, other)
    return (other - inside) / top if top > 0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def score_merges(sums: Array, sizes: Array, labels: Array, weights: Array, scores: Array) -> None:
    """The weighted mean silhouette after any two of three clusters and more are joined: scores[i, j] and scores[j, i].

    The mean distance to both is between those to each, so a row counts as before unless its own cluster or its nearest
    other one is joined.
    """
    n_clusters = sums.shape[0]
    scores[:] = 0.0
    total, mass = 0.0, 0.0
    for t in range(sums.shape[1]):
        k, w = labels[t], weights[t]
        first, second, third, near, next_near = np.inf, np.inf, np.inf, -1, -1
        for c in range(n_clusters):
            if c != k:
                mean = sums[c, t] / sizes[c]
                if mean < first:
                    first, second, third, near, next_near = mean, first, second, c, near
                elif mean < second:
                    second, third, next_near = mean, second, c
                elif mean < third:
                    third = mean
        inside = max(sums[k, t], 0.0) / (sizes[k] - 1.0) if sizes[k] > 1.0 else 0.0
        now = compare(inside, first) if sizes[k] > 1.0 else 0.0
        mass += w
        total += w * now
        for c in range(n_clusters):
            if c == k:
                continue
            size = sizes[k] + sizes[c]
            if size > 1.0:
                joined = max(sums[k, t] + sums[c, t], 0.0) / (size - 1.0)
                scores[k, c] += w * (compare(joined, second if c == near else first) - now)
            if c != near and sizes[k] > 1.0:
                joined = (sums[near, t] + sums[c, t]) / (sizes[near] + sizes[c])
                scores[near, c] += w * (compare(inside, min(joined, third if c == next_near else second)) - now)
    for i in range(n_clusters):
        for j in range(i + 1, n_clusters):
            scores[i, j] = scores[j, i] = (total + scores[i, j] + scores[j, i]) / mass


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def sweep_direction(
    distances: Array,
    order: Array,
    is_end: Array,
    column_of: Array,
    row_weights: Array,
    column_weights: Array,
    own: Array,
    other: Array,
    total: Array,
    low: Array,
    side: Array,
    mass_low: float,
    mass: float,
    min_size: float,
    max_size: float,
    scores: Array,
) -> None:
    """Silhouette sums after each row of ``order`` has gone, one by one, from the upper to the lower side.

    For columns in any order and a start in the middle of a sweep; ``sweep_directions`` is faster for whole ones.

    order : rows in ascending order of the direction; is_end[p]: a cut after position p is possible
    column_of[r] : where row r stands among the columns that are scored, or -1
    own, other : for rows outside the pair their mean distance inside; for all rows the least mean to a third cluster
    total : sums of both clusters together; low, side : sums and sides at the start, changed in place
    scores[p] : sum over columns of weight * silhouette, IMPOSSIBLE where a cut is not possible
    """
    n = distances.shape[1]
    one = np.float32(1.0)
    for p in range(order.shape[0]):
        r = order[p]
        w = np.float32(row_weights[r])
        mass_low += row_weights[r]
        mass_up = mass - mass_low
        if column_of[r] >= 0:
            side[column_of[r]] = LOWER
        row = distances[r]
        is_allowed = (
            is_end[p] and mass_low >= min_size and mass_up >= min_size and mass_low <= max_size and mass_up <= max_size
        )
        if not is_allowed:
            for t in range(n):
                low[t] += w * row[t]
            scores[p] = IMPOSSIBLE
            continue
        inv_low, inv_up = one / np.float32(mass_low), one / np.float32(mass_up)
        is_lone_low, is_lone_up = mass_low <= 1.0, mass_up <= 1.0
        inv_in_low = np.float32(0.0) if is_lone_low else one / np.float32(mass_low - 1.0)
        inv_in_up = np.float32(0.0) if is_lone_up else one / np.float32(mass_up - 1.0)
        acc = np.float32(0.0)
        for t in range(n):
            lo = low[t] + w * row[t]
            low[t] = lo
            up = total[t] - lo
            mean_low, mean_up = lo * inv_low, up * inv_up
            s = side[t]
            a = own[t] if s == OUTSIDE else (lo * inv_in_low if s == LOWER else up * inv_in_up)
            b = mean_up if s == LOWER else (mean_low if s == UPPER else min(mean_low, mean_up))
            b = min(b, other[t])
            acc += column_weights[t] * (b - a) / max(max(a, b), TINY)
        score = np.float64(acc)
        if is_lone_low or is_lone_up:
            for t in range(n):  # lone rows were counted as if they had company at no distance
                if (is_lone_low and side[t] == LOWER) or (is_lone_up and side[t] == UPPER):
                    b = min((total[t] - low[t]) * inv_up if side[t] == LOWER else low[t] * inv_low, other[t])
                    score -= column_weights[t] * b / max(b, TINY)
        scores[p] = score


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def sweep_directions(
    distances: Array,
    orders: Array,
    is_end: Array,
    column_of: Array,
    row_weights: Array,
    column_weights: Array,
    own: Array,
    other: Array,
    total: Array,
    n_inside: int,
    mass: float,
    min_size: float,
    max_size: float,
    floor: float,
    scores: Array,
) -> None:
    """``sweep_direction`` for every row of ``orders``, each from the start where all rows are on the upper side.

    The first ``n_inside`` columns are those of the pair, the others are outside it: two loops that need not ask. Cuts
    that cannot score more than ``floor`` are IMPOSSIBLE: the columns outside are scored only where these might.
    """
    low = np.empty_like(total)
    is_low = np.empty_like(total)
    most_outside = _bound_outside(own, other, total, column_weights, n_inside, mass)
    for d in range(orders.shape[0]):
        low[:] = 0.0
        is_low[:] = 0.0
        _sweep_parted(
            distances, orders[d], is_end[d], column_of, row_weights, column_weights,
            own, other, total, low, is_low, n_inside, mass, min_size, max_size, floor - most_outside, scores[d],
        )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _bound_outside(own: Array, other: Array, total: Array, column_weights: Array, n_inside: int, mass: float) -> float:
    """The most that the columns outside can add to a score, wherever the pair is cut.

    The nearer side of a cut is no further away than both sides together.
    """
    bound = 0.0
    for t in range(n_inside, total.shape[0]):
        b = min(total[t] / np.float32(mass), other[t])
        bound += column_weights[t] * (b - own[t]) / max(max(own[t], b), TINY)
    return bound + ROUNDING * column_weights.sum()  # type: ignore[no-any-return]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _sweep_parted(
    distances: Array, order: Array, is_end: Array, column_of: Array, row_weights: Array, column_weights: Array,
    own: Array, other: Array, total: Array, low: Array, is_low: Array, n_inside: int, mass: float, min_size: float,
    max_size: float, floor_inside: float, scores: Array,
) -> None:  # fmt: skip
    one, zero = np.float32(1.0), np.float32(0.0)
    low_in, total_in, other_in, weights_in = (
        low[:n_inside],
        total[:n_inside],
        other[:n_inside],
        column_weights[:n_inside],
    )
    low_out, total_out, other_out, weights_out = (
        low[n_inside:], total[n_inside:], other[n_inside:], column_weights[n_inside:],
    )  # fmt: skip
    own_out = own[n_inside:]
    n_outside = total_out.shape[0]
    mass_low = 0.0
    n_added = 0  # rows of the lower side that are in the sums of the columns outside
    for p in range(order.shape[0]):
        r = order[p]
        w = np.float32(row_weights[r])
        mass_low += row_weights[r]
        mass_up = mass - mass_low
        if column_of[r] >= 0:
            is_low[column_of[r]] = one
        scores[p] = IMPOSSIBLE
        is_allowed = (
            is_end[p] and mass_low >= min_size and mass_up >= min_size and mass_low <= max_size and mass_up <= max_size
        )
        if not is_allowed:
            for t in range(n_inside):
                low_in[t] += w * distances[r, t]
            continue
        inv_low, inv_up = one / np.float32(mass_low), one / np.float32(mass_up)
        is_lone_low, is_lone_up = mass_low <= 1.0, mass_up <= 1.0
        inv_in_low = zero if is_lone_low else one / np.float32(mass_low - 1.0)
        inv_in_up = zero if is_lone_up else one / np.float32(mass_up - 1.0)
        acc = zero
        for t in range(n_inside):
            lo = low_in[t] + w * distances[r, t]
            low_in[t] = lo
            up = total_in[t] - lo
            is_lower = is_low[t] > zero
            a = lo * inv_in_low if is_lower else up * inv_in_up
            b = min(up * inv_up if is_lower else lo * inv_low, other_in[t])
            acc += weights_in[t] * (b - a) / max(max(a, b), TINY)
        score = np.float64(acc)
        if is_lone_low or is_lone_up:
            for t in range(n_inside):  # lone rows were counted as if they had company at no distance
                is_lower = is_low[t] > zero
                if is_lone_low if is_lower else is_lone_up:
                    b = min((total_in[t] - low_in[t]) * inv_up if is_lower else low_in[t] * inv_low, other_in[t])
                    score -= weights_in[t] * b / max(b, TINY)
        if score <= floor_inside:
            continue
        for q in range(n_added, p):
            w_q, row_q = np.float32(row_weights[order[q]]), distances[order[q], n_inside:]
            for t in range(n_outside):
                low_out[t] += w_q * row_q[t]
        n_added = p + 1
        row_out = distances[r, n_inside:]
        acc = zero
        for t in range(n_outside):
            lo = low_out[t] + w * row_out[t]
            low_out[t] = lo
            b = min(min(lo * inv_low, (total_out[t] - lo) * inv_up), other_out[t])
            acc += weights_out[t] * (b - own_out[t]) / max(max(own_out[t], b), TINY)
        scores[p] = score + np.float64(acc)


@njit(cache=True, nogil=True, error_model="numpy")
def describe_pair(
    sums: Array, sizes: Array, labels: Array, weights: Array, i: int, j: int, far: float,
    own: Array, other: Array, total: Array, side: Array, counted: Array,
) -> None:  # fmt: skip
    """What a sweep of clusters i and j (j = -1: of i alone) needs to know of every point; see sweep_direction.

    counted is the weight, 0 for singletons outside the pair, whose silhouette is 0 whatever happens.
    """
    n_clusters = sums.shape[0]
    for t in range(sums.shape[1]):
        k = labels[t]
        best = far
        for c in range(n_clusters):
            if c != k and c != i and c != j:
                best = min(best, sums[c, t] / sizes[c])
        other[t] = best
        total[t] = sums[i, t] if j < 0 else sums[i, t] + sums[j, t]
        is_member = k in (i, j)
        spare = sizes[k] - 1.0
        side[t] = UPPER if is_member else OUTSIDE
        own[t] = 0.0 if is_member or spare <= 0.0 else sums[k, t] / spare
        counted[t] = 0.0 if (not is_member) and spare <= 0.0 else weights[t]


@njit(cache=True, nogil=True, error_model="numpy")
def gather(matrix: Array, rows: Array, columns: Array, out: Array) -> None:
    """out[a, b] = matrix[rows[a], columns[b]]"""
    for a in range(rows.shape[0]):
        row = matrix[rows[a]]
        for b in range(columns.shape[0]):
            out[a, b] = row[columns[b]]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def scan_pair(
    distances: Array, sums: Array, sizes: Array, labels: Array, weights: Array, i: int, j: int, far: float,
    orders: Array, is_end: Array, min_size: float, max_size: float, floor: float, scores: Array,
) -> None:  # fmt: skip
    """Mean silhouettes for a cut of clusters i and j (j = -1: of i alone) at every position of every order.

    Cuts that score no more than ``floor`` may be left IMPOSSIBLE.

    With several orders the distances of the pair are copied close together first, its own columns before the others,
    unless they are too many or all columns are the pair's anyway.
    """
    n = labels.shape[0]
    own, other, total = np.empty(n, dtype=np.float32), np.empty(n, dtype=np.float32), np.empty(n, dtype=np.float32)
    side, counted = np.empty(n, dtype=np.float32), np.empty(n, dtype=np.float32)
    describe_pair(sums, sizes, labels, weights, i, j, far, own, other, total, side, counted)
    columns = np.empty(n, dtype=np.intp)
    n_inside = _list_first(side, columns)
    mass = sizes[i] + (sizes[j] if j >= 0 else 0.0)
    place = np.arange(n)
    whole = weights.sum()
    least = floor * whole
    if n_inside == n:
        sweep_directions(
            distances, orders, is_end, place, weights, counted, own, other, total, n, mass, min_size, max_size, least,
            scores,
        )  # fmt: skip
    elif orders.shape[0] <= FEW_ORDERS or n_inside * n > CELLS_TO_COPY:
        is_open = is_end.copy()
        if floor > IMPOSSIBLE and 2 * n_inside <= n and n_inside * n <= CELLS_TO_COPY:
            _close_hopeless(
                distances, orders, columns, n_inside, weights, counted, own, other, total, mass, min_size, max_size,
                least, is_open, scores,
            )  # fmt: skip
        for d in range(orders.shape[0]):
            scores[d] = IMPOSSIBLE
            n_swept = _count_to_last(is_open[d])
            if n_swept > 0:
                low = np.zeros(n, dtype=np.float32)
                sweep_direction(
                    distances, orders[d, :n_swept], is_open[d], place, weights, counted, own, other, total, low,
                    side.copy(), 0.0, mass, min_size, max_size, scores[d],
                )  # fmt: skip
    else:
        block = np.empty((n_inside, n), dtype=np.float32)
        gather(distances, columns[:n_inside], columns, block)
        sweep_directions(
            block, _rename(orders, columns), is_end, place, weights[columns], counted[columns], own[columns],
            other[columns], total[columns], n_inside, mass, min_size, max_size, least, scores,
        )  # fmt: skip
    for d in range(scores.shape[0]):
        for p in range(scores.shape[1]):
            scores[d, p] = scores[d, p] / whole if scores[d, p] > IMPOSSIBLE else IMPOSSIBLE


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _close_hopeless(
    distances: Array, orders: Array, columns: Array, n_inside: int, weights: Array, counted: Array, own: Array,
    other: Array, total: Array, mass: float, min_size: float, max_size: float, floor: float, is_open: Array,
    scores: Array,
) -> None:  # fmt: skip
    """Close the cuts that cannot score more than ``floor`` by what the columns of the pair say of them."""
    bound = _bound_outside(own[columns], other[columns], total[columns], counted[columns], n_inside, mass)
    inside = columns[:n_inside]
    block = np.empty((n_inside, n_inside), dtype=np.float32)
    gather(distances, inside, inside, block)
    sweep_directions(
        block, _rename(orders, columns), is_open, np.arange(n_inside), weights[inside], counted[inside], own[inside],
        other[inside], total[inside], n_inside, mass, min_size, max_size, floor - bound, scores,
    )  # fmt: skip
    for d in range(scores.shape[0]):
        for p in range(scores.shape[1]):
            is_open[d, p] = scores[d, p] > IMPOSSIBLE


@njit(cache=True, nogil=True, error_model="numpy")
def _count_to_last(is_open: Array) -> int:
    """How many positions there are up to the last that is open."""
    n = is_open.shape[0]
    while n > 0 and not is_open[n - 1]:
        n -= 1
    return n  # type: ignore[no-any-return]


@njit(cache=True, nogil=True, error_model="numpy")
def _rename(orders: Array, columns: Array) -> Array:
    """The orders with the places of rows among the columns."""
    place = np.empty(columns.shape[0], dtype=orders.dtype)
    for t in range(columns.shape[0]):
        place[columns[t]] = t
    renamed = np.empty_like(orders)
    for d in range(orders.shape[0]):
        for p in range(orders.shape[1]):
            renamed[d, p] = place[orders[d, p]]
    return renamed


@njit(cache=True, nogil=True, error_model="numpy")
def _list_first(side: Array, columns: Array) -> int:
    """Fill columns with those of the pair, then the others; how many are the pair's."""
    n_inside = 0
    for t in range(side.shape[0]):
        n_inside += side[t] > OUTSIDE
    inside, outside = 0, n_inside
    for t in range(side.shape[0]):
        if side[t] > OUTSIDE:
            columns[inside] = t
            inside += 1
        else:
            columns[outside] = t
            outside += 1
    return n_inside
