"""A tree of axis-parallel cuts as a thing of its own: grown on a sample, it labels any rows and covers space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.search.partition import Ints
from polyclust.search.points import Points
from polyclust.search.repair import find_cut
from polyclust.table.features import Feature

__all__ = ["CutTree", "grow_cuts"]

Floats = NDArray[np.float64]


@dataclass
class CutTree:
    """A leaf, or a cut with a tree on either side."""

    feature: int = -1
    threshold: float = 0.0
    below: CutTree | None = None
    above: CutTree | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether it is one cluster."""
        return self.below is None or self.above is None

    def list_leaves(self) -> list[CutTree]:
        """The leaves, from the lowest to the highest side of every cut."""
        if self.below is None or self.above is None:
            return [self]
        return self.below.list_leaves() + self.above.list_leaves()

    def label_rows(self, raw: Floats) -> Ints:
        """For every row the number of its leaf."""
        labels = np.zeros(len(raw), dtype=np.intp)
        self._fill(raw, np.arange(len(raw)), labels, 0)
        return labels

    def join_smallest(self, sizes: Floats) -> None:
        """Take the lightest leaf's cut away: its sibling takes its rows."""
        self._close_parent(self.list_leaves()[int(sizes.argmin())])

    def _fill(self, raw: Floats, rows: Ints, labels: Ints, n_before: int) -> int:
        if self.below is None or self.above is None:
            labels[rows] = n_before
            return n_before + 1
        is_above = raw[rows, self.feature] >= self.threshold
        n_below = self.below._fill(raw, rows[~is_above], labels, n_before)
        return self.above._fill(raw, rows[is_above], labels, n_below)

    def _close_parent(self, leaf: CutTree) -> bool:
        """Take the cut above a leaf away: its sibling moves up."""
        for side, sibling in ((self.below, self.above), (self.above, self.below)):
            if side is leaf and sibling is not None:
                self.feature, self.threshold = sibling.feature, sibling.threshold
                self.below, self.above = sibling.below, sibling.above
                return True
        children = [c for c in (self.below, self.above) if c is not None]
        return any(c._close_parent(leaf) for c in children)


def grow_cuts(points: Points, labels: Ints, n_clusters: int, features: Sequence[Feature]) -> CutTree:
    """The tree whose cuts part the fewest points from their own cluster, thresholds round."""
    root = CutTree()
    waiting = [(root, np.arange(len(points)), list(range(n_clusters)))]
    while waiting:
        node, rows, clusters = waiting.pop()
        cut = find_cut(points, labels, rows, clusters) if len(clusters) > 1 and len(rows) else None
        if cut is None:
            continue
        (low, low_clusters), (up, up_clusters) = cut.sides
        values = points.raw[:, cut.feature]
        node.feature = cut.feature
        node.threshold = choose_threshold(
            float(values[low].max()), float(values[up].min()), features[cut.feature].is_whole
        )
        node.below, node.above = CutTree(), CutTree()
        waiting += [(node.below, low, low_clusters), (node.above, up, up_clusters)]
    return root
