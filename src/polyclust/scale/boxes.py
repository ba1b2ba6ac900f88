"""Where the sample's polytopes cannot be kept: the leaves of a tree of cuts, which are boxes that cover space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.reading import read_hyperplanes
from polyclust.kernels.intervals import widen_boxes
from polyclust.scale.blocks import Block, Blocks
from polyclust.scale.cuts import CutTree
from polyclust.scale.tallies import Tally, tally_block
from polyclust.table.features import Feature

__all__ = ["Boxes", "box_leaves", "box_rows", "read_boxes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Boxes:
    """How many rows each leaf holds, and (K, F) the least and the greatest value of every feature in it.

    Of a tree with slanted cuts only the tally is known: its leaves are no boxes.
    """

    tally: Tally
    lows: Floats
    highs: Floats
    n_rows: int

    def rename(self, names: Ints) -> Boxes:
        """The boxes with box k called names[k]."""
        back = np.argsort(names)
        return Boxes(self.tally.rename(names), self.lows[back], self.highs[back], self.n_rows)


def box_rows(blocks: Blocks, tree: CutTree, least: float) -> Boxes:
    """The boxes that all rows fill, after leaves lighter than the minimum were joined to their siblings.

    A pass for every leaf that is joined, and one.
    """
    while True:
        boxes = box_leaves(blocks, tree)
        sizes = boxes.tally.total_sizes
        if len(sizes) == 1 or sizes.min() >= least:
            return boxes
        tree.join_smallest(sizes)


def box_leaves(blocks: Blocks, tree: CutTree) -> Boxes:
    """The boxes that all rows fill, in one pass."""
    return _join(blocks.map(partial(_box_block, tree=tree)))


def read_boxes(boxes: Boxes, features: Sequence[Feature]) -> tuple[Hyperplane, ...]:
    """One hyperplane per pair of boxes. Along an axis two opposite corners say all about a box."""
    n_clusters = len(boxes.lows)
    corners = np.vstack([boxes.lows, boxes.highs])
    return read_hyperplanes(corners, np.tile(np.arange(n_clusters), 2), n_clusters, features)


def _box_block(block: Block, tree: CutTree) -> Boxes:
    n_leaves = len(tree.list_leaves())
    labels = tree.label_rows(block.raw)
    shape = (n_leaves, block.raw.shape[1])
    lows, highs = np.full(shape, np.inf), np.full(shape, -np.inf)
    if tree.is_straight:  # the leaves of other trees are no boxes
        widen_boxes(np.asarray(block.raw), labels, lows, highs)
    return Boxes(tally_block(block, labels, n_leaves), lows, highs, len(block))


def _join(parts: Sequence[Boxes]) -> Boxes:
    n_rows = [part.n_rows for part in parts]
    lows, highs = np.min([p.lows for p in parts], axis=0), np.max([p.highs for p in parts], axis=0)
    return Boxes(Tally.join([p.tally for p in parts], n_rows), lows, highs, sum(n_rows))
