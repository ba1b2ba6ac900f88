"""A weighted sample of the distinct rows, the same however the rows lie in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from polyclust.scale.blocks import Block, Blocks
from polyclust.search.partition import sum_weights

__all__ = ["choose_nested"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Heaps:
    """Distinct rows by the hash of their values: the weight of all copies together and where one lies."""

    hashes: Hashes
    weights: Floats
    rows: Ints
    blocks: Ints
    is_all: bool = True

    @property
    def priorities(self) -> Floats:
        """Weight over the row's random number, which is its hash."""
        return np.asarray(self.weights / ((self.hashes >> np.uint64(11)).astype(np.float64) + 0.5), dtype=np.float64)

    def choose(self, n_most: int) -> tuple[Ints, Floats]:
        """Those of the largest priorities, in order, and what each stands for; all where there are no more."""
        if len(self.hashes) <= n_most:
            return np.arange(len(self.hashes)), self.weights
        order = np.argpartition(-self.priorities, n_most)
        spread = self.priorities[order[n_most]] * 2.0**53
        chosen = np.sort(order[:n_most])
        return chosen, np.maximum(self.weights[chosen], spread)

    def keep(self, which: NDArray[np.bool_] | Ints) -> Heaps:
        """Some of the heaps."""
        return Heaps(self.hashes[which], self.weights[which], self.rows[which], self.blocks[which], is_all=False)


def choose_nested(blocks: Blocks, sizes: Sequence[int], seed: int) -> list[Block]:
    """Random samples of the distinct rows of several sizes, the largest first, with weights that say what each row
    stands for; each is the sample of its size, and part of the one before.

    Priority sampling: copies of a row are one row with their weight together; those whose weight over a random
    number, the hash of their values, is largest are chosen. Heavy rows always are and keep their weight; the
    others share one weight, so that sums over the sample have the right expectation.

    Copies may lie in several blocks, and priorities add up over the blocks. The largest sums are found exactly, in
    three passes (Cao and Wang's uniform threshold): what is largest in each block gives a bound that the chosen ones
    reach; what has less than an even share of the bound in every block cannot reach it; the others, about as many per
    block as are chosen, are weighed in all blocks. So neither the order of the rows nor the blocks matter. Weights that
    are not whole are added up in the order of the blocks, and may round differently. One more pass fetches the rows.
    """
    n_most = sizes[0]
    heaps = _join(blocks.map(partial(_find_heaviest, seed=seed, n_most=n_most + 1)))
    if len(blocks) > 1 and not heaps.is_all:
        bound = np.partition(heaps.priorities, -(n_most + 1))[-(n_most + 1)]
        share = float(bound) / len(blocks) * (1.0 - 1e-9)
        possible = np.unique(np.concatenate(blocks.map(partial(_find_hashes_above, seed=seed, least=share))))
        heaps = _join(blocks.map(partial(_weigh_known, seed=seed, known=possible)))
    (which, weights), *smaller = (heaps.choose(n) for n in sizes)
    largest = _fetch(blocks, heaps.keep(which), weights)
    return [largest, *(replace(largest.take(np.searchsorted(which, some)), weights=w) for some, w in smaller)]


def _fetch(blocks: Blocks, heaps: Heaps, weights: Floats) -> Block:
    """One row of every heap, in the order of the heaps."""
    asked = {int(b): heaps.rows[heaps.blocks == b] for b in np.unique(heaps.blocks)}
    parts = blocks.map_some(Block.take, asked)
    back = np.argsort(np.argsort(heaps.blocks, kind="stable"), kind="stable")
    raw = np.concatenate([part.raw for part in parts])[back]
    is_same = all(part.clustered is part.raw for part in parts)
    clustered = raw if is_same else np.concatenate([part.clustered for part in parts])[back]
    return Block(raw, clustered, weights)


def _join(parts: Sequence[Heaps]) -> Heaps:
    """The heaps of all blocks, those of equal hash as one; hashes ascend."""
    numbers = np.repeat(np.arange(len(parts)), [len(part.hashes) for part in parts])
    hashes = np.concatenate([part.hashes for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    distinct, first, code = np.unique(hashes, return_index=True, return_inverse=True)
    total = sum_weights(code, weights, len(distinct))
    return Heaps(distinct, total, rows[first], numbers[first], all(part.is_all for part in parts))


def _heap_rows(block: Block, seed: int) -> Heaps:
    hashes = _hash_rows(block, seed)
    ordered = np.sort(hashes)
    if (ordered[1:] != ordered[:-1]).all():  # no copies: nothing to add up, which takes ten times as long
        rows = np.arange(len(hashes))
        return Heaps(hashes, block.weights, rows, np.zeros_like(rows))
    distinct, first, code = np.unique(hashes, return_index=True, return_inverse=True)
    return Heaps(distinct, sum_weights(code, block.weights, len(distinct)), first, np.zeros_like(first))


def _find_heaviest(block: Block, seed: int, n_most: int) -> Heaps:
    heaps = _heap_rows(block, seed)
    if len(heaps.hashes) <= n_most:
        return heaps
    return heaps.keep(np.sort(np.argpartition(-heaps.priorities, n_most - 1)[:n_most]))


def _find_hashes_above(block: Block, seed: int, least: float) -> Hashes:
    heaps = _heap_rows(block, seed)
    return heaps.hashes[heaps.priorities >= least]


def _weigh_known(block: Block, seed: int, known: Hashes) -> Heaps:
    heaps = _heap_rows(block, seed)
    return heaps.keep(np.isin(heaps.hashes, known))


def _hash_rows(block: Block, seed: int) -> Hashes:
    """One number per row that depends on all its values, 0.0 and -0.0 being the same."""
    parts = [_hash_piece(piece, seed) for piece in block.pieces()]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)


def _hash_piece(piece: Block, seed: int) -> Hashes:
    hashes = np.full(len(piece), np.uint64(seed) ^ np.uint64(0x9E3779B97F4A7C15), dtype=np.uint64)
    arrays = [piece.raw] if piece.clustered is piece.raw else [piece.clustered, piece.raw]
    for values in arrays:
        for column in np.ascontiguousarray(values.T) + 0.0:
            hashes = _mix(hashes ^ column.view(np.uint64))
    return hashes


def _mix(values: Hashes) -> Hashes:
    """A finaliser that spreads every bit (splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)), dtype=np.uint64)
