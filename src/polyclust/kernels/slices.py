"""Numba kernel of slices: all rows beyond a cut, whatever clusters they are in, become a new cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE

__all__ = ["scan_slices"]

Array = NDArray[Any]

TINY, FAR = 1e-30, 1e30


@njit(cache=True, nogil=True, error_model="numpy")
def scan_slices(
    distances: Array, sums: Array, labels: Array, weights: Array, orders: Array, is_end: Array, min_size: float,
    max_size: float, scores: Array,
) -> None:  # fmt: skip
    """Mean silhouettes when the rows of every order up to a position are a cluster of their own.

    sums : (K, n) distance sums of the clusters as they are; scores : IMPOSSIBLE where a cut is not possible, and from
        where on the slice is too large or leaves too little of a cluster
    """
    n_clusters, n = sums.shape
    sizes = np.zeros(n_clusters + 1)
    for t in range(n):
        sizes[labels[t]] += weights[t]
    whole = weights.sum()
    now = np.empty((n_clusters + 1, n))  # float64: what is left of a sum may be nothing
    label = np.empty(n)  # as wide as the sums, so that loops vectorise
    own, best, counted = np.empty(n), np.empty(n), np.empty(n)
    for d in range(orders.shape[0]):
        now[:n_clusters] = sums
        now[n_clusters] = 0.0
        label[:] = labels
        size = sizes.copy()
        scores[d] = IMPOSSIBLE
        for p in range(orders.shape[1]):
            r = orders[d, p]
            k = labels[r]
            size[k] -= weights[r]
            size[n_clusters] += weights[r]
            if size[k] < max(min_size, 1e-9) or size[n_clusters] > max_size:
                break
            _move(distances[r], weights[r], now[k], now[n_clusters])
            label[r] = n_clusters
            if is_end[d, p] and size[n_clusters] >= min_size:
                scores[d, p] = _score(now, size, label, weights, own, best, counted) / whole


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _move(row: Array, weight: float, source: Array, target: Array) -> None:
    for t in range(row.shape[0]):
        change = weight * row[t]
        source[t] -= change
        target[t] += change


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _score(sums: Array, sizes: Array, labels: Array, weights: Array, own: Array, best: Array, counted: Array) -> float:
    """The sum of the silhouettes."""
    best[:] = FAR
    for c in range(sums.shape[0]):
        spare = sizes[c] - 1.0
        inverse, inverse_inside = 1.0 / sizes[c], 1.0 / spare if spare > 0.0 else 0.0
        counts = 1.0 if spare > 0.0 else 0.0  # the silhouette of a single row is 0
        some, name = sums[c], float(c)
        for t in range(some.shape[0]):
            is_own = labels[t] == name
            own[t] = some[t] * inverse_inside if is_own else own[t]
            counted[t] = counts if is_own else counted[t]
            best[t] = min(best[t], FAR if is_own else some[t] * inverse)
    total = 0.0
    for t in range(best.shape[0]):
        a, b = own[t], best[t]
        total += counted[t] * weights[t] * (b - a) / max(max(a, b), TINY)
    return total
