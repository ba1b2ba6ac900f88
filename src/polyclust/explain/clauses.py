"""From hyperplanes to clauses, and from features to what types say about possible rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polyclust.explain.explanation import Clause, Explanation, Term
from polyclust.geometry.bounds import HalfSpace, Ladder, PossibleRows
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.table.features import Column, Feature

__all__ = [
    "describe_possible_rows",
    "list_halfspaces",
    "list_rule_columns",
    "list_terms",
    "make_clause",
    "order_clauses",
]


def make_clause(hyperplane: Hyperplane, is_upper: bool, features: Sequence[Feature]) -> Clause:
    """One side of a hyperplane. A whole feature by itself is compared with a whole number."""
    terms = list_terms(hyperplane, features)
    threshold = hyperplane.threshold + 0.0
    if HalfSpace(hyperplane, is_upper).is_plain and terms[0].feature.is_whole:
        threshold = float(math.ceil(threshold))
    return Clause(terms, "≥" if is_upper else "<", threshold)


def list_terms(hyperplane: Hyperplane, features: Sequence[Feature]) -> tuple[Term, ...]:
    """What a hyperplane sums, in the stored order."""
    return tuple(
        Term(float(c), features[f], float(u))
        for f, c, u in zip(hyperplane.features, hyperplane.coefficients, hyperplane.units, strict=True)
    )


def list_rule_columns(explanation: Explanation) -> tuple[Column, ...]:
    """The columns that some rule reads, in the order of the table."""
    used = {t.feature.column for rule in explanation.rules for clause in rule.clauses for t in clause.terms}
    return tuple(c for c in explanation.columns if c in used)


def list_halfspaces(hyperplanes: Sequence[Hyperplane], cluster: int) -> list[HalfSpace]:
    """The half-spaces whose intersection is the cluster's polytope, each once."""
    sides = {
        (h.direction, h.threshold, h.above == cluster): HalfSpace(h, h.above == cluster)
        for h in hyperplanes
        if cluster in (h.above, h.below)
    }
    return list(sides.values())


def order_clauses(halfspaces: Sequence[HalfSpace], features: Sequence[Feature]) -> tuple[Clause, ...]:
    """Clauses as people read them: short sums first, in the table's order, lower bounds before upper ones."""
    ordered = sorted(
        halfspaces,
        key=lambda h: (len(h.plane.features), h.plane.features, h.plane.coefficients, not h.is_upper),
    )
    return tuple(make_clause(h.plane, h.is_upper, features) for h in ordered)


def describe_possible_rows(features: Sequence[Feature]) -> PossibleRows:
    """What the kinds of the features say about rows that can occur."""
    levels: dict[object, list[int]] = {}
    cuts: dict[object, list[tuple[float, int]]] = {}
    bases: dict[object, int] = {}
    for i, f in enumerate(features):
        if f.kind == "level":
            levels.setdefault(f.column, []).append(i)
        elif f.kind == "cut":
            cuts.setdefault(f.column, []).append((float(f.level), i))  # type: ignore[arg-type]
        else:
            bases[f.column] = i
    whole = {f.column: f.column.kind != "number" for f in features}
    return PossibleRows(
        is_whole=tuple(f.is_whole for f in features),
        is_binary=tuple(f.is_binary for f in features),
        groups=tuple(tuple(group) for group in levels.values() if len(group) > 1),
        ladders=tuple(Ladder(tuple(sorted(s)), bases.get(c), whole[c]) for c, s in cuts.items()),  # type: ignore[index]
    )
