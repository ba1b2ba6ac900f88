"""What cannot be clustered: one clear sentence each, and nothing half done."""

from __future__ import annotations

import datetime
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csr_matrix
from sklearn.datasets import make_blobs
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from polyclust import Binariser, PolyclustWarning, PolytopeClustering, explain_labels

X, _ = make_blobs(40, centers=3, random_state=0)
FRAME = pd.DataFrame(X, columns=["a", "b"])


def refuse(table, match, error=ValueError, **settings):
    """Fit must raise one sentence and leave the model unfitted."""
    model = PolytopeClustering(**settings)
    with pytest.raises(error, match=match) as caught:
        model.fit(table)
    assert not hasattr(model, "labels_")
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")


def with_column(**columns):
    return FRAME.assign(**columns)


def test_missing_values_name_the_column_and_count_the_rows():
    hole = FRAME.copy()
    hole.loc[[3, 7], "b"] = np.nan
    refuse(hole, "contains NaN: column 'b' has 2 missing values")
    refuse(hole.to_numpy(), "contains NaN: column 'x1' has 2 missing values")
    refuse(with_column(c=["u", None] * 20), "column 'c' has 20 missing values")
    refuse(with_column(c=pd.array([1, None] * 20, dtype="Int64")), "column 'c' has 20 missing values")
    refuse(with_column(c=pd.array([True, None] * 20, dtype="boolean")), "column 'c' has 20 missing values")
    refuse(with_column(c=pd.Categorical(["u", None] * 20)), "column 'c' has 20 missing values")


def test_infinity_names_the_column_and_counts_the_rows():
    refuse(with_column(a=[np.inf] + [0.0] * 39), "contains infinity: column 'a' has 1 infinite value;")
    refuse(np.where(X > 1, -np.inf, X), r"contains infinity: column 'x\d' has \d+ infinite values")


def test_missing_values_at_predict():
    model = PolytopeClustering(2).fit(FRAME)
    with pytest.raises(ValueError, match="column 'a' has 40 missing values"):
        model.predict(FRAME.assign(a=np.nan))
    with pytest.raises(ValueError, match="infinit"):
        model.predict(FRAME.assign(a=np.inf))


def test_metrics_that_need_what_no_table_tells():
    refuse(X, '^distance must be a metric without weights, and "wminkowski" needs .*: use ', distance="wminkowski")


def test_mahalanobis_needs_more_rows_than_dimensions():
    few = np.random.default_rng(0).normal(size=(6, 5))
    sentence = '^distance="mahalanobis" puts 6 rows of 5 dimensions equally far apart; give more rows or fewer columns'
    refuse(few, sentence, distance="mahalanobis", n_clusters=2)


def test_correlation_of_rows_without_differences():
    flat = np.vstack([X, [[1.0, 1.0], [1.0, 1.0]]])
    sentence = '^distance="correlation" is not defined for rows .*, and there are 2; leave them out, or choose'
    refuse(flat, sentence, distance="correlation", scale="none")


@pytest.mark.parametrize("distance", ["braycurtis", "dice", "sokalsneath"])
@pytest.mark.parametrize("criterion", ["silhouette", "dunn"])
def test_rows_of_zeros_that_a_metric_cannot_compare_with_each_other(distance, criterion):
    flags = np.random.default_rng(0).random((40, 6)) < 0.5
    flags = flags[flags.any(axis=1)]
    one, two = (np.vstack([flags, np.zeros((n, 6), dtype=bool)]) for n in (1, 2))
    sentence = f'^distance="{distance}" is not defined between rows .* all 0, and there are 2; leave them out'
    refuse(two, sentence, distance=distance, criterion=criterion)
    model = PolytopeClustering(2, distance=distance, criterion=criterion).fit(one)
    assert model.score(one) == pytest.approx(model.score_, abs=1e-5)
    with pytest.raises(ValueError, match=sentence):
        model.score(two)


def test_rows_between_which_a_metric_is_not_defined():
    opposite = np.vstack([X, -X[:1]])
    sentence = (
        '^distance="braycurtis" is not defined between some of these rows, as where .* sums are 0; leave them out'
    )
    refuse(opposite, sentence, distance="braycurtis", scale="none")


