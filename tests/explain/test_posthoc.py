"""Polytopes for clusterings made elsewhere, against brute force."""

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import load_iris, make_blobs

from polyclust import Explanation
from polyclust.explain import separation
from polyclust.explain.posthoc import explain_labels
from polyclust.explain.separation import PairTable, find_fewest_errors
from polyclust.hyperplanes.lattice import list_directions
from polyclust.table.encode import fit_encoder
from rule_parser import evaluate_rule

IRIS = load_iris(as_frame=True).data
DIAGONAL = pd.DataFrame({"x": [0.0, 1, 2, 3, 4, 0.5, 1.5, 2.5, 3.5, 4.5], "y": [1.0, 2, 3, 4, 5, 0, 1, 2, 3, 4]})
SIDES = np.repeat([0, 1], 5)


def count_errors_by_brute_force(values, is_first, weights, directions):
    """Every direction, every gap between two different values, both orientations."""
    fewest = np.inf
    for d in range(len(directions)):
        features, coefficients = directions.terms(d)
        along = sum(c * values[:, f] for f, c in zip(features, coefficients, strict=True))
        distinct = np.unique(along)
        for low, high in itertools.pairwise(distinct):
            if len(features) > 1 and not high - low > 1e-9 * np.abs(distinct).max():
                continue
            is_above = along >= high
            fewest = min(fewest, weights[is_above != is_first].sum(), weights[is_above == is_first].sum())
    return fewest


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 2))
def test_no_hyperplane_of_the_family_makes_fewer_errors(seed, n_features, max_terms):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(14, n_features)) / 2
    X[0], X[1] = 0, 3
    is_first = rng.random(14) < 0.5
    is_first[:2] = True, False
    weights = rng.integers(1, 4, size=14).astype(float)
    _, table = fit_encoder(X)
    pair = PairTable(table.raw, is_first, weights, table.features, 0, 1)
    directions = list_directions(n_features, max_terms, 2)
    plane, errors = find_fewest_errors(pair, directions.take(np.arange(n_features, len(directions))))
    assert errors == count_errors_by_brute_force(pair.in_units, is_first, weights, directions)
    is_above = plane.is_above(table.raw)
    is_wrong = is_above != (is_first if plane.above == 0 else ~is_first)
    assert weights[is_wrong].sum() == errors


def test_k_means_with_two_terms_is_exact():
    labels = KMeans(3, n_init=10, random_state=0).fit_predict(IRIS)
    explanation = explain_labels(IRIS, labels, max_terms=2, max_coefficient=3)
    assert explanation.is_exact
    assert explanation.advice == ()
    for k in range(3):
        held = evaluate_rule(explanation.word_rule(k), IRIS, explanation.columns)
        np.testing.assert_array_equal(held, labels == k)


def test_k_means_cells_are_polytopes_of_the_general_family():
    X, _ = make_blobs(300, n_features=4, centers=6, random_state=3, cluster_std=2.0)
    labels = KMeans(6, n_init=3, random_state=0).fit_predict(X)
    explanation = explain_labels(X, labels, max_terms=None, max_coefficient=None)
    assert explanation.is_exact
    assert (explanation.predict(X) == labels).all()


def test_advice_names_what_separates():
    explanation = explain_labels(DIAGONAL, SIDES)
    assert explanation.fidelity < 1
    assert explanation.advice == ("max_terms=2 would separate clusters 0 and 1.",)
    better = explain_labels(DIAGONAL, SIDES, max_terms=2)
    assert better.is_exact
    assert better.advice == ()
    assert explanation.advice[0] in explanation.to_text()


def test_advice_for_rows_that_nothing_separates():
    frame = pd.DataFrame({"x": [0.0, 1, 1, 2], "y": [0.0, 1, 1, 2]})
    same = explain_labels(frame, [0, 0, 1, 1])
    assert same.advice == ("Rows with the same values are in both of clusters 0 and 1; no rule can tell them apart.",)
    nested = explain_labels(pd.DataFrame({"x": [0.0, 1, 2], "y": [0.0, 1, 2]}), [0, 1, 0])
    assert nested.advice == ("No hyperplane separates clusters 0 and 1: they overlap.",)


