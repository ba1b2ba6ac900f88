"""Trees of cuts along the axes and along directions of two terms, grown by what every row is worth in its cluster.

A cut costs the rows that it parts from their cluster: by what each would lose in the next best one, cuts go through
rows that hardly care, such as noise between the clusters, and spare those in the middle of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions, list_along
from polyclust.kernels.branching import count_mistakes, cut_along_axes, weigh_directions
from polyclust.search.branches import Cut, Fork, Leaf, Tree
from polyclust.search.partition import Ints, sum_weights
from polyclust.search.points import Points, SubsetOrders, order_projections

__all__ = ["NodeCut", "Slants", "find_cut", "grow_tree"]

Floats = NDArray[np.float64]
N_AXES, N_SLANTED = 8, 6  # the axes that slanted directions are made of, and how many of these are tried


@dataclass(frozen=True)
class Slants:
    """Directions of two terms with small whole coefficients."""

    max_coefficient: int

    def along(self, features: Ints) -> Directions:
        """All of them along some features, which ascend."""
        every = list_along(features, 2, self.max_coefficient)
        return every.take(np.flatnonzero(every.features[:, 1] >= 0))


def grow_tree(points: Points, fates: Floats, slants: Slants | None = None, known: Directions | None = None) -> Tree:
    """The tree whose cuts cost least, one after the other, then the most even ones.

    ``fates`` (n, K): what a row is worth in its own cluster, and 0 in the others. Cuts are made along the axes, the
    directions that are ``known`` and, unless an axis makes no mistake, the best of the ``slants``.
    """

    def grow(rows: Ints, clusters: list[int]) -> Tree:
        cut = find_cut(points, fates, rows, clusters, slants, known) if len(clusters) > 1 and len(rows) else None
        if cut is None:  # a leaf, or rows that no cut can part: one cluster takes them all
            alone = len(clusters) == 1
            return Leaf(clusters[0 if alone else int(fates[rows][:, clusters].sum(axis=0).argmax())])
        return Fork(cut.place(points.columns), *(grow(*side) for side in cut.sides))

    return grow(np.arange(len(points)), list(range(fates.shape[1])))


@dataclass(frozen=True)
class NodeCut:
    """Features and coefficients of a cut, the rows and the clusters below it, then those above."""

    terms: tuple[tuple[int, ...], tuple[float, ...]]
    sides: list[tuple[Ints, list[int]]]

    def place(self, columns: Floats) -> Cut:
        """The cut at the first value above it; ``columns`` (F, n) are the values of all rows."""
        cut = Cut(*self.terms, 0.0)
        return replace(cut, threshold=float(cut.project(columns, self.sides[1][0]).min()))


def find_cut(
    points: Points,
    fates: Floats,
    rows: Ints,
    clusters: list[int],
    slants: Slants | None = None,
    known: Directions | None = None,
) -> NodeCut | None:
    """The two children of a node: the cut that costs least, then the most even one; None where there is none."""
    if slants is None and known is None:
        return _cut_straight(points, fates, rows, clusters)
    node = _Node(points, fates, rows, clusters)
    straight = node.try_axes()
    trials = [straight] if known is None else [straight, node.try_directions(known)]
    if slants is not None and points.n_features > 1 and 0.0 < straight.mistakes.min() < np.inf:
        trials.append(node.try_directions(node.choose_slants(slants, straight)))
    return node.cut_best(trials)


def _cut_straight(points: Points, fates: Floats, rows: Ints, clusters: list[int]) -> NodeCut | None:
    """The same along the axes alone."""
    names, order = np.array(clusters), np.empty(len(rows), dtype=np.intp)
    is_below = np.empty(len(clusters), dtype=bool)
    axis, position = cut_along_axes(points.axis_orders, points.axis_ranks, fates, rows, names, order, is_below)
    if axis < 0:
        return None
    sides = [(order[: position + 1], names[is_below].tolist()), (order[position + 1 :], names[~is_below].tolist())]
    return NodeCut(((axis,), (1.0,)), sides)


@dataclass(frozen=True)
class _Trial:
    """Cuts along some directions: their mistakes, infinite where clusters lie on one side only."""

    directions: Directions
    orders: SubsetOrders
    mistakes: Floats
    n_below: Ints


class _Node:
    """Rows that come to a node of the tree, and the clusters to be told apart there.

    A mistake parts a row from the best of these clusters: it loses what the second best is worth less, or more.
    """

    def __init__(self, points: Points, fates: Floats, rows: Ints, clusters: list[int]) -> None:
        self.points = points
        self.rows = rows
        self.clusters = np.array(clusters)
        here = fates[rows][:, clusters]
        second, best = np.partition(here, -2, axis=1)[:, -2:].T
        self.local = np.full(len(points), -1, dtype=np.intp)
        self.local[rows] = here.argmax(axis=1)
        self.weights = np.zeros(len(points))
        self.weights[rows] = best - second
        self.sizes = self._sum(rows)

    def try_axes(self) -> _Trial:
        """Every axis."""
        is_member = np.zeros(len(self.points), dtype=bool)
        is_member[self.rows] = True
        return self._try(_list_axes(self.points.n_features), self.points.order_along_axes(is_member))

    def try_directions(self, directions: Directions) -> _Trial:
        """Directions of any number of terms."""
        projections = directions.project(self.points.values[self.rows])
        return self._try(directions, order_projections(self.rows.astype(np.int32), projections))

    def choose_slants(self, slants: Slants, straight: _Trial) -> Directions:
        """The best directions of two terms along the best axes."""
        axes = np.sort(np.argsort(straight.mistakes.min(axis=1), kind="stable")[:N_AXES])
        every = slants.along(axes)
        here, local, weights = self.points.values[self.rows], self.local[self.rows], self.weights[self.rows]
        lightest = np.empty(len(every))
        weigh_directions(here, local, weights, every.features, every.coefficients, len(self.clusters), lightest)
        return every.take(np.sort(np.argsort(lightest, kind="stable")[:N_SLANTED]))

    def cut_best(self, trials: Sequence[_Trial]) -> NodeCut | None:
        """The cut with the lightest mistakes, then the most even one; None where there is none."""
        best = min(trial.mistakes.min(initial=np.inf) for trial in trials)
        if not np.isfinite(best):
            return None
        found: list[tuple[int, _Trial, int, int]] = []
        for trial in trials:
            near = np.argwhere(trial.mistakes <= best + 1e-9)
            if len(near):
                unevenness = np.abs(2 * trial.n_below[near[:, 0], near[:, 1]] - len(self.clusters))
                first = int(unevenness.argmin())
                found.append((int(unevenness[first]), trial, *near[first].tolist()))
        _, trial, d, p = min(found, key=lambda f: f[0])
        return self._cut_at(trial, d, p, self._list_below(trial, d, p))

    def _cut_at(self, trial: _Trial, direction: int, position: int, is_below: NDArray[np.bool_]) -> NodeCut:
        order = trial.orders.rows[direction].astype(np.intp)
        low, up = order[: position + 1], order[position + 1 :]
        sides = [(low, self.clusters[is_below].tolist()), (up, self.clusters[~is_below].tolist())]
        return NodeCut(trial.directions.terms(direction), sides)

    def _list_below(self, trial: _Trial, direction: int, position: int) -> NDArray[np.bool_]:
        """Which clusters have their larger part below a cut."""
        low = trial.orders.rows[direction, : position + 1].astype(np.intp)
        return np.asarray(self._sum(low) > 0.5 * self.sizes)

    def _try(self, directions: Directions, orders: SubsetOrders) -> _Trial:
        mistakes = np.empty(orders.rows.shape)
        n_below = np.empty(orders.rows.shape, dtype=np.intp)
        for d in range(len(mistakes)):
            count_mistakes(
                orders.rows[d], orders.is_end[d], self.local, self.weights, self.sizes, mistakes[d], n_below[d]
            )
        mistakes[(n_below == 0) | (n_below == len(self.clusters))] = np.inf
        return _Trial(directions, orders, mistakes, n_below)

    def _sum(self, rows: Ints) -> Floats:
        """The weight of every cluster in some rows."""
        return sum_weights(self.local[rows], self.weights[rows], len(self.clusters))


@lru_cache(maxsize=8)
def _list_axes(n_features: int) -> Directions:
    return Directions(np.arange(n_features, dtype=np.int32)[:, None], np.ones((n_features, 1)))
