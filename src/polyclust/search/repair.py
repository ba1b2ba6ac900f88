"""Turn any labels into a legal partition: a tree of axis-parallel cuts that parts the fewest rows from their own.

Cuts of a tree cover space, so its leaves are pairwise told apart whatever the labels were. Labels that are legal
already stay as they are. A row counts by what it would lose in the next best cluster, so that cuts go through rows
that hardly care, such as noise between the clusters, and spare those in the middle of one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.orders import count_mistakes
from polyclust.search.legality import Legality
from polyclust.search.partition import Ints, Partition, sum_weights
from polyclust.search.points import Points, SubsetOrders, stack_orders
from polyclust.search.scoring import Scorer

__all__ = ["NodeCut", "find_cut", "grow_tree", "make_legal"]

Floats = NDArray[np.float64]


def make_legal(labels: Ints, scorer: Scorer, legality: Legality, by_loss: bool = True) -> Partition | None:
    """A legal partition close to the labels, with sizes within bounds; None if there is none nearby.

    Unless ``by_loss``, the rows of a cut's mistakes count alike.
    """
    partition = _within_bounds(_compact(labels), scorer)
    while partition is not None and not legality.holds_for(partition):
        weights = scorer.points.weights * (scorer.losses(partition) if by_loss else 1.0)
        grown = _compact(grow_tree(scorer.points, partition.labels, partition.n_clusters, weights))
        repaired = _within_bounds(grown, scorer)
        if repaired is not None and repaired.n_clusters == int(grown.max()) + 1:
            return repaired  # the leaves of a tree, untouched, are legal
        partition = repaired  # fewer clusters than before: try again
    return partition


def grow_tree(points: Points, labels: Ints, n_clusters: int, weights: Floats) -> Ints:
    """Labels of the leaves of a tree of cuts, each cut sending whole clusters to the side of their majority."""
    result = labels.copy()
    waiting: list[tuple[Ints, list[int]]] = [(np.arange(len(points)), list(range(n_clusters)))]
    while waiting:
        rows, clusters = waiting.pop()
        if len(clusters) == 1 or len(rows) == 0:
            result[rows] = clusters[0] if clusters else -1
            continue
        cut = find_cut(points, labels, rows, clusters, weights)
        if cut is None:  # rows that no cut can part: one cluster takes them all
            counts = np.bincount(labels[rows], minlength=n_clusters)
            result[rows] = max(clusters, key=lambda c: counts[c])
            continue
        waiting += cut.sides
    return result


@dataclass(frozen=True)
class NodeCut:
    """A cut along a feature, or a direction beyond them: the rows and the clusters below it, then those above."""

    feature: int
    sides: list[tuple[Ints, list[int]]]


def find_cut(
    points: Points, labels: Ints, rows: Ints, clusters: list[int], weights: Floats, more: SubsetOrders | None = None
) -> NodeCut | None:
    """The two children of a node: the cut with the lightest mistakes, then the most even one.

    Cuts are made along the axes and the directions along which ``more`` has the rows sorted.
    """
    is_member = np.zeros(len(points), dtype=bool)
    is_member[rows] = True
    orders = points.order_along_axes(is_member)
    if more is not None:
        orders = stack_orders(orders, more)
    code = np.full(int(labels.max()) + 1, -1, dtype=np.intp)
    code[clusters] = np.arange(len(clusters))
    local = code[labels]
    inside = rows[local[rows] >= 0]
    sizes = sum_weights(local[inside], weights[inside], len(clusters))
    mistakes = np.empty(orders.rows.shape)
    n_below = np.empty(orders.rows.shape, dtype=np.intp)
    for f in range(len(mistakes)):
        count_mistakes(orders.rows[f], orders.is_end[f], local, weights, sizes, mistakes[f], n_below[f])
    mistakes[(n_below == 0) | (n_below == len(clusters))] = np.inf
    best = mistakes.min()
    if not np.isfinite(best):
        return None
    near = np.argwhere(mistakes <= best + 1e-9)
    evenness = np.abs(2 * n_below[near[:, 0], near[:, 1]] - len(clusters))
    f, p = near[np.argmin(evenness)]
    low, up = orders.rows[f, : p + 1].astype(np.intp), orders.rows[f, p + 1 :].astype(np.intp)
    return NodeCut(int(f), _share_clusters(weights, local, low, up, clusters, sizes))


def _share_clusters(
    weights: Floats, local: Ints, low: Ints, up: Ints, clusters: list[int], sizes: Floats
) -> list[tuple[Ints, list[int]]]:
    inside = low[local[low] >= 0]
    below = sum_weights(local[inside], weights[inside], len(clusters))
    is_below = below > 0.5 * sizes
    return [
        (low, [c for c, b in zip(clusters, is_below, strict=True) if b]),
        (up, [c for c, b in zip(clusters, is_below, strict=True) if not b]),
    ]


def _compact(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)


def _within_bounds(labels: Ints, scorer: Scorer) -> Partition | None:
    """Dissolve clusters that are too small into the nearest others; None if a bound still does not hold."""
    while True:
        n_clusters = int(labels.max()) + 1
        partition = scorer.start(labels, n_clusters)
        small = np.flatnonzero(partition.sizes < scorer.bounds.least)
        if n_clusters < 2 or not small.size:
            return partition if n_clusters > 1 and scorer.bounds.hold_for(partition.sizes) else None
        smallest = small[partition.sizes[small].argmin()]
        rows = partition.rows_of(int(smallest))
        labels = labels.copy()
        labels[rows] = scorer.neighbours(partition)[rows]
        labels = _compact(labels)
