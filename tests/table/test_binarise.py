"""The binariser: readable cuts of about equal parts, or the user's own."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from polyclust import Binariser, PolytopeClustering
from strategies import TENTHS

TABLE = pd.DataFrame(
    {"age": [20, 30, 40, 50, 60, 70], "pay": [1.1, 1.9, 3.0, 4.0, 5.5, 6.1], "smoker": [True, False] * 3,
     "city": ["Rome", "Oslo", "Oslo"] * 2}, index=list("abcdef"),
)  # fmt: skip


def test_names_say_what_the_features_mean():
    cuts = Binariser(n_bins=3).fit(TABLE)
    assert cuts.get_feature_names_out().tolist() == [
        "age ≥ 35", "age ≥ 55", "pay ≥ 2.5", "pay ≥ 5", "smoker", 'city = "Oslo"', 'city = "Rome"',
    ]  # fmt: skip
    made = cuts.transform(TABLE)
    assert made.columns.tolist() == cuts.get_feature_names_out().tolist()
    assert made.index.tolist() == list("abcdef")
    assert made["age ≥ 35"].tolist() == [0, 0, 1, 1, 1, 1]
    assert made['city = "Rome"'].tolist() == [1, 0, 0, 1, 0, 0]


def test_thresholds_of_ones_own_and_only_for_some_columns():
    cuts = Binariser(n_bins=2, thresholds={"pay": [5, 2.25]}).fit(TABLE)
    assert cuts.get_feature_names_out().tolist()[:3] == ["age ≥ 45", "pay ≥ 2.25", "pay ≥ 5"]
    assert cuts.transform(TABLE)["pay ≥ 5"].tolist() == [0, 0, 0, 0, 1, 1]


def test_a_threshold_twice_is_one_cut():
    assert Binariser(thresholds={"pay": [2, 2.0]}).fit(TABLE[["pay"]]).get_feature_names_out().tolist() == ["pay ≥ 2"]


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ({0: [1.0]}, "thresholds names columns that the table lacks: 0; it has age, pay, smoker, city."),
        ({"city": [1.0]}, "thresholds names 'city', a category, which has no numbers to cut: leave it out."),
        ({"pay": 2.0}, "thresholds of column 'pay' must be a list of finite numbers; got 2.0."),
        ({"pay": [2.0, np.nan]}, "thresholds of column 'pay' must be a list of finite numbers; got [2.0, nan]."),
        ({"pay": ["two"]}, "thresholds of column 'pay' must be a list of finite numbers; got ['two']."),
    ],
)
def test_thresholds_that_cut_nothing_are_refused(thresholds, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Binariser(thresholds=thresholds).fit(TABLE)


@settings(max_examples=60)
@given(arrays(float, st.integers(4, 40), elements=TENTHS), st.integers(2, 5))
def test_cuts_are_in_gaps_and_part_the_rows(values, n_bins):
    table = pd.DataFrame({"a": values})
    made = Binariser(n_bins=n_bins).fit(table)
    thresholds = [float(f.level) for f in made.features_ if f.kind == "cut"]
    assert thresholds == sorted(set(thresholds))
    assert len(thresholds) < n_bins
    for t in thresholds:
        assert values.min() < t <= values.max()
        share = (values < t).mean()
        assert 0 < share < 1
    if thresholds:
        found = made.transform(table).to_numpy().tolist()
        assert found == [[int(v >= t) for t in thresholds] for v in values]


def test_it_is_a_transformer_of_scikit_learn():
    cuts = Binariser(n_bins=3, thresholds={"pay": [2]})
    assert clone(cuts).get_params() == {"n_bins": 3, "thresholds": {"pay": [2]}}
    pipe = make_pipeline(Binariser(n_bins=2), PolytopeClustering(2, min_cluster_size=2, random_state=0))
    labels = pipe.fit_predict(TABLE[["age", "pay"]])
    assert np.bincount(labels).tolist() == [3, 3]
    with pytest.raises(ValueError, match="not fitted"):
        Binariser().transform(TABLE)
    for n_bins in np.arange(2, 4):  # as a grid hands them over
        assert Binariser(n_bins).fit(TABLE[["age"]]).features_ == Binariser(int(n_bins)).fit(TABLE[["age"]]).features_
