"""Criteria other than the silhouette whose cuts can be scored one after the other, all those of a direction at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.kernels.sweeps import measure_rest, sweep_dunn, sweep_spreads
from polyclust.search.criteria import measure_equals
from polyclust.search.fates import mark_labels
from polyclust.search.partition import Partition, member_mask
from polyclust.search.points import SubsetOrders
from polyclust.search.scoring import CallScorer

__all__ = ["DunnScorer", "SpreadScorer"]

Floats = NDArray[np.float64]
CELLS_TO_SWEEP = 2e8  # of all directions; where there are more, a few cuts of each are tried


class DunnScorer(CallScorer):
    """Dunn's index: the least distance between clusters and the largest within one change row by row."""

    def scan(
        self, partition: Partition, i: int, j: int | None, orders: SubsetOrders, floor: float = IMPOSSIBLE
    ) -> Floats:
        n_directions, n_rows = orders.rows.shape
        if n_directions * n_rows**2 > CELLS_TO_SWEEP:
            return super().scan(partition, i, j, orders, floor)
        distances = self.points.distances
        apart, wide = measure_rest(distances, partition.labels, member_mask(partition, i, j))
        scores, here = np.full(orders.rows.shape, IMPOSSIBLE), np.empty(n_rows)
        for d in range(n_directions):
            allowed, _, _ = self._list_allowed(orders.rows[d], orders.is_end[d])
            sweep_dunn(distances, orders.rows[d], apart, max(wide, self._widest_equal), here)
            scores[d, allowed] = here[allowed]
            if self.is_over() and (scores > IMPOSSIBLE).any():
                break
        return scores

    @cached_property
    def _widest_equal(self) -> float:
        return float(measure_equals(self.points).max())


class SpreadScorer(CallScorer):
    """Davies and Bouldin's index: centers move row by row, and only those of the two sides."""

    def scan(
        self, partition: Partition, i: int, j: int | None, orders: SubsetOrders, floor: float = IMPOSSIBLE
    ) -> Floats:
        space, weights = self.points.coordinates, self.points.weights
        assert space is not None
        if orders.rows.size * orders.rows.shape[1] * space.shape[1] > CELLS_TO_SWEEP:
            return super().scan(partition, i, j, orders, floor)
        centers, spreads = self._describe_clusters(partition)
        rest = [k for k in range(partition.n_clusters) if k not in (i, j)]
        scores, here = np.full(orders.rows.shape, IMPOSSIBLE), np.empty(orders.rows.shape[1])
        for d in range(len(scores)):
            allowed, _, _ = self._list_allowed(orders.rows[d], orders.is_end[d])
            is_allowed = np.zeros(len(here), dtype=bool)
            is_allowed[allowed] = True
            sweep_spreads(space, weights, orders.rows[d], is_allowed, centers[rest], spreads[rest], here)
            scores[d, allowed] = -here[allowed]
            if self.is_over() and (scores > IMPOSSIBLE).any():
                break
        return scores

    def _describe_clusters(self, partition: Partition) -> tuple[Floats, Floats]:
        """The center of every cluster, and the mean distance of its rows from it."""
        space = self.points.coordinates
        assert space is not None
        shares = mark_labels(partition.labels, partition.n_clusters) * self.points.weights[:, None]
        centers = (shares.T @ space) / partition.sizes[:, None]
        radius = np.sqrt(((space - centers[partition.labels]) ** 2).sum(axis=1))
        return centers, (shares.T @ radius) / partition.sizes
