"""SQL that places rows exactly as predict does: a CASE expression and a SELECT, in any dialect of sqlglot.

The statement is a tree of sqlglot expressions, so names and values are quoted and escaped for the dialect.
Everything is computed in double precision, term by term, in the stored order, as the sign rule does it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count

from sqlglot import Dialect, exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.errors import SqlglotError

from polyclust.explain.explanation import Clause, Explanation, Rule, Term
from polyclust.explain.spelling import format_number
from polyclust.explain.summary import say_written
from polyclust.explain.wording import is_choice, is_true_or_false
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.render.placing import (
    covers_space,
    list_outside_columns,
    list_rule_columns,
    refuse_export,
)
from polyclust.render.sql_numbers import double_type, write_double, write_number
from polyclust.table.features import Column, Feature

__all__ = ["check_dialect", "choose_column", "refuse_alike", "render_sql", "render_sql_case"]

NOT_SQL = {"prql", "dax"}
LARGEST_COUNT = 1e6
# Where names of columns that differ only in case are the same, besides those of which sqlglot says so.
CASELESS = {"dremio", "drill", "doris", "mysql", "singlestore", "starrocks", "teradata"}
CASELESS_IN_ASCII = {"duckdb", "sqlite"}
LINE_LENGTH = 100


@dataclass(frozen=True)
class Scope:
    """Where the expression is written: the dialect, and the table alias before each column."""

    dialect: str
    qualifier: str | None = None


def render_sql(
    explanation: Explanation, table: str | Sequence[str], dialect: str = "duckdb", column: str = "cluster"
) -> str:
    """Write a SELECT of all columns of a table and one more, ``cluster``.

    The cluster is NULL where a column that the rules read is NULL (unless the column has a fill), the nearest
    polytope or -1 where no polytope holds the row, as the explanation's ``outside`` says.

    Parameters
    ----------
    explanation : what to write
    table : the name of the table, taken as one name even if it has dots in it; a sequence such as
        ("schema", "table") for a qualified one
    dialect : any SQL dialect that sqlglot knows, such as "duckdb", "sqlite", "postgres", "snowflake"
    column : what the new column is called; another name than those of the columns that the explanation knows

    Notes
    -----
    Category values are compared by the table's own collation. Missing values must be NULL: a floating-point NaN
    is ordered as the database orders it. Numbers that were read from text must be numbers there: a comment names them.
    """
    _refuse_taken(column, explanation)
    alias = _quote("t")
    case = _build_case(explanation, Scope(check_dialect(dialect), "t"))
    columns = [exp.Column(this=exp.Star(), table=alias), exp.Alias(this=case, alias=_quote(column))]
    source = exp.alias_(_name_table(table), "t", table=True, quoted=True)
    return _comment(explanation) + _write(exp.select(*columns, copy=False).from_(source, copy=False), dialect)


def render_sql_case(explanation: Explanation, dialect: str = "duckdb", qualifier: str | None = None) -> str:
    """Write the CASE expression that gives a row's cluster, for use inside another statement.

    ``qualifier`` is the table alias to put before each column. The expression holds no subquery.
    """
    case = _build_case(explanation, Scope(check_dialect(dialect), qualifier))
    return _comment(explanation) + _write(case, dialect)


def check_dialect(dialect: str) -> str:
    """The dialect itself, or a ValueError that lists those there are."""
    if dialect in NOT_SQL or Dialect.get(dialect) is None:
        known = ", ".join(sorted(name for name in Dialect.classes if name and name not in NOT_SQL))
        raise ValueError(f"dialect must be one of {known}; got {dialect!r}.")
    return dialect


def choose_column(taken: Iterable[str]) -> str:
    """``cluster``, or the first of cluster_2, cluster_3, ... that is not taken."""
    known = {name.casefold() for name in taken}
    names = ("cluster" if number == 1 else f"cluster_{number}" for number in count(1))
    return next(name for name in names if name not in known)


def refuse_alike(explanation: Explanation, names: Sequence[str], dialect: str) -> None:
    """Raise ValueError if a column that is read and another of these differ only in case, which the dialect ignores."""
    is_caseless = Dialect.get_or_raise(dialect).NORMALIZATION_STRATEGY is NormalizationStrategy.CASE_INSENSITIVE
    if not is_caseless and dialect not in CASELESS:
        return
    for column in _list_read(explanation):
        folded = _fold(column.name, dialect)
        other = next((name for name in names if name != column.name and _fold(name, dialect) == folded), None)
        if other is not None:
            raise ValueError(
                f"The columns {column.name!r} and {other!r} differ only in case and are one in the dialect "
                f"{dialect!r}: rename one, or choose a dialect that tells them apart, such as 'postgres'."
            )


def _fold(name: str, dialect: str) -> str:
    """The name as the dialect compares it."""
    if dialect not in CASELESS_IN_ASCII:
        return name.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def _refuse_taken(column: str, explanation: Explanation) -> None:
    """Most databases do not tell names apart by case alone."""
    if not column:
        raise ValueError("column must be a name; got ''.")
    if column.casefold() in {c.name.casefold() for c in explanation.columns}:
        raise ValueError(
            f"column must not be {column!r}, for the table has a column of that name already; give another, such as "
            f"{choose_column(c.name for c in explanation.columns)!r}."
        )


def _comment(explanation: Explanation) -> str:
    """A line above the statement where numbers were read from text, which a database would read otherwise."""
    sentence = say_written(_list_read(explanation))
    return f"-- {sentence}\n" if sentence else ""


def _list_read(explanation: Explanation) -> tuple[Column, ...]:
    """The columns that the statement reads."""
    return (*list_rule_columns(explanation), *list_outside_columns(explanation))


def _write(tree: exp.Expression, dialect: str) -> str:
    try:
        return tree.sql(dialect=dialect, pretty=True, max_text_width=LINE_LENGTH, copy=False) + "\n"
    except SqlglotError as error:
        raise ValueError(f"The rules cannot be written in the dialect {dialect!r}: {error}") from error


def _name_table(table: str | Sequence[str]) -> exp.Table:
    parts = [table] if isinstance(table, str) else list(table)
    if not 1 <= len(parts) <= 3 or not all(parts):
        raise ValueError(f"table must be a name, or one to three names as (schema, table); got {table!r}.")
    places = dict(zip(("this", "db", "catalog"), map(_quote, reversed(parts)), strict=False))
    return exp.Table(**places)


def _quote(name: str) -> exp.Identifier:
    if "\0" in name:
        raise ValueError(f"The name {name!r} holds a NUL character, which SQL cannot write; rename it.")
    return exp.to_identifier(name, quoted=True)


# --- the CASE: NULL, then one WHEN per rule, then the rows that no polytope holds


def _build_case(explanation: Explanation, scope: Scope) -> exp.Case:
    refuse_export(explanation, "SQL")
    refuse_alike(explanation, [c.name for c in explanation.columns], scope.dialect)
    case = exp.Case()
    case = _add_missing(case, list_rule_columns(explanation), scope)
    for rule in explanation.rules:
        case = case.when(_hold_all(rule, scope), exp.Literal.number(rule.cluster), copy=False)
    if covers_space(explanation):
        return case
    if explanation.outside == "none":
        return case.else_(exp.Literal.number(-1))
    case = _add_missing(case, list_outside_columns(explanation), scope)
    return case.else_(_find_nearest(explanation, scope))


def _add_missing(case: exp.Case, columns: Iterable[Column], scope: Scope) -> exp.Case:
    tests = [exp.Is(this=_column(c, scope), expression=exp.null()) for c in columns if c.fill is None]
    return case.when(exp.or_(*tests), exp.null(), copy=False) if tests else case


def _hold_all(rule: Rule, scope: Scope) -> exp.Condition:
    if not rule.clauses:
        return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
    return exp.and_(*(_build_clause(clause, scope) for clause in rule.clauses))


def _build_clause(clause: Clause, scope: Scope) -> exp.Expression:
    is_upper = clause.comparison == "≥"
    if is_choice(clause) or is_true_or_false(clause, "cut"):
        return _build_choice([t.feature for t in clause.terms], scope, is_upper)
    compare = exp.GTE if is_upper else exp.LT
    threshold = write_number(clause.threshold, scope.dialect)
    return compare(this=_sum_terms(clause.terms, scope), expression=threshold)


# --- rows that no polytope holds: least total violation, the first of equals


def _find_nearest(explanation: Explanation, scope: Scope) -> exp.Expression:
    """CASE least(v0, v1, ...) WHEN v0 THEN 0 WHEN v1 THEN 1 ... END"""
    violations = [_sum_violations(explanation, k, scope) for k in range(explanation.n_clusters)]
    copies = [violation.copy() for violation in violations]
    least = _call("MIN" if scope.dialect == "sqlite" else "LEAST", copies)
    if scope.dialect == "duckdb":  # it repeats the operand of a CASE in every WHEN: minutes for thirty clusters
        place = _call("LIST_POSITION", [exp.Array(expressions=violations), least])
        return exp.Sub(this=place, expression=exp.Literal.number(1))
    case = exp.Case(this=least)
    for cluster, violation in enumerate(violations):
        case = case.when(violation, exp.Literal.number(cluster), copy=False)
    return case


def _sum_violations(explanation: Explanation, cluster: int, scope: Scope) -> exp.Expression:
    return _add(
        _measure_violation(h, explanation, h.above == cluster, scope)
        for h in explanation.hyperplanes
        if cluster in (h.above, h.below)
    )


def _measure_violation(
    hyperplane: Hyperplane, explanation: Explanation, is_above: bool, scope: Scope
) -> exp.Expression:
    """GREATEST((value - threshold) / norm, 0) for the cluster below; divided by -norm for the one above."""
    triples = zip(hyperplane.coefficients, hyperplane.features, hyperplane.units, strict=True)
    terms = [Term(c, explanation.features[f], unit) for c, f, unit in triples]
    value, threshold = _sum_terms(terms, scope), write_number(hyperplane.threshold, scope.dialect)
    excess = exp.Paren(this=exp.Sub(this=value, expression=threshold))
    norm = write_double(-hyperplane.norm if is_above else hyperplane.norm, scope.dialect)
    distance = exp.Div(this=excess, expression=norm, typed=True)
    return _call("MAX" if scope.dialect == "sqlite" else "GREATEST", [distance, exp.Literal.number(0)])


def _call(name: str, arguments: Sequence[exp.Expression]) -> exp.Anonymous:
    # sqlglot's own nodes for these wrap every argument in tests for NULL, of which there is none here.
    return exp.Anonymous(this=name, expressions=list(arguments))


def _add(parts: Iterable[exp.Expression]) -> exp.Expression:
    return reduce(lambda total, part: exp.Add(this=total, expression=part), parts)


# --- one value: column / unit * coefficient (the same bits as in the sign rule), summed in the stored order


def _sum_terms(terms: Sequence[Term], scope: Scope) -> exp.Expression:
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
        test = _build_choice([feature], scope, True)
        return exp.Case().when(test, exp.Literal.number(1)).else_(exp.Literal.number(0))
    return _read_boolean(feature.column, scope) if feature.kind == "boolean" else _read_number(feature.column, scope)


def _build_choice(features: Sequence[Feature], scope: Scope, is_upper: bool) -> exp.Expression:
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


# --- columns, as numbers, as 0 and 1, as one of their levels


def _column(column: Column, scope: Scope) -> exp.Column:
    qualifier = None if scope.qualifier is None else _quote(scope.qualifier)
    return exp.Column(this=_quote(column.name), table=qualifier)


def _read_number(column: Column, scope: Scope) -> exp.Expression:
    value = exp.cast(_column(column, scope), double_type(scope.dialect))
    return value if column.fill is None else _fill(value, write_number(float(column.fill), scope.dialect))


def _read_boolean(column: Column, scope: Scope) -> exp.Expression:
    # Through an integer: PostgreSQL casts BOOLEAN to INT but not to DOUBLE, and 0/1 pass as they are.
    stored: exp.Expression = _column(column, scope)
    if scope.dialect == "sqlite":  # has no truth values: an imported file is text, and 'True' would be cast to 0
        stored = _call("REPLACE", [_call("LOWER", [stored]), _text("true"), _text("1")])
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
    value: exp.Expression = _column(column, scope)
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
