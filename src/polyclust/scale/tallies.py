"""How many rows each cluster has, block by block, and the order of the clusters that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.scale.blocks import Block
from polyclust.search.partition import sum_weights

__all__ = ["Tally", "rename_hyperplanes", "tally_block"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Tally:
    """(n_blocks, K): weight and number of rows; first : (K,) the first row of each cluster in all blocks."""

    sizes: Floats
    counts: Ints
    first: Ints

    @property
    def total_sizes(self) -> Floats:
        """The weight of every cluster."""
        return np.asarray(self.sizes.sum(axis=0), dtype=np.float64)

    @property
    def names(self) -> Ints:
        """The place of every cluster when the largest comes first; equal ones in the order of their first row."""
        names = np.empty(self.sizes.shape[1], dtype=np.intp)
        names[np.lexsort((self.first, -self.total_sizes))] = np.arange(len(names))
        return names

    def rename(self, names: Ints) -> Tally:
        """The tally with cluster k called names[k]."""
        back = np.argsort(names)
        return Tally(self.sizes[:, back], self.counts[:, back], self.first[back])

    @staticmethod
    def join(parts: Sequence[Tally], n_rows: Sequence[int]) -> Tally:
        """The tally of several blocks, of which each has so many rows."""
        starts = np.concatenate([[0], np.cumsum(n_rows)])
        firsts = [
            np.where(part.first < n, part.first + start, starts[-1])
            for part, start, n in zip(parts, starts, n_rows, strict=False)
        ]
        sizes, counts = np.vstack([p.sizes for p in parts]), np.vstack([p.counts for p in parts])
        return Tally(sizes, counts, np.min(firsts, axis=0))


def tally_block(block: Block, labels: Ints, n_clusters: int) -> Tally:
    """The tally of one block; rows labelled -1 are left out."""
    inside = np.flatnonzero(labels >= 0)
    known = labels[inside]
    first = np.full(n_clusters, len(block), dtype=np.intp)
    np.minimum.at(first, known, inside)
    sizes = sum_weights(known, block.weights[inside], n_clusters)
    return Tally(sizes[None], np.bincount(known, minlength=n_clusters)[None], first)


def rename_hyperplanes(hyperplanes: Sequence[Hyperplane], names: Ints) -> tuple[Hyperplane, ...]:
    """The hyperplanes with cluster k called names[k], pair after pair."""
    renamed = (replace(h, above=int(names[h.above]), below=int(names[h.below])) for h in hyperplanes)
    return tuple(sorted(renamed, key=lambda h: (min(h.above, h.below), max(h.above, h.below))))
