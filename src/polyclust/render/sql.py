"""SQL that places rows exactly as predict does: a CASE expression and a SELECT, in any dialect of sqlglot.

The statement is a tree of sqlglot expressions, so names and values are quoted and escaped for the dialect.
Everything is computed in double precision, term by term, in the stored order, as the sign rule does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import count

from sqlglot import Dialect, exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.errors import SqlglotError

from polyclust.explain.clauses import list_rule_columns, list_terms
from polyclust.explain.explanation import Clause, Explanation, Rule
from polyclust.explain.summary import say_written
from polyclust.explain.wording import is_choice, is_true_or_false
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.render.placing import covers_space, list_outside_columns, list_read_columns, refuse_export
from polyclust.render.sql_numbers import write_double, write_number
from polyclust.render.sql_values import Scope, build_choice, call, name_column, quote, sum_terms
from polyclust.table.features import Column

__all__ = ["check_dialect", "choose_column", "refuse_alike", "render_sql", "render_sql_case"]

NOT_SQL = {"prql", "dax"}
# Where names of columns that differ only in case are the same, besides those of which sqlglot says so.
CASELESS = {"dremio", "drill", "doris", "mysql", "singlestore", "starrocks", "teradata"}
CASELESS_IN_ASCII = {"duckdb", "sqlite"}
LINE_LENGTH = 100


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
    alias = quote("t")
    case = _build_case(explanation, Scope(check_dialect(dialect), "t"))
    columns = [exp.Column(this=exp.Star(), table=alias), exp.Alias(this=case, alias=quote(column))]
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
    for column in list_read_columns(explanation):
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
    sentence = say_written(list_read_columns(explanation))
    return f"-- {sentence}\n" if sentence else ""


def _write(tree: exp.Expression, dialect: str) -> str:
    try:
        return tree.sql(dialect=dialect, pretty=True, max_text_width=LINE_LENGTH, copy=False) + "\n"
    except SqlglotError as error:
        raise ValueError(f"The rules cannot be written in the dialect {dialect!r}: {error}") from error


def _name_table(table: str | Sequence[str]) -> exp.Table:
    parts = [table] if isinstance(table, str) or not isinstance(table, Iterable) else list(table)
    if not 1 <= len(parts) <= 3 or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(f"table must be a name, or one to three names as (schema, table); got {table!r}.")
    places = dict(zip(("this", "db", "catalog"), map(quote, reversed(parts)), strict=False))
    return exp.Table(**places)


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
    tests = [exp.Is(this=name_column(c, scope), expression=exp.null()) for c in columns if c.fill is None]
    return case.when(exp.or_(*tests), exp.null(), copy=False) if tests else case


def _hold_all(rule: Rule, scope: Scope) -> exp.Condition:
    if not rule.clauses:
        return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
    return exp.and_(*(_build_clause(clause, scope) for clause in rule.clauses))


def _build_clause(clause: Clause, scope: Scope) -> exp.Expression:
    is_upper = clause.comparison == "≥"
    if is_choice(clause) or is_true_or_false(clause, "cut"):
        return build_choice([t.feature for t in clause.terms], scope, is_upper)
    compare = exp.GTE if is_upper else exp.LT
    threshold = write_number(clause.threshold, scope.dialect)
    return compare(this=sum_terms(clause.terms, scope), expression=threshold)


# --- rows that no polytope holds: least total violation, the first of equals


def _find_nearest(explanation: Explanation, scope: Scope) -> exp.Expression:
    """CASE least(v0, v1, ...) WHEN v0 THEN 0 WHEN v1 THEN 1 ... END"""
    violations = [_sum_violations(explanation, k, scope) for k in range(explanation.n_clusters)]
    copies = [violation.copy() for violation in violations]
    least = call("MIN" if scope.dialect == "sqlite" else "LEAST", copies)
    if scope.dialect == "duckdb":  # it repeats the operand of a CASE in every WHEN: minutes for thirty clusters
        place = call("LIST_POSITION", [exp.Array(expressions=violations), least])
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
    value = sum_terms(list_terms(hyperplane, explanation.features), scope)
    threshold = write_number(hyperplane.threshold, scope.dialect)
    excess = exp.Paren(this=exp.Sub(this=value, expression=threshold))
    norm = write_double(-hyperplane.norm if is_above else hyperplane.norm, scope.dialect)
    distance = exp.Div(this=excess, expression=norm, typed=True)
    return call("MAX" if scope.dialect == "sqlite" else "GREATEST", [distance, exp.Literal.number(0)])


def _add(parts: Iterable[exp.Expression]) -> exp.Expression:
    return reduce(lambda total, part: exp.Add(this=total, expression=part), parts)