@pytest.mark.parametrize(("factor", "scale", "sentence"), [
    (1e-200, "minmax", "less than 1e-100, too little for distances; multiply it by a power of ten"),
    (1e-200, "standard", "less than 1e-100, too little for distances; multiply it"),
    (1e200, "minmax", "more than 1e+100, too much for distances; divide it by a power of ten"),
    (2e307, "standard", "more than 1e+100, too much for distances; divide it"),
    (1e-40, "none", 'less than 1e-30, too little for distances with scale="none"; multiply it'),
    (1e40, "none", 'more than 1e+30, too much for distances with scale="none"; divide it'),
])  # fmt: skip
def test_numbers_too_near_or_far_from_each_other(factor, scale, sentence):
    extreme = FRAME[["a"]].rename(columns={"a": "x"}) * factor
    refuse(extreme, f"^Column 'x' spans {re.escape(sentence)}", scale=scale)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        explain_labels(extreme, [0, 1] * 20, scale=scale)


def test_numbers_of_a_size_that_distances_can_have():
    few, halves = FRAME[["a"]], FRAME["a"] < FRAME["a"].median()
    for factor, scale in [(1e-90, "minmax"), (1e90, "standard"), (1e-28, "none"), (1e28, "none")]:
        assert PolytopeClustering(2, scale=scale).fit(few * factor).score_ > 0.4
    beside = PolytopeClustering(2, scale="none").fit(few.assign(b=halves * 1e-50, c=halves))
    assert (beside.predict(few.assign(b=halves * 1e-50, c=halves)) == beside.labels_).all()
    refuse(few * 1e28, '^distance="sqeuclidean" is not .* too large', distance="sqeuclidean", scale="none")


def test_haversine_is_between_two_columns():
    refuse(
        np.hstack([X, X]), '^distance="haversine" is .*; the table has 4 features', distance="haversine", scale="none"
    )
    refuse(X[:, :1], "the table has 1 feature:", distance="haversine", scale="none")
    places = np.vstack([X / 100, X / 100 + 0.5])
    assert PolytopeClustering(2, distance="haversine", scale="none").fit(places).n_clusters_ == 2


def test_sparse_and_lazy_tables():
    model, frame = PolytopeClustering(2).fit(FRAME), pl.from_pandas(FRAME)
    sparse = "X is a sparse matrix and must be dense: call its .toarray() first."
    lazy = "X is a LazyFrame of polars, whose rows are not read yet: call its .collect() first."
    for table, sentence in [(csr_matrix(X), sparse), (coo_array(X), sparse), (frame.lazy(), lazy)]:
        refuse(table, f"^{re.escape(sentence)}$", TypeError)
        for use in (model.predict, model.score, model.explanation_.predict, lambda t: explain_labels(t, [0, 1] * 20)):
            with pytest.raises(TypeError, match=re.escape(sentence)):
                use(table)
    with pytest.raises(TypeError, match=re.escape("distances is a sparse matrix and must be dense: call its")):
        PolytopeClustering(distance="precomputed").fit(FRAME, distances=csr_matrix(np.eye(40)))


def test_masked_and_structured_arrays():
    model = PolytopeClustering(2, n_init=1).fit(X)
    masked = np.ma.masked_array(X, mask=np.eye(*X.shape))
    structured = np.array([(1.5, 2), (2.5, 3), (4.5, 5)], dtype=[("a", "f8"), ("b", "i4")])
    sentences = {
        ValueError: "X is a masked array with 2 masked values, which count as missing; fill or drop these rows first.",
        TypeError: "X is a structured array, a frame in another form: give pandas.DataFrame(X) instead.",
    }
    for table, error in [(masked, ValueError), (structured, TypeError)]:
        refuse(table, f"^{re.escape(sentences[error])}$", error)
        for use in (model.predict, model.explanation_.predict, lambda t: explain_labels(t, [0, 1, 1])):
            with pytest.raises(error, match=re.escape(sentences[error])):
                use(table)
    whole = PolytopeClustering(2, n_init=1).fit(np.ma.masked_array(X))
    assert (whole.labels_ == model.labels_).all()


