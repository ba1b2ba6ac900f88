"""The families of hyperplanes: what makes a partition legal and which directions are swept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions, count_directions, list_directions
from polyclust.hyperplanes.telling import MOST_LISTED
from polyclust.search.directions import AxisDirections, LatticeDirections, RealDirections
from polyclust.search.legality import AlwaysLegal, IntervalLegality, Legality, LinearLegality
from polyclust.search.moves import DirectionSource
from polyclust.search.points import Points

__all__ = [
    "AxisFamily", "Family", "GeneralFamily", "LatticeFamily", "SlackFamily", "choose_family", "limit_lattice",
]  # fmt: skip

REAL_MAX_COEFFICIENT = 5
FAR_FROM_ZERO = 1e3  # ranges
SPANNED, CORNERS = 1e-9, 1e-4  # of the longest extent of points: what is shorter is rounding, or nearly flat
SIMPLER_COEFFICIENTS, MOST_SIMPLER = (3, 1), 20_000  # of two terms that are searched before real coefficients


class Family(Protocol):
    """What the search needs to know of a family."""

    @property
    def oblique(self) -> Directions | None:
        """Directions of several terms, where they can be listed."""

    @property
    def is_complete(self) -> bool:
        """Whether the listed directions are all there are."""

    def legality(self, points: Points) -> Legality:
        """Which partitions of these points are allowed."""

    def directions(self, points: Points, effort: float = 1.0) -> DirectionSource:
        """Which directions to sweep; with more effort fewer are left out."""

    def find_simpler(self, n_features: int) -> Family | None:
        """A family of two terms within this one, to be searched before; None where the axes are all there is."""


@dataclass(frozen=True)
class AxisFamily:
    """One term."""

    oblique: Directions | None = None
    is_complete: bool = True

    def legality(self, points: Points) -> Legality:
        return IntervalLegality(points)

    def directions(self, points: Points, effort: float = 1.0) -> DirectionSource:  # noqa: ARG002
        return AxisDirections(effort)

    def find_simpler(self, n_features: int) -> Family | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class LatticeFamily:
    """Integer coefficients, several terms. Not complete when the lattice is too large to list."""

    oblique: Directions
    max_terms: int
    max_coefficient: int
    is_complete: bool

    def legality(self, points: Points) -> Legality:
        return IntervalLegality(points, self.oblique)

    def directions(self, points: Points, effort: float = 1.0) -> DirectionSource:  # noqa: ARG002
        return LatticeDirections(self.oblique, self.max_terms, self.max_coefficient, effort)

    def find_simpler(self, n_features: int) -> Family | None:
        return _list_two_terms(n_features, [self.max_coefficient]) if self.max_terms > 2 else None


@dataclass(frozen=True)
class GeneralFamily:
    """Real coefficients without a limit on terms, in the scaled space."""

    offset: NDArray[np.float64]
    scale: NDArray[np.float64]
    oblique: Directions | None = None
    is_complete: bool = False

    @property
    def is_far(self) -> bool:
        """Whether some feature is so far from 0 beside its range that a gap between scaled rows may be lost in sums."""
        return bool((np.abs(self.offset / self.scale) > FAR_FROM_ZERO).any())

    def space(self, points: Points) -> NDArray[np.float64]:
        """The explaining features, scaled."""
        return (points.raw - self.offset) / self.scale

    def legality(self, points: Points) -> Legality:
        space = self._span(points)
        extents = np.linalg.norm(space, axis=0)
        is_full = space.shape[1] == len(points) - 1 < points.n_features and not self.is_far
        if is_full and extents.min(initial=np.inf) > CORNERS * extents.max(initial=0.0):
            return AlwaysLegal()  # the corners of a simplex
        return LinearLegality(points, space, self.scale, self.is_far)

    def directions(self, points: Points, effort: float = 1.0) -> DirectionSource:  # noqa: ARG002
        return RealDirections(self._span(points), self.offset / self.scale if self.is_far else None)

    def _span(self, points: Points) -> NDArray[np.float64]:
        """The space, of fewer points than features the part that they span: what is apart there is apart in the space.

        Far from zero gaps are looked for among the sums of the features themselves.
        """
        space = self.space(points)
        if self.is_far or len(space) >= space.shape[1]:
            return space
        left, lengths, _ = np.linalg.svd(space - space.mean(axis=0), full_matrices=False)
        is_used = lengths > SPANNED * lengths.max(initial=0.0)
        return np.asarray(left[:, is_used] * lengths[is_used])

    def find_simpler(self, n_features: int) -> Family | None:
        return _list_two_terms(n_features, SIMPLER_COEFFICIENTS) if n_features > 1 else None


@dataclass(frozen=True)
class SlackFamily:
    """Any family with a finite slack weight: nothing is illegal, errors are paid for."""

    base: Family

    @property
    def oblique(self) -> Directions | None:
        return self.base.oblique

    @property
    def is_complete(self) -> bool:
        return False

    def legality(self, points: Points) -> Legality:  # noqa: ARG002
        return AlwaysLegal()

    def directions(self, points: Points, effort: float = 1.0) -> DirectionSource:
        return self.base.directions(points, effort)

    def find_simpler(self, n_features: int) -> Family | None:  # noqa: ARG002
        return None


def _list_two_terms(n_features: int, coefficients: Sequence[int]) -> LatticeFamily | None:
    """All sums of two features with the first of these largest coefficients that makes few enough of them."""
    for largest in coefficients:
        if count_directions(n_features, 2, largest) <= MOST_SIMPLER:
            return LatticeFamily(_list_oblique(n_features, 2, largest), 2, largest, True)
    return None


def _list_oblique(n_features: int, max_terms: int, max_coefficient: int) -> Directions:
    """All directions of two terms and more."""
    every = list_directions(n_features, max_terms, max_coefficient)
    return every.take(np.flatnonzero(every.features[:, 1] >= 0))


def choose_family(
    n_features: int,
    max_terms: int | None,
    max_coefficient: int | None,
    offset: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> Family:
    """From the two limits."""
    if min(max_terms or n_features, n_features) == 1:
        return AxisFamily()
    limits = limit_lattice(n_features, max_terms, max_coefficient)
    if limits is None:
        return GeneralFamily(offset, scale)
    n_terms, largest = limits
    is_complete = n_terms == min(max_terms or n_features, n_features) and max_coefficient is not None
    return LatticeFamily(_list_oblique(n_features, n_terms, largest), n_terms, largest, is_complete)


def limit_lattice(n_features: int, max_terms: int | None, max_coefficient: int | None) -> tuple[int, int] | None:
    """The terms and coefficients that are listed; None for general hyperplanes.

    Real coefficients with a limit on terms are searched as fine integer ratios.
    """
    if max_coefficient is None and max_terms is None:
        return None
    n_terms = min(max_terms or n_features, n_features)
    largest = REAL_MAX_COEFFICIENT if max_coefficient is None else max_coefficient
    while n_terms > 2 and count_directions(n_features, n_terms, largest) > MOST_LISTED:
        n_terms -= 1
    return n_terms, largest
