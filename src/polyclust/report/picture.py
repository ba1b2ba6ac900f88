"""The data of the interactive picture: a sample of rows, the columns to choose, the half-spaces to draw."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.explain.clauses import list_rule_columns
from polyclust.explain.explanation import Clause, Explanation, Term

__all__ = [
    "MOST_POINTS",
    "choose_axes",
    "choose_picture_columns",
    "draw_sample",
    "prepare_column",
    "prepare_terms",
]

MOST_POINTS = 3_000
MOST_CELLS = 150_000
FEWEST_OF_A_CLUSTER = 30
MOST_CANDIDATES = 40


def draw_sample(labels: NDArray[np.intp], n_columns: int, seed: int) -> NDArray[np.intp]:
    """Rows to draw: all when they are few, else at random with at least some of every cluster."""
    most = max(500, min(MOST_POINTS, MOST_CELLS // max(n_columns, 1)))
    if len(labels) <= most:
        return np.arange(len(labels))
    rng = np.random.default_rng(seed)
    share = most / len(labels)
    drawn = []
    for cluster in np.unique(labels):
        rows = np.flatnonzero(labels == cluster)
        size = min(len(rows), max(FEWEST_OF_A_CLUSTER, round(share * len(rows))))
        drawn.append(rng.choice(rows, size, replace=False))
    return np.sort(np.concatenate(drawn))


def choose_picture_columns(table: pd.DataFrame, explanation: Explanation) -> list[str]:
    """The columns that rules use, then the others, as many as a page can hold."""
    used = {c.name for c in list_rule_columns(explanation)}
    names = [str(c) for c in table.columns]
    ordered = [n for n in names if n in used] + [n for n in names if n not in used]
    kept = set(ordered[: max(MOST_CELLS // 500, 2)])
    return [n for n in names if n in kept]


def choose_axes(
    table: pd.DataFrame, names: Sequence[str], labels: NDArray[np.intp], explanation: Explanation
) -> tuple[int, int]:
    """The two columns to show first: those that tell the most pairs of clusters apart, of equals numbers."""
    if len(names) == 1:
        return 0, 0
    apart = [_share_between(table[name], labels) for name in names]
    used = {c.name for c in list_rule_columns(explanation)}
    candidates = [i for i, name in enumerate(names) if name in used]
    others = sorted(set(range(len(names))) - set(candidates), key=lambda i: -apart[i])
    pairs = combinations((candidates + others[:2])[:MOST_CANDIDATES], 2)
    planes = [{explanation.features[f].column.name for f in h.features} for h in explanation.hyperplanes]

    def merit(pair: tuple[int, int]) -> tuple[int, int, float]:
        shown = {names[i] for i in pair}
        n_numbers = sum(apart[i] > 0 for i in pair)
        n_told_apart = sum(plane <= shown for plane in planes)
        return n_told_apart, n_numbers, sum(apart[i] for i in pair)

    return max(pairs, key=merit)


def _share_between(series: pd.Series[Any], labels: NDArray[np.intp]) -> float:
    """The share of a number's variance that lies between the clusters; 0 for what has no scale to draw."""
    is_number = pd.api.types.is_numeric_dtype(series.dtype) and series.nunique() > 2
    values = series.to_numpy(dtype=np.float64) if is_number else np.zeros(1)
    total = float(values.var())
    if total == 0:
        return 0.0
    groups = [values[labels == k] for k in np.unique(labels)]
    return sum(len(g) * float((g.mean() - values.mean()) ** 2) for g in groups) / (len(values) * total)


def prepare_column(series: pd.Series[Any], name: str, rows: NDArray[np.intp]) -> dict[str, Any]:
    """A column as the picture needs it: numbers as they are, other values as positions in ``levels``."""
    drawn = series.iloc[rows]
    if pd.api.types.is_numeric_dtype(series.dtype) and not isinstance(series.dtype, pd.CategoricalDtype):
        values = series.to_numpy(dtype=np.float64)
        if np.isin(values, (0.0, 1.0)).all():
            return {"name": name, "kind": "boolean", "levels": [], "values": drawn.astype(int).tolist()}
        kind = "integer" if pd.api.types.is_integer_dtype(series.dtype) else "number"
        bounds = {"low": float(values.min()), "high": float(values.max())}
        return {"name": name, "kind": kind, "levels": [], "values": drawn.tolist(), **bounds}
    levels = sorted(series.astype(object).unique(), key=str)
    codes = {level: i for i, level in enumerate(levels)}
    values_drawn = [codes[v] for v in drawn.astype(object)]
    return {"name": name, "kind": "category", "levels": [str(v) for v in levels], "values": values_drawn}


def prepare_terms(clause: Clause, columns: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """A clause in terms of the picture's columns; None where one of them is not in the picture."""
    positions = {c["name"]: i for i, c in enumerate(columns)}
    terms = [_prepare_term(t, positions, columns) for t in clause.terms]
    if any(t is None for t in terms):
        return None
    threshold = clause.threshold
    if len(clause.terms) == 1 and clause.terms[0].feature.kind == "cut":
        # "age is at least 40" holds where age ≥ 40.
        threshold = float(clause.terms[0].feature.level)  # type: ignore[arg-type]
        terms = [{**terms[0], "cut": None}]  # type: ignore[dict-item]
    return {"terms": terms, "comparison": clause.comparison, "threshold": threshold}


def _prepare_term(term: Term, positions: dict[str, int], columns: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    feature = term.feature
    position = positions.get(feature.column.name)
    if position is None:
        return None
    level = columns[position]["levels"].index(str(feature.level)) if feature.kind == "level" else None
    cut = float(feature.level) if feature.kind == "cut" else None  # type: ignore[arg-type]
    return {
        "column": position,
        "level": level,
        "cut": cut,
        "coefficient": term.coefficient,
        "unit": term.unit,
    }
