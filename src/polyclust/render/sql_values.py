"""The values of a row in SQL: sums of terms, columns as numbers, as 0 and 1, as one of their levels.

A term is column / unit * coefficient and a sum has the stored order: the same bits as in the sign rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from polyclust.explain.explanation import Term
from polyclust.explain.spelling import format_number
from polyclust.render.sql_numbers import double_type, write_double, write_number
from polyclust.table.features import Column, Feature

__all__ = ["Scope", "build_choice", "call", "name_column", "quote", "sum_terms"]

LARGEST_COUNT = 1e6


@dataclass(frozen=True)
class Scope:
    """Where the expression is written: the dialect, and the table alias before each column."""

    dialect: str
    qualifier: str | None = None


def sum_terms(terms: Sequence[Term], scope: Scope) -> exp.Expression:
    """The left-hand side of a clause, summed as the sign rule does it."""
    total = _multiply(terms[0].coefficient, _divide(terms[0], scope), scope)
    for term in terms[1:]:
        part = _multiply(abs(term.coefficient), _divide(term, scope), scope)
        join = exp.Add if term.coefficient >= 0 else exp.Sub
        total = join(this=total, expression=part)
    return total


def _multiply(coefficient: float, value: exp.Expression, scope: Scope) -> exp.Expression:
    if coefficient == 1:
        return value
    is_count = float(coefficient).is_integer() and abs(coefficient) <= LARGEST_COUNT
    factor = write_number(coefficient, scope.dialect) if is_count else write_double(coefficient, scope.dialect)
    return exp.Mul(this=value, expression=factor)


def _divide(term: Term, scope: Scope) -> exp.Expression:
    value = _read_feature(term.feature, scope)
    if term.unit == 1:
        return value
    return exp.Div(
        this=exp.cast(value, double_type(scope.dialect)),
        expression=write_number(term.unit, scope.dialect),
        typed=True,
    )


def _read_feature(feature: Feature, scope: Scope) -> exp.Expression:
    """The raw value: a double for numbers, an integer 0 or 1 for the rest."""
    if feature.kind in ("level", "cut"):
        test = build_choice([feature], scope, True)
        return exp.Case().when(test, exp.Literal.number(1)).else_(exp.Literal.number(0))
    return _read_boolean(feature.column, scope) if feature.kind == "boolean" else _read_number(feature.column, scope)


def build_choice(features: Sequence[Feature], scope: Scope, is_upper: bool) -> exp.Expression:
    """Whether the column has one of the levels, or reaches the cut."""
    column = features[0].column
    if features[0].kind == "cut":
        compare = exp.GTE if is_upper else exp.LT
        level = write_number(float(features[0].level), scope.dialect)  # type: ignore[arg-type]
        return compare(this=_read_number(column, scope), expression=level)
    value, levels = _match_levels(column, [f.level for f in features], scope)
    if len(levels) > 1:
        found = exp.In(this=value, expressions=levels)
        return found if is_upper else exp.Not(this=found)
    return (exp.EQ if is_upper else exp.NEQ)(this=value, expression=levels[0])


def name_column(column: Column, scope: Scope) -> exp.Column:
    """The column itself, as the table stores it."""
    qualifier = None if scope.qualifier is None else quote(scope.qualifier)
    return exp.Column(this=quote(column.name), table=qualifier)


def _read_number(column: Column, scope: Scope) -> exp.Expression:
    value = exp.cast(name_column(column, scope), double_type(scope.dialect))
    return value if column.fill is None else _fill(value, write_number(float(column.fill), scope.dialect))


def _read_boolean(column: Column, scope: Scope) -> exp.Expression:
    # Through an integer: PostgreSQL casts BOOLEAN to INT but not to DOUBLE, and 0/1 pass as they are.
    stored: exp.Expression = name_column(column, scope)
    if scope.dialect == "sqlite":  # has no truth values: an imported file is text, and 'True' would be cast to 0
        stored = call("REPLACE", [call("LOWER", [stored]), _text("true"), _text("1")])
    value = exp.cast(stored, exp.DataType.Type.INT)
    return value if column.fill is None else _fill(value, exp.Literal.number(int(float(column.fill))))


def _fill(value: exp.Expression, fill: exp.Expression) -> exp.Coalesce:
    return exp.Coalesce(this=value, expressions=[fill])


def _match_levels(
    column: Column, levels: Sequence[Hashable], scope: Scope
) -> tuple[exp.Expression, list[exp.Expression]]:
    """The column as its levels are compared, and the values that count as one of these levels.

    Text is compared as text, numbers as numbers, booleans as 0 and 1, levels of mixed types by their text.
    """
    types = {_kind_of_level(v) for v in (*column.levels, *levels)}
    if types == {"number"}:
        numbers = [float(v) for v in levels]  # type: ignore[arg-type]
        return _read_number(column, scope), [write_number(v, scope.dialect) for v in numbers]
    if types == {"boolean"}:
        return _read_boolean(column, scope), [exp.Literal.number(int(bool(v))) for v in levels]
    value: exp.Expression = name_column(column, scope)
    if types != {"text"}:
        _refuse_same_text(column)
        value = exp.cast(value, exp.DataType.Type.TEXT)
    if column.fill is not None:
        value = _fill(value, _text(_spell(column.fill)[0]))
    return value, [_text(word) for level in levels for word in _spell(level)]


def _kind_of_level(level: object) -> str:
    if isinstance(level, bool):
        return "boolean"
    if isinstance(level, int | float):
        return "number"
    return "text" if isinstance(level, str) else "other"


def _spell(level: object) -> list[str]:
    """The ways in which databases write a value as text."""
    if isinstance(level, bool):
        return ["true", "1"] if level else ["false", "0"]
    if isinstance(level, int | float):
        return list(dict.fromkeys([format_number(level), repr(float(level))]))
    return [str(level)]


def _refuse_same_text(column: Column) -> None:
    """Raise ValueError for values of several types that a database would write as the same text."""
    owners: dict[str, Hashable] = {}
    for level in column.levels:
        for word in _spell(level):
            other = owners.setdefault(word, level)
            if other is not level:
                raise ValueError(
                    f"Column {column.name!r} has the values {other!r} and {level!r}, which a database cannot tell "
                    "apart; turn all of them into one type, or rename one."
                )


def _text(value: str) -> exp.Literal:
    if "\0" in value:
        raise ValueError(f"The value {value!r} holds a NUL character, which SQL cannot write; replace it.")
    return exp.Literal.string(value)


def call(name: str, arguments: Sequence[exp.Expression]) -> exp.Anonymous:
    """A function by its name."""
    # sqlglot's own nodes for these wrap every argument in tests for NULL, of which there is none here.
    return exp.Anonymous(this=name, expressions=list(arguments))


def quote(name: str) -> exp.Identifier:
    """A name as the dialect writes it, whatever is in it."""
    if "\0" in name:
        raise ValueError(f"The name {name!r} holds a NUL character, which SQL cannot write; rename it.")
    return exp.to_identifier(name, quoted=True)