@pytest.mark.parametrize("values", [[[1], [2]] * 20, [{"x": 1}, {"x": 2}] * 20])
@pytest.mark.parametrize("is_arrow", [False, True])
def test_columns_of_lists_and_structs(values, is_arrow):
    column = pd.Series(values, dtype=pd.ArrowDtype(pa.array(values).type) if is_arrow else object)
    kind = type(values[0]).__name__
    refuse(pd.DataFrame({"a": column}), f"^Column 'a' holds values of type {kind}; .* leave the column out", TypeError)
    table = pd.DataFrame({"a": ["u", "v"] * 20})
    model = PolytopeClustering(2, n_init=1).fit(table)
    with pytest.raises(ValueError, match=r"^Column 'a' held categories at fit and holds other values now; give it"):
        model.predict(pd.DataFrame({"a": column}))


def test_what_explains_must_be_columns_or_an_instance():
    sentence = "^explain_with takes columns or a transformer of scikit-learn that can be cloned; got "
    refuse(X, f"{sentence}the class StandardScaler", explain_with=StandardScaler)
    refuse(X, f"{sentence}DataFrame", explain_with=FRAME)
    refuse(X, "^explain_with names columns that the table lacks: 7", explain_with=np.array(7))


def test_a_binariser_without_rows():
    with pytest.raises(ValueError, match=r"^The table has no rows; thresholds are found from at least one\.$"):
        Binariser().fit(np.zeros((0, 2)))


def test_transformers_with_sparse_output():
    sentence = "^The output of OneHotEncoder in explain_with is a sparse matrix and must be dense: make it so "
    refuse(FRAME.round(), sentence, TypeError, explain_with=OneHotEncoder())
    dense = PolytopeClustering(2, explain_with=OneHotEncoder(sparse_output=False)).fit(FRAME.round())
    assert dense.n_clusters_ == 2


def test_no_column_and_no_row():
    refuse(pd.DataFrame(index=range(10)), "The table has no column")
    refuse(np.empty((10, 0)), r"0 feature\(s\)")
    refuse(np.empty((0, 3)), r"0 sample\(s\)")
    refuse(FRAME.iloc[:0], r"n_samples = 0|0 sample")
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        PolytopeClustering().fit(X[:, 0])


def test_arrays_that_are_no_table_of_numbers_and_texts():
    refuse([[1.0, 2.0], [3.0]], "^The rows of X differ in length; give each as many values as there are columns")
    refuse(X * 1j, "^Complex data not supported: X holds complex numbers")
    refuse(np.array([[b"u"], [b"v"]] * 20), "^Column 'x0' holds bytes values; .*: convert the column", TypeError)
    for table in (X[:, 0], FRAME["a"], X[None], None, {"a": [1.0, 2.0]}):
        refuse(table, r"^Expected 2D array, got \dD array instead\. Reshape your data: ")


def test_fewer_rows_than_clusters():
    refuse(X[:3], "Cannot make 4 clusters from n_samples = 3", n_clusters=4)
    refuse(X[:1], "n_samples = 1")


def test_rows_that_are_all_identical():
    refuse(np.ones((20, 3)), "All rows are identical; there is nothing to cluster")
    refuse(pd.DataFrame({"a": [1] * 9, "c": ["u"] * 9}), "All rows are identical")


