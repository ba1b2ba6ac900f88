"""JSON is read back as an equal explanation, agrees with its schema, and nothing else is let in."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from export_cases import ExportCase, export_cases, flower_explanation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyclust.errors import ModelFileError
from polyclust.explain.evaluation import mark_written
from polyclust.render.json import parse_json, render_json
from polyclust.table.features import Column, Feature

GOLDEN = Path(__file__).parents[1] / "golden" / "exports"
SCHEMA = json.loads(files("polyclust.render").joinpath("explanation.schema.json").read_text())
relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def types_of(explanation: Any) -> list[type]:
    columns = explanation.columns
    values = [v for c in columns for v in (c.label, c.fill, *c.levels)] + [f.level for f in explanation.features]
    return [type(v) for v in values]


@relaxed
@given(export_cases())
def test_round_trip_is_exact(case: ExportCase) -> None:
    text = render_json(case.explanation)
    again = parse_json(text)
    assert again == case.explanation
    assert types_of(again) == types_of(case.explanation)
    assert render_json(again) == text


@relaxed
@given(export_cases())
def test_the_schema_holds(case: ExportCase) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    validator.validate(json.loads(render_json(case.explanation)))


def test_the_schema_refuses_other_things() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    data = json.loads(render_json(flower_explanation()))
    data["rules"][0]["clauses"][0]["comparison"] = ">"
    with pytest.raises(jsonschema.ValidationError, match="'>' is not one of"):
        jsonschema.validate(data, SCHEMA)


def test_golden_text() -> None:
    text = (GOLDEN / "explanation.json").read_text(encoding="utf-8")
    assert render_json(flower_explanation()) == text
    assert parse_json(text) == flower_explanation()


def test_texts_that_were_read_as_numbers_come_back() -> None:
    explanation = mark_written(flower_explanation(), {"leaves": "1'234 %"})
    text = render_json(explanation)
    assert parse_json(text) == explanation
    assert '"written"' not in render_json(flower_explanation())
    pytest.importorskip("jsonschema").validate(json.loads(text), SCHEMA)


def test_what_was_told_comes_back() -> None:
    told = replace(
        flower_explanation("none"), cluster_labels=("a", 2, 0.5), advice=("More terms.",), fidelity=0.1 + 0.2
    )
    assert parse_json(render_json(told)) == told


def test_numbers_that_json_lacks_come_back() -> None:
    explanation = flower_explanation()
    rules = (replace(explanation.rules[0], precision=math.nan, size=math.inf), *explanation.rules[1:])
    again = parse_json(render_json(replace(explanation, rules=rules)))
    assert math.isnan(again.rules[0].precision)
    assert again.rules[0].size == math.inf


def test_lone_surrogates_come_back() -> None:
    explanation = flower_explanation()
    named = replace(explanation, rules=(replace(explanation.rules[0], name="\ud800"), *explanation.rules[1:]))
    text = render_json(named)
    assert text.encode()
    assert parse_json(text) == named


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[1]", "it holds a list"),
        ("{}", 'its "format" is None'),
        ('{"format": "other"}', "its \"format\" is 'other'"),
        ('{"format": "polyclust explanation"}', 'its "version" is None'),
        ('{"format": "polyclust explanation", "version": true}', 'its "version" is True'),
        ('{"format": "polyclust explanation", "version": 2}', "install a newer polyclust"),
        ('{"format": "polyclust explanation", "version": 1}', "'columns' is missing"),
    ],
)
def test_foreign_and_newer_texts_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        parse_json(text)


@relaxed
@given(st.data())
def test_damaged_texts_are_refused_or_read_whole(data: st.DataObject) -> None:
    """Whatever value is put in the place of another, there is an explanation or a sentence, never a crash."""
    content = json.loads(render_json(flower_explanation()))
    holder: Any = content
    while True:
        key = data.draw(st.sampled_from(list(holder) if isinstance(holder, dict) else list(range(len(holder)))))
        if not isinstance(holder[key], dict | list) or not holder[key] or data.draw(st.booleans()):
            break
        holder = holder[key]
    junk = st.sampled_from([None, True, -1, 99, 1.5, "x", [], {}, [[]], 10**400, "nan"])
    if data.draw(st.booleans()):
        del holder[key]
    else:
        holder[key] = data.draw(junk)
    try:
        explanation = parse_json(json.dumps(content))
    except ModelFileError:
        return
    assert explanation.n_clusters == 3
    render_json(explanation)


def test_what_json_cannot_keep_is_refused() -> None:
    column = Column("size", "category", "size", ((0, 1), (1, 2)))
    explanation = replace(
        flower_explanation(), columns=(column,), features=(Feature(column, "level", (0, 1)),), rules=()
    )
    with pytest.raises(ValueError, match=r"A value of column 'size' is \(0, 1\), which JSON cannot keep"):
        render_json(explanation)


def test_what_must_not_be_exported_is_refused() -> None:
    with pytest.raises(ValueError, match="may place other rows differently"):
        render_json(replace(flower_explanation(), is_minimal=True))
    with pytest.raises(ValueError, match="its features come from PCA"):
        render_json(replace(flower_explanation(), why_not_exported="its features come from PCA."))
