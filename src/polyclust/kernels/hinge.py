"""The best hyperplane of a list of directions, by the closed form of the intercept.

For a fixed direction w the sum of hinge errors is convex and piecewise linear in the threshold -b, with one
kink per row: at w.x for the rows that belong above, at w.x + margin for those that belong below. Call these
numbers the keys of the rows. The slope left of all keys is minus the weight of the lower rows, and each key
adds the weight of its row; so the least error is at the smallest key up to which the keys weigh as much as
the lower rows do.

Two lower bounds spare most of the work and never the optimum: the error of the means (Jensen), and the least
error of any subset of the rows (every hinge is >= 0).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

__all__ = ["find_threshold", "scan_directions", "select_weighted", "sum_hinges"]


@njit(cache=True, nogil=True, error_model="numpy")
def split_by_pivot(keys: Floats, weights: Floats, low: int, high: int) -> tuple[int, int, float]:
    """Reorder keys[low..high] as (less, equal, greater); return the ends of "equal" and the pivot."""
    first, middle, last = keys[low], keys[(low + high) // 2], keys[high]
    pivot = max(min(first, middle), min(max(first, middle), last))
    left, here, right = low, low, high
    while here <= right:
        key = keys[here]
        if key < pivot:
            keys[here], keys[left] = keys[left], key
            weights[here], weights[left] = weights[left], weights[here]
            left += 1
            here += 1
        elif key > pivot:
            keys[here], keys[right] = keys[right], key
            weights[here], weights[right] = weights[right], weights[here]
            right -= 1
        else:
            here += 1
    return left, right, pivot


@njit(cache=True, nogil=True, error_model="numpy")
def select_weighted(keys: Floats, weights: Floats, target: float) -> float:
    """The smallest key such that the keys up to it weigh at least ``target``. Reorders its arguments."""
    low, high, before = 0, len(keys) - 1, 0.0
    while True:
        left, right, pivot = split_by_pivot(keys, weights, low, high)
        less = 0.0
        for t in range(low, left):
            less += weights[t]
        equal = 0.0
        for t in range(left, right + 1):
            equal += weights[t]
        if left > low and before + less >= target:
            high = left - 1
        elif right == high or before + less + equal >= target:
            return float(pivot)
        else:
            before += less + equal
            low = right + 1


@njit(cache=True, nogil=True, error_model="numpy")
def sum_hinges(keys: Floats, sides: Floats, weights: Floats, threshold: float) -> float:
    """Weighted hinge errors; sides: +1 for rows that belong below, -1 for rows that belong above."""
    total = 0.0
    for t in range(len(keys)):
        total += weights[t] * max(sides[t] * (keys[t] - threshold), 0.0)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def find_threshold(keys: Floats, sides: Floats, weights: Floats, scratch: Floats) -> tuple[float, float]:
    """The threshold of least error, and that error. ``scratch``: 2 x n numbers to overwrite."""
    n, target = len(keys), 0.0
    for t in range(n):
        scratch[0, t] = keys[t]
        scratch[1, t] = weights[t]
        target += weights[t] * (sides[t] > 0.0)
    threshold = select_weighted(scratch[0, :n], scratch[1, :n], target)
    return threshold, sum_hinges(keys, sides, weights, threshold)


@njit(cache=True, nogil=True, error_model="numpy")
def fill_keys(
    columns: Floats,
    sides: Floats,
    features: Ints,
    coefficients: Floats,
    sign: float,
    margin: float,
    keys: Floats,
) -> None:
    """keys = sign * (w.x) + margin for the rows that belong below, for the first len(keys) rows."""
    n = len(keys)
    for t in range(n):
        keys[t] = margin * (sides[t] > 0.0)
    for term in range(len(features)):
        if features[term] >= 0:
            column = columns[features[term]]
            coefficient = sign * coefficients[term]
            for t in range(n):
                keys[t] += coefficient * column[t]


@njit(cache=True, nogil=True, error_model="numpy")
def bound_by_means(
    drop: Floats, features: Ints, coefficients: Floats, sign: float, margin: float, lighter: float
) -> float:
    """lighter * max(w.(lower mean - upper mean) + margin, 0): no threshold has a smaller error."""
    distance = margin
    for term in range(len(features)):
        if features[term] >= 0:
            distance += sign * coefficients[term] * drop[features[term]]
    return lighter * max(distance, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def measure_gap(keys: Floats, sides: Floats, margin: float, coefficients: Floats) -> float:
    """The empty stretch between the two sides, as a distance."""
    top_of_lower, bottom_of_upper = -np.inf, np.inf
    for t in range(len(keys)):
        if sides[t] > 0.0:
            top_of_lower = max(top_of_lower, keys[t] - margin)
        else:
            bottom_of_upper = min(bottom_of_upper, keys[t])
    return float((bottom_of_upper - top_of_lower) / np.sqrt(np.sum(coefficients * coefficients)))


@njit(cache=True, nogil=True, error_model="numpy")
def scan_directions(
    columns: Floats,
    sides: Floats,
    weights: Floats,
    drop: Floats,
    lighter: float,
    features: Ints,
    coefficients: Floats,
    margin: float,
    prefixes: NDArray[np.intp],
    below: float,
    enough: float,
) -> tuple[int, float, float]:
    """The index of the best direction, its sign (+1 as listed, -1 reversed), and its error.

    The index is -1 if no error is ``below`` that. The first direction whose error is ``enough`` or less ends the scan.

    Least error first; then fewest terms; then the widest gap; then the order of the list.
    ``columns``: features x rows. ``prefixes``: growing numbers of leading rows to try, the last of them all.
    ``drop``: lower mean - upper mean. ``lighter``: the smaller of the two total weights.
    """
    keys = np.empty(len(sides))
    scratch = np.empty((2, len(sides)))
    best, best_sign, best_error, best_terms, best_gap = -1, 1.0, below, 0, -np.inf
    for d in range(len(features)):
        for sign in (1.0, -1.0):
            bound = bound_by_means(drop, features[d], coefficients[d], sign, margin, lighter)
            if bound * (1.0 - 1e-9) > best_error:
                continue
            error = 0.0
            for n in prefixes:
                fill_keys(columns, sides, features[d], coefficients[d], sign, margin, keys[:n])
                _, error = find_threshold(keys[:n], sides[:n], weights[:n], scratch)
                if error * (1.0 - 1e-9) > best_error:
                    break
            if error > best_error:
                continue
            terms = np.sum(features[d] >= 0)
            gap = measure_gap(keys, sides, margin, coefficients[d]) if error == 0.0 else -np.inf
            if error < best_error or terms < best_terms or (terms == best_terms and gap > best_gap):
                best, best_sign, best_error, best_terms, best_gap = d, sign, error, terms, gap
        if best >= 0 and best_error <= enough:
            break
    return best, best_sign, best_error
