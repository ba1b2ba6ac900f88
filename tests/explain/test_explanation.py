"""The Explanation: quality, pairs, variants, and the hard cases."""

import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain.strategies import grow_tree, make_case, make_possible_rows
from naive import hold_clauses
from polyclust.explain.build import build_explanation
from polyclust.explain.posthoc import explain_labels
from polyclust.geometry.hyperplane import Hyperplane, find_members
from polyclust.table.encode import encode_rows, fit_encoder
from polyclust.table.features import Column, Feature
from rule_parser import evaluate_rule

ANIMALS = pd.DataFrame(
    {
        "hair": [True, True, False, False, False, True],
        "legs": [4, 2, 0, 6, 8, 4],
        "colour": ["red", "blue", "red", "green", "blue", "red"],
        "weight": [1.5, 70.0, 0.25, 0.01, 0.02, 30.0],
    }
)
LABELS = np.array([0, 0, 1, 2, 2, 0])


def explain_animals(**options):
    columns, table = fit_encoder(ANIMALS)
    names = [f.name for f in table.features]
    hair, legs = names.index("hair"), names.index("legs")

    def plane(feature, threshold, above, below):
        return Hyperplane((feature,), (1.0,), (1.0,), threshold, table.features[feature].scale, above, below)

    planes = [plane(hair, 1.0, 0, 1), plane(hair, 1.0, 0, 2), plane(legs, 2.0, 2, 1)]
    labels = options.pop("labels", LABELS)
    return build_explanation(columns, table.features, planes, table.raw, labels, **options)


def test_rules_of_a_small_table():
    explanation = explain_animals()
    assert [explanation.word_rule(k) for k in range(3)] == [
        "hair",
        "NOT hair AND legs < 2",
        "NOT hair AND legs ≥ 2",
    ]
    assert [(r.size, r.coverage, r.precision, r.n_clauses, r.n_terms) for r in explanation.rules] == [
        (3.0, 1.0, 1.0, 1, 1),
        (1.0, 1.0, 1.0, 2, 2),
        (2.0, 1.0, 1.0, 2, 2),
    ]
    assert explanation.is_exact
    assert (explanation.n_clauses, explanation.n_terms) == (5, 5)


def test_pairwise():
    explanation = explain_animals()
    assert str(explanation.pairwise(0, 1)) == "IF hair: cluster 0 ELSE cluster 1"
    assert str(explanation.pairwise(1, 0)) == "IF NOT hair: cluster 1 ELSE cluster 0"
    assert str(explanation.pairwise(2, 1)) == "IF legs ≥ 2: cluster 2 ELSE cluster 1"
    assert explanation.pairwise(2, 1).clause.threshold == 2.0
    assert [(c.first, c.second) for c in explanation.comparisons] == [(0, 1), (0, 2), (1, 2)]
    table = explanation.pairwise_table()
    assert table.loc[1, 2] == "legs < 2"
    assert table.loc[1, 1] == ""


@pytest.mark.parametrize("pair", [(0, 0), (0, 3), (-1, 0), ("mammals", 0), (0.5, 1)])
def test_pairs_that_are_none(pair):
    with pytest.raises(ValueError, match=r"clusters are 0 to 2|two different clusters"):
        explain_animals().pairwise(*pair)


def test_quality_of_an_inexact_clustering():
    labels = np.array([0, 1, 1, 2, 1, 0])
    explanation = explain_animals(labels=labels)
    assert explanation.rules[0].coverage == 1.0
    assert explanation.rules[0].precision == 2 / 3
    assert explanation.rules[1].coverage == 1 / 3
    assert explanation.fidelity == 4 / 6
    assert not explanation.is_exact


def test_weights_count_as_rows():
    labels = np.array([0, 1, 1, 2, 1, 0])
    weights = np.array([1, 2, 0, 1, 3, 4])
    explanation = explain_animals(labels=labels, weights=weights)
    assert explanation.rules[0].size == 5
    assert explanation.rules[0].precision == 5 / 7
    assert explanation.fidelity == 6 / 11


def test_minimum_size_is_flagged():
    assert [r.is_at_minimum for r in explain_animals(minimum_size=1).rules] == [False, True, False]
    assert not any(r.is_at_minimum for r in explain_animals().rules)


def test_evaluate_on_other_rows():
    explanation = explain_animals()
    other = ANIMALS.iloc[[0, 2, 3, 3]]
    result = explanation.evaluate(other, [0, 2, 2, -1])
    assert result["size"].tolist() == [1, 0, 2]
    assert result["coverage"].iloc[2] == 0.5
    assert np.isnan(result["coverage"].iloc[1])
    assert result["precision"].tolist() == [1.0, 0.0, 0.5]
    weighted = explanation.evaluate(other, [0, 2, 2, -1], sample_weight=[1, 3, 1, 0])
    assert weighted["coverage"].iloc[2] == 0.25
    with pytest.raises(ValueError, match="labels must be one per row: 4 are needed, 2 were given"):
        explanation.evaluate(other, [0, 1])


