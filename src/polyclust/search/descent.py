"""Algorithm 2: coordinate descent on the criterion by shifts, with splits and merges carrying solutions across K."""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping

import numpy as np

from polyclust.search.journal import Journal
from polyclust.search.moves import Neighbourhood
from polyclust.search.partition import Partition

__all__ = ["explore", "go_beyond", "offer", "rank_pairs", "shift_boundaries", "widen"]

GAINS_BEHIND, SCORE_BEHIND = 4.0, 0.005
NEARLY_AS_GOOD = 0.01
MERGES_TO_SWAP = 12
SWAPS_TO_POLISH = 4
N_SLICED = 3


def shift_boundaries(partition: Partition, moves: Neighbourhood, journal: Journal) -> Partition:
    """Shift boundaries until no pair improves of those that are worth it."""
    queue = deque(() if journal.is_over() else rank_pairs(partition, moves))
    while queue and not journal.is_over():
        i, j = queue.popleft()
        shifted = moves.shift(partition, i, j)
        if shifted is not None:
            partition = shifted
            journal.accept("shift", partition)
            ranked = rank_pairs(partition, moves)
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
    n_swapped: int = 3,
    carry_all: bool = True,
    improve_all: bool = True,
    patience: float = math.inf,
) -> dict[int, Partition]:
    """The best partition found for every K in the range, by carrying solutions to K + 1 and K - 1 until stable.

    Solutions already ``known`` are there to be beaten; what beats them is carried on, and the best of all. In the
    end the best ``n_swapped`` K try to exchange a boundary for another: a merge and a split at once. Unless
    ``carry_all``, only the best of all is carried, and what has too few clusters yet. Unless ``improve_all`` and
    ``carry_all``, what lies too far behind the best is taken as it is. Of the starts of a K those after ``patience``
    in vain are left out. Where no K of the range can be reached, the largest found is given.
    """
    explorer = _Explorer(moves, n_clusters, journal, dict(known or {}), n_swapped, carry_all, improve_all)
    explorer.take(starts, patience)
    explorer.follow_leader()
    explorer.settle()
    return explorer.within_range


def widen(
    found: Mapping[int, Partition],
    later: Iterable[Partition],
    moves: Neighbourhood,
    n_clusters: tuple[int, int],
    journal: Journal,
) -> dict[int, Partition]:
    """What slices make of the best that were found, and of later starts that score about as much; none worse."""
    explorer = _Explorer(moves, n_clusters, journal, dict(found), n_swapped=0)
    explorer.unsliced = set(sorted(found, key=lambda k: -found[k].score)[:N_SLICED])
    explorer.settle()
    explorer.take(partition for partition in later if explorer.is_near(partition))
    explorer.settle()
    return explorer.within_range


def go_beyond(
    found: Mapping[int, Partition],
    larger: Iterable[Partition],
    moves: Neighbourhood,
    n_clusters: tuple[int, int],
    n_beyond: int,
    journal: Journal,
) -> dict[int, Partition]:
    """What up to ``n_beyond`` clusters more than were asked for lead to, from ``larger`` starts too; none worse."""
    explorer = _Explorer(moves, n_clusters, journal, dict(found), n_swapped=0, n_beyond=n_beyond)
    explorer.take(larger)
    explorer.follow_leader()
    explorer.settle()
    return explorer.within_range


class _Explorer:
    """The best partition of every K so far, and which of them have yet to be carried on, swapped and sliced."""

    def __init__(
        self, moves: Neighbourhood, n_clusters: tuple[int, int], journal: Journal, best: dict[int, Partition],
        n_swapped: int, carries_all: bool = True, improves_all: bool = True, n_beyond: int = 0,
    ) -> None:  # fmt: skip
        self.moves, self.journal, self.best = moves, journal, best
        self.least, self.most = n_clusters
        self.greatest = self.most + n_beyond
        self.n_swapped, self.carries_all = n_swapped, carries_all
        self.improver = _Improver(moves, journal, self.least, improves_all=carries_all and improves_all)
        self.waiting: set[int] = set()
        self.swapped: set[int] = set()
        self.unsliced: set[int] = set()
        self.pushed: set[int] = set()

    @property
    def is_over(self) -> bool:
        """Whether the search must end and has as many clusters as were asked for."""
        return self.journal.is_over() and bool(self._asked)

    @property
    def within_range(self) -> dict[int, Partition]:
        """The best of every K that was asked for; if there is none, the largest found."""
        return self._asked or {max(self.best): self.best[max(self.best)]}

    @property
    def _asked(self) -> dict[int, Partition]:
        return {k: p for k, p in self.best.items() if self.least <= k <= self.most}

    def take(self, starts: Iterable[Partition], patience: float = math.inf) -> None:
        """Improve the starts; what is the best of its K then is carried on."""
        n_in_vain: Counter[int] = Counter()
        for partition in starts:
            if n_in_vain[partition.n_clusters] >= patience:
                continue
            improved = self.improver.improve(partition, self._asked)
            is_better = improved.n_clusters <= self.greatest and self._offer("start", improved)
            n_in_vain[partition.n_clusters] = 0 if is_better else n_in_vain[partition.n_clusters] + 1
            if self.is_over:
                break

    def follow_leader(self) -> None:
        """The best of all is carried on, also if it was known; others are too if all are, or if they have too few."""
        found = self._asked or self.best
        leader = max(found, key=lambda k: found[k].score)
        others = self.waiting if self.carries_all else {k for k in self.waiting if k < self.least}
        self.waiting = others | {leader}

    def is_near(self, partition: Partition) -> bool:
        """Whether a start scores about as much as the best of its K, or more."""
        known = self.best.get(partition.n_clusters)
        return known is None or partition.score > known.score - NEARLY_AS_GOOD

    def settle(self) -> None:
        """Try what there is to try until nothing changes."""
        while not self.is_over and (changes := self._next_changes()) is not None:
            for move, changed in changes:
                if changed is not None:
                    self._offer(move, self.improver.improve(changed, self._asked))

    def _offer(self, move: str, partition: Partition) -> bool:
        was_best = max((p.score for p in self._asked.values()), default=-math.inf)
        if not offer(self.best, partition):
            return False
        k = partition.n_clusters
        if k > 1:
            self.journal.accept(move, partition)
        if self.carries_all or partition.score > was_best or k < self.least:
            self.waiting.add(k)
        self.swapped.discard(k)
        return True

    def _next_changes(self) -> list[tuple[str, Partition | None]] | None:
        """Splits and merges first, where all are stable a swap or a slice; None at the end."""
        best, journal, largest = self.best, self.journal, max(self.best)
        if not self.waiting and largest < self.least and largest not in self.pushed:
            self.pushed.add(largest)
            self.waiting.add(largest)
        if self.waiting:
            k = max(self.waiting) if journal.is_over() else min(self.waiting)
            self.waiting.remove(k)
            grown = _grow(best[k], self.moves, self.greatest, journal)
            return [("split", grown), ("merge", _shrink(best[k], self.moves, self.least, journal))]
        to_swap = _next_to_swap(self._asked, self.swapped, self.n_swapped)
        if to_swap is not None:
            self.swapped.add(to_swap)
            return [("swap", changed) for changed in _swap(best[to_swap], self.moves, journal)]
        if self.unsliced:
            k = min(self.unsliced)
            self.unsliced.remove(k)
            return [("slice", self.moves.slice_off(best[k]) if k < self.most else None)]
        return None


