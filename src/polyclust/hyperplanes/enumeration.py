"""The exact scan: every listed direction, in both senses, with its best intercept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.hinge import PairHyperplane, PairRows, fit_intercept
from polyclust.hyperplanes.lattice import Directions
from polyclust.kernels.hinge import scan_directions

Floats = NDArray[np.float64]

__all__ = ["enumerate_lattice", "find_least"]

FIRST_ROWS, GROWTH = 16, 4
"""Directions are first tried on this many of the hardest rows, or a little more, then on growing numbers of them."""
NEVER = -1.0


def enumerate_lattice(rows: PairRows, directions: Directions, margin: float) -> PairHyperplane:
    """The best of all listed directions, each in both senses with its best intercept."""
    best, sign, _ = find_least(rows, directions, margin)
    w = np.zeros(rows.values.shape[1])
    features, coefficients = directions.terms(best)
    w[list(features)] = sign * np.array(coefficients)
    b, error = fit_intercept(rows, w, margin)
    return PairHyperplane(w, b, margin, error, "optimal", 0.0, "enumeration")


def find_least(
    rows: PairRows, directions: Directions, margin: float, below: float = np.inf, enough: float = NEVER
) -> tuple[int, float, float]:
    """Which direction has the least error, in which sense, and that error.

    Direction -1 if no error is ``below`` that; the first with ``enough`` or less will do. Either saves much work.
    """
    difference = rows.mean_difference()
    order = _hardest_first(rows, difference)
    upper_weight = float(rows.weights[: rows.n_upper].sum())
    best, sign, error = scan_directions(
        np.ascontiguousarray(rows.values[order].T),
        rows.sides[order],
        rows.weights[order],
        -difference,
        min(upper_weight, float(rows.weights.sum()) - upper_weight),
        directions.features,
        directions.coefficients,
        margin,
        _growing_prefixes(len(order)),
        below,
        enough,
    )
    return int(best), float(sign), float(error)


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
