"""Turn any labels into a legal partition: a tree of axis-parallel cuts that parts the fewest rows from their own.

Cuts of a tree cover space, so its leaves are pairwise told apart whatever the labels were. Labels that are legal
already stay as they are. A row counts by what it would lose in the next best cluster, so that cuts go through rows
that hardly care, such as noise between the clusters, and spare those in the middle of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions, list_along
from polyclust.kernels.orders import count_mistakes, weigh_directions
from polyclust.search.legality import Legality
from polyclust.search.partition import Ints, Partition, sum_weights
from polyclust.search.points import Points, SubsetOrders, order_projections
from polyclust.search.scoring import Scorer

__all__ = ["NodeCut", "Slants", "find_cut", "grow_tree", "make_legal"]

Floats = NDArray[np.float64]
N_AXES = 8
N_SLANTED = 6


@dataclass(frozen=True)
class Slants:
    """Directions of two terms with small whole coefficients."""

    max_coefficient: int

    def along(self, features: Ints) -> Directions:
        """All of them along some features, which ascend."""
        every = list_along(features, 2, self.max_coefficient)
        return every.take(np.flatnonzero(every.features[:, 1] >= 0))


def make_legal(
    labels: Ints, scorer: Scorer, legality: Legality, by_loss: bool = True, slants: Slants | None = None
) -> Partition | None:
    """A legal partition close to the labels, with sizes within bounds; None if there is none nearby.

    Unless ``by_loss``, the rows of a cut's mistakes count alike. With ``slants`` cuts may have two terms.
    """
    partition = _within_bounds(_compact(labels), scorer)
    while partition is not None and not legality.holds_for(partition):
        weights = scorer.points.weights * (scorer.losses(partition) if by_loss else 1.0)
        grown = _compact(grow_tree(scorer.points, partition.labels, partition.n_clusters, weights, slants))
        repaired = _within_bounds(grown, scorer)
        if repaired is not None and repaired.n_clusters == int(grown.max()) + 1:
            return repaired  # the leaves of a tree, untouched, are legal
        partition = repaired  # fewer clusters than before: try again
    return partition


def grow_tree(points: Points, labels: Ints, n_clusters: int, weights: Floats, slants: Slants | None = None) -> Ints:
    """Labels of the leaves of a tree of cuts, each cut sending whole clusters to the side of their majority."""
    result = labels.copy()
    waiting: list[tuple[Ints, list[int]]] = [(np.arange(len(points)), list(range(n_clusters)))]
    while waiting:
        rows, clusters = waiting.pop()
        if len(clusters) == 1 or len(rows) == 0:
            result[rows] = clusters[0] if clusters else -1
            continue
        cut = find_cut(points, labels, rows, clusters, weights, slants=slants)
        if cut is None:  # rows that no cut can part: one cluster takes them all
            counts = np.bincount(labels[rows], minlength=n_clusters)
            result[rows] = max(clusters, key=lambda c: counts[c])
            continue
        waiting += cut.sides
    return result


@dataclass(frozen=True)
class NodeCut:
    """Features and coefficients of a cut, the rows and the clusters below it, then those above."""

    terms: tuple[tuple[int, ...], tuple[float, ...]]
    sides: list[tuple[Ints, list[int]]]


def find_cut(
    points: Points,
    labels: Ints,
    rows: Ints,
    clusters: list[int],
    weights: Floats,
    known: Directions | None = None,
    slants: Slants | None = None,
) -> NodeCut | None:
    """The two children of a node: the cut with the lightest mistakes, then the most even one.

    Cuts are made along the axes, the directions that are ``known`` and, unless an axis makes no mistake, the best of
    the ``slants``.
    """
    node = _Node(points, labels, rows, clusters, weights)
    straight = node.try_axes()
    trials = [straight] if known is None else [straight, node.try_directions(known)]
    if slants is not None and points.n_features > 1 and 0.0 < straight.mistakes.min() < np.inf:
        trials.append(node.try_directions(node.choose_slants(slants, straight)))
    return node.cut_best(trials)


@dataclass(frozen=True)
class _Trial:
    """Cuts along some directions: their mistakes, infinite where clusters lie on one side only."""

    directions: Directions
    orders: SubsetOrders
    mistakes: Floats
    n_below: Ints


class _Node:
    """Rows that come to a node of the tree, and the clusters to be told apart there."""

    def __init__(self, points: Points, labels: Ints, rows: Ints, clusters: list[int], weights: Floats) -> None:
        code = np.full(int(labels.max()) + 1, -1, dtype=np.intp)
        code[clusters] = np.arange(len(clusters))
        self.points = points
        self.rows = rows
        self.clusters = clusters
        self.weights = weights
        self.local = code[labels]
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
        low, up = trial.orders.rows[d, : p + 1].astype(np.intp), trial.orders.rows[d, p + 1 :].astype(np.intp)
        is_below = self._sum(low) > 0.5 * self.sizes
        low_clusters = [c for c, b in zip(self.clusters, is_below, strict=True) if b]
        up_clusters = [c for c, b in zip(self.clusters, is_below, strict=True) if not b]
        return NodeCut(trial.directions.terms(d), [(low, low_clusters), (up, up_clusters)])

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
        inside = rows[self.local[rows] >= 0]
        return sum_weights(self.local[inside], self.weights[inside], len(self.clusters))


@lru_cache(maxsize=8)
def _list_axes(n_features: int) -> Directions:
    return Directions(np.arange(n_features, dtype=np.int32)[:, None], np.ones((n_features, 1)))


def _compact(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)


def _within_bounds(labels: Ints, scorer: Scorer) -> Partition | None:
    """Dissolve clusters that are too small into the nearest others; None if a bound still does not hold."""
    while True:
        n_clusters = int(labels.max()) + 1
        partition = scorer.start(labels, n_clusters)
        small = np.flatnonzero(partition.sizes < scorer.bounds.least)
        if n_clusters < 2 or not small.size:
            return partition if n_clusters > 1 and scorer.bounds.hold_for(partition.sizes) else None
        smallest = small[partition.sizes[small].argmin()]
        rows = partition.rows_of(int(smallest))
        labels = labels.copy()
        labels[rows] = scorer.neighbours(partition)[rows]
        labels = _compact(labels)
