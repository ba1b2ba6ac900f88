"""Numba kernels that measure where clusters begin and end: along directions, in boxes, by means and spreads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["measure_direction_intervals", "measure_ends", "measure_gaps", "widen_boxes"]

Array = NDArray[Any]


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
