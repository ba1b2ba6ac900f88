"""Iterated local search: what no move improves is changed at random and improved again, on and on.

The walk goes on from what it comes to unless that scores far less, and returns to the best after some changes in vain.
One change joins two clusters and splits one, one splits one and joins two, one does the first twice, one parts two
clusters by another cut. The draws are seeded; a fixed number of them in vain ends it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.descent import rank_pairs, shift_boundaries
from polyclust.search.journal import Journal
from polyclust.search.moves import Neighbourhood, two_sides
from polyclust.search.partition import Partition, is_new

__all__ = ["shake"]

Item = TypeVar("Item")
STEPS_AWAY = 20  # from the best, in vain, until the walk returns to it
MOST_LOST = 0.03  # by a step
MOST_LOST_BY_CUT = 0.05  # before what the step changed is improved
N_DIRECTIONS = 12  # that another cut is looked for in
SLOPE = 0.3  # of what is ranked the first is drawn this often, then the first of the rest


def shake(partition: Partition, moves: Neighbourhood, journal: Journal, n_tries: int, seed: int) -> Partition:
    """A partition into as many clusters that scores more, or the same one; ``n_tries`` in vain end it."""
    shaker = _Shaker(moves, journal, np.random.default_rng(seed))
    best = current = partition
    seen: set[bytes] = set()
    is_new(best.labels, seen)
    n_in_vain = 0
    while n_in_vain < n_tries and not journal.is_over():
        if n_in_vain % STEPS_AWAY == 0:
            current = best
        n_in_vain += 1
        shaken = shaker.shake(current)
        if shaken is None or not is_new(shaken.labels, seen):
            continue
        improved = shift_boundaries(shaken, moves, journal)
        if improved.score > current.score - MOST_LOST:
            current = improved
        if improved.score > best.score + moves.least_gain:
            best, n_in_vain = improved, 0
            journal.accept("shake", best)
    return best


class _Shaker:
    """Draws a change that keeps the number of clusters; another cut, which costs least, twice as often."""

    def __init__(self, moves: Neighbourhood, journal: Journal, random: np.random.Generator) -> None:
        self.moves, self.journal, self.random = moves, journal, random
        self.ways = (self._join_one, self._split_one, self._join_two, self._cut_otherwise, self._cut_otherwise)

    def shake(self, partition: Partition) -> Partition | None:
        """The partition after one change; None where that is not possible."""
        return self.ways[self.random.integers(len(self.ways))](partition)

    def _join_one(self, partition: Partition) -> Partition | None:
        """Two clusters joined, then any split."""
        joined = self._join(partition)
        return None if joined is None else self._split_any(joined)

    def _split_one(self, partition: Partition) -> Partition | None:
        """Any cluster split, then two joined; between these the boundaries are shifted, every other time."""
        split = self._split_any(partition)
        return None if split is None else self._join(self._shift_sometimes(split))

    def _join_two(self, partition: Partition) -> Partition | None:
        """Two clusters joined, twice, then split where that is best; in between the boundaries are shifted."""
        n_clusters = partition.n_clusters
        joined = self._join(partition)
        if joined is None:
            return None
        changed = shift_boundaries(self._join(joined) or joined, self.moves, self.journal)
        while changed.n_clusters < n_clusters:
            split = self._split_well(changed)
            if split is None:
                return None
            changed = self._shift_sometimes(split)
        return changed

    def _join(self, partition: Partition) -> Partition | None:
        """Two clusters joined, drawn as from a list of all."""
        merges = self.moves.merges(partition)
        first = next(merges, None)
        if first is None:
            return None
        *_, drawn = first, *itertools.islice(merges, self._draw_place())
        return drawn

    def _split_any(self, partition: Partition) -> Partition | None:
        return self.moves.split(partition, int(self.random.integers(partition.n_clusters)))

    def _split_well(self, partition: Partition) -> Partition | None:
        several = (self.moves.split(partition, i) for i in range(partition.n_clusters))
        return self._draw(sorted((p for p in several if p is not None), key=lambda p: -p.score))

    def _shift_sometimes(self, partition: Partition) -> Partition:
        return shift_boundaries(partition, self.moves, self.journal) if self.random.random() < 0.5 else partition

    def _cut_otherwise(self, partition: Partition) -> Partition | None:
        """Two clusters that lean on each other parted by the best other cut of a few directions."""
        pair = self._draw(rank_pairs(partition, self.moves))
        if pair is None:
            return None
        scorer, (i, j) = self.moves.scorer, pair
        proposed = self.moves.directions.propose(scorer, partition, i, j)
        few = np.unique(self.random.integers(len(proposed.rows), size=N_DIRECTIONS))
        orders = proposed.take(few)
        floor = partition.score - MOST_LOST_BY_CUT
        scores = scorer.scan(partition, i, j, orders, floor)
        while cut := self.moves.legality.find_cut(partition, i, j, orders, scores, floor, N_DIRECTIONS):
            order = orders.rows[cut.order]
            labels = two_sides(partition, order[: cut.position + 1], order[cut.position + 1 :], i, j)
            if (labels != partition.labels).any():
                return scorer.change(partition, labels, partition.n_clusters)
            scores[cut.order] = IMPOSSIBLE
        return None

    def _draw(self, ranked: Sequence[Item]) -> Item | None:
        """One of what is ranked, the first most likely."""
        if not ranked:
            return None
        return ranked[min(self._draw_place(), len(ranked) - 1)]

    def _draw_place(self) -> int:
        return int(self.random.geometric(SLOPE)) - 1