def test_a_category_with_a_level_that_no_counted_row_has_is_not_called_constant():
    table = pd.DataFrame({"colour": list("rgb") * 8, "x": np.arange(24.0)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PolytopeClustering(2, random_state=0).fit(table, sample_weight=table["colour"] != "b")
    assert "colour" in str(model.explanation_)


def test_constant_columns_are_ignored_with_a_warning_that_names_them():
    table = with_column(still=5.0, quiet="u")
    with pytest.warns(PolyclustWarning, match="Columns with one value only are ignored: still, quiet"):
        model = PolytopeClustering(2).fit(table)
    assert model.labels_.tolist() == PolytopeClustering(2).fit(FRAME).labels_.tolist()
    assert (model.predict(table) == model.labels_).all()


def test_columns_of_odd_objects():
    refuse(with_column(c=[[1, 2]] * 40), "Column 'c' holds values of type list", TypeError)
    refuse(with_column(c=[{}] * 40), "Column 'c' holds values of type dict", TypeError)
    refuse(with_column(c=["u", 3] * 20), "Column 'c' mixes number and text values", TypeError)
    refuse(with_column(c=[("u",), "v"] * 20), "Column 'c' mixes text and tuple values", TypeError)
    refuse(with_column(c=[("u",)] * 40), "Column 'c' holds tuple values", TypeError)
    refuse(with_column(c=[1 + 2j] * 40), "Complex data not supported: column 'c'")
    refuse(with_column(c=[2**60, 1] * 20), r"Column 'c' holds integers beyond 2\*\*53")


def test_dates_and_durations_say_what_to_do():
    days = pd.date_range("2024-01-01", periods=40)
    refuse(with_column(c=days), "Column 'c' holds dates; turn them into numbers first")
    refuse(with_column(c=days.tz_localize("UTC")), "Column 'c' holds dates")
    refuse(with_column(c=days.to_period("M")), "Column 'c' holds dates")
    refuse(with_column(c=[datetime.date(2024, 1, 1 + d % 5) for d in range(40)]), "Column 'c' holds dates")
    refuse(with_column(c=pd.to_timedelta(range(40), unit="D")), "Column 'c' holds durations; turn them into numbers")


def test_columns_of_one_name():
    refuse(pd.concat([FRAME, FRAME[["a"]]], axis=1), "Column names must differ; 'a' occurs more than once")


def test_settings_out_of_range():
    for name, value in [
        ("n_clusters", 0), ("n_clusters", "many"), ("n_clusters", 2.5), ("max_clusters", 1), ("max_terms", 0),
        ("max_terms", 1.5), ("max_terms", True), ("max_coefficient", 0), ("max_coefficient", -1), ("n_init", 0),
        ("units", "metric"), ("scale", "robust"), ("outside", "error"), ("criterion", "gap"),
        ("representation_weight", -1), ("representation_weight", "much"), ("margin", 0), ("time_limit", 0),
        ("time_limit", float("nan")), ("memory_limit", -5), ("min_cluster_size", 0), ("min_cluster_size", 1.5),
        ("min_cluster_size", -3), ("max_cluster_size", 0.0), ("distance", 3), ("n_jobs", 0), ("random_state", -1),
        ("n_clusters", np.array([2, 3])), ("n_clusters", np.True_), ("distance", np.array(["gower", "cosine"])),
        ("min_cluster_size", 10**400), ("min_cluster_size", np.True_), ("max_cluster_size", float("nan")),
        ("time_limit", 10**400), ("margin", np.True_), ("n_init", np.float64(2)), ("n_jobs", 1.5), ("n_jobs", "all"),
        ("n_jobs", True), ("n_jobs", float("nan")), ("random_state", "x"), ("random_state", 1.5),
        ("random_state", True), ("random_state", 2**32), ("random_state", np.random.default_rng(0)),
        ("verbose", -1), ("verbose", "much"), ("verbose", None), ("verbose", 1.5),
    ]:  # fmt: skip
        refuse(FRAME, f"^{name} must be .*; got .*", **{name: value})
    refuse(FRAME, r"max_terms must be an integer >= 1 or None; got 0\.", max_terms=0)


def test_scalars_of_numpy_are_numbers_and_words():
    whole = dict.fromkeys(("max_clusters", "max_terms", "max_coefficient", "min_cluster_size"), np.int8(2))
    words = {
        "units": "range",
        "scale": "standard",
        "outside": "none",
        "distance": "cityblock",
        "criterion": "silhouette",
    }
    some = {name: np.str_(word) for name, word in words.items()}
    other = {"n_init": np.uint8(1), "n_jobs": np.int64(1), "random_state": np.int32(3), "verbose": np.False_}
    shares = {"max_cluster_size": np.float32(0.9), "time_limit": np.float32(60), "memory_limit": np.int64(10**9)}
    model = PolytopeClustering(np.int64(2), **whole, **some, **other, **shares).fit(FRAME)
    plain = PolytopeClustering(2, max_terms=2, max_coefficient=2, min_cluster_size=2, max_cluster_size=0.9, n_init=1,
                               random_state=3, **words).fit(FRAME)  # fmt: skip
    assert (model.labels_ == plain.labels_).all()
    assert [str(h) for h in model.hyperplanes_] == [str(h) for h in plain.hyperplanes_]


@pytest.mark.parametrize("value", [np.inf, "much", None, 1j, np.ones(3), np.ones(1), (1.0, 2.0)])
def test_a_criterion_that_returns_no_number(value):
    sentence = "^The criterion must return one finite number, larger for better clusters; got (inf|a .*)"
    refuse(FRAME, sentence, criterion=lambda _X, _labels: value, n_init=1)


@pytest.mark.parametrize("value", [np.nan, -np.inf, np.float32("nan")])
@pytest.mark.parametrize("weight", [None, 1.0])
def test_a_criterion_that_can_judge_nothing(value, weight):
    refuse(
        FRAME, "^The criterion returned NaN or -inf for all clusters that were tried",
        criterion=lambda _X, _labels: value, representation_weight=weight, n_clusters=3, n_init=1,
    )  # fmt: skip


def test_a_criterion_that_raises():
    def divide(_X, _labels):
        return 1 // 0

    sentence = "^The criterion raised ZeroDivisionError when it was called with .*: integer .*by zero"
    with pytest.raises(ValueError, match=sentence) as caught:
        PolytopeClustering(criterion=divide).fit(FRAME)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    refuse(FRAME, "^The criterion raised TypeError .* takes 1 positional", criterion=lambda _X: 0.0)


def test_an_unknown_distance_is_told():
    refuse(FRAME, "euclidian", distance="euclidian")


def test_sizes_that_cannot_be_met():
    refuse(FRAME, "4 clusters of at least 11 rows need 44 rows, there are 40", n_clusters=4, min_cluster_size=11)
    refuse(FRAME, "2 clusters of at least 2500000 rows need 5000000 rows", n_clusters=2, min_cluster_size=2_500_000)
    refuse(FRAME, "2 clusters of at least 21 rows need 42 rows", min_cluster_size=21)
    refuse(FRAME, "at most 5 rows need at least 8 clusters", n_clusters=3, max_cluster_size=5)
    refuse(FRAME, "max_cluster_size .* must not be below", min_cluster_size=12, max_cluster_size=10)


def test_explaining_columns_that_are_not_there():
    sentence = "^explain_with names columns that the table lacks: age, c; it has 'a', 'b'.$"
    refuse(FRAME, sentence, explain_with=["age", "a", "c"])
    refuse(FRAME, r"explain_with names columns that the table lacks: \['a'\]", explain_with=[["a"]])
    with pytest.warns(PolyclustWarning, match="still"):
        refuse(with_column(still=1.0), "explain_with leaves no column that varies", explain_with=["still"])
    with pytest.raises(ValueError, match="thresholds names columns that the table lacks: age"):
        PolytopeClustering(explain_with=Binariser(thresholds={"age": [3]})).fit(FRAME)
    with pytest.raises(ValueError, match="n_bins must be an integer >= 2; got 1"):
        PolytopeClustering(explain_with=Binariser(n_bins=1)).fit(FRAME)
    with pytest.raises(ValueError, match="The binariser made no feature that varies"):
        PolytopeClustering(explain_with=Binariser(thresholds={"a": [1e9], "b": [1e9]})).fit(FRAME)


def test_transformers_that_cannot_take_the_table():
    sentence = "^StandardScaler in explain_with cannot transform this table: could not convert string to float: 'u'"
    refuse(with_column(c=["u", "v"] * 20), sentence, explain_with=StandardScaler())


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda table: table.iloc[:3], "has 3 rows for the table's 40; it must keep every row."),
        (lambda table: table * np.nan, "Input X contains NaN: column 'a' has 40 missing values; fill or drop"),
        (lambda table: table * 0.0, "All rows are identical; there is nothing to cluster."),
    ],
)
def test_transformers_whose_output_explains_nothing(function, sentence):
    transformer = FunctionTransformer(function)
    refuse(FRAME, f"^The output of FunctionTransformer in explain_with:? {sentence}", explain_with=transformer)


