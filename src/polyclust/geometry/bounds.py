"""Bounds that half-spaces of one term put on each feature, carried through the types. Comparisons only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane

__all__ = ["Bounds", "HalfSpace", "Ladder", "PossibleRows", "is_implied_by_bounds", "propagate"]


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """One side of a hyperplane."""

    plane: Hyperplane
    is_upper: bool

    @property
    def is_plain(self) -> bool:
        """One feature as it is against a threshold."""
        return self.plane.coefficients == (1.0,) and self.plane.units == (1.0,)

    def contains(self, raw: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which rows lie inside."""
        is_above = self.plane.is_above(raw)
        return is_above if self.is_upper else ~is_above


@dataclass(frozen=True, slots=True)
class Ladder:
    """Features that are 1 where one number, the base, reaches a value: pairs of value and feature."""

    steps: tuple[tuple[float, int], ...]
    base: int | None
    is_whole: bool


@dataclass(frozen=True, slots=True)
class PossibleRows:
    """What types alone say about the rows that can occur."""

    is_whole: tuple[bool, ...]
    is_binary: tuple[bool, ...]
    groups: tuple[tuple[int, ...], ...] = ()
    ladders: tuple[Ladder, ...] = ()


@dataclass(slots=True)
class Bounds:
    """A closed interval per feature, in float64."""

    low: list[float]
    high: list[float]

    @property
    def is_empty(self) -> bool:
        """No row can satisfy them."""
        return any(low > high for low, high in zip(self.low, self.high, strict=True))

    def raise_low(self, feature: int, value: float) -> bool:
        """Tighten from below; whether anything changed."""
        if value <= self.low[feature]:
            return False
        self.low[feature] = value
        return True

    def cut_high(self, feature: int, value: float) -> bool:
        """Tighten from above; whether anything changed."""
        if value >= self.high[feature]:
            return False
        self.high[feature] = value
        return True


def propagate(halfspaces: Sequence[HalfSpace], possible: PossibleRows) -> Bounds:
    """All bounds that the half-spaces of one plain term imply."""
    bounds = Bounds(
        [0.0 if is_binary else -math.inf for is_binary in possible.is_binary],
        [1.0 if is_binary else math.inf for is_binary in possible.is_binary],
    )
    for halfspace in halfspaces:
        if halfspace.is_plain:
            feature, threshold = halfspace.plane.features[0], halfspace.plane.threshold
            if halfspace.is_upper:
                bounds.raise_low(feature, _least_at_or_above(threshold, possible.is_whole[feature]))
            else:
                bounds.cut_high(feature, _largest_below(threshold, possible.is_whole[feature]))
    while not bounds.is_empty and _carry(bounds, possible):
        pass
    return bounds


def is_implied_by_bounds(candidate: HalfSpace, bounds: Bounds) -> bool:
    """Whether even the worst corner of the bounds lies inside. Rounding is monotone, so corners decide."""
    plane = candidate.plane
    corner = np.zeros((1, max(plane.features) + 1))
    for feature, coefficient in zip(plane.features, plane.coefficients, strict=True):
        takes_low = (coefficient > 0) == candidate.is_upper
        corner[0, feature] = bounds.low[feature] if takes_low else bounds.high[feature]
    return bool(np.isfinite(corner).all()) and bool(candidate.contains(corner)[0])


def _carry(bounds: Bounds, possible: PossibleRows) -> bool:
    """One round through groups and ladders; whether anything changed."""
    changed = False
    for group in possible.groups:
        for chosen in group:
            if bounds.low[chosen] >= 1:
                for other in group:
                    if other != chosen:
                        changed |= bounds.cut_high(other, 0.0)
    for ladder in possible.ladders:
        changed |= _climb(bounds, ladder)
    return changed


def _climb(bounds: Bounds, ladder: Ladder) -> bool:
    """Carry bounds between a number and its steps."""
    low = -math.inf if ladder.base is None else bounds.low[ladder.base]
    high = math.inf if ladder.base is None else bounds.high[ladder.base]
    for value, step in ladder.steps:
        if bounds.low[step] >= 1:
            low = max(low, _least_at_or_above(value, ladder.is_whole))
        if bounds.high[step] <= 0:
            high = min(high, _largest_below(value, ladder.is_whole))
    changed = False
    for value, step in ladder.steps:
        if low >= value:
            changed |= bounds.raise_low(step, 1.0)
        if high < value:
            changed |= bounds.cut_high(step, 0.0)
    if ladder.base is not None:
        changed |= bounds.raise_low(ladder.base, low)
        changed |= bounds.cut_high(ladder.base, high)
    return changed


def _least_at_or_above(threshold: float, is_whole: bool) -> float:
    return float(math.ceil(threshold)) if is_whole else threshold


def _largest_below(threshold: float, is_whole: bool) -> float:
    if is_whole and abs(threshold) < 2**53:
        return float(math.ceil(threshold) - 1)
    return math.nextafter(threshold, -math.inf)
