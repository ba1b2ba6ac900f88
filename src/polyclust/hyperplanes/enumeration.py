"""The best of listed directions, in both senses, by bounds for all of them and a scan of those that are left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.hinge import PRECISION, PairHyperplane, PairRows, fit_intercept
from polyclust.hyperplanes.lattice import Directions
from polyclust.kernels.hinge import bound_errors, scan_directions

Floats = NDArray[np.float64]

__all__ = ["enumerate_lattice", "find_least_error"]

FIRST_ROWS, GROWTH = 16, 4
"""Directions are first tried on this many of the hardest rows, or a little more, then on growing numbers of them."""
FEW_DIRECTIONS, MOST_CUTS = 200, 300
"""So few directions are scanned at once; bounds on the errors of more are raised so often."""
ROUNDING = 1e-12


def enumerate_lattice(rows: PairRows, directions: Directions, margin: float) -> PairHyperplane:
    """The best of all listed directions, each in both senses with its best intercept."""
    if len(directions) > FEW_DIRECTIONS:
        directions = _leave_out_worse(rows, directions, margin)
    difference = rows.mean_difference()
    order = _hardest_first(rows, difference)
    best, sign = scan_directions(
        np.ascontiguousarray(rows.values[order].T),
        rows.sides[order],
        rows.weights[order],
        -difference,
        _lighter_side(rows),
        directions.features,
        directions.coefficients,
        margin,
        _growing_prefixes(len(order)),
    )
    w = np.zeros(rows.values.shape[1])
    features, coefficients = directions.terms(best)
    w[list(features)] = sign * np.array(coefficients)
    b, error = fit_intercept(rows, w, margin)
    return PairHyperplane(w, b, margin, error, "optimal", 0.0, "enumeration")


def find_least_error(rows: PairRows, directions: Directions, margin: float, below: float = np.inf) -> tuple[float, int]:
    """The error of the best of all listed directions, to rounding, and which it is; ``below`` and -1 if not less."""
    least, best, _ = _bound(rows, directions, margin, below)
    return least, best


def _leave_out_worse(rows: PairRows, directions: Directions, margin: float) -> Directions:
    """The directions that may be the best, or as good."""
    least, _, bounds = _bound(rows, directions, margin)
    enough = least * (1.0 + PRECISION) + _size_of_rounding(rows, directions)
    return directions.take(np.flatnonzero(bounds.min(axis=0) <= enough))


def _bound(rows: PairRows, directions: Directions, margin: float, below: float = np.inf) -> tuple[float, int, Floats]:
    """The least error, which direction has it, and what the error of every direction is at least, in both senses."""
    bounds = np.empty((2, len(directions)))
    centred = rows.values - rows.values.mean(axis=0)
    least, best = bound_errors(
        np.ascontiguousarray(centred.T),
        rows.sides,
        rows.weights,
        -rows.mean_difference(),
        _lighter_side(rows),
        directions.features,
        directions.coefficients,
        margin,
        below,
        _size_of_rounding(rows, directions),
        MOST_CUTS,
        bounds,
    )
    return float(least), int(best), bounds


def _size_of_rounding(rows: PairRows, directions: Directions) -> float:
    """Errors less than that are no errors."""
    return ROUNDING * directions.longest * float(np.ptp(rows.values, axis=0).max()) * float(rows.weights.sum())


def _lighter_side(rows: PairRows) -> float:
    upper = float(rows.weights[: rows.n_upper].sum())
    return min(upper, float(rows.weights.sum()) - upper)


def _hardest_first(rows: PairRows, difference: Floats) -> NDArray[np.intp]:
    """Rows nearest the other cluster first, the two sides in proportion: a short start is a good bound."""
    depth = -rows.sides * (rows.values @ difference)
    order = np.lexsort((depth, rows.sides))
    n_lower = len(order) - rows.n_upper
    places = np.r_[(np.arange(rows.n_upper) + 0.5) / rows.n_upper, (np.arange(n_lower) + 0.5) / n_lower]
    return order[np.argsort(places, kind="stable")]


def _growing_prefixes(n_rows: int) -> NDArray[np.intp]:
    sizes = [n_rows]
    while sizes[-1] > GROWTH * FIRST_ROWS:
        sizes.append(sizes[-1] // GROWTH)
    return np.array(sizes[::-1], dtype=np.intp)