class _Improver:
    """Shifts boundaries; unless it improves all, what shifts will hardly bring up to the best stays as it is.

    The most that shifts have gained so far says what to expect of them.
    """

    def __init__(self, moves: Neighbourhood, journal: Journal, least: int, improves_all: bool) -> None:
        self.moves = moves
        self.journal = journal
        self.least = least
        self.improves_all = improves_all
        self.most_gained: float | None = None

    def improve(self, partition: Partition, best: Mapping[int, Partition]) -> Partition:
        """The partition with its boundaries shifted, or as it is."""
        if self._is_hopeless(partition, best):
            return partition
        improved = shift_boundaries(partition, self.moves, self.journal)
        self.most_gained = max(self.most_gained or 0.0, improved.score - partition.score)
        return improved

    def _is_hopeless(self, partition: Partition, best: Mapping[int, Partition]) -> bool:
        if self.improves_all or self.most_gained is None or partition.n_clusters < self.least:
            return False
        behind = max((p.score for p in best.values()), default=-math.inf) - partition.score
        return behind > GAINS_BEHIND * self.most_gained + SCORE_BEHIND


def _next_to_swap(best: dict[int, Partition], done: set[int], n_most: int) -> int | None:
    """The best K not yet tried, among the few best."""
    ranked = sorted((k for k in best if k >= 3), key=lambda k: -best[k].score)[:n_most]
    return next((k for k in ranked if k not in done), None)


def _swap(partition: Partition, moves: Neighbourhood, journal: Journal) -> list[Partition]:
    """The best partitions of the same K after merging two clusters and splitting one."""
    found = []
    for merged in itertools.islice(moves.merges(partition), MERGES_TO_SWAP):
        splits = (moves.split(merged, i) for i in range(merged.n_clusters))
        found += [s for s in journal.in_time(splits) if s is not None]
    return sorted(found, key=lambda s: -s.score)[:SWAPS_TO_POLISH]


def offer(best: dict[int, Partition], partition: Partition) -> bool:
    """Keep the partition if it is the best of its K so far."""
    k = partition.n_clusters
    if k in best and best[k].score >= partition.score - 1e-9:
        return False
    best[k] = partition
    return True


def rank_pairs(partition: Partition, moves: Neighbourhood) -> list[tuple[int, int]]:
    """Pairs of clusters, those first between which the most weight has the other as its neighbour."""
    n = partition.n_clusters
    nearest = moves.scorer.neighbours(partition)
    code = partition.labels * n + np.maximum(nearest, 0)
    lean = np.bincount(code, weights=moves.scorer.points.weights, minlength=n * n).reshape(n, n)
    lean = lean + lean.T
    enough = moves.least_leaning * np.add.outer(partition.sizes, partition.sizes)
    first, second = np.nonzero(np.triu((lean > enough) | (enough == 0.0), k=1))
    ranked = np.argsort(-lean[first, second], kind="stable")
    return list(zip(first[ranked].tolist(), second[ranked].tolist(), strict=True))


def _grow(partition: Partition, moves: Neighbourhood, most: int, journal: Journal) -> Partition | None:
    """The best split, or where time is up the best so far."""
    if partition.n_clusters >= most:
        return None
    best: Partition | None = None
    for i in range(partition.n_clusters):
        if best is not None and journal.is_over():
            break
        split = moves.split(partition, i)
        if split is not None and (best is None or split.score > best.score):
            best = split
    return best


def _shrink(partition: Partition, moves: Neighbourhood, least: int, journal: Journal) -> Partition | None:
    if partition.n_clusters <= max(2, least - 1) or journal.is_over():
        return None
    return next(moves.merges(partition), None)
