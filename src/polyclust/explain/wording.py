"""Clauses and rules in words.

A boolean reads ``hair`` or ``NOT hair``, a category ``colour = "red"`` or ``colour ∉ {"red", "blue"}``, two
bounds of one sum are an interval ``18 ≤ age < 40`` or, where they leave one whole number, that number
``legs = 4``, and several terms a sum ``2·(age/50) + 3·smoker ≥ 2.6``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from polyclust.explain.spelling import EVERY_ROW, Vocabulary, format_number, spell_level, spell_name
from polyclust.table.features import Column, Feature

if TYPE_CHECKING:
    from polyclust.explain.explanation import Clause, Term

__all__ = ["is_choice", "is_true_or_false", "word_clause", "word_conditions", "word_rule", "word_sum"]


def word_rule(clauses: Sequence[Clause], vocabulary: Vocabulary | None = None) -> str:
    """The whole rule on one line."""
    return " AND ".join(word_conditions(clauses, vocabulary)) or EVERY_ROW


def word_clause(clause: Clause, vocabulary: Vocabulary | None = None) -> str:
    """One clause by itself."""
    return word_conditions((clause,), vocabulary)[0]


def word_conditions(clauses: Sequence[Clause], vocabulary: Vocabulary | None = None) -> tuple[str, ...]:
    """What a rule asks, one condition after the other: intervals merged, values of a category folded."""
    return tuple(condition.word(vocabulary or {}) for condition in _merge(clauses))


def word_sum(terms: Sequence[Term], vocabulary: Vocabulary | None = None) -> str:
    """The left-hand side of a clause."""
    text = ""
    for term in terms:
        size = abs(term.coefficient)
        factor = "" if size == 1 else f"{format_number(size)}·"
        sign = ("−" if term.coefficient < 0 else "") if not text else (" − " if term.coefficient < 0 else " + ")
        text += f"{sign}{factor}{_word_atom(term, vocabulary or {})}"
    return text


def _word_atom(term: Term, vocabulary: Vocabulary) -> str:
    feature = term.feature
    name = _name(feature.column, vocabulary)
    if feature.kind == "level":
        return f"({name} = {spell_level(feature.level, feature.column)})"
    if feature.kind == "cut":
        return f"({name} ≥ {format_number(float(feature.level))})"  # type: ignore[arg-type]
    return name if term.unit == 1 else f"({name}/{format_number(term.unit)})"


def _name(column: Column, vocabulary: Vocabulary) -> str:
    return vocabulary.get(column) or spell_name(column.name)


@dataclass
class _Bounds:
    """Both bounds of one sum."""

    terms: tuple[Term, ...]
    low: float | None = None
    high: float | None = None

    def word(self, vocabulary: Vocabulary) -> str:
        total = word_sum(self.terms, vocabulary)
        if self._leaves_one_number():
            return f"{total} = {format_number(self.low or 0.0)}"
        if self.low is not None and self.high is not None:
            return f"{format_number(self.low)} ≤ {total} < {format_number(self.high)}"
        if self.low is not None:
            return f"{total} ≥ {format_number(self.low)}"
        return f"{total} < {format_number(self.high or 0.0)}"

    def _leaves_one_number(self) -> bool:
        """An integer column by itself, bounded to ``low ≤ x < low + 1``."""
        if self.low is None or self.high is None or len(self.terms) > 1:
            return False
        term = self.terms[0]
        is_plain = term.feature.kind == "integer" and term.coefficient == 1 and term.unit == 1
        return is_plain and self.low % 1 == 0 and self.high - self.low == 1


@dataclass
class _Switch:
    """A boolean that must be true, or must not."""

    column: Column
    is_wanted: bool

    def word(self, vocabulary: Vocabulary) -> str:
        name = _name(self.column, vocabulary)
        return name if self.is_wanted else f"NOT {name}"


@dataclass
class _Choice:
    """Values of one category that are asked for, or excluded."""

    column: Column
    is_wanted: bool
    levels: list[Hashable] = field(default_factory=list)

    def word(self, vocabulary: Vocabulary) -> str:
        name = _name(self.column, vocabulary)
        spelled = [spell_level(level, self.column) for level in self.levels]
        if len(spelled) == 1:
            return f"{name} {'=' if self.is_wanted else '≠'} {spelled[0]}"
        return f"{name} {'∈' if self.is_wanted else '∉'} {{{', '.join(spelled)}}}"


_Condition = _Bounds | _Switch | _Choice


def _merge(clauses: Sequence[Clause]) -> list[_Condition]:
    """Conditions in the order of their first clause."""
    conditions: list[_Condition] = []
    excluded: dict[Column, _Choice] = {}
    bounds: dict[tuple[object, ...], _Bounds] = {}
    for clause in clauses:
        if is_choice(clause):
            _merge_choice(clause, excluded, conditions)
        elif is_true_or_false(clause, "boolean"):
            conditions.append(_Switch(clause.terms[0].feature.column, clause.comparison == "≥"))
        else:
            _merge_bound(_open_cut(clause), bounds, conditions)
    return conditions


def _merge_choice(clause: Clause, excluded: dict[Column, _Choice], conditions: list[_Condition]) -> None:
    column, is_wanted = clause.terms[0].feature.column, clause.comparison == "≥"
    known = None if is_wanted else excluded.get(column)
    if known is None:
        known = _Choice(column, is_wanted)
        conditions.append(known)
        if not is_wanted:
            excluded[column] = known
    known.levels += [t.feature.level for t in clause.terms if t.feature.level not in known.levels]


def _merge_bound(clause: Clause, bounds: dict[tuple[object, ...], _Bounds], conditions: list[_Condition]) -> None:
    side = "low" if clause.comparison == "≥" else "high"
    key = tuple((t.coefficient, t.feature.column, t.feature.kind, t.feature.level, t.unit) for t in clause.terms)
    known = bounds.get(key)
    if known is None or getattr(known, side) is not None:
        known = bounds[key] = _Bounds(clause.terms)
        conditions.append(known)
    setattr(known, side, clause.threshold)


def is_choice(clause: Clause) -> bool:
    """One value of a category, or a plain sum of values of one category, is present or absent."""
    return (
        0 < clause.threshold <= 1
        and all(t.feature.kind == "level" and t.coefficient == 1 and t.unit == 1 for t in clause.terms)
        and len({t.feature.column for t in clause.terms}) == 1
    )


def is_true_or_false(clause: Clause, kind: str) -> bool:
    """One feature of this kind, compared so that only its truth matters."""
    term = clause.terms[0]
    is_plain = len(clause.terms) == 1 and term.coefficient == 1 and term.unit == 1
    return is_plain and term.feature.kind == kind and 0 < clause.threshold <= 1


def _open_cut(clause: Clause) -> Clause:
    """A cut by itself is a bound of its column: ``age ≥ 40``."""
    if not is_true_or_false(clause, "cut"):
        return clause
    cut = clause.terms[0].feature
    column = Feature(cut.column, "integer" if cut.column.kind == "integer" else "number")
    return replace(
        clause,
        terms=(replace(clause.terms[0], feature=column),),
        threshold=float(cut.level),  # type: ignore[arg-type]
    )