def test_a_solver_that_is_stopped_is_told(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    labels = (X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(scale=1.5, size=120) > 0).astype(int)
    monkeypatch.setattr(separation, "SOLVER_SECONDS", 0.05)
    stopped = explain_labels(X, labels, max_terms=3, max_coefficient=None)
    sentence = stopped.advice[-1]
    told = r"The integer program was stopped after .* s for clusters 0 and 1 \(gap \d+%\): a hyperplane with smaller"
    assert re.match(told, sentence)
    assert sentence in stopped.to_text()
    assert Explanation.from_json(stopped.to_json()).advice == stopped.advice
    monkeypatch.setattr(separation, "SOLVER_SECONDS", 600.0)
    proved = explain_labels(X[:25], labels[:25], max_terms=2, max_coefficient=None)
    assert proved.fidelity < 1
    assert "integer program" not in " ".join(proved.advice)


def test_clusters_of_one_and_the_same_row():
    frame = pd.DataFrame({"x": [1.0, 1, 1, 2], "y": [5.0, 5, 5, 6]})
    explanation = explain_labels(frame, ["a", "b", "a", "c"])
    assert explanation.predict(frame).tolist() == [0, 0, 0, 2]
    assert explanation.fidelity == 0.75


def test_a_rule_that_no_row_meets_says_so():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a": rng.integers(0, 4, 12), "b": rng.integers(0, 3, 12)})
    explanation = explain_labels(table, rng.integers(0, 4, 12))
    empty = [rule for rule in explanation.rules if np.isnan(rule.precision)]
    text = explanation.to_text()
    assert empty
    assert text.count("! no row meets this rule") == len(empty)
    assert "precision –" not in text
    assert "coverage 0%" not in text


def test_noise_has_no_polytope_and_counts_against_precision():
    X, _ = make_blobs(200, centers=3, random_state=0, cluster_std=0.6)
    X = np.vstack([X, np.random.default_rng(0).uniform(-10, 10, size=(30, 2))])
    labels = HDBSCAN(min_cluster_size=15, copy=True).fit_predict(X)
    assert (labels == -1).any()
    explanation = explain_labels(X, labels, max_terms=2, max_coefficient=3)
    assert explanation.n_clusters == labels.max() + 1
    assert explanation.outside == "none"
    members = explanation.contains(X)
    for k, rule in enumerate(explanation.rules):
        assert rule.size == (labels == k).sum()
        assert rule.coverage == (members[:, k] & (labels == k)).sum() / (labels == k).sum()
        assert rule.precision == (members[:, k] & (labels == k)).sum() / members[:, k].sum()
    assert explanation.fidelity == (explanation.predict(X) == labels).mean()
    n_noise, n_held = (labels == -1).sum(), (members.any(axis=1) & (labels == -1)).sum()
    assert explanation.advice[0] == f"Noise: {n_noise} more rows, of which the rules hold {n_held}."


def test_noise_is_noise_in_a_list_of_numpys_integers():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    labels = np.array([0, 0, -1, 1, 1, 1])
    for given_labels in (list(labels), pd.Series(list(labels), dtype=object)):
        assert explain_labels(frame, given_labels) == explain_labels(frame, labels)


def test_labels_of_any_kind():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    explanation = explain_labels(frame, pd.Series(["low", "low", "mid", "mid", "top", "top"]))
    assert explanation.cluster_labels == ("low", "mid", "top")
    assert [rule.name for rule in explanation.rules] == ["low", "mid", "top"]
    result = explanation.evaluate(frame, ["low", "low", "mid", "mid", "mid", "top"])
    assert result["coverage"].tolist() == [1.0, 2 / 3, 1.0]
    assert result["precision"].tolist() == [1.0, 1.0, 0.5]
    mixed = explain_labels(frame, ["b", "b", 7, 7, None.__class__, None.__class__])
    assert mixed.cluster_labels == ("b", 7, type(None))


def test_weights_are_rows():
    frame = pd.DataFrame({"x": [0.0, 1, 2, 3, 4], "y": [1.0, 0.5, 0, 0, 5]})
    weights = np.array([3, 1, 2, 1, 0])
    weighted = explain_labels(frame, [0, 1, 0, 1, 1], sample_weight=weights)
    repeated = explain_labels(frame.loc[frame.index.repeat(weights)], np.repeat([0, 1, 0, 1, 1], weights))
    assert weighted.rules == repeated.rules
    assert weighted.fidelity == repeated.fidelity


@pytest.mark.parametrize("silent", [0, 1, 2, -1])
def test_labels_of_rows_without_weight_count_for_nothing(silent: int) -> None:
    frame = pd.DataFrame({"a": range(12)})
    others = [label for label in (0, 1, 2) if label != silent][:2]
    labels = np.repeat([*others, silent], 4)
    explanation = explain_labels(frame, labels, sample_weight=np.repeat([1.0, 1.0, 0.0], 4))
    assert explanation.n_clusters == 2
    assert explanation.outside == "nearest"
    assert explanation.is_exact
    assert [rule.size for rule in explanation.rules] == [4.0, 4.0]
    assert explanation.predict(frame).tolist() == [0] * 4 + [1] * 8
    assert explanation.to_sql("t").count("WHEN") == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": [0, 1]}, "labels must be one per row: 3 are needed, 2 were given"),
        ({"labels": None}, "labels must be a list, an array or a column, one per row; got a NoneType."),
        ({"labels": "abc"}, "labels must be a list, an array or a column, one per row; got a str."),
        ({"labels": np.zeros((3, 2))}, "labels must be one per row, each a single value; got a list for a row."),
        ({"labels": [0, None, 1]}, "labels must not be missing"),
        ({"labels": pd.Series([0, None, 1], dtype="Int64")}, "labels must not be missing"),
        ({"labels": [-1, -1, -1]}, "every row is noise"),
        ({"labels": [0, 0, 1], "max_terms": 0}, "max_terms must be an integer >= 1 or None; got 0"),
        (
            {"labels": [0, 0, 1], "max_coefficient": 1.5},
            "max_coefficient must be an integer >= 1 or None; got 1.5",
        ),
        ({"labels": [0, 0, 1], "units": "metric"}, 'units must be one of "round", "range", "none"; got \'metric\'.'),
        ({"labels": [0, 0, 1], "scale": None}, 'scale must be one of "minmax", "standard", "none"; got None.'),
        ({"labels": [0, 0, 1], "outside": "error"}, 'outside must be one of "nearest", "none"; got \'error\'.'),
        ({"labels": [0, 0, 1], "names": "ab"}, "names must be a list of 2 names, one per cluster; got 'ab'."),
        ({"labels": [0, 0, 1], "names": 3}, "names must be a list of 2 names, one per cluster; got 3."),
        ({"labels": [0, 0, 1], "names": ["a"]}, "names must be 2, one per cluster; got 1."),
        ({"labels": [0, 0, 1], "sample_weight": [1, 2]}, "weights must be 3 finite numbers"),
        ({"labels": [0, 0, 1], "sample_weight": ["u", "v", "w"]}, "weights must be 3 finite numbers"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        explain_labels(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), **options)


@pytest.mark.parametrize("labels", [["a", 1, 1], [(0, 1), (0, 2), (0, 2)]])
def test_labels_are_found_again_by_their_own_types(labels):
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    explanation = explain_labels(table, labels)
    assert explanation.evaluate(table, labels)["coverage"].tolist() == [1.0, 1.0]
    assert [rule.coverage for rule in explanation.minimal(table, labels).rules] == [1.0, 1.0]
    assert [profile.size for profile in explanation.profile(table, labels)] == [1, 2]


def test_limits_may_be_numpys_integers():
    rows = np.random.default_rng(0).normal(size=(12, 24))
    labels = np.tile([0, 1], 6)
    limits = {"max_terms": np.int64(24), "max_coefficient": np.int64(3)}  # numpy's count of such directions overflows
    assert explain_labels(rows, labels, **limits) == explain_labels(rows, labels, 24, 3)


def test_one_cluster_needs_no_clause():
    explanation = explain_labels(pd.DataFrame({"x": [1.0, 2.0]}), ["all", "all"])
    assert explanation.word_rule(0) == "every row"
    assert explanation.is_exact


@pytest.mark.parametrize("as_given", [pd.Categorical, lambda *a, **k: pd.Series(pd.Categorical(*a, **k))])
def test_categories_keep_their_order(as_given: Any) -> None:
    levels = ["low", "medium", "high"]
    labels = as_given(np.repeat(levels, 10)[::-1], categories=levels, ordered=True)
    explanation = explain_labels(pd.DataFrame({"days late": np.repeat([9.0, 5.0, 1.0], 10)}), labels)
    assert explanation.cluster_labels == ("low", "medium", "high")
    assert [rule.name for rule in explanation.rules] == ["low", "medium", "high"]
    assert [str(rule).count("<") for rule in explanation.rules] == [1, 1, 0]
