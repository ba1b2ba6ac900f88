"""From the clusters of a sample to those of all rows: the same polytopes where they can be kept, else a tree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.scale.blocks import Block, Blocks, Placing
from polyclust.scale.boxes import Boxes, box_leaves, box_rows, read_boxes
from polyclust.scale.cells import Celled
from polyclust.scale.cuts import CutTree
from polyclust.scale.polishing import GAIN_OF_A_TREE, Polished
from polyclust.scale.settling import place_anew, settle_rows
from polyclust.scale.tallies import Tally, rename_hyperplanes, tally_block
from polyclust.search.scoring import SizeBounds
from polyclust.table.features import Feature

__all__ = ["Extended", "extend_clusters", "extend_loosely"]

N_MENDED = 2


@dataclass(frozen=True)
class Extended:
    """Hyperplanes that label all rows, the largest cluster first, and how many rows the clusters have.

    lost : how much less they score than what was found for the sample or a better tree; less than 0 if they score more
    """

    placing: Placing
    tally: Tally
    lost: float = 0.0


def extend_clusters(
    blocks: Blocks,
    found: Placing,
    features: Sequence[Feature],
    bounds: SizeBounds,
    trees: Iterable[CutTree],
    polished: Iterable[Polished | Celled] = (),
    is_last: bool = True,
) -> Extended:
    """Every row lies in one polytope: that of its cluster. None is too small, if need be because leaves were joined.

    ``polished`` trees and cells, the best first, take the polytopes' place at once if they are better, else where these
    cannot be kept; where their sizes are wrong, the first of ``trees`` whose leaves are not too large once the small
    are joined, or the first of all. Unless this ``is_last``, none is mended that leaves nothing to compare it with.
    """
    seen: list[Polished | Celled] = []
    for each in polished:
        extended = _extend_polished(blocks, each, features, bounds, GAIN_OF_A_TREE) if each.is_better else None
        if extended is not None:
            return extended
        seen.append(each)
    extended = _keep_polytopes(blocks, found, features, bounds)
    if extended is not None:
        return extended
    seen.sort(key=lambda each: -each.gain)
    worse = [each for each in seen if not each.is_better]
    floors = [*(each.gain for each in worse[1:]), -math.inf if is_last else math.inf]
    for each, floor in zip(worse, floors, strict=False):
        extended = _extend_polished(blocks, each, features, bounds, floor)
        if extended is not None:
            return replace(extended, lost=max(seen[0].gain, 0.0) + extended.lost)
    joined = (_read_tree(tree, box_rows(blocks, tree, bounds.least), features) for tree in trees)
    first = next(joined)
    if bounds.hold_for(first.tally.total_sizes):
        return first
    return next((other for other in joined if bounds.hold_for(other.tally.total_sizes)), first)


def _keep_polytopes(blocks: Blocks, found: Placing, features: Sequence[Feature], bounds: SizeBounds) -> Extended | None:
    """The polytopes with every row in one of them, unless that cannot be or their sizes are wrong."""
    settled = settle_rows(blocks, found.hyperplanes, found.n_clusters)
    if settled is None or not bounds.hold_for(settled[0].total_sizes):
        return None
    placed = place_anew(settled[1], features)
    return None if placed is None else _in_order(placed, settled[0])


def _extend_polished(
    blocks: Blocks, polished: Polished | Celled, features: Sequence[Feature], bounds: SizeBounds, floor: float
) -> Extended | None:
    """The cells, or the leaves; where their sizes are wrong, those of the tree mended, as long as that gains more than
    the floor."""
    if isinstance(polished, Celled):
        return _keep_polytopes(blocks, polished.placing, features, bounds)
    for _ in range(1 + N_MENDED):
        boxes = box_leaves(blocks, polished.tree)
        sizes = boxes.tally.total_sizes
        if bounds.hold_for(sizes):
            return replace(_read_tree(polished.tree, boxes, features), lost=-polished.gain)
        mended = polished.mend(sizes / sizes.sum()) if floor < math.inf else None
        if mended is None or mended.gain <= floor:
            break
        polished = mended
    return None


def _read_tree(tree: CutTree, boxes: Boxes, features: Sequence[Feature]) -> Extended:
    if not tree.is_straight:
        return _in_order(tuple(tree.list_hyperplanes()), boxes.tally)
    boxes = boxes.rename(boxes.tally.names)
    return Extended(Placing(read_boxes(boxes, features), len(boxes.lows)), boxes.tally)


def extend_loosely(blocks: Blocks, found: Placing, bounds: SizeBounds) -> Extended | None:
    """Rules that may err: every row goes where they place it; None if sizes are then out of bounds.

    Of equally near clusters the lowest label takes a row, so that renaming clusters may move rows: count again.
    """
    placing = found
    for _ in range(4):
        tally = tally_all(blocks, placing)
        if not bounds.hold_for(tally.total_sizes):
            return None
        if (tally.names == np.arange(placing.n_clusters)).all():
            return Extended(placing, tally)
        placing = Placing(rename_hyperplanes(placing.hyperplanes, tally.names), placing.n_clusters)
    return Extended(placing, tally_all(blocks, placing))  # as good as in order


def tally_all(blocks: Blocks, placing: Placing) -> Tally:
    """How many rows the hyperplanes place in each cluster; one pass."""
    parts = blocks.map(partial(_tally_placed, placing=placing))
    return Tally.join([tally for tally, _ in parts], [n for _, n in parts])


def _tally_placed(block: Block, placing: Placing) -> tuple[Tally, int]:
    return tally_block(block, placing.label(block.raw), placing.n_clusters), len(block)


def _in_order(hyperplanes: tuple[Hyperplane, ...], tally: Tally) -> Extended:
    names = tally.names
    placing = Placing(rename_hyperplanes(hyperplanes, names), len(names))
    return Extended(placing, tally.rename(names))
