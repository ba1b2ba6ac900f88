"""A tree of axis-parallel cuts as a thing of its own: grown on a sample, it labels any rows and covers space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.search.partition import Ints, sum_weights
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

    def label_rows(self, raw: Floats, weights: Floats, least: float) -> Ints:
        """Leaf numbers of all rows, after leaves lighter than the minimum were joined to their siblings."""
        while True:
            labels = np.zeros(len(raw), dtype=np.intp)
            leaves: list[CutTree] = []
            self._fill(raw, np.arange(len(raw)), labels, leaves)
            sizes = sum_weights(labels, weights, len(leaves))
            if len(leaves) == 1 or sizes.min() >= least:
                return labels
            self._close_parent(leaves[int(sizes.argmin())])

    def _fill(self, raw: Floats, rows: Ints, labels: Ints, leaves: list[CutTree]) -> None:
        if self.below is None or self.above is None:
            labels[rows] = len(leaves)
            leaves.append(self)
            return
        is_above = raw[rows, self.feature] >= self.threshold
        self.below._fill(raw, rows[~is_above], labels, leaves)
        self.above._fill(raw, rows[is_above], labels, leaves)

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
