"""Turn any labels into a legal partition close to them.

Labels that are legal already stay as they are; others become those of a tree of cuts, whose leaves cover space and are
told apart whatever the labels were. Clusters that are too small go to their neighbours. Where it pays, the tree is
improved by grafting.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from polyclust.search.branches import Tree, label_rows
from polyclust.search.fates import Counting
from polyclust.search.grafting import Grafter, graft_tree
from polyclust.search.legality import Legality
from polyclust.search.partition import Ints, Partition
from polyclust.search.scoring import Scorer
from polyclust.search.trees import Slants, grow_tree

__all__ = ["KnownLeaves", "graft_legal", "make_legal"]

KnownLeaves = dict[tuple[bytes, Counting, Slants | None], Ints]


def make_legal(
    labels: Ints,
    scorer: Scorer,
    legality: Legality,
    counting: Counting = "alone",
    slants: Slants | None = None,
    known: KnownLeaves | None = None,
    near: Partition | None = None,
) -> Partition | None:
    """A legal partition close to the labels, with sizes within bounds; None if there is none nearby.

    ``counting`` says by what the rows of a cut's mistakes count. With ``slants`` cuts may have two terms. The leaves of
    trees that are ``known`` for this scorer are not grown again. ``near`` is a partition with these labels or most of
    them, where there is one.
    """
    known = {} if known is None else known
    partition = _within_bounds(_compact(labels), scorer, near)
    while partition is not None and not legality.holds_for(partition):
        name = partition.labels.tobytes(), counting, slants
        if name not in known:
            known[name] = _label_leaves(_grow(partition, scorer, counting, slants), scorer)
        grown = known[name]
        repaired = _within_bounds(grown, scorer, partition)
        if repaired is not None and repaired.n_clusters == int(grown.max()) + 1:
            return repaired  # the leaves of a tree, untouched, are legal
        partition = repaired  # fewer clusters than before: try again
    return partition


def graft_legal(
    labels: Ints, scorer: Scorer, limits: tuple[int, int], lead: float, is_over: Callable[[], bool] = lambda: False
) -> Partition | None:
    """A legal partition by a tree in which the clusters of the labels are grafted where they do best.

    ``limits``: the most terms and the largest coefficient of a cut. None where the labels themselves score no more than
    ``lead``, and where the tree's sizes are out of bounds. Once ``is_over`` says so, the tree is left as it is.
    """
    partition = _within_bounds(_compact(labels), scorer)
    if partition is None or partition.score <= lead or is_over():
        return None
    start = _grow(partition, scorer, "alone", Slants(limits[1]) if limits[0] > 1 else None)
    grafter = Grafter.make(scorer.points, scorer.fates(partition, "whole"), limits, is_over)
    tree = graft_tree(start, grafter, scorer.bounds).tree
    grown = _label_leaves(tree, scorer)
    grafted = scorer.change(partition, grown, int(grown.max()) + 1)
    return grafted if grafted.n_clusters > 1 and scorer.bounds.hold_for(grafted.sizes) else None


def _grow(partition: Partition, scorer: Scorer, counting: Counting, slants: Slants | None) -> Tree:
    fates = scorer.fates(partition, counting) * scorer.points.weights[:, None]
    return grow_tree(scorer.points, fates, slants)


def _label_leaves(tree: Tree, scorer: Scorer) -> Ints:
    return _compact(label_rows(tree, scorer.points.columns))


def _compact(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)


def _within_bounds(labels: Ints, scorer: Scorer, near: Partition | None = None) -> Partition | None:
    """Dissolve clusters that are too small into the nearest others; None if a bound still does not hold.

    ``near`` is a partition whose labels are mostly the same: much of it need not be worked out again.
    """
    while True:
        n_clusters = int(labels.max()) + 1
        partition = scorer.start(labels, n_clusters) if near is None else scorer.change(near, labels, n_clusters)
        small = np.flatnonzero(partition.sizes < scorer.bounds.least)
        if n_clusters < 2 or not small.size:
            return partition if n_clusters > 1 and scorer.bounds.hold_for(partition.sizes) else None
        smallest = small[partition.sizes[small].argmin()]
        rows = partition.rows_of(int(smallest))
        labels = labels.copy()
        labels[rows] = scorer.neighbours(partition)[rows]
        labels = _compact(labels)