def test_frozen_and_picklable():
    explanation = explain_animals()
    with pytest.raises(dataclasses.FrozenInstanceError):
        explanation.fidelity = 0.5
    copy = pickle.loads(pickle.dumps(explanation))
    assert copy == explanation
    assert (copy.predict(ANIMALS) == LABELS).all()


def test_the_explanation_does_not_import_the_search():
    code = (
        "import sys, polyclust.explain.build, polyclust.render.html;"
        "unwanted = ('polyclust.search', 'polyclust.estimator', 'numba');"
        "print([m for m in sys.modules if m.startswith(unwanted)])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_minimal_rules_hold_the_same_rows_with_fewer_clauses():
    explanation = explain_animals()
    minimal = explanation.minimal(ANIMALS, LABELS)
    assert minimal.is_minimal
    assert minimal.n_clauses <= explanation.n_clauses
    built = explain_animals(minimal=True)
    assert [r.clauses for r in built.rules] == [r.clauses for r in minimal.rules]
    assert minimal.word_rule(1) == "legs < 2"
    for export in (minimal.to_json, minimal.to_python, lambda: minimal.to_sql("t"), minimal.to_sql_case):
        with pytest.raises(ValueError, match="Minimal rules hold the same training rows but"):
            export()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 2))
def test_minimal_rules_are_the_fewest(seed, n_clusters, max_terms):
    frame, labels, explanation = make_case(seed, n_clusters, max_terms)
    raw = encode_rows(frame, explanation.columns, explanation.features)
    minimal = explanation.minimal(frame, labels)
    for rule in minimal.rules:
        np.testing.assert_array_equal(hold_clauses(rule.clauses, raw, explanation.features), labels == rule.cluster)
        for left_out in range(rule.n_clauses):
            fewer = rule.clauses[:left_out] + rule.clauses[left_out + 1 :]
            held = hold_clauses(fewer, raw, explanation.features)
            assert not np.array_equal(held, labels == rule.cluster)
    assert minimal.n_clauses <= explanation.n_clauses


def test_exports_that_a_transformer_forbids():
    explanation = explain_animals(why_not_exported="its features come from PCA, which has no SQL.")
    with pytest.raises(ValueError, match="cannot be exported to SQL: its features come from PCA"):
        explanation.to_sql("t")


def test_fills_replace_missing_values():
    explanation = explain_animals().with_fills({"legs": 4, "hair": False})
    other = ANIMALS.astype({"legs": "Int64", "hair": "boolean"})
    other.loc[[2, 3], "legs"] = pd.NA
    other.loc[0, "hair"] = pd.NA
    assert explanation.predict(other).tolist() == [2, 0, 2, 2, 2, 0]
    assert {c.name: c.fill for c in explanation.columns}["legs"] == 4.0
    assert explanation.predict(other.astype(object).to_numpy()).tolist() == [2, 0, 2, 2, 2, 0]
    assert explanation.rules[1].clauses[1].terms[0].feature.column.fill == 4.0
    with pytest.raises(ValueError, match="NaN"):
        explain_animals().predict(other)


@pytest.mark.parametrize(
    ("fills", "message"),
    [
        ({"nosuch": 1}, "There is no column 'nosuch' to fill"),
        ({"legs": 2.5}, "Column 'legs' cannot be filled with 2.5"),
        ({"hair": 3}, "Column 'hair' cannot be filled with 3"),
        ({"weight": "heavy"}, "Column 'weight' cannot be filled with 'heavy'"),
        ({"weight": float("nan")}, "Column 'weight' cannot be filled with nan"),
        ({"colour": float("nan")}, "Column 'colour' cannot be filled with nan: give a value of its kind, category."),
    ],
)
def test_fills_of_the_wrong_kind(fills, message):
    with pytest.raises(ValueError, match=message):
        explain_animals().with_fills(fills)


def test_names():
    explanation = explain_animals().with_names(["a", "b", "c"])
    assert [r.name for r in explanation.rules] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="names must be a list of 3 names, one per cluster; got 'abc'"):
        explanation.with_names("abc")
    with pytest.raises(ValueError, match="names must be 3"):
        explanation.with_names(["a"])


def test_rows_in_no_polytope():
    columns, table = fit_encoder(pd.DataFrame({"x": [0.0, 1, 2, 3], "y": [0.0, 3, 0, 3]}))
    planes = [
        Hyperplane((0,), (1.0,), (1.0,), 1.5, 3.0, 1, 0),
        Hyperplane((1,), (1.0,), (1.0,), 1.5, 3.0, 2, 0),
        Hyperplane((0, 1), (1.0, 1.0), (2.0, 2.0), 2.0, 3.0, 2, 1),
    ]
    lost = np.array([[9.0, -9.0], [1.0, 2.0]])
    for outside in ("nearest", "none"):
        explanation = build_explanation(columns, table.features, planes, table.raw, [0, 2, 1, 2], outside=outside)
        members = explanation.contains(lost)
        assert members.tolist() == find_members(lost, planes, 3).tolist()
        expected = np.where(members.any(axis=1), members.argmax(axis=1), -1)
        if outside == "nearest":
            expected = np.where(expected < 0, explanation.violation(lost).argmin(axis=1), expected)
        assert explanation.predict(lost).tolist() == expected.tolist()


