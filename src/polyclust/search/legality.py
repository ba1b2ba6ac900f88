"""Which partitions are allowed: every pair of clusters must be told apart by some hyperplane of the family.

One question with three answers: intervals along the directions of a lattice, a linear program for general hyperplanes,
and "always" for a finite slack weight, where the error is paid in the objective instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.general import find_direction, is_separable
from polyclust.hyperplanes.lattice import Directions
from polyclust.hyperplanes.reading import relative_gap
from polyclust.kernels.orders import find_overlaps, find_straight_cut, measure_rank_intervals
from polyclust.kernels.separating import RELATIVE_GAP, find_separating
from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.partition import Ints, Partition
from polyclust.search.points import FEW_POINTS, Points, SubsetOrders
from polyclust.search.separations import Separations

__all__ = ["AlwaysLegal", "IntervalLegality", "LegalCut", "Legality", "LinearLegality"]

Floats = NDArray[np.float64]
VALUES_TO_LIST = 5e6
VALUES_TO_MEASURE = 3e7
N_RECENT = 64
N_LIKELY = 16
SURE_GAPS = 10.0  # times the least gap, so that the plane that is read in the end has one too


@dataclass(frozen=True)
class LegalCut:
    """A cut after a position of one of several orders, and how many tries are left to find others."""

    order: int
    position: int
    n_left: int


class Legality(Protocol):
    """What the search asks about a move."""

    def find_cut(
        self, partition: Partition, i: int, j: int, orders: SubsetOrders, scores: Floats, floor: float, n_tries: int
    ) -> LegalCut | None:
        """The best cut of clusters i and j above the floor that leaves both sides legal, if a few tries find one.

        Cuts that are found illegal become IMPOSSIBLE in ``scores``.
        """

    def allows(self, partition: Partition, rows: Ints, others: Iterable[int]) -> bool:
        """Whether ``rows`` as a cluster can be told from each of the other clusters of the partition."""

    def holds_for(self, partition: Partition) -> bool:
        """Whether every pair of clusters is told apart by some hyperplane of the family."""


class _PairwiseLegality:
    def find_cut(
        self: Legality,
        partition: Partition,
        i: int,
        j: int,
        orders: SubsetOrders,
        scores: Floats,
        floor: float,
        n_tries: int,
    ) -> LegalCut | None:
        others = [c for c in range(partition.n_clusters) if c not in (i, j)]
        for n_left in reversed(range(n_tries)):
            d, p = np.unravel_index(np.argmax(scores), scores.shape)
            if scores[d, p] <= floor:
                return None
            if others and not self.allows(partition, orders.rows[d, : p + 1].astype(np.intp), others):
                scores[d, p:] = IMPOSSIBLE  # larger lower sides are illegal too
            elif others and not self.allows(partition, orders.rows[d, p + 1 :].astype(np.intp), others):
                scores[d, : p + 1] = IMPOSSIBLE
            else:
                return LegalCut(int(d), int(p), n_left)
        return None

    def holds_for(self: Legality, partition: Partition) -> bool:
        clusters = range(partition.n_clusters)
        return all(self.allows(partition, partition.rows_of(i), clusters[i + 1 :]) for i in clusters[:-1])


class AlwaysLegal(_PairwiseLegality):
    """Nothing is forbidden: with a finite slack weight, or where some hyperplane parts the points in any way."""

    def allows(self, partition: Partition, rows: Ints, others: Iterable[int]) -> bool:  # noqa: ARG002
        return True

    def holds_for(self, partition: Partition) -> bool:  # noqa: ARG002
        return True


class IntervalLegality(_PairwiseLegality):
    """Lattices: two clusters are apart when their intervals along some direction are disjoint.

    Axes are tried first on ranks (exact for any two floats that differ), then the directions of several terms on
    values, where a gap must exceed a relative 1e-9.
    """

    def __init__(self, points: Points, oblique: Directions | None = None) -> None:
        self.points = points
        self.oblique = oblique
        self._known: tuple[Partition, NDArray[np.int32], NDArray[np.int32]] | None = None
        self._witnesses: dict[int, None] = {}
        self._recent = np.empty(0, dtype=np.intp)  # the last of the witnesses
        is_few = len(points) <= FEW_POINTS
        self._separations = None if oblique is None or not is_few else Separations(points.values, oblique)
        self._along: dict[frozenset[int], Ints] = {}  # the directions of some features

    def find_cut(
        self, partition: Partition, i: int, j: int, orders: SubsetOrders, scores: Floats, floor: float, n_tries: int
    ) -> LegalCut | None:
        if self.oblique is not None:
            return super().find_cut(partition, i, j, orders, scores, floor, n_tries)
        is_other = np.ones(partition.n_clusters, dtype=bool)
        is_other[[i, j]] = False
        lows, highs = self._intervals(partition)
        d, p, n_left = find_straight_cut(
            self.points.axis_ranks, orders.rows, scores, lows, highs, is_other, floor, n_tries
        )
        return None if d < 0 else LegalCut(d, p, n_left)

    def allows(self, partition: Partition, rows: Ints, others: Iterable[int]) -> bool:
        lows, highs = self._intervals(partition)
        is_other = np.zeros(partition.n_clusters, dtype=bool)
        is_other[list(others)] = True
        overlaps = np.empty_like(is_other)
        if find_overlaps(self.points.axis_ranks, rows, lows, highs, is_other, overlaps) == 0:
            return True
        return self.oblique is not None and all(
            self._are_obliquely_apart(rows, partition.rows_of(int(c))) for c in np.flatnonzero(overlaps)
        )

    def list_telling(self) -> Directions:
        """The axes and directions of several terms: all where they cost little, else those that told clusters apart."""
        n_features = self.points.n_features
        axes = Directions(np.arange(n_features, dtype=np.int32)[:, None], np.ones((n_features, 1)))
        if self.oblique is None:
            return axes
        is_cheap = len(self.oblique) * len(self.points) <= VALUES_TO_MEASURE
        return axes.join(self.oblique if is_cheap else self.oblique.take(self._recent))

    def _remember(self, witness: int) -> None:
        self._witnesses.pop(witness, None)
        self._witnesses[witness] = None
        self._recent = np.array(list(self._witnesses)[::-1][:N_RECENT], dtype=np.intp)

    def _are_obliquely_apart(self, first: Ints, second: Ints) -> bool:
        if self._separations is None:
            return self._are_likely_apart(first, second)
        found, is_recent = self._separations.find(first, second, self._recent)
        if found >= 0 and not is_recent:
            self._remember(found)
        return found >= 0

    def _are_likely_apart(self, first: Ints, second: Ints) -> bool:
        assert self.oblique is not None
        a, b = self.points.values[first], self.points.values[second]
        if self._recent.size:
            some = self.oblique.take(self._recent)
            if find_separating(a, b, some.features, some.coefficients) >= 0:
                return True
        likely = self._choose_likely(first, second)
        some = self.oblique if likely is None else self.oblique.take(likely)
        found = int(find_separating(a, b, some.features, some.coefficients))
        if found >= 0:
            found = found if likely is None else int(likely[found])
            self._remember(found)
        return found >= 0

    def _choose_likely(self, first: Ints, second: Ints) -> Ints | None:
        """Where all directions cost too much: those of the features along which the means lie furthest apart.

        A move that only another direction would allow is then not made.
        """
        assert self.oblique is not None
        n_features = self.points.n_features
        is_cheap = len(self.oblique) * (len(first) + len(second)) <= VALUES_TO_LIST
        if is_cheap or len(self.points) <= FEW_POINTS or n_features <= N_LIKELY:
            return None
        chosen = frozenset(self.points.features_apart(first, second, N_LIKELY).tolist())
        if chosen not in self._along:
            is_likely = np.zeros(n_features + 1, dtype=bool)
            is_likely[list(chosen)] = True
            is_likely[-1] = True  # what pads directions of fewer terms
            terms = [is_likely[feature] for feature in self.oblique.features.T]
            self._along[chosen] = np.flatnonzero(np.logical_and.reduce(terms))
        return self._along[chosen]

    def _intervals(self, partition: Partition) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        if self._known is None or self._known[0] is not partition:
            shape = (partition.n_clusters, self.points.n_features)
            lows, highs = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
            measure_rank_intervals(self.points.axis_ranks, partition.labels, lows, highs)
            self._known = (partition, lows, highs)
        return self._known[1], self._known[2]


class LinearLegality(_PairwiseLegality):
    """General hyperplanes: two clusters are apart when a linear program finds a plane between them.

    The program sees scaled features, the plane is applied to them as they are: where these are far from 0 beside their
    range, its sums are large, and the gap must exceed a relative 1e-9 of those too.
    """

    def __init__(self, points: Points, space: Floats, scale: Floats, is_far: bool) -> None:
        self.points = points
        self.space = space
        self.scale = scale
        self.is_far = is_far

    def find_cut(
        self, partition: Partition, i: int, j: int, orders: SubsetOrders, scores: Floats, floor: float, n_tries: int
    ) -> LegalCut | None:
        cut = super().find_cut(partition, i, j, orders, scores, floor, n_tries)
        while cut is not None and self.is_far and not self._tells_sides(orders.rows[cut.order], cut.position):
            scores[cut.order, cut.position] = IMPOSSIBLE
            cut = super().find_cut(partition, i, j, orders, scores, floor, cut.n_left)
        return cut

    def _tells_sides(self, order: NDArray[np.int32], position: int) -> bool:
        first, second = order[: position + 1].astype(np.intp), order[position + 1 :].astype(np.intp)
        return self._are_apart(first, second)

    def allows(self, partition: Partition, rows: Ints, others: Iterable[int]) -> bool:
        return all(self._are_apart(rows, partition.rows_of(c)) for c in others)

    def _are_apart(self, first: Ints, second: Ints) -> bool:
        if not is_separable(self.space[first], self.space[second]):
            return False
        return not self.is_far or self._is_told_in_raw_values(first, second)

    def _is_told_in_raw_values(self, first: Ints, second: Ints) -> bool:
        upper, lower = self.points.raw[first], self.points.raw[second]
        if ((upper.min(axis=0) > lower.max(axis=0)) | (lower.min(axis=0) > upper.max(axis=0))).any():
            return True
        w = find_direction(self.space[first], self.space[second], widest=True)
        return w is not None and relative_gap(w / self.scale, upper, lower) > SURE_GAPS * RELATIVE_GAP
