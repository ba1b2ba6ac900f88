"""Explanations made from data, with their redundant clauses removed: every export agrees with predict."""

from __future__ import annotations

import sqlite3
import warnings
from enum import Enum
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from polyclust.errors import PolyclustWarning
from polyclust.explain.explanation import Explanation
from polyclust.explain.posthoc import explain_labels

FAMILIES = {
    "rules": {},
    "scorecards": {"max_terms": 2, "max_coefficient": 3},
    "scorecards of ranges": {"max_terms": 2, "max_coefficient": 3, "units": "range"},
    "linear": {"max_terms": None, "max_coefficient": None},
}


def make_people(n: int, spread: float, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 100, n),
            "in come": np.round(rng.normal(3000, 900 * spread, n), 2),
            'smo"ker': rng.random(n) < 0.3,
            "city; --": rng.choice(["B", "M'u", "x;y", "new"][: 3 + (spread > 1)], n),
        }
    )


@pytest.fixture(scope="module", params=list(FAMILIES))
def explanation(request: pytest.FixtureRequest) -> Explanation:
    people = make_people(200, 1.0, 0)
    numbers = people[["age", "in come"]].astype(float)
    labels = KMeans(5, n_init=3, random_state=0).fit_predict((numbers - numbers.mean()) / numbers.std())
    family: dict[str, Any] = FAMILIES[request.param]
    return explain_labels(people, labels, outside="nearest", **family)


@pytest.fixture(scope="module")
def others() -> pd.DataFrame:
    return make_people(2000, 3.0, 1)


@pytest.fixture
def expected(explanation: Explanation, others: pd.DataFrame) -> list[int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyclustWarning)  # "new" is a city not seen at fit
        labels: list[int] = explanation.predict(others).tolist()
    assert len(set(labels)) == 5
    return labels


def test_duckdb(explanation: Explanation, others: pd.DataFrame, expected: list[int]) -> None:
    with duckdb.connect() as connection:
        connection.register("others", others)
        found = connection.execute(explanation.to_sql("others")).df()
    assert list(found.columns) == [*others.columns, "cluster"]
    assert found["cluster"].tolist() == expected


def test_sqlite(explanation: Explanation, others: pd.DataFrame, expected: list[int]) -> None:
    connection = sqlite3.connect(":memory:")
    others.to_sql("others", connection, index=False)
    found = connection.execute(explanation.to_sql("others", "sqlite")).fetchall()
    connection.close()
    assert [row[-1] for row in found] == expected


def test_python(explanation: Explanation, others: pd.DataFrame, expected: list[int]) -> None:
    names: dict[str, Any] = {}
    exec(compile(explanation.to_python(), "rules.py", "exec"), names)
    assert [names["assign"](row) for row in others.to_dict("records")] == expected


def test_json(explanation: Explanation, others: pd.DataFrame, expected: list[int]) -> None:
    again = Explanation.from_json(explanation.to_json())
    assert again == explanation
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyclustWarning)
        assert again.predict(others).tolist() == expected


class Colour(str, Enum):  # noqa: UP042
    """As rows of an application hold it: equal to its text, but written otherwise."""

    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize("as_level", [np.str_, Colour, str])
@pytest.mark.parametrize("label", ["colour", np.str_("colour")])
def test_texts_of_a_type_of_their_own_are_exported_as_their_text(as_level: Any, label: Any) -> None:
    words = ["red", "blue"] * 5
    texts = pd.Series([as_level(w) for w in words], dtype=object)
    table = texts.to_frame().set_axis(pd.Index([label], dtype=object), axis=1)
    explanation = explain_labels(table, [0, 1] * 5)
    assert explanation.word_rule(0) == 'colour = "red"'
    names: dict[str, Any] = {}
    exec(explanation.to_python(), names)
    assert [names["assign"]({"colour": w}) for w in words] == [0, 1] * 5
    assert "= 'red'" in explanation.to_sql("t")
    assert explanation.predict(pd.DataFrame({"colour": words})).tolist() == [0, 1] * 5