def test_precomputed_matrices_that_are_none():
    good = np.abs(X[:, :1] - X[:, 0])
    model = PolytopeClustering(distance="precomputed")
    crooked, negative, hole, heavy = (good.copy() for _ in range(4))
    crooked[0, 1] += 1.0
    negative[0, 1] = negative[1, 0] = -1.0
    hole[0, 1] = hole[1, 0] = np.nan
    heavy[0, 0] = 1.0
    for matrix, match in [
        (None, r"needs the distances: fit\(X, distances=D\)"),
        (good[:, :5], r"must be a square matrix; got the shape \(40, 5\)"),
        (good[:7, :7], "distances has 7 rows and X has 40"),
        (crooked, "must be symmetric"),
        (negative, "finite and not negative"),
        (hole, "finite and not negative"),
        (heavy, "0 on the diagonal"),
        (good + 0j, "^distances must be a square matrix of numbers"),
        ("gower", "^distances must be a square matrix of numbers, one row and column per row of X.$"),
    ]:
        with pytest.raises(ValueError, match=match):
            model.fit(FRAME, distances=matrix)
    assert not hasattr(model, "labels_")
    with pytest.raises(ValueError, match='set distance="precomputed" to use them'):
        PolytopeClustering().fit(FRAME, distances=good)
    with pytest.raises(ValueError, match="needs coordinates"):
        PolytopeClustering(distance="precomputed", criterion="davies_bouldin").fit(FRAME, distances=good)


