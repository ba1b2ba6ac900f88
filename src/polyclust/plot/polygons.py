"""The geometry of the pictures: a polytope sliced or projected to two features, a polygon within a view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from polyclust.geometry.hyperplane import Hyperplane, Polytope
from polyclust.table.features import Feature

Floats = NDArray[np.float64]
PictureKind = Literal["exact", "projection", "slice"]
View = tuple[float, float, float, float]

__all__ = [
    "HalfPlane",
    "PictureKind",
    "View",
    "clip_polygon",
    "find_kind",
    "hold_points",
    "is_possible",
    "project_polytope",
    "slice_polytope",
]


@dataclass(frozen=True, slots=True)
class HalfPlane:
    """The points with  a·x + b·y ≥ threshold  (is_upper) or  < threshold  (not is_upper)."""

    a: float
    b: float
    threshold: float
    is_upper: bool

    def contains(self, points: Floats) -> NDArray[np.bool_]:
        """Which of the points (n x 2) lie in it."""
        above = self.a * points[:, 0] + self.b * points[:, 1] >= self.threshold
        return above if self.is_upper else ~above


def find_kind(hyperplanes: Sequence[Hyperplane], shown: Sequence[int]) -> PictureKind:
    """What a picture in these features can be.

    exact: the hyperplanes use no other feature. projection: none mixes shown and hidden features, so a
    polytope is the product of a shown and a hidden part and its shadow is the shown part. slice: anything
    else.
    """
    inside = [{f in shown for f in h.features} for h in hyperplanes]
    if all(sides == {True} for sides in inside):
        return "exact"
    return "slice" if any(len(sides) == 2 for sides in inside) else "projection"


def slice_polytope(
    polytope: Polytope, features: Sequence[Feature], shown: Sequence[int], anchor: Floats
) -> list[HalfPlane]:
    """The polytope where every hidden feature has its value in ``anchor``."""
    return [_reduce(h, is_upper, features, shown, anchor) for h, is_upper in polytope.halfspaces]


def project_polytope(polytope: Polytope, features: Sequence[Feature], shown: Sequence[int]) -> list[HalfPlane]:
    """The half-planes among the shown features; the polytope's shadow when no hyperplane mixes."""
    nowhere = np.zeros(len(features))
    return [
        _reduce(h, is_upper, features, shown, nowhere)
        for h, is_upper in polytope.halfspaces
        if set(h.features) <= set(shown)
    ]


def _reduce(
    hyperplane: Hyperplane, is_upper: bool, features: Sequence[Feature], shown: Sequence[int], anchor: Floats
) -> HalfPlane:
    weight = [0.0, 0.0]
    threshold = _visible_threshold(hyperplane, features)
    for feature, coefficient, unit in zip(hyperplane.features, hyperplane.coefficients, hyperplane.units, strict=True):
        if feature in shown:
            weight[list(shown).index(feature)] += coefficient / unit
        else:
            threshold -= coefficient * (float(anchor[feature]) / unit)
    return HalfPlane(weight[0], weight[1], threshold, is_upper)


def _visible_threshold(hyperplane: Hyperplane, features: Sequence[Feature]) -> float:
    """Midway between the whole numbers where the left-hand side can only be whole: ``legs ≥ 1`` at 0.5."""
    is_whole = all(
        features[f].is_whole and (c / u).is_integer()
        for f, c, u in zip(hyperplane.features, hyperplane.coefficients, hyperplane.units, strict=True)
    )
    return math.ceil(hyperplane.threshold) - 0.5 if is_whole else hyperplane.threshold


def hold_points(halfplanes: Sequence[HalfPlane], points: Floats) -> NDArray[np.bool_]:
    """Which points (n x 2) lie in every half-plane."""
    inside = np.ones(len(points), dtype=bool)
    for halfplane in halfplanes:
        inside &= halfplane.contains(points)
    return inside


def clip_polygon(halfplanes: Sequence[HalfPlane], view: View) -> Floats:
    """The corners (m x 2, in order) of the intersection with the view (x low, x high, y low, y high).

    Empty (0 x 2) when they do not meet in an area. Sutherland-Hodgman, in coordinates where the view is the
    unit square, so that features of any size are cut alike.
    """
    x_low, x_high, y_low, y_high = view
    size = np.array([x_high - x_low, y_high - y_low])
    corner = np.array([x_low, y_low])
    polygon = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    for h in halfplanes:
        normal = np.array([h.a, h.b])
        if not normal.any():  # no shown feature: all of the plane or nothing
            if h.contains(np.zeros((1, 2))).all():
                continue
            return np.empty((0, 2))
        height = polygon @ (normal * size) - (h.threshold - normal @ corner)
        polygon = _cut(polygon, height if h.is_upper else -height)
        if len(polygon) < 3 or _area(polygon) < 1e-12:
            return np.empty((0, 2))
    return np.asarray(polygon * size + corner)


def _cut(polygon: Floats, height: Floats) -> Floats:
    """The part of a convex polygon where a linear function, given at its corners, is not negative."""
    kept: list[Floats] = []
    for at in range(len(polygon)):
        start, end = polygon[at - 1], polygon[at]
        low, high = float(height[at - 1]), float(height[at])
        if (low < 0) != (high < 0):
            kept.append(start + (end - start) * (low / (low - high)))
        if high >= 0:
            kept.append(end)
    return np.array(kept).reshape(-1, 2)


def _area(polygon: Floats) -> float:
    x, y = polygon.T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def is_possible(polytope: Polytope, features: Sequence[Feature]) -> bool:
    """Whether the polytope holds any point at all (a finite representation weight can leave one empty).

    With the sign rule a polytope that is not empty has an interior: so the largest slack that all half-spaces
    can have at once, at most 1 in the scaled space, is above zero.
    """
    if not polytope.halfspaces:
        return True
    rows = np.zeros((len(polytope.halfspaces), len(features) + 1))
    bounds = np.zeros(len(polytope.halfspaces))
    for at, (h, is_upper) in enumerate(polytope.halfspaces):
        normal, bound = _scaled_condition(h, features)
        sign = -1.0 if is_upper else 1.0
        length = float(np.abs(normal).max())
        rows[at, :-1] = sign * normal / length
        rows[at, -1] = 1.0
        bounds[at] = sign * bound / length
    goal = np.zeros(len(features) + 1)
    goal[-1] = -1.0
    limits: list[tuple[float | None, float | None]] = [(None, None)] * len(features)
    found = linprog(goal, A_ub=rows, b_ub=bounds, bounds=[*limits, (None, 1.0)])
    return found.fun is not None and found.fun < -1e-9


def _scaled_condition(hyperplane: Hyperplane, features: Sequence[Feature]) -> tuple[Floats, float]:
    """Normal vector and threshold in the scaled space, where raw = offset + scale * scaled."""
    normal, threshold = np.zeros(len(features)), hyperplane.threshold
    for at, coefficient, unit in zip(hyperplane.features, hyperplane.coefficients, hyperplane.units, strict=True):
        normal[at] += coefficient / unit * features[at].scale
        threshold -= coefficient / unit * features[at].offset
    return normal, threshold
