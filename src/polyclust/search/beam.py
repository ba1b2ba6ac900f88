"""Splits beside the best: what splitting one cluster after the other, each time as well as can be, leaves untried.

Not one partition but several are split further, so that a cut that pays only with the next is not lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.moves import DirectionSource
from polyclust.search.partition import Ints, Partition, is_new
from polyclust.search.points import SubsetOrders
from polyclust.search.scoring import SilhouetteScorer

__all__ = ["find_peaks", "split_widely"]

WIDTH = 10
N_GIVEN = 2
MOST_CELLS = 2e8


def split_widely(scorer: SilhouetteScorer, directions: DirectionSource, n_most: int) -> Iterator[Partition]:
    """The best few partitions of every K up to ``n_most`` that come of splitting the best several of K - 1.

    None at all where that would cost much.
    """
    points = scorer.points
    n_cells = points.n_features * len(points) ** 2 * WIDTH * (n_most - 1)
    level = [scorer.start(np.zeros(len(points), dtype=np.intp), 1)] if n_cells <= MOST_CELLS else []
    for _ in range(2, n_most + 1):
        level = _split_all(level, scorer, directions)
        yield from level[:N_GIVEN]


@dataclass(frozen=True)
class _Split:
    """A cluster's rows from a position of an order on go into a new cluster, which gives this score."""

    score: float
    partition: Partition
    order: NDArray[np.integer]
    position: int

    @property
    def labels(self) -> Ints:
        labels = self.partition.labels.copy()
        low, up = self.order[: self.position + 1], self.order[self.position + 1 :]
        labels[low if len(low) < len(up) else up] = self.partition.n_clusters
        return labels


def _split_all(level: Sequence[Partition], scorer: SilhouetteScorer, directions: DirectionSource) -> list[Partition]:
    """The best splits of any of the partitions, each once."""
    splits = [split for partition in level for split in _list_splits(partition, scorer, directions)]
    seen: set[bytes] = set()
    new = (split for split in sorted(splits, key=lambda s: -s.score) if is_new(split.labels, seen))
    return [scorer.change(s.partition, s.labels, s.partition.n_clusters + 1) for s in itertools.islice(new, WIDTH)]


def _list_splits(partition: Partition, scorer: SilhouetteScorer, directions: DirectionSource) -> Iterator[_Split]:
    """Of every cluster the best cuts that no shift along their own direction improves."""
    for i in range(partition.n_clusters):
        if partition.sizes[i] < 2 * scorer.bounds.least or len(partition.rows_of(i)) < 2:
            continue
        orders: SubsetOrders = directions.propose(scorer, partition, i, None)
        scores = scorer.scan(partition, i, None, orders)
        is_peak = find_peaks(scores)
        along, position = np.nonzero(is_peak)
        for at in np.argsort(-scores[is_peak], kind="stable")[:WIDTH]:
            d, p = along[at], position[at]
            yield _Split(float(scores[d, p]), partition, orders.rows[d], int(p))


def find_peaks(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(D, P): which cuts no shift along their own direction improves."""
    is_peak = scores > IMPOSSIBLE
    is_peak[:, 1:] &= scores[:, 1:] >= scores[:, :-1]
    is_peak[:, :-1] &= scores[:, :-1] > scores[:, 1:]
    return np.asarray(is_peak)
