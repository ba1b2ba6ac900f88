"""Numba kernels over sorted rows: orders of a subset, ranks of clusters, cuts along the axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE

__all__ = [
    "find_overlaps",
    "find_straight_cut",
    "list_in_order",
    "measure_rank_intervals",
    "number_by_first",
    "pick_orders",
]

Array = NDArray[Any]


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
