"""Explanations with hard names and values, tables to go with them, and where each row belongs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from polyclust.explain.explanation import Clause, Explanation, Rule, Term
from polyclust.geometry.hyperplane import Hyperplane, build_polytopes, find_members, place_rows
from polyclust.table.features import Column, Feature

HARD_TEXTS = [
    "age",
    "select",
    'x"; DROP TABLE t; --',
    "it's",
    "'; --",
    "a.b",
    " lead and trail ",
    "<script>alert(1)</script>",
    "größe 身長 🙂",
    "back\\slash\\",
    "`tick` [bracket]",
    "new\nline",
    "tab\there",
    "100%",
    "$1 ? :x {y} #z",
    "cluster",
    "t",
    "None",
    "value",
    "row",
    "d0",
    "/* c */",
    "e\u202egnirts",
    "long " * 12,
]


@dataclass(frozen=True)
class ExportCase:
    """An explanation, rows as the table holds them (None: missing), and the cluster of each row."""

    explanation: Explanation
    rows: list[tuple[Any, ...]]

    @property
    def expected(self) -> list[int | None]:
        return [locate(self.explanation, row) for row in self.rows]


def locate(explanation: Explanation, row: tuple[Any, ...]) -> int | None:
    """Where a row belongs, straight from the hyperplanes; None if a value that is needed is missing."""
    values = {
        column: column.fill if value is None else value for column, value in zip(explanation.columns, row, strict=True)
    }
    raw = np.array([[encode(f, values[f.column]) for f in explanation.features]])
    by_rules = {t.feature.column for r in explanation.rules for c in r.clauses for t in c.terms}
    by_planes = {explanation.features[i].column for h in explanation.hyperplanes for i in h.features}
    if any(values[c] is None for c in by_rules):
        return None
    planes, n_clusters = explanation.hyperplanes, explanation.n_clusters
    is_outside = not find_members(raw, planes, n_clusters).any()
    if is_outside and explanation.outside == "nearest" and any(values[c] is None for c in by_planes):
        return None
    return int(place_rows(raw, planes, n_clusters, explanation.outside)[0])


def encode(feature: Feature, value: Any) -> float:
    """The raw value of a feature; what is missing counts as 0 and must not matter."""
    if value is None:
        return 0.0
    if feature.kind == "level":
        return float(value == feature.level)
    if feature.kind == "cut":
        return float(value >= feature.level)
    return float(value)


def make_rules(features: tuple[Feature, ...], planes: tuple[Hyperplane, ...], n: int) -> tuple[Rule, ...]:
    """Every half-space of every polytope as a clause."""
    return tuple(
        Rule(p.cluster, tuple(make_clause(features, h, up) for h, up in p.halfspaces), 10.0, 1.0, 1.0)
        for p in build_polytopes(planes, n)
    )


def make_clause(features: tuple[Feature, ...], plane: Hyperplane, is_upper: bool) -> Clause:
    triples = zip(plane.coefficients, plane.features, plane.units, strict=True)
    terms = tuple(Term(c, features[f], unit) for c, f, unit in triples)
    return Clause(terms, "≥" if is_upper else "<", plane.threshold)


def make_explanation(
    features: tuple[Feature, ...], planes: tuple[Hyperplane, ...], n: int, outside: str = "nearest"
) -> Explanation:
    columns = tuple(dict.fromkeys(f.column for f in features))
    return Explanation(columns, features, planes, make_rules(features, planes, n), outside)  # type: ignore[arg-type]


def flower_explanation(outside: str = "nearest") -> Explanation:
    """Three clusters that do not cover space, of all kinds of terms; for golden files."""
    columns = (
        Column("petal length", "number", "petal length"),
        Column("smooth", "boolean", "smooth", fill=False),
        Column("colour", "category", "colour", ("blue", "red", "white")),
        Column("leaves", "integer", "leaves"),
    )
    features = (
        Feature(columns[0], "number", scale=4.0, unit=5.0, low=1.0, high=5.0),
        Feature(columns[1], "boolean"),
        *(Feature(columns[2], "level", level) for level in columns[2].levels),
        Feature(columns[3], "integer", scale=9.0, unit=10.0, low=0.0, high=9.0),
    )
    planes = (
        Hyperplane((0,), (1.0,), (1.0,), 2.5, 0.25, 1, 0),
        Hyperplane((0, 1), (2.0, 3.0), (5.0, 1.0), 2.6, 3.4, 2, 0),
        Hyperplane((3,), (1.0,), (1.0,), 1.0, 0.7071067811865476, 1, 2),
    )
    rules = list(make_rules(features, planes, 3))
    rules[1] = replace(rules[1], size=12.0, name="long red petals")
    return Explanation(columns, features, planes, tuple(rules), outside)  # type: ignore[arg-type]


# --- generated cases

numbers = st.one_of(
    st.floats(-1e290, 1e290, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-290),
    st.floats(-100, 100).filter(lambda v: v == 0 or abs(v) > 1e-290),
    st.integers(-5, 5).map(float),
    st.decimals(-1000, 1000, places=3).map(float),
)
factors = st.one_of(
    st.integers(1, 3).map(float),
    st.floats(1e-3, 1e3),
    st.sampled_from([0.1, 0.5, 1e-3, 2e5, 3.5999999999999996]),
)
texts = st.one_of(
    st.sampled_from(HARD_TEXTS), st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
)


@st.composite
def draw_columns(draw: Any) -> tuple[Column, ...]:
    # Databases fold case and cut long names: names must differ in their first letters.
    names = draw(st.lists(texts, min_size=1, max_size=4, unique_by=lambda s: s.casefold()[:12]))
    return tuple(draw(draw_column(name)) for name in names)


@st.composite
def draw_column(draw: Any, name: str) -> Column:
    kind = draw(st.sampled_from(["number", "integer", "boolean", "category"]))
    levels: tuple[Any, ...] = ()
    if kind == "category":
        pool = draw(st.sampled_from([texts, st.integers(-3, 2**40), st.booleans(), numbers]))
        levels = tuple(draw(st.lists(pool, min_size=2, max_size=3, unique=True)))
    column = Column(name, kind, name, levels)
    fill = draw(st.one_of(st.none(), draw_value(column)))
    return Column(name, kind, name, levels, fill)


def draw_value(column: Column) -> st.SearchStrategy[Any]:
    if column.kind == "category":
        return st.sampled_from(column.levels)
    return {"number": numbers, "integer": st.integers(-(2**53), 2**53), "boolean": st.booleans()}[column.kind]


@st.composite
def draw_features(draw: Any, columns: tuple[Column, ...]) -> tuple[Feature, ...]:
    features: list[Feature] = []
    for column in columns:
        if column.kind == "category":
            features += [Feature(column, "level", level) for level in column.levels]
        elif column.kind != "boolean" and draw(st.booleans()):
            features.append(Feature(column, "cut", float(draw(draw_value(column)))))
        else:
            features.append(Feature(column, column.kind))
    return tuple(features)


@st.composite
def draw_plane(draw: Any, features: tuple[Feature, ...], raw: Any, above: int, below: int) -> Hyperplane:
    size = draw(st.integers(1, min(3, len(features))))
    chosen = tuple(draw(st.permutations(range(len(features))))[:size])
    if size == 1:
        coefficients, units = (1.0,), (1.0,)
    else:
        signs = (1.0, *(draw(st.sampled_from([1.0, -1.0])) for _ in range(size - 1)))
        coefficients = tuple(sign * draw(factors) for sign in signs)
        units = tuple(draw(st.one_of(st.just(1.0), factors)) for _ in range(size))
    norm = draw(st.one_of(factors, st.just(1.0)))
    plane = Hyperplane(chosen, coefficients, units, 0.0, norm, above, below)
    seen = float(draw(st.sampled_from(list(plane.value(raw)))))
    candidates = [seen, math.nextafter(seen, math.inf), 1.0, 0.5]
    threshold = draw(st.one_of(st.sampled_from([c for c in candidates if c == 0 or abs(c) > 1e-290]), numbers))
    return Hyperplane(chosen, coefficients, units, threshold, norm, above, below)


@st.composite
def export_cases(draw: Any, with_missing: bool = True) -> ExportCase:
    """Any explanation: one hyperplane per pair, or a tree of cuts; rows of seen and unseen values."""
    columns = draw(draw_columns())
    features = draw(draw_features(columns))
    n_clusters = draw(st.integers(1, 5))
    rows = draw(st.lists(st.tuples(*(draw_value(c) for c in columns)), min_size=3, max_size=8))
    raw = np.array([[encode(f, row[columns.index(f.column)]) for f in features] for row in rows])
    pairs = [(i, j) for i in range(n_clusters) for j in range(i + 1, n_clusters)]
    if draw(st.booleans()):
        planes = _draw_tree(draw, features, raw, list(range(n_clusters)))
    else:
        sides = [draw(st.permutations(pair)) for pair in pairs]
        planes = [draw(draw_plane(features, raw, i, j)) for i, j in sides]
    outside = draw(st.sampled_from(["nearest", "none"]))
    rules = make_rules(features, tuple(planes), n_clusters)
    explanation = Explanation(columns, features, tuple(planes), rules, outside)
    if with_missing:
        rows = rows + [tuple(None if draw(st.booleans()) else v for v in row) for row in rows[:3]]
    return ExportCase(explanation, rows)


def _draw_tree(draw: Any, features: tuple[Feature, ...], raw: Any, clusters: list[int]) -> list[Hyperplane]:
    if len(clusters) < 2:
        return []
    at = draw(st.integers(1, len(clusters) - 1))
    above, below = clusters[:at], clusters[at:]
    cut = draw(draw_plane(features, raw, above[0], below[0]))
    own = [
        Hyperplane(cut.features, cut.coefficients, cut.units, cut.threshold, cut.norm, i, j)
        for i in above
        for j in below
    ]
    return own + _draw_tree(draw, features, raw, above) + _draw_tree(draw, features, raw, below)