def test_thirty_clusters():
    frame, labels, explanation = make_case(5, 30, 1, n_rows=400)
    assert explanation.n_clusters == 30
    assert len({rule.name for rule in explanation.rules}) == 30
    for k in range(30):
        held = evaluate_rule(explanation.word_rule(k), frame, explanation.columns)
        np.testing.assert_array_equal(held, labels == k)
    for text in (
        explanation.to_text(),
        explanation.to_markdown(),
        explanation.to_html(),
        explanation.to_latex(),
    ):
        assert "cluster 29" in text


def test_a_rule_of_forty_clauses():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((300, 41)) * 0.4, columns=[f"part {i}" for i in range(41)])
    labels = np.zeros(300, dtype=int)
    for k in range(1, 41):
        frame.iloc[k, k] = 0.9
        labels[k] = k
    columns, table = fit_encoder(frame)
    planes = [Hyperplane((k,), (1.0,), (1.0,), 0.5, 1.0, k, j) for k in range(1, 41) for j in range(k)]
    explanation = build_explanation(columns, table.features, planes, table.raw, labels)
    assert explanation.rules[0].n_clauses == 40
    assert (explanation.predict(frame) == labels).all()
    text = explanation.word_rule(0)
    assert text.count(" AND ") == 39
    assert evaluate_rule(text, frame, columns).sum() == 260
    assert all(len(line) <= 88 for line in explanation.to_text().splitlines())


def test_columns_with_two_distinct_values_and_negative_zero():
    frame = pd.DataFrame({"a": [-0.0, 2.5, 2.5, -0.0], "b": [-1.0, -1.0, -0.0, -0.0]})
    explanation = explain_labels(frame, [0, 1, 2, 3])
    assert explanation.is_exact
    assert "-0" not in explanation.to_text().replace("-0.5", "")
    flipped = frame.replace(0.0, 0.0)
    assert (explanation.predict(flipped) == [0, 1, 2, 3]).all()


def test_thresholds_at_the_edge_of_precision():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    frame = pd.DataFrame({"x": [low, high, low, high], "y": [1e-100, 1e-100, 0.0, 0.0]})
    explanation = explain_labels(frame, [0, 1, 2, 3])
    assert explanation.is_exact
    for k in range(4):
        text = explanation.word_rule(k)
        assert evaluate_rule(text, frame, explanation.columns).tolist() == [i == k for i in range(4)]


def test_integers_at_the_edge_of_precision():
    frame = pd.DataFrame({"x": np.array([2**53 - 2, 2**53 - 1, 2**53], dtype=np.int64), "y": [1, 2, 4]})
    explanation = explain_labels(frame[["x"]], [0, 1, 2])
    assert [explanation.word_rule(k) for k in range(3)] == [
        "x < 9007199254740991",
        "x = 9007199254740991",
        "x ≥ 9007199254740992",
    ]
    with pytest.raises(ValueError, match="beyond 2\\*\\*53"):
        explain_labels(frame[["x"]] + 5, [0, 1, 2])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(1, 3), st.booleans())
def test_rules_and_predict_agree_on_other_rows(seed, n_clusters, max_terms, cuts):
    _, _, explanation = make_case(seed, n_clusters, max_terms, cuts)
    rng = np.random.default_rng(seed)
    rows = make_possible_rows(explanation.features, rng, 500)
    members = find_members(rows, explanation.hyperplanes, explanation.n_clusters)
    for rule in explanation.rules:
        held = hold_clauses(rule.clauses, rows, explanation.features)
        np.testing.assert_array_equal(held, members[:, rule.cluster])


def test_half_thresholds_of_whole_features_read_as_whole_numbers():
    legs = Feature(Column("legs", "integer", "legs"), "integer")
    plane = Hyperplane((0,), (1.0,), (1.0,), 0.5, 1.0, 0, 1)
    explanation = build_explanation([legs.column], [legs], [plane], np.array([[1.0], [0.0]]), [0, 1])
    assert explanation.word_rule(0) == "legs ≥ 1"
    assert explanation.word_rule(1) == "legs < 1"


def test_tree_of_cuts_covers_its_rows():
    rng = np.random.default_rng(1)
    _, table = fit_encoder(ANIMALS)
    labels, planes = grow_tree(table.features, table.raw, rng, 3, 1)
    assert sorted(set(labels)) == [0, 1, 2]
    assert len(planes) == 3
