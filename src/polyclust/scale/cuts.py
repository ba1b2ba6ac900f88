"""A tree of cuts as a thing of its own: grown on a sample, it labels any rows and covers space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import ROWS_AT_ONCE, Hyperplane
from polyclust.hyperplanes.lattice import Directions
from polyclust.hyperplanes.reading import measure_norm
from polyclust.scale.settling import round_threshold
from polyclust.search.branches import Leaf, Tree
from polyclust.search.partition import Ints
from polyclust.search.points import Points
from polyclust.search.trees import grow_tree
from polyclust.table.features import Feature

__all__ = ["CutTree", "grow_cuts", "list_slanted", "make_plane", "plant_tree"]

Floats = NDArray[np.float64]


@dataclass
class CutTree:
    """A leaf, or a cut with a tree on either side; ``cluster`` is what a leaf was grown for."""

    cut: Hyperplane | None = None
    below: CutTree | None = None
    above: CutTree | None = None
    cluster: int = -1

    @property
    def is_straight(self) -> bool:
        """Whether all cuts are along axes, so that the leaves are boxes."""
        if self.cut is None or self.below is None or self.above is None:
            return True
        return len(self.cut.features) == 1 and self.below.is_straight and self.above.is_straight

    def list_leaves(self) -> list[CutTree]:
        """The leaves, from the lowest to the highest side of every cut."""
        if self.below is None or self.above is None:
            return [self]
        return self.below.list_leaves() + self.above.list_leaves()

    def list_hyperplanes(self, n_before: int = 0) -> list[Hyperplane]:
        """What parts every two leaves: the cut where their ways part. Leaves are numbered in their order."""
        if self.cut is None or self.below is None or self.above is None:
            return []
        middle = n_before + len(self.below.list_leaves())
        end = middle + len(self.above.list_leaves())
        pairs = [(low, high) for low in range(n_before, middle) for high in range(middle, end)]
        here = [replace(self.cut, above=high, below=low) for low, high in pairs]
        return here + self.below.list_hyperplanes(n_before) + self.above.list_hyperplanes(middle)

    def label_rows(self, raw: Floats) -> Ints:
        """For every row the number of its leaf."""
        labels = np.empty(len(raw), dtype=np.intp)
        for start in range(0, len(raw), ROWS_AT_ONCE):
            piece = slice(start, start + ROWS_AT_ONCE)
            self._fill(raw[piece], np.arange(len(raw[piece])), labels[piece], 0)
        return labels

    def join_smallest(self, sizes: Floats) -> None:
        """Take the lightest leaf's cut away: its sibling takes its rows."""
        self._close_parent(self.list_leaves()[int(sizes.argmin())])

    def _fill(self, raw: Floats, rows: Ints, labels: Ints, n_before: int) -> int:
        if self.cut is None or self.below is None or self.above is None:
            labels[rows] = n_before
            return n_before + 1
        is_above = self.cut.is_above(raw)[rows]  # of all rows: cheaper than to gather some
        n_below = self.below._fill(raw, rows[~is_above], labels, n_before)
        return self.above._fill(raw, rows[is_above], labels, n_below)

    def _close_parent(self, leaf: CutTree) -> bool:
        """Take the cut above a leaf away: its sibling moves up."""
        for side, sibling in ((self.below, self.above), (self.above, self.below)):
            if side is leaf and sibling is not None:
                vars(self).update(vars(sibling))
                return True
        children = [c for c in (self.below, self.above) if c is not None]
        return any(c._close_parent(leaf) for c in children)


def grow_cuts(points: Points, fates: Floats, features: Sequence[Feature], known: Sequence[Hyperplane] = ()) -> CutTree:
    """The tree whose cuts cost least; ``fates`` (n, K) says what every row is worth in its cluster.

    Cuts are made along the axes and along hyperplanes of several terms that are ``known``.
    """
    return plant_tree(grow_tree(points, fates, known=list_slanted(known)), points, features)


def plant_tree(tree: Tree, points: Points, features: Sequence[Feature]) -> CutTree:
    """The same tree for any rows, with thresholds round."""

    def plant(branch: Tree, rows: Ints) -> CutTree:
        if isinstance(branch, Leaf):
            return CutTree(cluster=branch.cluster)
        plane = make_plane(branch.cut.features, branch.cut.coefficients, features)
        is_low = branch.cut.is_low(points.columns, rows)
        values = plane.value(points.raw[rows])
        threshold = round_threshold(float(values[is_low].max()), float(values[~is_low].min()), plane, features)
        sides = plant(branch.low, rows[is_low]), plant(branch.high, rows[~is_low])
        return CutTree(replace(plane, threshold=threshold), *sides)

    return plant(tree, np.arange(len(points)))


def list_slanted(planes: Sequence[Hyperplane]) -> Directions | None:
    """The directions of hyperplanes of several terms."""
    terms = dict.fromkeys((h.features, h.coefficients) for h in planes if len(h.features) > 1)
    found = (Directions(np.array([p], dtype=np.int32), np.array([c])) for p, c in terms)
    return reduce(Directions.join, found) if terms else None


def make_plane(positions: tuple[int, ...], coefficients: tuple[float, ...], features: Sequence[Feature]) -> Hyperplane:
    """A hyperplane through nowhere in particular: its threshold is yet to be chosen."""
    units = tuple(features[p].unit for p in positions) if len(positions) > 1 else (1.0,)
    norm = measure_norm(positions, coefficients, units, features)
    return Hyperplane(positions, coefficients, units, 0.0, norm, above=1, below=0)
