"""Rows in blocks: what the path for many rows asks of them, whether they are one machine's or many machines'.

The path itself holds nothing of the order of all rows. It maps functions over the blocks, gets a small result from
each, in the order of the blocks, and joins these. A block is one array in memory, or a partition that a worker encodes
whenever it is asked; inside a block work goes piece by piece, so that what is held beside the rows stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import ROWS_AT_ONCE, Hyperplane, place_rows

__all__ = ["ArrayBlocks", "Block", "Blocks", "Placing"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Placing:
    """The hyperplanes that say which cluster a row is in."""

    hyperplanes: tuple[Hyperplane, ...]
    n_clusters: int

    def label(self, raw: Floats) -> Ints:
        """The polytope that holds each row, or the nearest."""
        pieces = range(0, len(raw), ROWS_AT_ONCE)
        labels = [place_rows(raw[s : s + ROWS_AT_ONCE], self.hyperplanes, self.n_clusters) for s in pieces]
        return np.concatenate(labels) if labels else np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class Block:
    """Some rows: explaining features, clustering features (the same array where they are the same), weights > 0.

    ``labels`` are there once the blocks were placed.
    """

    raw: Floats
    clustered: Floats
    weights: Floats
    labels: Ints | None = None

    def __len__(self) -> int:
        return len(self.raw)

    @property
    def known_labels(self) -> Ints:
        """The labels of placed rows."""
        assert self.labels is not None
        return self.labels

    def take(self, rows: Ints | slice) -> Block:
        """Some of the rows."""
        raw = self.raw[rows]
        clustered = raw if self.clustered is self.raw else self.clustered[rows]
        labels = None if self.labels is None else self.labels[rows]
        return Block(raw, clustered, self.weights[rows], labels)

    def pieces(self) -> Iterator[Block]:
        """The rows, a few at a time."""
        for start in range(0, len(self), ROWS_AT_ONCE):
            yield self.take(slice(start, start + ROWS_AT_ONCE))

    def place(self, placing: Placing) -> Block:
        """The same rows with labels."""
        return replace(self, labels=placing.label(self.raw))


class Blocks(Protocol):
    """The rows of a fit."""

    def __len__(self) -> int:
        """How many blocks there are."""

    def map(self, function: Callable[[Block], Result]) -> list[Result]:
        """The function's result for every block, in order. It must be picklable and its result small."""

    def map_some(self, function: Callable[[Block, Any], Result], asked: Mapping[int, Any]) -> list[Result]:
        """The same for some blocks, by number, with an argument for each."""

    def place(self, placing: Placing) -> Self:
        """The same blocks with labels."""


@dataclass(frozen=True)
class ArrayBlocks:
    """Rows in memory, usually as one block."""

    blocks: Sequence[Block]

    def __len__(self) -> int:
        return len(self.blocks)

    def map(self, function: Callable[[Block], Result]) -> list[Result]:
        """The function's result for every block, in order."""
        return [function(block) for block in self.blocks]

    def map_some(self, function: Callable[[Block, Any], Result], asked: Mapping[int, Any]) -> list[Result]:
        """The same for some blocks, by number, with an argument for each."""
        return [function(self.blocks[number], argument) for number, argument in asked.items()]

    def place(self, placing: Placing) -> Self:
        """The same blocks with labels, which are kept."""
        return replace(self, blocks=[block.place(placing) for block in self.blocks])
