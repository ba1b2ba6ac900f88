"""From terms and a gap to a hyperplane in the user's units: its units, its norm, its round threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.table.features import Feature

__all__ = ["make_plane", "measure_norm", "place_plane"]


def make_plane(
    positions: tuple[int, ...], coefficients: tuple[float, ...], features: Sequence[Feature], *, above: int, below: int
) -> Hyperplane:
    """A hyperplane with these terms; its threshold is yet to be placed.

    One term is in the column's own units, several are each in the unit of their feature.
    """
    units = (1.0,) if len(positions) == 1 else tuple(features[p].unit for p in positions)
    norm = measure_norm(positions, coefficients, units, features)
    return Hyperplane(positions, coefficients, units, 0.0, norm, above=above, below=below)


def place_plane(plane: Hyperplane, low: float, high: float, features: Sequence[Feature]) -> Hyperplane:
    """The plane with the roundest threshold between two of its values; a whole number where all its values are."""
    is_sum_whole = all(u == 1.0 for u in plane.units) and all(float(c).is_integer() for c in plane.coefficients)
    is_whole = is_sum_whole and all(features[f].is_whole for f in plane.features)
    return replace(plane, threshold=choose_threshold(low, high, is_whole))


def measure_norm(positions: Sequence[int], coefficients: Sequence[float], units: Sequence[float],
                 features: Sequence[Feature]) -> float:  # fmt: skip
    """Length of the normal vector in the scaled space."""
    parts = [c * features[p].scale / u for p, c, u in zip(positions, coefficients, units, strict=True)]
    return math.sqrt(sum(part * part for part in parts))
