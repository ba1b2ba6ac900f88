"""Cuts through all clusters at once, as a table of booleans has them: men and women, each with and without.

Splitting one cluster after the other seldom ends there, since no single split of such a partition gains much.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.beam import find_peaks
from polyclust.search.partition import Partition, is_new
from polyclust.search.scoring import SilhouetteScorer

__all__ = ["cross_cuts"]

WIDTH = 4
N_CUTS = 16
N_ALONG = 2  # cuts of an axis
MOST_CELLS = 2e8  # of distances
LEAST_WEIGHT = 1e-9  # of a side, where any size is allowed
Sides = NDArray[np.bool_]


def cross_cuts(scorer: SilhouetteScorer, n_most: int) -> Iterator[Partition]:
    """The best partitions, of every K up to ``n_most`` some, by two cuts, three and so on, each through all clusters.

    A cut leaves a cluster whole of which it would take too little. None at all where that would cost much.
    """
    points = scorer.points
    if len(points) ** 2 * WIDTH * min(N_CUTS, N_ALONG * points.n_features) > MOST_CELLS:
        return
    one = scorer.start(np.zeros(len(points), dtype=np.intp), 1)
    sides = _list_cuts(scorer, one)
    seen: set[bytes] = set()
    level = [one]
    while level:
        crossed = (_cross(partition, side, scorer, n_most) for partition in level for side in sides)
        new = [p for p in crossed if p is not None and is_new(p.labels, seen)]
        level = sorted(new, key=lambda p: -p.score)[:WIDTH]
        yield from _best_of_each_count(new)


def _list_cuts(scorer: SilhouetteScorer, one: Partition) -> list[Sides]:
    """Which points lie below a cut of all of them: the best few cuts of every axis, of these the best."""
    points = scorer.points
    orders = points.order_along_axes(np.ones(len(points), dtype=bool))
    scores = scorer.scan(one, 0, None, orders)
    peaks = np.where(find_peaks(scores), scores, IMPOSSIBLE)
    along = np.argsort(-peaks, axis=1, kind="stable")[:, :N_ALONG]
    best = np.take_along_axis(peaks, along, axis=1)
    sides = []
    for at in np.argsort(-best, axis=None, kind="stable")[:N_CUTS]:
        axis, rank = np.unravel_index(at, best.shape)
        if best[axis, rank] > IMPOSSIBLE:
            is_low = np.zeros(len(points), dtype=bool)
            is_low[orders.rows[axis, : along[axis, rank] + 1]] = True
            sides.append(is_low)
    return sides


def _cross(partition: Partition, is_low: Sides, scorer: SilhouetteScorer, n_most: int) -> Partition | None:
    """The partition with every cluster cut that is large enough on both sides; None if there are none, or too many."""
    n, least = partition.n_clusters, scorer.bounds.least
    low = np.bincount(partition.labels, weights=scorer.points.weights * is_low, minlength=n)
    is_cut = np.minimum(low, partition.sizes - low) >= max(least, LEAST_WEIGHT)
    n_clusters = n + int(is_cut.sum())
    if not is_cut.any() or n_clusters > n_most:
        return None
    names = np.where(is_cut, n - 1 + np.cumsum(is_cut), np.arange(n))
    labels = np.where(is_low, names[partition.labels], partition.labels)
    return scorer.start(labels, n_clusters)


def _best_of_each_count(found: list[Partition]) -> Iterator[Partition]:
    best: dict[int, Partition] = {}
    for partition in found:
        if partition.n_clusters not in best or partition.score > best[partition.n_clusters].score:
            best[partition.n_clusters] = partition
    yield from best.values()
