"""Trees of cuts along the axes and along directions of two terms, grown by what every row is worth in every cluster.

Where a row is worth something in one cluster only, a cut costs the rows that it parts from their cluster: by what each
would lose in the next best one, cuts go through rows that hardly care, such as noise between the clusters, and spare
those in the middle of one. Where it is known what a row is worth in each of them, clusters are also cut off one by one,
so that what lies far from everything goes where it does least harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions, list_along
from polyclust.kernels.orders import count_mistakes, weigh_cuts, weigh_directions
from polyclust.search.partition import Ints, sum_weights
from polyclust.search.points import Points, SubsetOrders, order_projections

__all__ = ["NodeCut", "Slants", "find_cut", "grow_tree"]

Floats = NDArray[np.float64]
N_AXES, N_SLANTED = 8, 6  # the axes that slanted directions are made of, and how many of these are tried
N_WEIGHED, N_TOGETHER = 8, 4  # directions whose cuts are weighed exactly, and ways to share the clusters out


@dataclass(frozen=True)
class Slants:
    """Directions of two terms with small whole coefficients."""

    max_coefficient: int

    def along(self, features: Ints) -> Directions:
        """All of them along some features, which ascend."""
        every = list_along(features, 2, self.max_coefficient)
        return every.take(np.flatnonzero(every.features[:, 1] >= 0))


def grow_tree(points: Points, fates: Floats, slants: Slants | None = None, least: float = 0.0) -> Ints:
    """Labels of the leaves of a tree of cuts; ``fates`` (n, K) says what every row is worth in every cluster."""
    result = np.empty(len(points), dtype=np.intp)
    waiting: list[tuple[Ints, list[int]]] = [(np.arange(len(points)), list(range(fates.shape[1])))]
    while waiting:
        rows, clusters = waiting.pop()
        cut = find_cut(points, fates, rows, clusters, None, slants, least) if len(clusters) > 1 and len(rows) else None
        if cut is None:  # a leaf, or rows that no cut can part: one cluster takes them all
            result[rows] = clusters[int(fates[rows][:, clusters].sum(axis=0).argmax())]
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
    fates: Floats,
    rows: Ints,
    clusters: list[int],
    known: Directions | None = None,
    slants: Slants | None = None,
    least: float = 0.0,
) -> NodeCut | None:
    """The two children of a node: the cut that costs least, then the most even one.

    Cuts are made along the axes, the directions that are ``known`` and, unless an axis makes no mistake, the best of
    the ``slants``. Every side gets ``least`` weight or more for each of its clusters, where that can be.
    """
    node = _Node(points, fates, rows, clusters)
    straight = node.try_axes()
    trials = [straight] if known is None else [straight, node.try_directions(known)]
    if slants is not None and points.n_features > 1 and 0.0 < straight.mistakes.min() < np.inf:
        trials.append(node.try_directions(node.choose_slants(slants, straight)))
    return node.cut_best(trials, least)


@dataclass(frozen=True)
class _Trial:
    """Cuts along some directions: their mistakes, infinite where clusters lie on one side only."""

    directions: Directions
    orders: SubsetOrders
    mistakes: Floats
    n_below: Ints

    def keep_best(self) -> _Trial:
        """The directions with the lightest mistakes."""
        if len(self.mistakes) <= N_WEIGHED:
            return self
        best = np.sort(np.argsort(self.mistakes.min(axis=1), kind="stable")[:N_WEIGHED])
        orders = SubsetOrders(self.orders.rows[best], self.orders.is_end[best])
        return _Trial(self.directions.take(best), orders, self.mistakes[best], self.n_below[best])


@dataclass(frozen=True)
class _Weighed:
    """A cut that sends some of a node's clusters to one side: what it costs, and where it is."""

    cost: float
    is_below: NDArray[np.bool_]
    trial: _Trial
    direction: int
    position: int


