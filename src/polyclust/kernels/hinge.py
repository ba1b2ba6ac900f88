"""The best hyperplane of a list of directions, by the closed form of the intercept.

For a fixed direction w the sum of hinge errors is convex and piecewise linear in the threshold -b, with one
kink per row: at w.x for the rows that belong above, at w.x + margin for those that belong below. Call these
numbers the keys of the rows. The slope left of all keys is minus the weight of the lower rows, and each key
adds the weight of its row; so the least error is at the smallest key up to which the keys weigh as much as
the lower rows do.

Lower bounds spare most of the work and never the optimum: the least error of any subset of the rows (every hinge
is >= 0), and those of duality. With numbers 0 <= a_t <= u_t for the rows, u_t their weights, that come to the same
sum on both sides,

    error(w) >= sum of a_t * (key_t if below, -key_t if above)      for every w

which is linear in w. Where a_t = u_t for the rows in error, and rows at the threshold balance the two sides, it is
the error of the direction that these were found for; where a_t is the same share of the weight of either side, it
says that no error is less than that of the means. ``bound_errors`` works out the direction of the lowest bound,
which gives a new bound for all, until none is lower than the best error (Kelley's cutting planes): of thousands of
directions some dozens are worked out.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

__all__ = ["bound_errors", "find_threshold", "scan_directions", "select_weighted", "sum_hinges"]


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
) -> tuple[int, float]:
    """The index of the best direction and its sign (+1 as listed, -1 reversed).

    Least error first; then fewest terms; then the widest gap; then the order of the list.
    ``columns``: features x rows. ``prefixes``: growing numbers of leading rows to try, the last of them all.
    ``drop``: lower mean - upper mean. ``lighter``: the smaller of the two total weights.
    """
    keys = np.empty(len(sides))
    scratch = np.empty((2, len(sides)))
    best, best_sign, best_error, best_terms, best_gap = -1, 1.0, np.inf, 0, -np.inf
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
    return best, best_sign


@njit(cache=True, nogil=True, error_model="numpy")
def add_cut(columns: Floats, sides: Floats, weights: Floats, keys: Floats, threshold: float, slope: Floats) -> float:
    """The bound that the rows' keys and their best threshold give: w.slope + margin * (what is returned)."""
    slope[:] = 0.0
    excess = 0.0  # of the lower rows' weight in error over that of the upper rows
    for t in range(len(keys)):
        excess += sides[t] * weights[t] * (sides[t] * (keys[t] - threshold) > 0.0)
    lower = 0.0
    for t in range(len(keys)):
        depth, share = sides[t] * (keys[t] - threshold), 0.0
        if depth > 0.0:
            share = weights[t]
        elif depth == 0.0 and excess * sides[t] < 0.0:
            share = min(weights[t], abs(excess))
            excess += sides[t] * share
        if share > 0.0:
            lower += share * (sides[t] > 0.0)
            for f in range(len(columns)):
                slope[f] += share * sides[t] * columns[f, t]
    return lower


@njit(cache=True, nogil=True, error_model="numpy")
def raise_bounds(
    features: Ints, coefficients: Floats, slope: Floats, offset: float, scratch: Floats, bounds: Floats
) -> None:
    """bounds = max(bounds, offset + w.slope) for all directions, and for all reversed."""
    scratch[:] = 0.0
    for d in range(len(scratch)):
        for term in range(features.shape[1]):
            scratch[d] += coefficients[d, term] * slope[max(features[d, term], 0)]  # an absent term has coefficient 0
    for d in range(len(scratch)):
        bounds[0, d] = max(bounds[0, d], offset + scratch[d])
    for d in range(len(scratch)):
        bounds[1, d] = max(bounds[1, d], offset - scratch[d])


@njit(cache=True, nogil=True, error_model="numpy")
def bound_errors(
    columns: Floats,
    sides: Floats,
    weights: Floats,
    drop: Floats,
    lighter: float,
    features: Ints,
    coefficients: Floats,
    margin: float,
    below: float,
    enough: float,
    most_cuts: int,
    bounds: Floats,
) -> tuple[float, int]:
    """The least error of all directions, and which direction's; or ``below`` and -1 if it is no less than that.

    An error of ``enough`` or less ends it; after ``most_cuts`` directions that are left are worked out one by one.
    ``bounds``: 2 x directions, to fill: as listed, reversed. The other arguments are those of ``scan_directions``;
    columns about 0 keep rounding small.
    """
    n_directions = len(features)
    slope, keys, scratch = drop * lighter, np.empty(len(sides)), np.empty((2, len(sides)))
    along = np.empty(n_directions)
    bounds[:] = -np.inf
    raise_bounds(features, coefficients, slope, margin * lighter, along, bounds)
    least, best, n_cuts = below, -1, 0
    while least > enough and n_cuts < most_cuts:
        at = int(np.argmin(bounds))
        sense, d = at // n_directions, at % n_directions
        if bounds[sense, d] * (1.0 + 1e-9) >= least:
            return least, best
        fill_keys(columns, sides, features[d], coefficients[d], 1.0 - 2.0 * sense, margin, keys)
        threshold, error = find_threshold(keys, sides, weights, scratch)
        if error < least:
            least, best = error, d
        lower = add_cut(columns, sides, weights, keys, threshold, slope)
        raise_bounds(features, coefficients, slope, margin * lower, along, bounds)
        bounds[sense, d] = max(bounds[sense, d], error)
        n_cuts += 1
    for at in range(2 * n_directions):
        sense, d = at // n_directions, at % n_directions
        if least > enough and bounds[sense, d] * (1.0 + 1e-9) < least:
            fill_keys(columns, sides, features[d], coefficients[d], 1.0 - 2.0 * sense, margin, keys)
            _, error = find_threshold(keys, sides, weights, scratch)
            if error < least:
                least, best = error, d
            bounds[sense, d] = max(bounds[sense, d], error)
    return least, best
