"""Scores of partitions and of whole sweeps, behind one interface: the silhouette by its kernels, others by calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import (
    IMPOSSIBLE,
    describe_pair,
    gather,
    scan_pair,
    score_merges,
    score_rows,
    score_total,
    shift_sums,
    sum_distances,
)
from polyclust.kernels.slices import scan_slices
from polyclust.search.fates import Counting, compare_means, mark_labels, mark_losses, weigh_influence
from polyclust.search.partition import Ints, Partition, join_labels, sum_weights
from polyclust.search.points import Points, SubsetOrders

__all__ = ["CallScorer", "DispersionScorer", "Scorer", "SilhouetteScorer", "SizeBounds"]

Floats = NDArray[np.float64]
FAR = 1e30
TINY = 1e-12
CELLS_WORTH_A_THREAD = 4_000_000
N_SAMPLED = 1024
ROWS_AT_ONCE = 512


class SizeBounds(tuple[float, float]):
    """The least and the greatest weight of a cluster."""

    @property
    def least(self) -> float:
        return self[0]

    @property
    def most(self) -> float:
        return self[1]

    def hold_for(self, sizes: Floats) -> bool:
        """Whether every size is allowed."""
        return bool((sizes >= self.least - 1e-9).all() and (sizes <= self.most + 1e-9).all())


class Scorer(Protocol):
    """What the search asks of a criterion."""

    points: Points
    bounds: SizeBounds

    def start(self, labels: Ints, n_clusters: int) -> Partition:
        """A partition from labels."""

    def change(self, partition: Partition, labels: Ints, n_clusters: int, floor: float = IMPOSSIBLE) -> Partition:
        """The partition with other labels; cheap when few rows moved.

        Where it scores no more than ``floor`` its score may be anything up to that.
        """

    def merge(self, partition: Partition, i: int, j: int) -> Partition:
        """The partition with two clusters joined."""

    def score_merges(self, partition: Partition, pairs: Sequence[tuple[int, int]]) -> Floats:
        """What joining each of these pairs scores, or more."""

    def scan(
        self, partition: Partition, i: int, j: int | None, orders: SubsetOrders, floor: float = IMPOSSIBLE
    ) -> Floats:
        """(D, P): the score for a cut after every position; the rows of i and j, or of i alone, go to the sides.

        What scores no more than ``floor`` may be IMPOSSIBLE.
        """

    def neighbours(self, partition: Partition) -> Ints:
        """For every point the cluster it would rather be in, its own excluded."""

    def fates(self, partition: Partition, counting: Counting) -> Floats:
        """(n, K): what every point is worth in every cluster, per weight and up to a constant of its own."""


class SilhouetteScorer:
    """The mean silhouette (singletons 0), with distance sums kept up to date."""

    def __init__(self, points: Points, bounds: SizeBounds, n_threads: int = 1) -> None:
        self.points = points
        self.bounds = bounds
        self.n_threads = n_threads
        self.sample = np.random.default_rng(0).permutation(len(points))[:N_SAMPLED]
        self.columns = np.arange(len(points), dtype=np.int32)

    @cached_property
    def sampled_distances(self) -> NDArray[np.float32]:
        """Distances to a fixed random sample of the points, close together in memory."""
        sampled = np.empty((len(self.points), len(self.sample)), dtype=np.float32)
        gather(self.points.distances, self.columns, self.sample, sampled)
        return sampled

    def start(self, labels: Ints, n_clusters: int) -> Partition:
        sums = np.empty((n_clusters, len(self.points)))
        sum_distances(self.points.distances, labels, self.points.weights, sums)
        return self._finish(labels, n_clusters, sums)

    def join_groups(self, labels: Ints, code: Ints, group_sums: NDArray[np.float32]) -> Partition:
        """A partition from labels of groups: ``code`` is the group of every point, ``group_sums`` (G, n) their sums."""
        n_clusters = int(labels.max()) + 1
        sums = np.stack([group_sums[labels == k].sum(axis=0, dtype=np.float64) for k in range(n_clusters)])
        return self._finish(labels[code], n_clusters, sums)

    def change(
        self, partition: Partition, labels: Ints, n_clusters: int, floor: float = IMPOSSIBLE  # noqa: ARG002
    ) -> Partition:  # fmt: skip
        moved = np.flatnonzero(labels != partition.labels)
        if partition.sums is None or 2 * len(moved) > len(labels) or n_clusters < partition.n_clusters:
            return self.start(labels, n_clusters)
        sums = np.zeros((n_clusters, len(labels)))
        sums[: partition.n_clusters] = partition.sums
        shift_sums(self.points.distances, moved, partition.labels[moved], labels[moved], self.points.weights, sums)
        return self._finish(labels, n_clusters, sums)

    def merge(self, partition: Partition, i: int, j: int) -> Partition:
        assert partition.sums is not None
        sums = partition.sums.copy()
        sums[i] += sums[j]
        sums[j] = sums[-1]
        n_clusters = partition.n_clusters - 1
        return self._finish(join_labels(partition.labels, i, j, partition.n_clusters), n_clusters, sums[:-1])

    def score_merges(self, partition: Partition, pairs: Sequence[tuple[int, int]]) -> Floats:
        assert partition.sums is not None
        n = partition.n_clusters
        if n == 2:
            return np.full(len(pairs), -1.0)
        scores = np.empty((n, n))
        score_merges(partition.sums, partition.sizes, partition.labels, self.points.weights, scores)
        return scores[tuple(np.array(pairs, dtype=np.intp).reshape(-1, 2).T)]

    def neighbours(self, partition: Partition) -> Ints:
        return self._describe_rows(partition)[1]

    def row_scores(self, partition: Partition) -> Floats:
        """The silhouette of every point."""
        return self._describe_rows(partition)[2]

    def fates(self, partition: Partition, counting: Counting) -> Floats:
        if counting == "whole":
            return self.weigh_wholly(partition)
        if counting == "alone":
            return mark_losses(partition.labels, self.row_scores(partition), partition.n_clusters)
        return mark_labels(partition.labels, partition.n_clusters)

    def weigh_wholly(self, partition: Partition, rows: Ints | None = None) -> Floats:
        """The fates of some rows, or of all, by all that they do to the score."""
        assert partition.sums is not None
        labels, sizes = partition.labels, partition.sizes
        means = (partition.sums / sizes[:, None]).T
        means[np.arange(len(labels)), labels] = self._describe_rows(partition)[0]
        weights = np.where(sizes[labels] > 1.0, self.points.weights, 0.0)  # the silhouette of singletons stays 0
        influence = weigh_influence(labels, means, sizes, weights)
        if rows is None:
            return compare_means(means) + influence.of(self.points.distances)
        parts = (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))
        several = [influence.of(self.points.distances[part]) for part in parts]  # no copy of order n squared
        return compare_means(means[rows]) + np.vstack([np.empty((0, len(sizes))), *several])

    def _describe_rows(self, partition: Partition) -> tuple[Floats, Ints, Floats]:
        n = len(self.points)
        own, scores, nearest = np.empty(n), np.empty(n), np.empty(n, dtype=np.intp)
        score_rows(partition.sums, partition.sizes, partition.labels, own, nearest, scores)
        return own, nearest, scores

    def scan(
        self, partition: Partition, i: int, j: int | None, orders: SubsetOrders, floor: float = IMPOSSIBLE
    ) -> Floats:
        scores = np.empty(orders.rows.shape)
        second = -1 if j is None else j

        def sweep(part: slice) -> None:
            scan_pair(
                self.points.distances, partition.sums, partition.sizes, partition.labels, self.points.weights, i,
                second, FAR, orders.rows[part], orders.is_end[part], self.bounds.least, self.bounds.most, floor,
                scores[part],
            )  # fmt: skip

        _run_in_parts(sweep, len(scores), orders.rows.size * len(self.points), self.n_threads)
        return scores

    def scan_slices(self, partition: Partition, orders: SubsetOrders) -> Floats:
        """(D, n): the score if the rows of all clusters up to a position of an order go into a new one."""
        scores = np.empty(orders.rows.shape)

        def sweep(part: slice) -> None:
            scan_slices(
                self.points.distances, partition.sums, partition.labels, self.points.weights, orders.rows[part],
                orders.is_end[part], self.bounds.least, self.bounds.most, scores[part],
            )  # fmt: skip

        _run_in_parts(sweep, len(scores), orders.rows.size * len(self.points), self.n_threads)
        return scores

    def _finish(self, labels: Ints, n_clusters: int, sums: Floats) -> Partition:
        sizes = sum_weights(labels, self.points.weights, n_clusters)
        score = score_total(sums, sizes, labels, self.points.weights) if n_clusters > 1 else -1.0
        return Partition(labels, n_clusters, sizes, float(score), sums)

    def pair_arrays(self, partition: Partition, i: int, j: int | None) -> tuple[NDArray[np.float32], ...]:
        """What a sweep needs to know of every point: see the kernel."""
        assert partition.sums is not None
        own, other, total, side, counted = np.empty((5, len(self.points)), dtype=np.float32)
        describe_pair(
            partition.sums, partition.sizes, partition.labels, self.points.weights, i, -1 if j is None else j, FAR,
            own, other, total, side, counted,
        )  # fmt: skip
        return own, other, total, side, counted


class CallScorer:
    """Any criterion f(labels) -> larger is better. Sweeps try a few cuts of every direction, then close in.

    Once ``is_over`` says so, a sweep ends with what it has tried, one cut at least.
    """

    N_CUTS = 9

    def __init__(
        self,
        points: Points,
        bounds: SizeBounds,
        criterion: Callable[[Ints], float],
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.points = points
        self.bounds = bounds
        self.criterion = criterion
        self.is_over = is_over

    def start(self, labels: Ints, n_clusters: int) -> Partition:
        sizes = sum_weights(labels, self.points.weights, n_clusters)
        score = self.criterion(labels) if n_clusters > 1 else -np.inf
        return Partition(labels, n_clusters, sizes, float(score))

    def change(
        self, partition: Partition, labels: Ints, n_clusters: int, floor: float = IMPOSSIBLE  # noqa: ARG002
    ) -> Partition:  # fmt: skip
        return self.start(labels, n_clusters)

    def merge(self, partition: Partition, i: int, j: int) -> Partition:
        return self.start(join_labels(partition.labels, i, j, partition.n_clusters), partition.n_clusters - 1)

    def score_merges(self, partition: Partition, pairs: Sequence[tuple[int, int]]) -> Floats:
        scores = np.full(len(pairs), -np.inf)
        for p, (i, j) in enumerate(pairs):
            if p and self.is_over():
                break
            scores[p] = self.merge(partition, i, j).score
        return scores

    def neighbours(self, partition: Partition) -> Ints:
        sums = np.empty((partition.n_clusters, len(self.points)))
        sum_distances(self.points.distances, partition.labels, self.points.weights, sums)
        means = sums / partition.sizes[:, None]
        means[partition.labels, np.arange(len(self.points))] = np.inf
        return np.asarray(means.argmin(axis=0), dtype=np.intp)

    def fates(self, partition: Partition, counting: Counting) -> Floats:  # noqa: ARG002
        return mark_labels(partition.labels, partition.n_clusters)

    def scan(
        self,
        partition: Partition,
        i: int,
        j: int | None,
        orders: SubsetOrders,
        floor: float = IMPOSSIBLE,  # noqa: ARG002
    ) -> Floats:
        scores = np.full(orders.rows.shape, IMPOSSIBLE)
        upper = partition.n_clusters if j is None else j
        for d in range(len(scores)):
            self._scan_direction(partition, i, upper, orders.rows[d], orders.is_end[d], scores[d])
            if self.is_over() and (scores > IMPOSSIBLE).any():
                break
        return scores

    def _scan_direction(
        self, partition: Partition, i: int, upper: int, order: NDArray[np.int32], is_end: NDArray[np.bool_],
        scores: Floats,
    ) -> None:  # fmt: skip
        allowed, _, _ = self._list_allowed(order, is_end)
        labels = partition.labels.copy()

        def score_at(position: int) -> None:
            if scores[position] == IMPOSSIBLE:
                labels[order[: position + 1]] = i
                labels[order[position + 1 :]] = upper
                scores[position] = self.criterion(labels)

        left, right = 0, len(allowed) - 1
        while right >= left:
            tried = np.unique(np.linspace(left, right, self.N_CUTS).round().astype(int))
            for c in sorted(tried, key=lambda c: abs(2 * c - left - right)):  # the middle first
                score_at(allowed[c])
                if self.is_over():
                    return
            best = int(np.argmax(scores[allowed[tried]]))
            if len(tried) > right - left:
                return
            left, right = tried[max(best - 1, 0)] + (best > 0), tried[min(best + 1, len(tried) - 1)] - 1

    def _list_allowed(self, order: NDArray[np.int32], is_end: NDArray[np.bool_]) -> tuple[Ints, Floats, Floats]:
        """Where a cut is possible within the bounds; the weight below and above every position."""
        below = np.cumsum(self.points.weights[order])
        above = below[-1] - below
        least, most = self.bounds
        is_allowed = is_end & (below >= least) & (above >= least) & (below <= most) & (above <= most)
        return np.flatnonzero(is_allowed), below, above


class DispersionScorer(CallScorer):
    """Calinski and Harabasz' criterion: running sums along a direction give all of its cuts at once."""

    def scan(
        self,
        partition: Partition,
        i: int,
        j: int | None,
        orders: SubsetOrders,
        floor: float = IMPOSSIBLE,  # noqa: ARG002
    ) -> Floats:
        scores = np.full(orders.rows.shape, IMPOSSIBLE)
        sums = mark_labels(partition.labels, partition.n_clusters).T @ self._moments
        around = (sums**2).sum(axis=1) / partition.sizes  # what each cluster adds to the squares between clusters
        others = float(around.sum() - around[i] - (0.0 if j is None else around[j]))
        n_clusters = partition.n_clusters + (j is None)
        for d in range(len(scores)):
            self._scan_all(others, n_clusters, orders.rows[d], orders.is_end[d], scores[d])
            if self.is_over() and (scores > IMPOSSIBLE).any():
                break
        return scores

    def _scan_all(
        self, others: float, n_clusters: int, order: NDArray[np.int32], is_end: NDArray[np.bool_], scores: Floats
    ) -> None:
        allowed, below, above = self._list_allowed(order, is_end)
        low = np.cumsum(self._moments[order], axis=0)
        up = low[-1] - low[allowed]
        between = others + (low[allowed] ** 2).sum(axis=1) / below[allowed] + (up**2).sum(axis=1) / above[allowed]
        within = self._squares - between
        is_spread = within > TINY * self._squares
        ratio = (self.points.total_weight - n_clusters) / (n_clusters - 1.0)
        scores[allowed] = np.where(is_spread, ratio * between / np.where(is_spread, within, 1.0), 1.0)

    @cached_property
    def _moments(self) -> Floats:
        """(n, d): weight times the way from the centre of all points."""
        assert self.points.coordinates is not None
        mean = np.average(self.points.coordinates, axis=0, weights=self.points.weights)
        return np.asarray(self.points.weights[:, None] * (self.points.coordinates - mean))

    @cached_property
    def _squares(self) -> float:
        """Those of all points around their centre."""
        return float((self._moments**2).sum(axis=1) @ (1.0 / self.points.weights))


def _run_in_parts(work: Callable[[slice], None], n: int, n_cells: int, n_threads: int) -> None:
    """Run ``work`` on slices of range(n), on threads where it pays."""
    if n_threads == 1 or n_cells < CELLS_WORTH_A_THREAD or n == 1:
        work(slice(0, n))
        return
    bounds = np.linspace(0, n, min(n, 4 * n_threads) + 1).astype(int)
    parts = [slice(a, b) for a, b in itertools.pairwise(bounds)]
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, parts))