class _Node:
    """Rows that come to a node of the tree, and the clusters to be told apart there.

    A mistake parts a row from the best of these clusters: it loses what the second best is worth less, or more.
    """

    def __init__(self, points: Points, fates: Floats, rows: Ints, clusters: list[int]) -> None:
        self.points = points
        self.rows = rows
        self.clusters = np.array(clusters)
        self.fates = fates[rows][:, clusters]
        second, best = np.partition(self.fates, -2, axis=1)[:, -2:].T
        self.most = float(best.sum())
        self.local = np.full(len(points), -1, dtype=np.intp)
        self.local[rows] = self.fates.argmax(axis=1)
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

    def cut_best(self, trials: Sequence[_Trial], least: float) -> NodeCut | None:
        """The cut that costs least, then the most even one; None where there is none."""
        if (np.count_nonzero(self.fates, axis=1) <= 1).all() and not least:  # a row's mistake is all that it can lose
            return self._cut_lightest(trials)
        trials = [trial.keep_best() for trial in trials]
        parts = self._list_parts(trials)
        for needed in (least, 0.0):
            weighed = (cut for cut in self._weigh(trials, parts, needed) if np.isfinite(cut.cost))
            for cut in sorted(weighed, key=lambda cut: cut.cost):
                if self._is_proper(cut):
                    return self._cut_at(cut.trial, cut.direction, cut.position, cut.is_below)
        return None

    def _cut_lightest(self, trials: Sequence[_Trial]) -> NodeCut | None:
        """The cut with the lightest mistakes, then the most even one."""
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

    def _is_proper(self, cut: _Weighed) -> bool:
        """Whether the larger part of every cluster lies on the side that it is sent to."""
        return bool((self._list_below(cut.trial, cut.direction, cut.position) == cut.is_below).all())

    def _weigh(self, trials: Sequence[_Trial], parts: Sequence[NDArray[np.bool_]], least: float) -> Iterator[_Weighed]:
        """For every trial and every way to share the clusters out, the cut that costs least."""
        gains, worth = np.zeros((len(self.points), len(parts))), np.empty(len(parts))
        for c, is_first in enumerate(parts):
            first, second = self.fates[:, is_first].max(axis=1), self.fates[:, ~is_first].max(axis=1)
            gains[self.rows, c] = first - second
            worth[c] = second.sum()
        n_first = np.array([is_first.sum() for is_first in parts])
        needed = least * np.column_stack([n_first, len(self.clusters) - n_first]) * (1.0 - 1e-9)
        for trial in trials:
            best, at = np.empty(len(parts)), np.empty((len(parts), 3), dtype=np.intp)
            weigh_cuts(trial.orders.rows, trial.orders.is_end, gains, self.points.weights, needed, best, at)
            for c, is_first in enumerate(parts):
                direction, position, is_low = at[c].tolist()
                yield _Weighed(self.most - worth[c] - best[c], is_first == bool(is_low), trial, direction, position)

    def _list_parts(self, trials: Sequence[_Trial]) -> list[NDArray[np.bool_]]:
        """Ways to share the clusters out to both sides: as the cuts with the lightest mistakes do, and each alone."""
        n_clusters = len(self.clusters)
        if n_clusters == 2:
            return [np.array([True, False])]
        alone = list(np.eye(n_clusters, dtype=bool))
        if n_clusters == 3:
            return alone
        lightest = [(m, trial, d) for trial in trials for d, m in enumerate(trial.mistakes.min(axis=1)) if m < np.inf]
        together: dict[bytes, NDArray[np.bool_]] = {}
        for _, trial, d in sorted(lightest, key=lambda found: found[0])[:N_TOGETHER]:
            is_below = self._list_below(trial, d, int(trial.mistakes[d].argmin()))
            is_first = is_below == is_below[0]
            if 1 < is_first.sum() < n_clusters - 1:
                together[is_first.tobytes()] = is_first
        return [*together.values(), *alone]

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
