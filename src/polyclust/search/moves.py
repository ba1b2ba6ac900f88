"""The moves: shift the boundary of a pair, split a cluster, slice off a new one, merge two."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.legality import Legality
from polyclust.search.partition import Ints, Partition
from polyclust.search.points import SubsetOrders, stack_orders
from polyclust.search.scoring import Scorer, SilhouetteScorer

__all__ = ["DirectionSource", "Neighbourhood", "two_sides"]

MOST_TRIES = 60
CELLS_OF_SLICES = 3e8
SURE = 1e-9  # above the rounding of scores


class DirectionSource(Protocol):
    """Which directions are worth a sweep for the rows of one cluster or of two; whether some were ever left out."""

    has_raced: bool

    def propose(self, scorer: Scorer, partition: Partition, i: int, j: int | None) -> SubsetOrders:
        """The rows of the clusters, sorted along each direction."""

    def afresh(self) -> DirectionSource:
        """The same for a last pass, without what only saves time."""


@dataclass
class Neighbourhood:
    """Finds the best legal move of each kind.

    least_gain : what a shift must gain; least_leaning : which pairs are worth one, those where more than this share of
        the rows has the other cluster as its neighbour
    is_over : whether the search must end; then moves are the best of what was tried so far
    in_vain : pairs of partitions that no shift improves; many ways lead to the same ones
    """

    scorer: Scorer
    legality: Legality
    directions: DirectionSource
    least_gain: float = 2e-5
    least_leaning: float = 0.005
    is_over: Callable[[], bool] = lambda: False
    in_vain: set[tuple[bytes, int, int]] = field(default_factory=set, init=False)

    def shift(self, partition: Partition, i: int, j: int) -> Partition | None:
        """The best new boundary between i and j, if it improves the score."""
        name = partition.name_pair(i, j)
        if name in self.in_vain:
            return None
        shifted = self.shift_along(partition, i, j, self.directions.propose(self.scorer, partition, i, j))
        if shifted is None:
            self.in_vain.add(name)
        return shifted

    def shift_along(self, partition: Partition, i: int, j: int, orders: SubsetOrders) -> Partition | None:
        """The best legal cut of all given directions."""
        floor, n_tries = partition.score + self.least_gain, MOST_TRIES
        scores = self.scorer.scan(partition, i, j, orders, floor)
        while cut := self.legality.find_cut(partition, i, j, orders, scores, floor, n_tries):
            order = orders.rows[cut.order]
            labels = two_sides(partition, order[: cut.position + 1], order[cut.position + 1 :], i, j)
            changed = self.scorer.change(partition, labels, partition.n_clusters, floor)
            if changed.score > floor:
                return changed
            scores[cut.order, cut.position] = IMPOSSIBLE
            n_tries = cut.n_left
            if self.is_over():
                break
        return None

    def split(self, partition: Partition, i: int) -> Partition | None:
        """The best cut of cluster i in two; always legal, but a size bound may forbid all."""
        if partition.sizes[i] < 2 * self.scorer.bounds.least or len(partition.rows_of(i)) < 2:
            return None
        return self.split_along(partition, i, self.directions.propose(self.scorer, partition, i, None))

    def split_along(self, partition: Partition, i: int, orders: SubsetOrders) -> Partition | None:
        """The best cut of all given directions."""
        scores = self.scorer.scan(partition, i, None, orders)
        d, p = np.unravel_index(np.argmax(scores), scores.shape)
        if scores[d, p] == IMPOSSIBLE:
            return None
        new = partition.n_clusters
        labels = partition.labels.copy()
        low, up = orders.rows[d, : p + 1], orders.rows[d, p + 1 :]
        labels[low if len(low) < len(up) else up] = new
        return self.scorer.change(partition, labels, new + 1)

    def slice_off(self, partition: Partition) -> Partition | None:
        """The best new cluster of all rows beyond a cut along an axis, whatever clusters they are in; always legal.

        None where looking for it would cost much, or the criterion is another than the silhouette.
        """
        scorer, points, new = self.scorer, self.scorer.points, partition.n_clusters
        n_cells = 2 * points.n_features * len(points) ** 2 * (new + 1)
        if new < 2 or n_cells > CELLS_OF_SLICES or not isinstance(scorer, SilhouetteScorer):
            return None
        upwards = points.order_along_axes(np.ones(len(points), dtype=bool))
        orders = stack_orders(upwards, upwards.reverse())
        scores = scorer.scan_slices(partition, orders)
        d, p = np.unravel_index(np.argmax(scores), scores.shape)
        if scores[d, p] == IMPOSSIBLE:
            return None
        labels = partition.labels.copy()
        labels[orders.rows[d, : p + 1]] = new
        return scorer.change(partition, labels, new + 1)

    def merges(self, partition: Partition) -> Iterator[Partition]:
        """All legal merges, best first; each is made as it is asked for."""
        n, sizes = partition.n_clusters, partition.sizes
        pairs = [
            (i, j) for i, j in itertools.combinations(range(n), 2) if sizes[i] + sizes[j] <= self.scorer.bounds.most
        ]
        hopes = self.scorer.score_merges(partition, pairs)
        ranked = np.argsort(-hopes, kind="stable").tolist()
        waiting: list[tuple[float, int, Partition]] = []
        for p in self._choose_legal(partition, pairs, ranked):
            while waiting and -waiting[0][0] >= hopes[p] + SURE:
                yield heapq.heappop(waiting)[2]
            if waiting and self.is_over():
                break
            merged = self.scorer.merge(partition, *pairs[p])
            heapq.heappush(waiting, (-merged.score, p, merged))
        while waiting:
            yield heapq.heappop(waiting)[2]

    def _choose_legal(self, partition: Partition, pairs: Sequence[tuple[int, int]], ranked: Sequence[int]) -> list[int]:
        """Which pairs may be joined. All are asked for at once, since a legality learns from what it is asked."""
        n, legal = partition.n_clusters, list[int]()
        for p in ranked:
            if legal and self.is_over():
                break
            i, j = pairs[p]
            if n == 2 or self.legality.allows(partition, _rows_of_both(partition, i, j), _others(n, i, j)):
                legal.append(p)
        return legal


def two_sides(partition: Partition, low: NDArray[np.integer], up: NDArray[np.integer], i: int, j: int) -> Ints:
    """Give each side the label that most of it has already."""
    weight_same = (partition.labels[low] == i).sum() + (partition.labels[up] == j).sum()
    weight_swapped = (partition.labels[low] == j).sum() + (partition.labels[up] == i).sum()
    labels = partition.labels.copy()
    labels[low], labels[up] = (i, j) if weight_same >= weight_swapped else (j, i)
    return labels


def _rows_of_both(partition: Partition, i: int, j: int) -> Ints:
    return np.flatnonzero((partition.labels == i) | (partition.labels == j))


def _others(n: int, i: int, j: int) -> list[int]:
    return [c for c in range(n) if c not in (i, j)]
