"""Numba kernels for the cuts of a tree: what they part from its cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from polyclust.kernels.orders import pick_orders

__all__ = ["count_mistakes", "cut_along_axes", "weigh_directions"]

Array = NDArray[Any]
N_BINS = 128


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