def test_columns_at_predict_that_differ_from_those_at_fit():
    model = PolytopeClustering(2).fit(FRAME)
    for other, wrong in [
        (FRAME[["a"]], "lacks columns seen at fit ('b')"),
        (with_column(c=1.0), "has columns not seen at fit ('c')"),
        (
            FRAME.rename(columns={"b": "c"}),
            "lacks columns seen at fit ('b') and has columns not seen at fit ('c')",
        ),
        (
            FRAME.set_axis([0, 1], axis=1),
            "lacks columns seen at fit ('a', 'b') and has columns not seen at fit (0, 1)",
        ),
    ]:
        sentence = f"The table {wrong}: give it the columns of the fit (feature_names_in_), in any order."
        for method in (model.predict, model.contains, model.violation, model.score):
            with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
                method(other)
    assert (model.predict(FRAME[["b", "a"]]) == model.labels_).all()
    many = pd.DataFrame(X[:, :1] + np.arange(9), columns=list("abcdefghi"))
    with pytest.raises(ValueError, match=r"\('b', 'c', 'd', 'e', 'f', … 8 in all\)"):
        PolytopeClustering(2).fit(many).predict(many[["a"]])
    with pytest.raises(ValueError, match="X has 3 features, but PolytopeClustering is expecting 2"):
        PolytopeClustering(2).fit(X).predict(np.ones((5, 3)))
    with pytest.raises(ValueError, match="Column 'a' held numbers at fit and holds other values now"):
        model.predict(FRAME.assign(a="u"))


def test_an_unseen_category_is_a_warning():
    table = with_column(c=["u", "v"] * 20)
    model = PolytopeClustering(3, explain_with=["a", "c"]).fit(table)
    new = table.head(4).assign(c=["u", "w", "w", "v"])
    with pytest.warns(PolyclustWarning, match=r"Column 'c' holds values not seen at fit \('w'\) in 2 rows"):
        labels = model.predict(new)
    assert labels[[0, 3]].tolist() == model.labels_[[0, 3]].tolist()


def test_weights_that_are_none():
    for weights, match in [
        (np.zeros(40), "zero"),
        (-np.ones(40), "[Nn]egative"),
        (np.ones(7), "sample_weight.shape|inconsistent"),
        (np.full(40, np.nan), "NaN"),
        (["u"] * 40, "^sample_weight must be 40 finite numbers >= 0, one per row.$"),
    ]:
        with pytest.raises(ValueError, match=match):
            PolytopeClustering().fit(FRAME, sample_weight=weights)
    with pytest.raises(ValueError, match="whole sample weights"):
        PolytopeClustering(criterion=lambda X, labels: 0.0).fit(FRAME, sample_weight=np.full(40, 1.5))
    one_row = np.zeros(40)
    one_row[3] = 5.0
    with pytest.raises(ValueError, match="n_samples = 1"):
        PolytopeClustering().fit(FRAME, sample_weight=one_row)
