"""Numba kernels that look for a direction along which two sets of rows lie apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["find_beside", "find_separating"]

Array = NDArray[Any]
RELATIVE_GAP = 1e-9
N_GLANCED, N_KEPT = 12, 4


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
