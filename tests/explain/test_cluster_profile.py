"""Profiles and names: effects against a plain computation, names short, unique and definite."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain.strategies import make_case
from polyclust.explain.names import name_clusters
from polyclust.explain.posthoc import explain_labels
from polyclust.explain.profile import profile_clusters
from polyclust.table.encode import fit_encoder

FRAME = pd.DataFrame(
    {
        "petal length (cm)": [1.0, 1.5, 1.2, 5.0, 6.0, 5.5],
        "ash": [2.0, 2.1, 2.0, 2.0, 2.1, 2.2],
        "hair": [True, False, True, True, False, False],
        "colour": ["red", "red", "red", "blue", "blue", "red"],
    }
)
LABELS = np.array([0, 0, 0, 1, 1, 1])


def profile(labels=LABELS, weights=None):
    _, table = fit_encoder(FRAME)
    return profile_clusters(table.raw, table.features, labels, weights)


def test_effects_and_typical_values():
    first = profile()[0]
    by_name = {t.feature.name: t for t in first.traits}
    values = FRAME["petal length (cm)"]
    expected = (values[:3].mean() - values[3:].mean()) / values.std(ddof=0)
    assert by_name["petal length (cm)"].effect == pytest.approx(expected)
    assert (by_name["petal length (cm)"].typical, by_name["petal length (cm)"].elsewhere) == (1.2, 5.5)
    assert by_name['colour = "blue"'].effect == pytest.approx(-2 / 3)
    assert by_name["hair"].typical == pytest.approx(2 / 3)
    assert first.traits[0].feature.name == "petal length (cm)"
    strengths = [round(t.strength, 9) for t in first.traits]
    assert strengths == sorted(strengths, reverse=True)
    assert str(by_name["petal length (cm)"]) == "petal length (cm): typically 1.2, elsewhere 5.5"
    assert str(by_name["hair"]) == "hair: 67% of rows, elsewhere 33%"


def test_weights_are_rows():
    weights = np.array([1, 3, 0, 2, 1, 2])
    _, table = fit_encoder(FRAME)
    repeated = profile_clusters(np.repeat(table.raw, weights, axis=0), table.features, np.repeat(LABELS, weights))
    for one, other in zip(profile(weights=weights), repeated, strict=True):
        assert one.size == other.size
        assert [t.feature for t in one.traits] == [t.feature for t in other.traits]
        np.testing.assert_allclose([t.effect for t in one.traits], [t.effect for t in other.traits])
        np.testing.assert_allclose([t.typical for t in one.traits], [t.typical for t in other.traits])


def test_one_cluster_differs_from_nothing():
    assert profile(labels=np.zeros(6, dtype=int))[0].traits == ()
    assert explain_labels(FRAME, np.zeros(6)).rules[0].name == "all rows"


def test_huge_and_tiny_values_of_other_rows_do_not_overflow():
    explanation = explain_labels(pd.DataFrame({"x": [0.0, 1.0, 3.0, 4.0], "y": [0.0, 1.0, 0.0, 1.0]}), [0, 0, 1, 1])
    others = pd.DataFrame({"x": [-8e307, -7e307, 8e307, 7e307], "y": [1e-310, 0.0, 2e-310, 0.0]})
    traits = explanation.profile(others)[0].traits
    assert len(traits) == 2
    assert all(np.isfinite(t.effect) for t in traits)


def test_names_speak_of_the_rule_first():
    explanation = explain_labels(FRAME, LABELS)
    assert [r.name for r in explanation.rules] == [
        "low petal length, colour red",
        "high petal length, colour mostly blue",
    ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_names_are_unique_and_definite(seed, n_clusters):
    frame, labels, explanation = make_case(seed, n_clusters)
    names = [rule.name for rule in explanation.rules]
    assert len(set(names)) == len(names)
    assert all(names)
    again = name_clusters([r.clauses for r in explanation.rules], explanation.profile(frame, labels))
    assert list(again) == names


def test_names_that_cannot_differ_are_numbered():
    same = profile()[0]
    names = name_clusters([(), (), ()], [same, same, same])
    assert names[1:] == (f"{names[0]} (2)", f"{names[0]} (3)")


def test_names_speak_of_the_middle_and_not_of_chance():
    labels = np.repeat([0, 1, 2], 40)
    chance = np.tile([-1.0, 1.0], 60) + np.where(labels == 0, 0.2, 0.0)  # a fifth of a deviation more
    frame = pd.DataFrame({"age": 20 + 20 * labels, "chance": chance})
    explanation = explain_labels(frame, labels)
    rules, profiles = explanation.rules, explanation.profile(frame, labels)
    names = name_clusters([rule.clauses for rule in rules], profiles)
    assert names == ("low age", "medium age", "high age")
    alike = name_clusters([(), rules[2].clauses, rules[2].clauses], profiles)
    assert len(set(alike)) == 3


def test_names_do_not_claim_of_all_rows_what_holds_for_some():
    code = ["K"] * 10 + ["I"] * 10 + ["E", "J"] * 5
    smoker = [True] * 9 + [False] + [True] * 6 + [False] * 4 + [False] * 8 + [True] * 2
    labels = np.repeat([0, 1, 2], 10)
    names = [rule.name for rule in explain_labels(pd.DataFrame({"code": code, "smoker": smoker}), labels).rules]
    assert names == ["code K, smoker", "code I", "code E or J, less often smoker"]
    frame = pd.DataFrame({"x": labels == 1, "smoker": smoker})[labels > 0]
    names = [rule.name for rule in explain_labels(frame, labels[labels > 0] - 1).rules]
    assert names == ["x, mostly smoker", "no x, less often smoker"]


def test_names_of_what_is_left_do_not_pick_one_value():
    corps = list("GIJK" * 5) + ["X"] * 10 + ["V, old"] * 10
    labels = np.repeat([0, 1, 2], [20, 10, 10])
    names = [rule.name for rule in explain_labels(pd.DataFrame({"corps": corps}), labels).rules]
    assert names == ["other corps", "corps X", 'corps "V, old"']


def test_names_do_not_contradict_the_rule():
    """Low on average beside all others, high beside the cluster from which the rule tells it."""
    labels = np.repeat([0, 1, 2], [20, 4, 2])
    frame = pd.DataFrame({"light": np.where(labels == 0, 9, 1), "heat": [5, 15] * 10 + [6] * 4 + [2] * 2})
    rules = explain_labels(frame, labels).rules
    assert str(rules[1]) == "light < 5 AND heat ≥ 5"
    assert [rule.name for rule in rules] == ["high light, high heat", "low light", "low light, low heat"]


def test_names_tell_columns_apart_that_differ_in_brackets_only() -> None:
    labels = np.repeat([0, 1, 2], 10)
    table = pd.DataFrame({"sales (2023)": labels > 0, "sales (2024)": labels > 1, "temp [°C]": labels}).astype(float)
    names = [rule.name for rule in explain_labels(table, labels).rules]
    assert not any("sales," in f"{name}," for name in names)
    assert not any("°C" in name for name in names)


def test_long_names_of_columns_are_cut_in_names_where_they_stay_apart() -> None:
    asked = [
        "How satisfied were you with the speed of delivery",
        "How satisfied were you with the speed of our answers",
    ]
    table = pd.DataFrame({question: np.repeat([1, 5], 10) for question in asked})
    table["Which of the following best describes your household?"] = np.repeat([1, 9], 10)
    names = [rule.name for rule in explain_labels(table[asked[:1]], np.repeat([0, 1], 10)).rules]
    assert names == [f"{word} How satisfied were you with the speed of…" for word in ("low", "high")]
    names = [rule.name for rule in explain_labels(table, np.repeat([0, 1], 10)).rules]
    for phrase in (
        "low How satisfied were you with the speed of delivery",
        "low Which of the following best describes…",
    ):
        assert phrase in names[0].split(", ")


def test_long_values_are_cut_in_names_where_they_stay_apart() -> None:
    labels = np.repeat([0, 1, 2], 10)
    alike = "Wholesale of agricultural raw materials, "
    branches = ["Machinery, pumps and compressors for the chemical industry", alike + "grain", alike + 'called "other"']
    table = pd.DataFrame({"branch": np.array(branches)[labels]})
    names = [rule.name for rule in explain_labels(table, labels).rules]
    assert names == [
        'branch "Machinery, pumps and compressors for the…"',
        f'branch "{alike}grain"',
        f'branch “{alike}called "other"”',
    ]
