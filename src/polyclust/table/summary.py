"""A table that lies in parts: kinds, levels and spans of its columns from one look at each part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.table.columns import ColumnSummary, conclude_column, join_summaries, open_table, summarise_column
from polyclust.table.encode import Spans, encode_rows, list_features, measure_spans
from polyclust.table.features import Column, Feature

__all__ = ["TableSummary", "join_tables", "summarise_table"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TableSummary:
    """Some rows of a table: how many, how many count, its columns, and the spans of the features that it has itself.

    ``spans`` is None where a column cannot be used, of which the columns tell.
    """

    n_rows: int
    n_counted: int
    names: tuple[str, ...]
    labels: tuple[Any, ...]
    columns: tuple[ColumnSummary, ...]
    features: tuple[Feature, ...] = ()
    spans: Spans | None = None


def summarise_table(X: Any, weights: Floats, with_moments: bool, most_levels: int) -> TableSummary:
    """One part of a table. More levels than allowed are refused, since every level becomes a feature."""
    table = open_table(X)
    names = tuple(table.name(i) for i in range(len(table.labels)))
    summaries = tuple(summarise_column(table.column(i)) for i in range(len(names)))
    _refuse_levels(names, summaries, most_levels)
    known = (table.n_rows, int((weights > 0).sum()), names, tuple(table.labels), summaries)
    try:
        columns = _conclude(names, table.labels, summaries)
    except ValueError:  # said once, when the parts are joined and all rows are counted
        return TableSummary(*known)
    features = list_features(columns)
    spans = measure_spans(encode_rows(X, columns, features), weights, with_moments)
    return TableSummary(*known, features, spans)


def join_tables(parts: Sequence[TableSummary], most_levels: int) -> tuple[tuple[Column, ...], Spans]:
    """The columns of the whole table and the spans of their features. Raises ValueError as for a table in memory."""
    names, labels = parts[0].names, parts[0].labels
    for part in parts:
        if part.names != names:
            raise ValueError(
                f"The parts of the table have different columns: {', '.join(names)} and {', '.join(part.names)}; "
                "give all of them the same."
            )
    summaries = tuple(join_summaries([part.columns[i] for part in parts]) for i in range(len(names)))
    _refuse_levels(names, summaries, most_levels)
    columns = _conclude(names, labels, summaries)
    return columns, _join_spans(parts, list_features(columns))


def _conclude(names: Sequence[str], labels: Sequence[Any], summaries: Sequence[ColumnSummary]) -> tuple[Column, ...]:
    return tuple(conclude_column(s, label, name) for name, label, s in zip(names, labels, summaries, strict=True))


def _refuse_levels(names: Sequence[str], summaries: Sequence[ColumnSummary], most_levels: int) -> None:
    for name, summary in zip(names, summaries, strict=True):
        if len(summary.levels) > most_levels:
            raise ValueError(
                f"Column {name!r} holds more than {most_levels} different texts; leave it out if it is an identifier, "
                "or group its values."
            )


def _join_spans(parts: Sequence[TableSummary], features: Sequence[Feature]) -> Spans:
    """The spans of all parts together; a level that a part lacks is 0 in all its rows."""
    aligned = [_align(part, features) for part in parts if part.n_counted]
    weights = np.array([spans.weight for spans in aligned])
    shares = (weights / weights.sum())[:, None]
    mean = np.sum(shares * [s.mean for s in aligned], axis=0)
    around = [s.variance + (s.mean - mean) ** 2 for s in aligned]
    return Spans(
        weight=float(weights.sum()),
        low=np.min([s.low for s in aligned], axis=0),
        high=np.max([s.high for s in aligned], axis=0),
        mean=mean,
        variance=np.sum(shares * around, axis=0),
    )


def _align(part: TableSummary, features: Sequence[Feature]) -> Spans:
    assert part.spans is not None
    place = {(f.column.label, f.level): i for i, f in enumerate(part.features)}
    at = np.array([place.get((f.column.label, f.level), -1) for f in features])
    is_here = at >= 0
    low, high, mean, variance = (
        np.where(is_here, values[at], 0.0)
        for values in (part.spans.low, part.spans.high, part.spans.mean, part.spans.variance)
    )
    return Spans(part.spans.weight, low, high, mean, variance)
