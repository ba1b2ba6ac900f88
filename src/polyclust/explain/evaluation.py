"""An explanation on other rows: quality, profiles, and values for what is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from polyclust.explain.profile import ClusterProfile, profile_clusters
from polyclust.explain.quality import check_weights, count_labels, measure_rules
from polyclust.geometry.hyperplane import find_members, place_rows
from polyclust.table.features import Column

if TYPE_CHECKING:
    from polyclust.explain.explanation import Clause, Explanation

__all__ = ["evaluate", "fill_columns", "profile"]


def evaluate(explanation: Explanation, X: Any, labels: Any, sample_weight: Any = None) -> pd.DataFrame:
    """Coverage and precision of every rule on these rows. Rows labelled -1 belong to no cluster."""
    raw = explanation._read(X)
    known = count_labels(labels, explanation.cluster_labels, explanation.n_clusters, len(raw))
    members = find_members(raw, explanation.hyperplanes, explanation.n_clusters)
    qualities = measure_rules(members, known, check_weights(sample_weight, len(raw)))
    frame = pd.DataFrame([asdict(quality) for quality in qualities])
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
        known = count_labels(labels, explanation.cluster_labels, explanation.n_clusters, len(raw))
    return profile_clusters(raw, explanation.features, known, sample_weight, n_clusters=explanation.n_clusters)


def fill_columns(explanation: Explanation, fills: Mapping[str, Any]) -> Explanation:
    """The same explanation over columns that know what replaces a missing value."""
    names = {column.name for column in explanation.columns}
    unknown = [name for name in fills if name not in names]
    if unknown:
        raise ValueError(f"There is no column {unknown[0]!r} to fill; the columns are {', '.join(sorted(names))}.")
    filled = {c: replace(c, fill=_check_fill(c, fills[c.name])) for c in explanation.columns if c.name in fills}
    features = tuple(replace(f, column=filled.get(f.column, f.column)) for f in explanation.features)
    rules = tuple(
        replace(rule, clauses=tuple(_fill_clause(clause, filled) for clause in rule.clauses))
        for rule in explanation.rules
    )
    columns = tuple(filled.get(c, c) for c in explanation.columns)
    return replace(explanation, columns=columns, features=features, rules=rules)


def _fill_clause(clause: Clause, filled: Mapping[Column, Column]) -> Clause:
    terms = (
        replace(t, feature=replace(t.feature, column=filled.get(t.feature.column, t.feature.column)))
        for t in clause.terms
    )
    return replace(clause, terms=tuple(terms))


def _check_fill(column: Column, value: Any) -> Any:
    """A plain Python value of the column's kind."""
    value = value.item() if hasattr(value, "item") else value
    if value is None:
        return None
    if column.kind == "category":
        return value
    if column.kind == "boolean" and value in (0, 1):
        return bool(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and column.kind != "boolean"
    if is_number and math.isfinite(value) and (column.kind == "number" or float(value).is_integer()):
        return float(value)
    raise ValueError(
        f"Column {column.name!r} cannot be filled with {value!r}: give a value of its kind, {column.kind}."
    )
