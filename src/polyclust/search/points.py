"""What the search works on: rows, or groups of rows, with their distances, weights and values along the axes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.intervals import measure_gaps
from polyclust.kernels.orders import list_in_order, pick_orders
from polyclust.kernels.silhouette import gather

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

__all__ = ["FEW_POINTS", "Points", "SubsetOrders", "order_projections", "stack_orders"]


RECURRING = 0.05  # of the rows
FEW_POINTS = 700  # up to so many everything is tried; more are searched by groups and samples


@dataclass(frozen=True)
class SubsetOrders:
    """Rows of a subset sorted along D directions; is_end[d, p]: a cut after position p is possible."""

    rows: NDArray[np.int32]
    is_end: NDArray[np.bool_]

    def take(self, chosen: Ints) -> SubsetOrders:
        """Some of the directions."""
        return SubsetOrders(self.rows[chosen], self.is_end[chosen])

    def reverse(self) -> SubsetOrders:
        """The same from the other ends."""
        is_end = np.roll(self.is_end[:, ::-1], -1, axis=1)
        return SubsetOrders(np.ascontiguousarray(self.rows[:, ::-1]), np.ascontiguousarray(is_end))


@dataclass(frozen=True, eq=False)
class Points:
    """Weighted items in a canonical order.

    distances : float32 (n, n), mean distance between the rows of two items (0 on the diagonal for single rows)
    weights : float64 (n,), how many rows an item stands for
    raw : (n, F) explaining features in the user's units; values : raw / unit, what several terms add up
    coordinates : (n, d) the clustering space, None where there are only distances
    known_ranks : ranks along every axis where they are known from more points; they may leave gaps
    """

    distances: NDArray[np.float32]
    weights: Floats
    raw: Floats
    values: Floats
    coordinates: Floats | None
    known_ranks: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def n_features(self) -> int:
        """How many features may appear in hyperplanes."""
        return int(self.raw.shape[1])

    @cached_property
    def total_weight(self) -> float:
        """How many rows all items stand for."""
        return float(self.weights.sum())

    @cached_property
    def columns(self) -> Floats:
        """(F, n): the values, those of a feature close together in memory."""
        return np.ascontiguousarray(self.values.T)

    @cached_property
    def axis_orders(self) -> NDArray[np.int32]:
        """(F, n): the items sorted along every axis."""
        by = self.raw if self.known_ranks is None else self.known_ranks
        return np.argsort(by, axis=0, kind="stable").T.astype(np.int32, order="C")

    @cached_property
    def axis_ranks(self) -> NDArray[np.int32]:
        """(n, F): ranks along every axis; equal raw values have equal ranks."""
        if self.known_ranks is not None:
            return self.known_ranks
        ranks = np.empty(self.raw.shape, dtype=np.int32)
        for f in range(self.n_features):
            order = self.axis_orders[f]
            ordered = self.raw[order, f]
            steps = np.concatenate([[0], np.cumsum(ordered[1:] > ordered[:-1])])
            ranks[order, f] = steps
        return ranks

    @property
    def has_recurring_values(self) -> bool:
        """Whether some value of a feature is that of many rows: a boolean, a code, a zero."""
        most = RECURRING * self.total_weight
        return any(np.bincount(ranks, weights=self.weights).max() > most for ranks in self.axis_ranks.T)

    def take(self, rows: Ints, weights: Floats) -> Points:
        """Some of the points, with other weights."""
        coordinates = None if self.coordinates is None else self.coordinates[rows]
        distances = np.empty((len(rows), len(rows)), dtype=np.float32)
        gather(self.distances, rows, rows, distances)
        ranks = self.axis_ranks[rows]
        return Points(distances, weights, self.raw[rows], self.values[rows], coordinates, ranks)

    def order_along_axes(self, is_member: NDArray[np.bool_], axes: Ints | None = None) -> SubsetOrders:
        """A subset sorted along every axis, or along some."""
        chosen = np.arange(self.n_features) if axes is None else axes
        shape = (len(chosen), int(is_member.sum()))
        rows, is_end = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=bool)
        pick_orders(self.axis_orders, self.axis_ranks, chosen, is_member, rows, is_end)
        return SubsetOrders(rows, is_end)

    def features_apart(self, first: Ints, second: Ints, n_features: int) -> Ints:
        """The features along which the means of two sets lie furthest apart, measured by their spreads."""
        gaps = np.empty(self.n_features)
        measure_gaps(self.values, first, second, gaps)
        return np.argsort(-gaps, kind="stable")[:n_features]


def order_projections(rows: NDArray[np.int32], projections: Floats, relative_gap: float = 1e-9) -> SubsetOrders:
    """A subset sorted along projections (D, len(rows)); gaps must exceed a relative 1e-9."""
    order = np.argsort(projections, axis=1)
    ordered, is_end = np.empty(order.shape, dtype=np.int32), np.empty(order.shape, dtype=bool)
    if order.size:
        list_in_order(rows, projections, order, relative_gap, ordered, is_end)
    return SubsetOrders(ordered, is_end)


def stack_orders(*parts: SubsetOrders) -> SubsetOrders:
    """The directions of all parts together."""
    return SubsetOrders(np.vstack([p.rows for p in parts]), np.vstack([p.is_end for p in parts]))
