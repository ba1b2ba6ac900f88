"""Numba kernels that score every cut of a direction by Dunn's index and by Davies and Bouldin's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["measure_rest", "sweep_dunn", "sweep_spreads"]

Array = NDArray[Any]
CLOSE = 1e-8  # what counts as 0 among spreads and gaps


@njit(cache=True, nogil=True, error_model="numpy")
def measure_rest(distances: Array, labels: Array, is_pair: Array) -> tuple[float, float]:
    """The least distance between clusters and the largest within one, but for those between rows of the pair."""
    apart, wide = np.inf, 0.0
    for r in range(labels.shape[0]):
        for t in range(r):
            if is_pair[r] and is_pair[t]:
                continue
            if labels[r] == labels[t]:
                wide = max(wide, distances[r, t])
            else:
                apart = min(apart, distances[r, t])
    return apart, wide


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_dunn(distances: Array, order: Array, apart: float, wide: float, scores: Array) -> None:
    """scores[p]: the least distance between clusters over the largest within one, cut after position p of the order.

    apart, wide : the same among all other clusters, and between them and the rows that are cut
    """
    n = order.shape[0]
    nearest = np.full(n, np.inf)  # of every row to those below the cut
    reach = np.zeros(n + 1)  # the largest distance among the rows from a position on
    for p in range(n - 1, -1, -1):
        reach[p] = reach[p + 1]
        for q in range(p + 1, n):
            reach[p] = max(reach[p], distances[order[p], order[q]])
    low = 0.0
    for p in range(n):
        between = np.inf
        for q in range(p):
            low = max(low, distances[order[p], order[q]])
        for q in range(p + 1, n):
            nearest[q] = min(nearest[q], distances[order[p], order[q]])
            between = min(between, nearest[q])
        largest = max(wide, max(low, reach[p + 1]))
        scores[p] = min(apart, between) / largest if largest > 0.0 else np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_spreads(
    space: Array, weights: Array, order: Array, is_allowed: Array, centers: Array, spreads: Array, scores: Array
) -> None:
    """scores[p]: Davies and Bouldin's index, smaller better, cut after position p of the order where that is allowed.

    centers, spreads : of all other clusters, and the mean distance of their rows from these
    """
    n, n_features, n_rest = order.shape[0], space.shape[1], centers.shape[0]
    every, below = np.empty((n_rest + 2, n_features)), np.zeros(n_features)
    every[:n_rest] = centers
    widths = np.empty(n_rest + 2)
    widths[:n_rest] = spreads
    total, mass, mass_low = np.zeros(n_features), 0.0, 0.0
    for r in order:
        mass += weights[r]
        total += weights[r] * space[r]
    for p in range(n):
        below += weights[order[p]] * space[order[p]]
        mass_low += weights[order[p]]
        if not is_allowed[p]:
            continue
        every[n_rest] = below / mass_low
        every[n_rest + 1] = (total - below) / (mass - mass_low)
        widths[n_rest] = _spread(space, weights, order[: p + 1], every[n_rest])
        widths[n_rest + 1] = _spread(space, weights, order[p + 1 :], every[n_rest + 1])
        scores[p] = _compare(every, widths)


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(space: Array, weights: Array, rows: Array, center: Array) -> float:
    total, mass = 0.0, 0.0
    for r in rows:
        total += weights[r] * _gap(space[r], center)
        mass += weights[r]
    return total / mass


@njit(cache=True, nogil=True, error_model="numpy")
def _gap(a: Array, b: Array) -> float:
    squared = 0.0
    for f in range(a.shape[0]):
        squared += (a[f] - b[f]) ** 2
    return np.sqrt(squared)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True, error_model="numpy")
def _compare(centers: Array, spreads: Array) -> float:
    """The mean over clusters of the worst (spread + spread) / gap."""
    n_clusters, total, widest = centers.shape[0], 0.0, 0.0
    for i in range(n_clusters):
        worst = 0.0
        for j in range(n_clusters):
            gap = _gap(centers[i], centers[j])
            widest = max(widest, gap)
            worst = max(worst, (spreads[i] + spreads[j]) / gap if gap > 0.0 else 0.0)
        total += worst
    return 0.0 if widest <= CLOSE or spreads.max() <= CLOSE else total / n_clusters
