"""The SQL is run for real and must place every row where the hyperplanes do."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from databases import TABLE, DuckDB, PostgreSQL, SQLite, find_postgres, quote
from export_cases import (
    HARD_TEXTS,
    ExportCase,
    export_cases,
    flower_explanation,
    make_explanation,
    numbers,
)
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from polyclust.explain.evaluation import mark_written
from polyclust.explain.explanation import Explanation
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.render.sql import NOT_SQL, choose_column, render_sql, render_sql_case
from polyclust.render.sql_numbers import write_double
from polyclust.table.features import Column, Feature

GOLDEN = Path(__file__).parents[1] / "golden" / "exports"
DIALECTS = sorted(d.value for d in sqlglot.Dialects if d.value not in NOT_SQL)
storages = st.tuples(st.booleans(), st.sampled_from(["BOOLEAN", "INTEGER", "SMALLINT", "DOUBLE PRECISION"]))
relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgreSQL]:
    binaries = find_postgres()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed (looked for initdb)")
    folder = Path(tempfile.mkdtemp(prefix="polyclust-postgres-"))
    server = PostgreSQL(binaries, folder)
    try:
        server.start()
    except (RuntimeError, OSError, LookupError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"the PostgreSQL server does not start: {error}")
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


def check(database: Any, case: ExportCase, storage: tuple[bool, str]) -> None:
    """Both forms, in the order of the rows."""
    columns = case.explanation.columns
    free = choose_column(c.name for c in columns)
    whole = render_sql(case.explanation, TABLE, database.dialect, free)
    alone = render_sql_case(case.explanation, database.dialect, "t")
    embedded = f'SELECT "t".*, {alone} AS c FROM {quote(TABLE)} AS "t"'
    for sql in (whole, embedded):
        found = database.run(columns, case.rows, sql, *storage)
        assert [row[0] for row in found] == list(range(len(case.rows)))
        assert all(len(row) == len(columns) + 2 for row in found)
        assert [row[-1] for row in found] == case.expected


def name_columns(first: str, second: str) -> Explanation:
    """Two clusters told apart by the first of two columns."""
    columns = Column(first, "number", first), Column(second, "number", second)
    features = tuple(Feature(c, "number") for c in columns)
    return make_explanation(features, (Hyperplane((0,), (1.0,), (1.0,), 2.5, 1.0, 1, 0),), 2)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "mysql", "bigquery", "tsql"])
def test_names_that_differ_only_in_case_are_refused_where_they_are_one(dialect: str) -> None:
    for write in (lambda e: e.to_sql("t", dialect=dialect), lambda e: e.to_sql_case(dialect)):
        with pytest.raises(ValueError, match=r"'Age' and 'age' differ only in case .*: rename one"):
            write(name_columns("Age", "age"))


@pytest.mark.parametrize("table", [None, 3, (), ("a", ""), ("a", 1), ("a", "b", "c", "d")])
def test_a_table_that_has_no_name_is_refused(table: Any) -> None:
    with pytest.raises(ValueError, match=r"^table must be a name, or one to three names as \(schema, table\); got"):
        name_columns("a", "b").to_sql(table)


def test_names_that_differ_only_in_case_are_written_where_they_are_two() -> None:
    assert '"Age"' in name_columns("Age", "age").to_sql("t", dialect="postgres")
    explanation = name_columns("Ä", "ä")
    for database in (DuckDB(), SQLite()):
        sql = render_sql(explanation, TABLE, database.dialect)
        found = database.run(explanation.columns, [(1.0, 9.0), (3.0, 0.0)], sql, False, "BOOLEAN")
        assert [row[-1] for row in found] == [0, 1]


@pytest.mark.parametrize("words", [("True", "False"), ("TRUE", "FALSE"), ("true", "false"), ("1", "0"), (" 1", "0.0")])
def test_sqlite_reads_truths_of_an_imported_file(words: tuple[str, str]) -> None:
    """Its command-line tool imports every column of a file as text."""
    feature = Feature(Column("flag", "boolean", "flag"), "boolean")
    plane = Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 1, 0)
    sql = make_explanation((feature,), (plane,), 2).to_sql("t", dialect="sqlite")
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (flag TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [(words[0],), (words[1],), (None,)])
        assert [row[-1] for row in connection.execute(sql)] == [1, 0, None]


def test_a_comment_names_numbers_that_were_read_from_text() -> None:
    plain = flower_explanation()
    explanation = mark_written(plain, {"petal length": "1'5\ncm", "leaves": "no rule reads it"})
    read = "Column 'petal length' was read as a number from text such as \"1'5 cm\""
    said = f"{read}: where the rules run, it must be a number."
    assert explanation.to_sql("t") == f"-- {said}\n{plain.to_sql('t')}"
    assert explanation.to_sql_case().startswith(f"-- {said}\nCASE")
    assert f"# {said}\n" in explanation.to_python()
    assert said in explanation.to_text()
    several = mark_written(explanation, {"smooth": "1,0"}).to_sql("t")
    assert several.startswith("-- Columns 'petal length' (\"1'5 cm\"), 'smooth' ('1,0') were read as numbers")


@relaxed
@given(export_cases(), storages)
def test_sqlite_places_rows_as_predict_does(case: ExportCase, storage: tuple[bool, str]) -> None:
    check(SQLite(), case, storage)


@relaxed
@given(export_cases(), storages)
def test_duckdb_places_rows_as_predict_does(case: ExportCase, storage: tuple[bool, str]) -> None:
    check(DuckDB(), case, storage)


@settings(relaxed, max_examples=40)
@given(export_cases(), storages)
def test_postgres_places_rows_as_predict_does(
    postgres: PostgreSQL, case: ExportCase, storage: tuple[bool, str]
) -> None:
    check(postgres, case, storage)


@relaxed
@given(numbers)
@example(200.593947)  # read one bit off by SQLite builds that round twice
@example(743.891413)
@example(2.3627733043547272e-296)
@example(0.12345678901234567)
@example(1.7976931348623157e308)
@example(5e-324)
@example(9007199254740993.0)
@example(-2.2250738585072014e-308)
@example(1e23)
def test_numbers_reach_the_engine_to_the_bit(value: float) -> None:
    for database in (SQLite(), DuckDB()):
        literal = write_double(value, database.dialect).sql(database.dialect)
        found = database.run((Column("x", "number", "x"),), [(1.0,)], f"SELECT {literal}", False, "BOOLEAN")
        assert found[0][0] == value


def test_numbers_reach_postgres_to_the_bit(postgres: PostgreSQL) -> None:
    values = [0.1, 0.12345678901234567, 1.7976931348623157e308, 5e-324, 1e23, -2.5, 3.5999999999999996]
    columns = (Column("x", "number", "x"),)
    for value in values:
        literal = write_double(value, "postgres").sql("postgres")
        sql = f'SELECT 0, COUNT(*) FROM {quote(TABLE)} WHERE "x" = {literal}'
        assert postgres.run(columns, [(value,)], sql, False, "BOOLEAN") == [(0, 1)]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", HARD_TEXTS)
def test_names_and_values_stay_names_and_values(dialect: str, text: str) -> None:
    column = Column(text, "category", text, (text, "other"))
    features = tuple(Feature(column, "level", level) for level in column.levels)
    planes = (Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 0, 1),)
    sql = render_sql(make_explanation(features, planes, 2), "flowers", dialect, "placed")
    statements = sqlglot.parse(sql, read=dialect)
    assert len(statements) == 1
    tree = statements[0]
    assert isinstance(tree, exp.Select)
    if dialect == "bigquery" and "." in text:  # written well, but read as a path
        assert f"`t`.`{text}` = '{text}'" in sql
        return
    assert {i.this for i in tree.find_all(exp.Identifier)} == {text, "t", "placed", "flowers"}
    assert {s.this for s in tree.find_all(exp.Literal) if s.is_string} == {text}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("outside", ["nearest", "none"])
def test_every_dialect_reads_its_own_statement(dialect: str, outside: str) -> None:
    sql = render_sql(flower_explanation(outside), "flowers", dialect)
    assert sql.endswith("\n")
    again = sqlglot.parse_one(sql, read=dialect).sql(dialect=dialect, pretty=True, max_text_width=100)
    expected = sql.replace("BINARY_DOUBLE", "DOUBLE PRECISION") if dialect == "oracle" else sql
    assert again.split() == expected.split()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "bigquery", "tsql", "oracle"])
def test_golden_statements(dialect: str) -> None:
    assert render_sql(flower_explanation(), "flowers", dialect) == (GOLDEN / f"nearest.{dialect}.sql").read_text()


def test_golden_case() -> None:
    assert render_sql_case(flower_explanation("none")) == (GOLDEN / "case.duckdb.sql").read_text()


def test_thirty_clusters_stay_a_statement_of_sensible_length() -> None:
    column = Column("x", "number", "x")
    second = Column("y", "number", "y")
    features = (Feature(column, "number"), Feature(second, "number"))
    planes = tuple(
        Hyperplane((0, 1), (1.0, float(i + 1)), (1.0, 1.0), float(j), 1.5, j, i)
        for i in range(30)
        for j in range(i + 1, 30)
    )
    explanation = make_explanation(features, planes, 30)
    rows = [(float(i), float(-i % 7)) for i in range(40)]
    assert len(render_sql(explanation, TABLE)) < 500_000
    case = ExportCase(explanation, rows)
    assert len(set(case.expected)) > 3
    for database in (SQLite(), DuckDB()):
        sql = render_sql(explanation, TABLE, database.dialect)
        found = database.run(explanation.columns, rows, sql, False, "BOOLEAN")
        assert [row[-1] for row in found] == case.expected


def test_tables_have_one_name_or_a_path_of_names() -> None:
    explanation = flower_explanation()
    assert 'FROM "sales"."a.b" AS "t"' in render_sql(explanation, ("sales", "a.b"))
    assert 'FROM "a.b" AS "t"' in render_sql(explanation, "a.b")
    with pytest.raises(ValueError, match="table must be a name"):
        render_sql(explanation, "")


def test_a_table_in_a_schema_is_read_by_the_engine() -> None:
    column = Column("x", "number", "x")
    plane = Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 0, 1)
    explanation = make_explanation((Feature(column, "number"),), (plane,), 2)
    rows = "customers AS SELECT 0.5 AS x UNION ALL SELECT 1.5"
    with sqlite3.connect(":memory:") as database:
        database.execute("ATTACH ':memory:' AS sales")
        database.execute(f"CREATE TABLE sales.{rows}")
        found = database.execute(explanation.to_sql(("sales", "customers"), "sqlite")).fetchall()
    database.close()
    assert sorted(found) == [(0.5, 1), (1.5, 0)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_schemas(dialect: str) -> None:
    sql = render_sql(flower_explanation(), ("sales", "customers"), dialect)
    table = sqlglot.parse_one(sql, read=dialect).find(exp.Table)
    assert table is not None
    assert (table.db, table.name) == ("sales", "customers")


@pytest.mark.parametrize("name", ["cluster", "Cluster"])
def test_a_column_of_the_table_is_not_named_twice(name: str) -> None:
    column = Column(name, "number", name)
    plane = Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 0, 1)
    explanation = make_explanation((Feature(column, "number"),), (plane,), 2)
    with pytest.raises(ValueError, match=r"^column must not be 'cluster', .* give another, such as 'cluster_2'\.$"):
        explanation.to_sql("t")
    sql = explanation.to_sql("t", column="cluster_2")
    with duckdb.connect() as database:
        database.execute(f'CREATE TABLE t AS SELECT 0.5 AS "{name}" UNION ALL SELECT 1.5')
        found = database.execute(sql).df()
    assert found.columns.tolist() == [name, "cluster_2"]
    assert found.sort_values(name)["cluster_2"].tolist() == [1, 0]


def test_a_column_needs_a_name() -> None:
    with pytest.raises(ValueError, match="column must be a name"):
        render_sql(flower_explanation(), "flowers", column="")


@pytest.mark.parametrize("dialect", ["klingon", "prql", "dax"])
def test_other_languages_are_refused(dialect: str) -> None:
    with pytest.raises(ValueError, match=f"dialect must be one of .*duckdb.*; got '{dialect}'"):
        render_sql(flower_explanation(), "flowers", dialect)


def test_nul_characters_are_refused() -> None:
    column = Column("x\0y", "number", "x\0y")
    plane = Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 0, 1)
    with pytest.raises(ValueError, match="NUL"):
        render_sql(make_explanation((Feature(column, "number"),), (plane,), 2), "t")


@pytest.mark.parametrize("levels", [(1, "1"), ("1.0", 1), (True, "1"), ("false", False), (2, "a", "2")])
def test_values_that_become_the_same_text_are_refused(levels: tuple[Any, ...]) -> None:
    column = Column("size", "category", "size", levels)
    features = tuple(Feature(column, "level", level) for level in levels)
    explanation = make_explanation(features, (Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 1, 0),), 2)
    with pytest.raises(ValueError, match=r"^Column 'size' has the values .*, which a database cannot tell apart; turn"):
        render_sql(explanation, "t")


def test_values_of_several_types_are_told_apart_by_their_text() -> None:
    column = Column("size", "category", "size", (1, "a", 2.5))
    features = tuple(Feature(column, "level", level) for level in column.levels)
    explanation = make_explanation(features, (Hyperplane((2,), (1.0,), (1.0,), 1.0, 1.0, 1, 0),), 2)
    for database in (SQLite(), DuckDB()):
        check(database, ExportCase(explanation, [("a",), (2.5,), (1,), ("b",)]), (True, "BOOLEAN"))


def test_what_must_not_be_exported_is_refused() -> None:
    with pytest.raises(ValueError, match="may place other rows differently"):
        render_sql(replace(flower_explanation(), is_minimal=True), "flowers")
    with pytest.raises(ValueError, match="its features come from PCA"):
        render_sql_case(replace(flower_explanation(), why_not_exported="its features come from PCA."))
