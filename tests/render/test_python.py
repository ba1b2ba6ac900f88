"""The generated function is run for real and must place every row where the hyperplanes do."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from export_cases import HARD_TEXTS, ExportCase, export_cases, flower_explanation, make_explanation
from hypothesis import HealthCheck, given, settings

from polyclust.explain.explanation import Explanation
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.render.python import quote, render_python
from polyclust.table.features import Column, Feature

GOLDEN = Path(__file__).parents[1] / "golden" / "exports"
relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def load(explanation: Explanation) -> Callable[[Mapping[Any, Any]], int | None]:
    names: dict[str, Any] = {}
    exec(compile(render_python(explanation), "rules.py", "exec"), names)
    assign: Callable[[Mapping[Any, Any]], int | None] = names["assign"]
    return assign


def as_mapping(explanation: Explanation, row: tuple[Any, ...]) -> dict[Any, Any]:
    return {column.label: value for column, value in zip(explanation.columns, row, strict=True)}


@relaxed
@given(export_cases())
def test_rows_are_placed_as_predict_does(case: ExportCase) -> None:
    assign = load(case.explanation)
    assert [assign(as_mapping(case.explanation, row)) for row in case.rows] == case.expected


@relaxed
@given(export_cases())
def test_nan_is_as_missing_as_none(case: ExportCase) -> None:
    assign = load(case.explanation)
    for row, expected in zip(case.rows, case.expected, strict=True):
        holes = tuple(math.nan if value is None else value for value in row)
        assert assign(as_mapping(case.explanation, holes)) == expected


@relaxed
@given(export_cases())
def test_columns_that_no_rule_reads_may_be_absent(case: ExportCase) -> None:
    explanation = case.explanation
    used = {explanation.features[i].column.label for h in explanation.hyperplanes for i in h.features}
    assign = load(explanation)
    for row, expected in zip(case.rows, case.expected, strict=True):
        mapping = {key: value for key, value in as_mapping(explanation, row).items() if key in used}
        assert assign(mapping) == expected


@relaxed
@given(export_cases())
def test_the_source_is_one_function_and_nothing_else(case: ExportCase) -> None:
    tree = ast.parse(render_python(case.explanation))
    kinds = [type(node) for node in tree.body]
    assert kinds == [ast.Expr, ast.ImportFrom, ast.FunctionDef]
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert called <= {"any", "float", "max", "min"}


@pytest.mark.parametrize("text", HARD_TEXTS)
def test_texts_stay_texts(text: str) -> None:
    assert ast.literal_eval(quote(text)) == text


def test_unseen_levels_are_placed_by_the_rest() -> None:
    assign = load(flower_explanation())
    row = {"petal length": 3.0, "smooth": True, "leaves": 4}
    assert assign({**row, "colour": "green"}) == assign({**row, "colour": "white"}) == 2


def test_rows_of_arrays_are_read_by_position() -> None:
    column = Column("x1", "number", 1)
    plane = Hyperplane((0,), (1.0,), (1.0,), 2.5, 1.0, 1, 0)
    assign = load(make_explanation((Feature(column, "number"),), (plane,), 2))
    assert [assign({0: 9.0, 1: 2.5}), assign({0: 9.0, 1: 2.4})] == [1, 0]


@pytest.mark.parametrize("outside", ["nearest", "none"])
def test_golden_source(outside: str) -> None:
    assert render_python(flower_explanation(outside)) == (GOLDEN / f"{outside}.py.txt").read_text()


def forty_clauses() -> Explanation:
    columns = tuple(Column(f"a measure with a long name {i}", "number", i) for i in range(40))
    features = tuple(Feature(column, "number") for column in columns)
    planes = tuple(
        Hyperplane(((i + j) % 40, (i * j) % 40), (1.0, -2.0), (1.0, 500.0), float(i - j), 1.5, i, j)
        for i in range(40)
        for j in range(i + 1, 40)
        if i + j != i * j
    )
    return make_explanation(features, planes, 40)


@pytest.mark.parametrize("explanation", [flower_explanation(), flower_explanation("none"), forty_clauses()])
def test_the_source_is_formatted(explanation: Explanation) -> None:
    source = render_python(explanation)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    assert done.stdout == source


def test_what_must_not_be_exported_is_refused() -> None:
    with pytest.raises(ValueError, match="may place other rows differently"):
        render_python(replace(flower_explanation(), is_minimal=True))
    with pytest.raises(ValueError, match="its features come from PCA"):
        render_python(replace(flower_explanation(), why_not_exported="its features come from PCA."))


def test_values_without_a_literal_are_refused() -> None:
    column = Column("size", "category", "size", ((0, 1), (1, 2)))
    plane = Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 1, 0)
    with pytest.raises(ValueError, match="tuple, which cannot be written as source"):
        render_python(make_explanation((Feature(column, "level", (0, 1)),), (plane,), 2))
