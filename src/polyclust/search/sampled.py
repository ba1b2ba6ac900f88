"""Moves for many rows: directions are swept on a sample of columns, and only the best few cuts are scored exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE, gather, shift_sums, sweep_direction, sweep_directions
from polyclust.search.moves import Neighbourhood, two_sides
from polyclust.search.partition import Ints, Partition, member_mask
from polyclust.search.points import SubsetOrders, stack_orders
from polyclust.search.scoring import SilhouetteScorer

__all__ = ["SampledNeighbourhood"]

N_INSIDE, N_OUTSIDE = 256, 64
EXACT_TRIES = 4
LEGAL_TRIES = 24
SPLIT_TRIES = 3
CELLS_TO_SCAN = 4e6
N_EDGE = 48


class SampledNeighbourhood(Neighbourhood):
    """The same moves as the exhaustive neighbourhood, found on samples and confirmed on all points."""

    scorer: SilhouetteScorer

    def shift(self, partition: Partition, i: int, j: int) -> Partition | None:
        """The best new boundary among the few most promising ones, refined to the best intercept nearby."""
        orders = self.directions.propose(self.scorer, partition, i, j)
        if orders.rows.size * len(self.scorer.points) <= CELLS_TO_SCAN:
            return self.shift_along(partition, i, j, orders)
        scores = scan_sample(self.scorer, partition, i, j, orders)
        floor, n_tries = partition.score + self.least_gain, LEGAL_TRIES
        for _ in range(EXACT_TRIES):
            cut = self.legality.find_cut(partition, i, j, orders, scores, floor, n_tries)
            if cut is None:
                return None
            d, p, n_tries = cut.order, cut.position, cut.n_left
            labels = two_sides(partition, orders.rows[d, : p + 1], orders.rows[d, p + 1 :], i, j)
            changed = self.scorer.change(partition, labels, partition.n_clusters)
            refined = self._refine(changed, i, j, SubsetOrders(orders.rows[d], orders.is_end[d]), p)
            if refined.score > floor:
                return refined
            reach = max(len(scores[d]) // 20, 4)
            scores[d, max(0, p - reach) : p + reach + 1] = IMPOSSIBLE
        return None

    def split(self, partition: Partition, i: int) -> Partition | None:
        """The best of the most promising cuts of cluster i, refined."""
        if partition.sizes[i] < 2 * self.scorer.bounds.least or len(partition.rows_of(i)) < 2:
            return None
        orders = self.directions.propose(self.scorer, partition, i, None)
        if orders.rows.size * len(self.scorer.points) <= CELLS_TO_SCAN:
            return self.split_along(partition, i, orders)
        scores = scan_sample(self.scorer, partition, i, None, orders)
        new, best = partition.n_clusters, None
        for _ in range(SPLIT_TRIES):
            d, p = np.unravel_index(np.argmax(scores), scores.shape)
            if scores[d, p] == IMPOSSIBLE:
                break
            labels = partition.labels.copy()
            low, up = orders.rows[d, : p + 1], orders.rows[d, p + 1 :]
            labels[low if len(low) < len(up) else up] = new
            cut = self.scorer.change(partition, labels, new + 1)
            cut = self._refine(cut, i, new, SubsetOrders(orders.rows[d], orders.is_end[d]), int(p))
            if best is None or cut.score > best.score:
                best = cut
            reach = max(len(scores[d]) // 20, 4)
            scores[d, max(0, p - reach) : p + reach + 1] = IMPOSSIBLE
        edge = self._split_at_edge(partition, i, orders, IMPOSSIBLE if best is None else best.score)
        return best if edge is None else edge

    def _split_at_edge(self, partition: Partition, i: int, orders: SubsetOrders, floor: float) -> Partition | None:
        """The best cut that takes off little more than the minimum size at either end: a sample overlooks these.

        None if it scores no more than the floor.
        """
        ordered = np.cumsum(self.scorer.points.weights[orders.rows[0]])
        n_edge = min(int(np.searchsorted(ordered, self.scorer.bounds.least)) + N_EDGE, orders.rows.shape[1] - 1)
        both = stack_orders(orders, orders.reverse())
        ends = SubsetOrders(np.ascontiguousarray(both.rows[:, :n_edge]), np.ascontiguousarray(both.is_end[:, :n_edge]))
        scores = self.scorer.scan(partition, i, None, ends, floor)
        d, p = np.unravel_index(np.argmax(scores), scores.shape)
        if scores[d, p] <= floor:
            return None
        labels = partition.labels.copy()
        labels[ends.rows[d, : p + 1]] = partition.n_clusters
        edge = self.scorer.change(partition, labels, partition.n_clusters + 1)
        return edge if edge.score > floor else None

    def _refine(self, partition: Partition, i: int, j: int, order: SubsetOrders, position: int) -> Partition:
        """Exact sweeps in a window around the cut, extended while the best cut lies at its edge."""
        rows, is_end = order.rows, order.is_end
        others = [c for c in range(partition.n_clusters) if c not in (i, j)]
        for _ in range(4):
            reach = max(len(rows) // 32, 12)
            begin, end = max(0, position + 1 - reach), min(len(rows), position + 1 + reach)
            scores = scan_window(self.scorer, partition, i, j, rows, is_end, position, begin, end)
            best = int(np.argmax(scores)) + begin
            if scores[best - begin] <= partition.score + self.least_gain or best == position:
                return partition
            low, up = rows[: best + 1].astype(np.intp), rows[best + 1 :].astype(np.intp)
            grown = low if best > position else up
            if others and not self.legality.allows(partition, grown, others):
                return partition
            changed = self.scorer.change(partition, two_sides(partition, low, up, i, j), partition.n_clusters)
            if changed.score <= partition.score:
                return partition
            partition, position = changed, best
            if begin + 1 < best < end - 2:
                return partition
        return partition


def choose_columns(scorer: SilhouetteScorer, is_member: NDArray[np.bool_]) -> tuple[Ints, NDArray[np.float64]]:
    """Positions among the sampled columns to score on, and their weights: members, and fewer of the others."""
    weights = scorer.points.weights
    is_inside = is_member[scorer.sample]
    inside, outside = np.flatnonzero(is_inside)[:N_INSIDE], np.flatnonzero(~is_inside)[:N_OUTSIDE]
    chosen, factors = [], []
    for some, mass in ((inside, weights[is_member].sum()), (outside, weights[~is_member].sum())):
        chosen.append(some)
        here = weights[scorer.sample[some]]
        factors.append(here * (mass / max(here.sum(), 1e-300)))
    return np.concatenate(chosen), np.concatenate(factors)


def scan_sample(
    scorer: SilhouetteScorer, partition: Partition, i: int, j: int | None, orders: SubsetOrders
) -> NDArray[np.float64]:
    """Estimated scores of all cuts: the present score plus the gain on the sampled columns."""
    points = scorer.points
    is_member = member_mask(partition, i, j)
    members = np.flatnonzero(is_member)
    chosen, column_weights = choose_columns(scorer, is_member)
    columns = scorer.sample[chosen]
    own, other, total, side, counted = (a[columns] for a in scorer.pair_arrays(partition, i, j))
    n_inside = int((side > 0).sum())
    column_weights = np.where(counted > 0, column_weights, 0.0).astype(np.float32)
    present = scorer.row_scores(partition)[columns] @ column_weights
    local = np.full(len(points), -1, dtype=np.int32)
    local[members] = np.arange(len(members), dtype=np.int32)
    column_of = np.full(len(points), -1, dtype=np.int32)
    column_of[columns] = np.arange(len(columns), dtype=np.int32)
    mass = float(partition.sizes[i] + (0.0 if j is None else partition.sizes[j]))
    block = np.empty((len(members), len(columns)), dtype=np.float32)
    gather(scorer.sampled_distances, members, chosen, block)
    scores = np.empty(orders.rows.shape)
    sweep_directions(
        block, local[orders.rows], orders.is_end, column_of[members], points.weights[members], column_weights, own,
        other, total, n_inside, mass, scorer.bounds.least, scorer.bounds.most, IMPOSSIBLE, scores,
    )  # fmt: skip
    is_possible = scores > IMPOSSIBLE
    scores[is_possible] = partition.score + (scores[is_possible] - present) / points.total_weight
    return scores


def scan_window(
    scorer: SilhouetteScorer, partition: Partition, i: int, j: int, rows: NDArray[np.int32],
    is_end: NDArray[np.bool_], position: int, begin: int, end: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Exact scores of the cuts at begin..end-1, for a partition that is cut after ``position`` now."""
    assert partition.sums is not None
    points = scorer.points
    own, other, total, side, counted = scorer.pair_arrays(partition, i, j)
    lower = int(partition.labels[rows[position]])
    sums = np.stack([partition.sums[lower], np.zeros(len(points))])
    back = rows[begin : position + 1].astype(np.intp)
    shift_sums(points.distances, back, np.zeros_like(back), np.ones_like(back), points.weights, sums)
    side[rows[:begin]] = 1.0
    scores = np.empty(end - begin)
    sweep_direction(
        points.distances, rows[begin:end], is_end[begin:end], scorer.columns, points.weights, counted, own, other,
        total, sums[0].astype(np.float32), side, float(points.weights[rows[:begin]].sum()),
        float(partition.sizes[i] + partition.sizes[j]), scorer.bounds.least, scorer.bounds.most, scores,
    )  # fmt: skip
    np.divide(scores, points.total_weight, out=scores, where=scores > IMPOSSIBLE)
    return scores
