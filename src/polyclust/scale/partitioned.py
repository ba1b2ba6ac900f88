"""A fit on tables in partitions: what they hold, and their rows as blocks that are encoded wherever they lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyclust.explain.quality import RuleCounts, check_weights, count_rules
from polyclust.geometry.hyperplane import find_members, place_rows
from polyclust.scale.blocks import Block, Blocks, Placing
from polyclust.table.encode import encode_rows, list_features, scale_features
from polyclust.table.features import Column, Feature
from polyclust.table.summary import TableSummary, join_tables, summarise_table

__all__ = [
    "Encoding",
    "PartitionBlocks",
    "PartitionedTable",
    "count_all",
    "describe_partitions",
    "label_all",
    "label_by_weight",
    "refuse_in_partitions",
]

Floats = NDArray[np.float64]
Result = TypeVar("Result")
MOST_LEVELS = 1000  # of a column that lies elsewhere: every partition sends its own


class Parts(Protocol):
    """A table in parts: Dask's partitions, or slices of a table in memory."""

    def __len__(self) -> int:
        """How many parts there are."""

    def map(self, function: Callable[..., Result], asked: Mapping[int, Any] | None = None) -> list[Result]:
        """function(table, sample_weight=...) for all parts or, with an argument each, for some."""


@dataclass(frozen=True)
class PartitionedTable:
    """What one pass over the partitions tells: columns, features that vary, rows and weight."""

    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    n_rows: tuple[int, ...]
    n_counted: int
    total: float


def describe_partitions(partitions: Parts, scale: str, units: str, most_levels: int = MOST_LEVELS) -> PartitionedTable:
    """Kinds, levels and spans of the columns in one pass. Raises ValueError as for a table in memory."""
    parts = partitions.map(partial(_summarise, with_moments=scale == "standard", most_levels=most_levels))
    n_counted = sum(part.n_counted for part in parts)
    if not n_counted:
        is_empty = not any(part.n_rows for part in parts)
        raise ValueError(
            "The table has no rows; at least two are needed."
            if is_empty
            else "All sample weights are zero; at least two rows must count."
        )
    columns, spans = join_tables(parts, most_levels)
    features, _ = scale_features(list_features(columns), spans, scale, units)
    return PartitionedTable(columns, features, tuple(part.n_rows for part in parts), n_counted, spans.weight)


def _summarise(table: Any, sample_weight: Any = None, *, with_moments: bool, most_levels: int) -> TableSummary:
    return summarise_table(table, check_weights(sample_weight, len(table)), with_moments, most_levels)


def refuse_in_partitions(distance: str, distances: Any, explain_with: Any) -> None:
    """Raise a ValueError for what needs all rows at once."""
    if distance == "precomputed" or distances is not None:
        raise ValueError(
            "Precomputed distances need all rows in memory; use a metric of the columns, or fit on a sample."
        )
    if hasattr(explain_with, "transform"):
        raise ValueError(
            f"explain_with={type(explain_with).__name__} must be fitted on rows in memory; name columns instead, or "
            "add the features it makes to the table."
        )


@dataclass(frozen=True)
class Encoding:
    """From a partition to a block: the clustering features, and which of them explain (None: all)."""

    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    explaining: tuple[int, ...] | None

    @classmethod
    def of(cls, table: PartitionedTable, explaining: tuple[Feature, ...]) -> Self:
        """The encoding where some of the features explain, or all of them."""
        is_all = explaining == table.features
        return cls(table.columns, table.features, None if is_all else tuple(map(table.features.index, explaining)))

    def read(self, table: Any, sample_weight: Any = None) -> Block:
        """The rows that count."""
        weights = check_weights(sample_weight, len(table))
        clustered = encode_rows(table, self.columns, self.features)
        if not (weights > 0).all():
            clustered, weights = clustered[weights > 0], weights[weights > 0]
        raw = clustered if self.explaining is None else clustered[:, list(self.explaining)]
        return Block(raw, clustered, weights)


@dataclass(frozen=True)
class PartitionBlocks:
    """Blocks that live in partitions. Every map reads the table again; only results come back."""

    partitions: Parts
    encoding: Encoding
    placing: Placing | None = None

    def __len__(self) -> int:
        return len(self.partitions)

    def map(self, function: Callable[[Block], Result]) -> list[Result]:
        """The function's result for every block, in order."""
        return self.partitions.map(partial(_call, function, self.encoding, self.placing))

    def map_some(self, function: Callable[[Block, Any], Result], asked: Mapping[int, Any]) -> list[Result]:
        """The same for some blocks, by number, with an argument for each."""
        if not asked:
            return []
        return self.partitions.map(partial(_call, function, self.encoding, self.placing), asked)

    def place(self, placing: Placing) -> Self:
        """The same blocks, whose rows are labelled when they are read."""
        return replace(self, placing=placing)


def _call(
    function: Callable[..., Result],
    encoding: Encoding,
    placing: Placing | None,
    table: Any,
    *argument: Any,
    sample_weight: Any = None,
) -> Result:
    block = encoding.read(table, sample_weight)
    return function(block if placing is None else block.place(placing), *argument)


def label_all(parts: Parts, encoding: Encoding, placing: Placing) -> NDArray[np.intp]:
    """The labels of all rows, in memory, those of no weight too."""
    return np.concatenate(parts.map(partial(_label, encoding=encoding, placing=placing)))


def _label(table: Any, sample_weight: Any = None, *, encoding: Encoding, placing: Placing) -> NDArray[np.intp]:  # noqa: ARG001
    return placing.label(encoding.read(table).raw)


def label_by_weight(
    table: Any, weights: Floats, read: Callable[[Any], Floats], placing: Placing, outside: str
) -> NDArray[np.intp]:
    """The labels of rows that count, nearest where no polytope holds them; the others are predicted."""
    raw = read(table)
    labels, is_other = placing.label(raw), weights == 0
    if is_other.any():
        labels[is_other] = place_rows(raw[is_other], placing.hyperplanes, placing.n_clusters, outside)
    return labels


def count_all(placed: Blocks, placing: Placing) -> RuleCounts:
    """The quality of the rules on all placed rows; one pass."""
    return RuleCounts.join(placed.map(partial(_count, placing=placing)))


def _count(block: Block, placing: Placing) -> RuleCounts:
    nothing = np.zeros(placing.n_clusters)
    counts = [RuleCounts(nothing, nothing, nothing)]
    for piece in block.pieces():
        members = find_members(piece.raw, placing.hyperplanes, placing.n_clusters)
        counts.append(count_rules(members, piece.known_labels, piece.weights))
    return RuleCounts.join(counts)
