"""An explanation on other rows: quality, profiles, and values for what is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from polyclust.explain.profile import ClusterProfile, profile_clusters
from polyclust.explain.quality import RuleCounts, check_weights, count_rules, number_labels
from polyclust.geometry.hyperplane import find_members, place_rows
from polyclust.table.features import Column
from polyclust.table.partitions import Partitions, is_partitioned, join_later

if TYPE_CHECKING:
    from polyclust.explain.explanation import Clause, Explanation

__all__ = ["evaluate", "fill_columns", "mark_written", "profile"]


def evaluate(explanation: Explanation, X: Any, labels: Any, sample_weight: Any = None) -> Any:
    """Coverage and precision of every rule on these rows. Rows labelled -1 belong to no cluster.

    A frame; for a Dask collection, with labels in the same partitions, a Delayed of that frame.
    """
    if not is_partitioned(X):
        return _tabulate([_count(X, labels, sample_weight, explanation=explanation)], explanation)
    partitions = Partitions(X, labels=labels, sample_weight=sample_weight)
    parts = partitions.delay(partial(_count, explanation=explanation))
    return join_later(parts, partial(_tabulate, explanation=explanation))


def _count(X: Any, labels: Any, sample_weight: Any = None, *, explanation: Explanation) -> RuleCounts:
    raw = explanation._read(X)
    known = number_labels(labels, explanation.cluster_labels, explanation.n_clusters, len(raw))
    members = find_members(raw, explanation.hyperplanes, explanation.n_clusters)
    return count_rules(members, known, check_weights(sample_weight, len(raw)))


def _tabulate(counts: Sequence[RuleCounts], explanation: Explanation) -> pd.DataFrame:
    frame = pd.DataFrame([asdict(quality) for quality in RuleCounts.join(counts).qualities])
    frame.insert(1, "name", [rule.name for rule in explanation.rules])
    return frame.set_index("cluster")


def profile(
    explanation: Explanation, X: Any, labels: Any = None, sample_weight: Any = None
) -> tuple[ClusterProfile, ...]:
    """What sets each cluster apart among these rows; without labels the rules place them."""
    raw = explanation._read(X)
    if labels is None:
        known = place_rows(raw, explanation.hyperplanes, explanation.n_clusters, explanation.outside)
    else:
        known = number_labels(labels, explanation.cluster_labels, explanation.n_clusters, len(raw))
    return profile_clusters(raw, explanation.features, known, sample_weight, n_clusters=explanation.n_clusters)


def fill_columns(explanation: Explanation, fills: Mapping[str, Any]) -> Explanation:
    """The same explanation over columns that know what replaces a missing value."""
    names = {column.name for column in explanation.columns}
    unknown = [name for name in fills if name not in names]
    if unknown:
        raise ValueError(f"There is no column {unknown[0]!r} to fill; the columns are {', '.join(sorted(names))}.")
    filled = {c: replace(c, fill=_check_fill(c, fills[c.name])) for c in explanation.columns if c.name in fills}
    return _exchange_columns(explanation, filled)


def mark_written(explanation: Explanation, written: Mapping[str, str]) -> Explanation:
    """The same explanation over columns that know from which texts their numbers were read: column name -> text."""
    marked = {c: replace(c, written=written[c.name]) for c in explanation.columns if written.get(c.name)}
    return _exchange_columns(explanation, marked)


def _exchange_columns(explanation: Explanation, others: Mapping[Column, Column]) -> Explanation:
    """The same explanation with other columns in the places of some."""
    features = tuple(replace(f, column=others.get(f.column, f.column)) for f in explanation.features)
    rules = tuple(
        replace(rule, clauses=tuple(_exchange_in_clause(clause, others) for clause in rule.clauses))
        for rule in explanation.rules
    )
    columns = tuple(others.get(c, c) for c in explanation.columns)
    return replace(explanation, columns=columns, features=features, rules=rules)


def _exchange_in_clause(clause: Clause, others: Mapping[Column, Column]) -> Clause:
    terms = (
        replace(t, feature=replace(t.feature, column=others.get(t.feature.column, t.feature.column)))
        for t in clause.terms
    )
    return replace(clause, terms=tuple(terms))


def _check_fill(column: Column, value: Any) -> Any:
    """A plain Python value of the column's kind."""
    value = value.item() if hasattr(value, "item") else value
    if value is None:
        return None
    if column.kind == "category" and value == value:
        return value
    if column.kind == "boolean" and value in (0, 1):
        return bool(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and column.kind != "boolean"
    if is_number and math.isfinite(value) and (column.kind == "number" or float(value).is_integer()):
        return float(value)
    raise ValueError(
        f"Column {column.name!r} cannot be filled with {value!r}: give a value of its kind, {column.kind}."
    )
