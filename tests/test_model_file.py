"""Model files hold what predict needs, are written whole or not at all, and let nothing else in."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from polyclust import PolytopeClustering
from polyclust.demo_data import make_customers
from polyclust.errors import ModelFileError
from polyclust.explain.explanation import Clause, Explanation, Rule, Term
from polyclust.files import OutputError
from polyclust.geometry.hyperplane import Hyperplane, place_rows
from polyclust.model_file import dict_to_parts, load_model, model_to_dict, save_model
from polyclust.render.json import write_text
from polyclust.scale.space import Space
from polyclust.table.features import Column, Feature


def explain() -> Explanation:
    """Two clusters, told apart by 0.1 * (größe / 3) + hair."""
    columns = (Column("größe", "number", "größe", fill=1.5), Column("hair", "boolean", "hair"))
    features = (
        Feature(columns[0], "number", offset=0.1, scale=3.3, unit=3.0),
        Feature(columns[1], "boolean"),
    )
    plane = Hyperplane((0, 1), (0.1, 1.0), (3.0, 1.0), 0.30000000000000004, 1.7, 1, 0)
    terms = (Term(0.1, features[0], 3.0), Term(1.0, features[1]))
    rules = (
        Rule(0, (Clause(terms, "<", plane.threshold),), 6.0, 1.0, 1.0),
        Rule(1, (Clause(terms, "≥", plane.threshold),), 2.0, 1.0, 1.0, is_at_minimum=True),
    )
    return Explanation(columns, features, (plane,), rules)


class Fitted(BaseEstimator):
    """The attributes of a fitted estimator that a model file is made from."""

    def __init__(self, criterion: Any = "silhouette", explain_with: Any = None, random_state: Any = 0) -> None:
        self.criterion = criterion
        self.explain_with = explain_with
        self.random_state = random_state

    def settle(self) -> Fitted:
        self._space = Space((), "euclidean")
        self.explanation_ = explain()
        self.scores_ = {2: np.float64(0.61), 3: math.nan}
        self.score_ = np.float64(0.61)
        self.is_optimal_ = True
        self.n_features_in_ = 2
        self.feature_names_in_ = np.array(["größe", "hair"], dtype=object)
        return self


def test_how_it_was_searched_comes_back_too(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model = Fitted().settle()
    save_model(model, path)
    parts = load_model(path)
    assert (parts.search, parts.score_interval) == (None, None)
    model.search_, model.score_interval_ = "sampled", (0.5, np.float64(0.75))
    save_model(model, path)
    parts = load_model(path)
    assert (parts.search, parts.score_interval) == ("sampled", (0.5, 0.75))
    data = json.loads(path.read_text(encoding="utf-8"))
    del data["search"], data["score_interval"]  # an older file
    assert dict_to_parts(data).score_interval is None
    for key, wrong in (("search", 3), ("score_interval", [1.0]), ("score_interval", "0.5")):
        with pytest.raises(ModelFileError, match="damaged"):
            dict_to_parts(data | {key: wrong})


def test_a_saved_model_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model = Fitted(explain_with=["größe"]).settle()
    save_model(model, path)
    parts = load_model(path)
    assert parts.explanation == model.explanation_
    assert parts.parameters == {"criterion": "silhouette", "explain_with": ["größe"], "random_state": 0}
    assert parts.not_kept == {}
    assert parts.score == 0.61
    assert parts.scores[2] == 0.61
    assert math.isnan(parts.scores[3])
    assert (parts.sizes, parts.shares) == ((6.0, 2.0), (0.75, 0.25))
    assert (parts.is_optimal, parts.n_features_in, parts.feature_names_in) == (True, 2, ("größe", "hair"))


def test_what_the_file_lacks_is_not_made_up(tmp_path: Path) -> None:
    X = make_customers(200, seed=3).drop(columns="customer_id")
    for settings in ({"explain_with": ["age"]}, {"criterion": lambda X, labels: -float(labels.max())}):
        model = PolytopeClustering(2, random_state=0, n_init=1, **settings).fit(X)
        model.save(tmp_path / "m.json")
        again = PolytopeClustering.load(tmp_path / "m.json")
        assert (again.predict(X) == model.predict(X)).all()
        with pytest.raises(ValueError, match="with the model that was fitted"):
            again.score(X)
        with pytest.raises(ValueError, match="with the model that was fitted"):
            again.scaled(X)
    model = PolytopeClustering(2, random_state=0, n_init=1).fit(X)
    model.save(tmp_path / "m.json")
    assert PolytopeClustering.load(tmp_path / "m.json").score(X) == model.score(X)


def test_rows_are_placed_the_same_after_the_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save_model(Fitted().settle(), path)
    again = load_model(path).explanation
    raw = np.column_stack([np.linspace(-20, 20, 4001), np.arange(4001) % 2])
    raw[:3, 0] = [9.0, np.nextafter(9.0, 0), np.nextafter(9.0, 10)]
    expected = place_rows(raw, explain().hyperplanes, 2)
    assert 0 < expected.mean() < 1
    np.testing.assert_array_equal(place_rows(raw, again.hyperplanes, 2), expected)


def test_the_file_is_text_that_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save_model(Fitted().settle(), path)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["format"], data["version"], data["seed"]) == ("polyclust model", 1, 0)
    assert "labels of the training rows are not kept" in data["note"]
    assert "größe" in path.read_text(encoding="utf-8")


def test_parameters_that_text_cannot_hold_are_named() -> None:
    data = model_to_dict(
        parameters={"criterion": len, "random_state": np.random.RandomState(0), "n_init": np.int64(3)},
        explanation=explain(),
        scores={},
        score=0.5,
        n_features_in=2,
    )
    parts = dict_to_parts(json.loads(write_text(data)))
    assert parts.parameters == {"n_init": 3}
    assert parts.not_kept.keys() == {"criterion", "random_state"}
    assert "builtin_function_or_method cannot be kept" in parts.not_kept["criterion"]


def test_nothing_is_written_when_the_rules_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")
    model = Fitted().settle()
    model.explanation_ = replace(explain(), why_not_exported="its features come from PCA.")
    with pytest.raises(ValueError, match="its features come from PCA"):
        save_model(model, path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"nowhere does not exist: make it, or write to another place\.$"):
        save_model(Fitted().settle(), tmp_path / "nowhere" / "model.json")
    assert os.listdir(tmp_path) == []


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save_model(Fitted().settle(), path)
    whole = path.read_bytes()
    for length in range(0, len(whole.rstrip()), 97):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match=r"model\.json: This model is damaged|is not text"):
            load_model(path)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x80\x04\x95pickle", "is not text"),
        (b"a,b\n1,2\n", "it is not JSON"),
        (b"{}", 'its "format" is None'),
        (b'{"format": "polyclust explanation", "version": 1}', "This is not a polyclust model"),
        (b'{"format": "polyclust model", "version": 99}', "install a newer polyclust"),
        (b'{"format": "polyclust model", "version": 1}', "is missing"),
    ],
)
def test_foreign_and_newer_files_are_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=sentence):
        load_model(path)


@pytest.mark.parametrize("key", ["parameters", "explanation", "scores", "sizes", "is_optimal", "n_features_in"])
@pytest.mark.parametrize("junk", [None, "x", [{}], {"2": "x"}, 1.5])
def test_damaged_parts_are_refused(tmp_path: Path, key: str, junk: Any) -> None:
    path = tmp_path / "model.json"
    save_model(Fitted().settle(), path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data[key] = junk if not (key == "parameters" and junk == {"2": "x"}) else {"n_init": {}}
    path.write_text(json.dumps(data))
    with pytest.raises(ModelFileError, match=r"model\.json: .* is damaged|is not a polyclust explanation"):
        load_model(path)


def test_a_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.json")
