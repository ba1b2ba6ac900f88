"""Columns, the binariser and other transformers that explain in place of the columns that are clustered."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from polyclust import Binariser, Explanation, PolytopeClustering

quietly = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


@quietly
def test_columns_that_explain(customers):
    model = PolytopeClustering(explain_with=["age", "colour"], random_state=0, n_init=2).fit(customers)
    used = {model.explanation_.features[f].column.name for h in model.hyperplanes_ for f in h.features}
    assert used <= {"age", "colour"}
    assert (model.predict(customers) == model.labels_).all()
    expected = metrics.silhouette_score(model.scaled(customers), model.labels_)
    assert model.score_ == pytest.approx(expected, abs=1e-5)
    assert "SELECT" in model.explanation_.to_sql("customers")
    one = PolytopeClustering(explain_with="age", random_state=0, n_init=1).fit(customers)
    assert {f.column.name for f in one.explanation_.features} == {"age"}


@quietly
def test_the_binariser_explains_and_exports(customers):
    cuts = Binariser(thresholds={"age": [35, 57.5]})
    model = PolytopeClustering(explain_with=cuts, max_terms=2, random_state=0, n_init=2).fit(customers)
    assert (model.predict(customers) == model.labels_).all()
    assert {f.name for f in model.explanation_.features} >= {"age ≥ 35", "age ≥ 57.5", "member"}
    restored = Explanation.from_json(model.explanation_.to_json())
    assert restored.predict(customers).tolist() == model.labels_.tolist()
    assert not hasattr(cuts, "features_")  # the user's own object is left alone


@quietly
@pytest.mark.parametrize("explain_with", [Binariser(), StandardScaler()])
def test_transformers_count_rows_by_their_weights(customers, explain_with):
    numbers = customers[["age", "income"]]
    counts = np.arange(len(numbers)) % 3
    few = {"n_init": 1, "max_clusters": 4, "random_state": 0, "explain_with": explain_with}
    weighed = PolytopeClustering(**few).fit(numbers, sample_weight=counts)
    rows = np.repeat(np.arange(len(numbers)), counts)
    repeated = PolytopeClustering(**few).fit(numbers.iloc[rows])
    assert weighed.score_ == pytest.approx(repeated.score_, abs=1e-9)
    assert weighed.labels_[rows].tolist() == repeated.labels_.tolist()
    assert weighed.explanation_.to_text() == repeated.explanation_.to_text()


@quietly
def test_another_transformer_explains_and_says_why_it_is_not_exported(customers):
    numbers = customers[["age", "income"]]
    model = PolytopeClustering(explain_with=PCA(1), random_state=0, n_init=1).fit(numbers)
    assert (model.predict(numbers) == model.labels_).all()
    assert "pca0" in model.explanation_.to_text()
    for export in ("to_json", "to_python"):
        with pytest.raises(ValueError, match=r"cannot be exported .* PCA, which only Python can compute"):
            getattr(model.explanation_, export)()
    with pytest.raises(ValueError, match="PCA"):
        model.explanation_.to_sql("t")
    with pytest.raises(ValueError, match=r"its model can: .* PCA"):
        model.explanation_.predict(numbers)


@quietly
def test_a_transformer_need_not_name_what_it_makes(customers):
    """A pipeline has get_feature_names_out, which fails where a step has none."""
    numbers = customers[["age", "income"]].to_numpy()
    nameless = make_pipeline(StandardScaler(), FunctionTransformer(np.negative))
    model = PolytopeClustering(explain_with=nameless, n_init=1, max_clusters=3, random_state=0).fit(numbers)
    assert {c.name for c in model.explanation_.columns} == {"x0", "x1"}
    assert (model.predict(numbers) == model.labels_).all()


@pytest.mark.parametrize("mask", [[True, False], np.array([False, True])])
def test_a_mask_is_no_list_of_columns(iris, mask):
    with pytest.raises(ValueError, match="names of columns, not a mask"):
        PolytopeClustering(2, explain_with=mask).fit(np.asarray(iris)[:, :2])


def test_dates_are_no_numbers_at_predict():
    X = pd.DataFrame({"a": np.repeat([0.0, 9.0], 20) + np.arange(40) / 50, "b": np.arange(40) % 7})
    model = PolytopeClustering(2, n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="'a' held numbers at fit"):
        model.predict(X.assign(a=pd.date_range("2020", periods=40)))
