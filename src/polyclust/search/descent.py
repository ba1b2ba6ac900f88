"""Algorithm 2: coordinate descent on the criterion by shifts, with splits and merges carrying solutions across K."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

import numpy as np

from polyclust.search.moves import Neighbourhood
from polyclust.search.partition import Partition
from polyclust.search.journal import Journal

__all__ = ["explore", "offer", "shift_boundaries"]


def shift_boundaries(
    partition: Partition, moves: Neighbourhood, journal: Journal, thorough: bool = False
) -> Partition:
    """Shift boundaries until no pair improves. Unless thorough, pairs that no row leans across are skipped."""
    queue = deque(_pairs_by_potential(partition, moves, thorough))
    while queue and not journal.is_over():
        i, j = queue.popleft()
        shifted = moves.shift(partition, i, j)
        if shifted is not None:
            partition = shifted
            journal.accept("shift", partition)
            ranked = _pairs_by_potential(partition, moves, thorough)
            fresh = [p for p in ranked if i in p or j in p]
            waiting = set(queue)
            queue = deque([*fresh, *(p for p in ranked if p in waiting and p not in fresh)])
    return partition


def explore(
    starts: Iterable[Partition],
    moves: Neighbourhood,
    n_clusters: tuple[int, int],
    journal: Journal,
    known: Mapping[int, Partition] | None = None,
) -> dict[int, Partition]:
    """The best partition found for every K in the range, by carrying solutions to K + 1 and K - 1 until stable.

    Solutions already ``known`` are there to be beaten; only what beats them is carried on.
    """
    least, most = n_clusters
    best = dict(known or {})
    waiting: set[int] = set()
    for partition in starts:
        improved = shift_boundaries(partition, moves, journal)
        if improved.n_clusters <= most and offer(best, improved):
            waiting.add(improved.n_clusters)
    while waiting and not (journal.is_over() and least in best):
        k = min(waiting)
        waiting.remove(k)
        for changed in (_grow(best[k], moves, most), _shrink(best[k], moves, least)):
            if changed is not None:
                improved = shift_boundaries(changed, moves, journal)
                if offer(best, improved):
                    waiting.add(improved.n_clusters)
    return {k: p for k, p in best.items() if k >= least} or best


def offer(best: dict[int, Partition], partition: Partition) -> bool:
    """Keep the partition if it is the best of its K so far."""
    k = partition.n_clusters
    if k in best and best[k].score >= partition.score - 1e-9:
        return False
    best[k] = partition
    return True


def _pairs_by_potential(
    partition: Partition, moves: Neighbourhood, thorough: bool
) -> list[tuple[int, int]]:
    """Pairs of clusters, those first between which the most weight has the other as its neighbour."""
    n = partition.n_clusters
    nearest = moves.scorer.neighbours(partition)
    lean = np.zeros((n, n))
    np.add.at(lean, (partition.labels, np.maximum(nearest, 0)), moves.scorer.points.weights)
    lean = lean + lean.T
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if thorough or lean[i, j] > 0]
    return sorted(pairs, key=lambda p: (-lean[p], p))


def _grow(partition: Partition, moves: Neighbourhood, most: int) -> Partition | None:
    if partition.n_clusters >= most:
        return None
    splits = [moves.split(partition, i) for i in range(partition.n_clusters)]
    found = [s for s in splits if s is not None]
    return max(found, key=lambda s: s.score) if found else None


def _shrink(partition: Partition, moves: Neighbourhood, least: int) -> Partition | None:
    if partition.n_clusters <= max(2, least - 1):
        return None
    merged = moves.merges(partition)
    return merged[0] if merged else None
