"""Single rows that score more in another cluster move there, where the family still tells all clusters apart.

A shift tries every intercept of some directions. Where directions are raced, the plane that would give a single row to
the other side is mostly not among them; asking for the row finds it.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.intervals import measure_ends
from polyclust.search.descent import shift_boundaries
from polyclust.search.journal import Journal
from polyclust.search.legality import IntervalLegality
from polyclust.search.moves import Neighbourhood
from polyclust.search.partition import Ints, Partition
from polyclust.search.scoring import SilhouetteScorer

__all__ = ["refine"]

Floats = NDArray[np.float64]
MOST_PASSES = 20
LEAST_GAIN = 1e-7
MOST_DIRECTIONS = 200  # that tell a pair of clusters apart, of those with the widest gaps


def refine(partition: Partition, moves: Neighbourhood, journal: Journal) -> Partition:
    """Shift boundaries and move single rows in turn until neither gains enough."""
    while True:
        shifted = shift_boundaries(partition, moves, journal)
        partition = move_rows(shifted, moves, journal)
        if partition.score <= shifted.score + moves.least_gain:
            return partition


def move_rows(partition: Partition, moves: Neighbourhood, journal: Journal) -> Partition:
    """Passes over the rows that would score more elsewhere, until none of them may go.

    For the silhouette and exact rules with whole coefficients; else the partition as it is.
    """
    scorer, legality = moves.scorer, moves.legality
    if not isinstance(scorer, SilhouetteScorer) or not isinstance(legality, IntervalLegality):
        return partition
    for _ in range(MOST_PASSES):
        before = partition
        for row, cluster in _list_promising(partition, scorer, legality):
            if journal.is_over():
                return partition
            moved = _move(partition, row, cluster, scorer, legality)
            if moved is not None:
                partition = moved
                journal.accept("row", partition)
        if partition is before:
            break
    return partition


def _list_promising(
    partition: Partition, scorer: SilhouetteScorer, legality: IntervalLegality
) -> list[tuple[int, int]]:
    """Rows and clusters that these may join and where they would be worth more, to first order; most first."""
    n_clusters = partition.n_clusters
    if n_clusters < 2:
        return []
    ends = _Ends(partition, legality)
    pairs = list(itertools.permutations(range(n_clusters), 2))
    outermost = {pair: ends.find_outermost(*pair) for pair in pairs}
    gains = _Gains(partition, scorer, [*outermost.values()])
    found = []
    for left, cluster in pairs:
        rows, gained = gains.pick(outermost[left, cluster], cluster)
        for other in range(n_clusters):
            if len(rows) and other not in (left, cluster):
                is_apart = ends.lie_apart(rows, cluster, other)
                rows, gained = rows[is_apart], gained[is_apart]
        found += [(-gain, row, cluster) for gain, row in zip(gained.tolist(), rows.tolist(), strict=True)]
    return [(row, cluster) for _, row, cluster in sorted(found)]


class _Gains:
    """What some rows would bring the score in every cluster, to first order."""

    def __init__(self, partition: Partition, scorer: SilhouetteScorer, several: list[Ints]) -> None:
        self.rows = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *several]))
        worth = scorer.weigh_wholly(partition, self.rows)
        own = np.take_along_axis(worth, partition.labels[self.rows, None], axis=1)
        shares = scorer.points.weights[self.rows, None] / scorer.points.total_weight
        self.gains = (worth - own) * shares

    def pick(self, rows: Ints, cluster: int) -> tuple[Ints, Floats]:
        """Those of the rows that bring enough in a cluster, and how much."""
        gained = self.gains[np.searchsorted(self.rows, rows), cluster]
        is_enough = gained > LEAST_GAIN
        return rows[is_enough], gained[is_enough]


class _Ends:
    """Where every cluster ends along the directions that may tell clusters apart."""

    def __init__(self, partition: Partition, legality: IntervalLegality) -> None:
        self.values = legality.points.values
        self.directions = some = legality.list_telling()
        shape = len(some), partition.n_clusters
        self.lows, self.highs = np.empty((2, 2, *shape))
        self.first, self.last = np.empty((2, *shape), dtype=np.intp)
        measure_ends(
            self.values, partition.labels, some.features, some.coefficients, self.lows, self.highs, self.first,
            self.last,
        )  # fmt: skip

    def find_outermost(self, left: int, cluster: int) -> Ints:
        """The rows of one cluster that another may have: along some direction they come next to it, before the rest."""
        (low, next_low), (high, next_high) = self.lows[:, :, left], self.highs[:, :, left]
        is_first = (low < next_low) & (self.highs[0, :, cluster] < next_low)
        is_last = (high > next_high) & (self.lows[0, :, cluster] > next_high)
        return np.unique(np.concatenate([self.first[is_first, left], self.last[is_last, left]]))

    def lie_apart(self, rows: Ints, cluster: int, other: int) -> NDArray[np.bool_]:
        """Whether each row lies on the cluster's side of the other along a direction that tells the two apart."""
        some = self.values[rows]
        below = _find_widest(self.lows[0, :, other] - self.highs[0, :, cluster])
        above = _find_widest(self.lows[0, :, cluster] - self.highs[0, :, other])
        is_below = self.directions.take(below).project(some) < self.lows[0, below, other][:, None]
        is_above = self.directions.take(above).project(some) > self.highs[0, above, other][:, None]
        return np.asarray(is_below.any(axis=0) | is_above.any(axis=0))


def _find_widest(gaps: Floats) -> Ints:
    """The directions with gaps, of many those with the widest."""
    found = np.flatnonzero(gaps > 0)
    if len(found) <= MOST_DIRECTIONS:
        return found
    return np.sort(found[np.argsort(-gaps[found], kind="stable")[:MOST_DIRECTIONS]])


def _move(
    partition: Partition, row: int, cluster: int, scorer: SilhouetteScorer, legality: IntervalLegality
) -> Partition | None:
    """The row in that cluster, if that is legal, keeps to the bounds of sizes and gains."""
    left, weight, bounds = int(partition.labels[row]), scorer.points.weights[row], scorer.bounds
    if partition.sizes[left] - weight < bounds.least or partition.sizes[cluster] + weight > bounds.most:
        return None
    labels = partition.labels.copy()
    labels[row] = cluster
    moved = scorer.change(partition, labels, partition.n_clusters)
    if moved.score <= partition.score + LEAST_GAIN:
        return None
    others = [c for c in range(partition.n_clusters) if c not in (left, cluster)]
    return moved if legality.allows(moved, moved.rows_of(cluster), [left, *others]) else None
