"""Dask's tables without a cluster: every setting, lazy results, and what is refused."""

from __future__ import annotations

import pickle
from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from many import assert_same_fit, clusters_around_holes, mixed_table
from sklearn.metrics import calinski_harabasz_score
from sklearn.preprocessing import StandardScaler

from polyclust import Binariser, PolyclustWarning, PolytopeClustering, fitting
from polyclust.table.partitions import Partitions

pytestmark = pytest.mark.filterwarnings("ignore::polyclust.errors.SmallClusterWarning")  # of a table so small

N_ROWS = 1500


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(fitting, "MANY_ROWS", 600)
    monkeypatch.setattr(fitting, "N_SAMPLED", 300)
    monkeypatch.setattr(fitting, "N_POLISHED", 400)


@pytest.fixture(scope="module")
def table():
    return mixed_table(N_ROWS, seed=2)


def frame_of(table, *ends):
    """A Dask frame whose partitions end where they are told to; the same end twice leaves an empty one."""
    cuts = [0, *ends, len(table)]
    parts = [table.iloc[a:b] for a, b in pairwise(cuts)]
    return dd.from_map(lambda part: part, parts, meta=table.iloc[:0])


def fit(table, **options):
    weights = options.pop("sample_weight", None)
    return PolytopeClustering(random_state=0, n_init=1, **options).fit(table, sample_weight=weights)


SETTINGS = [
    {},
    {"max_terms": 2, "max_coefficient": 3, "max_clusters": 4},
    {"distance": "gower"},
    {"distance": "cityblock", "units": "range"},
    {"distance": "mahalanobis", "max_clusters": 4},
    {"explain_with": ["width", "colour", "size"]},
    {"n_clusters": 7, "min_cluster_size": 0.05, "outside": "none"},
    {"criterion": "calinski_harabasz", "max_clusters": 4},
    {"criterion": "davies_bouldin", "max_clusters": 4},
]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_partitions_do_not_change_the_fit(table, options):
    frame = frame_of(table, 400, 400, 401, 1100)
    model, lazy = fit(table, **options), fit(frame, **options)
    assert_same_fit(lazy, model, lazy.labels_.compute())
    assert (lazy.predict(frame).compute() == model.labels_).all()
    assert lazy.explanation_.to_sql("t") == model.explanation_.to_sql("t")


def test_the_standard_scale_is_that_of_all_rows(table):
    model, lazy = fit(table, scale="standard"), fit(frame_of(table, 300, 900), scale="standard")
    assert (lazy.labels_.compute() == model.labels_).all()
    assert [str(r) for r in lazy.explanation_.rules] == [str(r) for r in model.explanation_.rules]
    for ours, theirs in zip(lazy._space.features, model._space.features, strict=True):
        assert (ours.offset, ours.scale) == pytest.approx((theirs.offset, theirs.scale))


def test_weights_go_with_the_rows(table):
    weights = np.random.default_rng(0).integers(0, 4, N_ROWS)
    frame = frame_of(table, 500, 800)
    model = fit(table, sample_weight=weights)
    for column in (
        da.from_array(weights, chunks=((500, 300, 700),)),
        frame_of(pd.DataFrame({"w": weights}), 500, 800)["w"],
    ):
        lazy = fit(frame, sample_weight=column)
        assert_same_fit(lazy, model, lazy.labels_.compute())


def test_rows_of_no_weight_that_lie_outside_are_predicted():
    frame = frame_of(clusters_around_holes(1500), 500, 800)
    rows, weights = frame[["x", "y", "z", "place"]], frame["weight"]
    lazy = fit(rows, sample_weight=weights, n_clusters=3, explain_with=["x", "y", "z"], outside="none")
    assert (~lazy.contains(rows).compute().any(axis=1)).sum() > 200
    assert (lazy.labels_.compute() == lazy.predict(rows).compute()).all()


def test_where_rules_may_err_too_rows_of_no_weight_are_predicted():
    table = clusters_around_holes(1500)
    rows, weights = table[["x", "y", "z"]], table["weight"]
    options = {"n_clusters": 3, "representation_weight": 0.1, "outside": "none"}
    model = fit(rows, sample_weight=weights, **options)
    assert (model.labels_ == -1).any()
    frame, chunks = frame_of(table, 500, 800), (500, 300, 700)
    array, heavy = da.from_array(rows.to_numpy(), chunks=(chunks, 2)), da.from_array(weights.to_numpy(), chunks=400)
    for lazy in (
        fit(frame[["x", "y", "z"]], sample_weight=frame["weight"], **options),
        fit(array, sample_weight=heavy, **options),
    ):
        assert lazy.labels_.compute().tolist() == model.labels_.tolist()


def test_arrays_by_rows_and_columns_of_known_and_unknown_lengths(table):
    values = table[["width", "height", "depth"]].to_numpy()
    model = fit(values)
    weights = da.ones(N_ROWS, chunks=77)
    for rows in (
        da.from_array(values, chunks=(400, 2)),
        da.from_array(values.astype(object), chunks=(700, 3)),
        frame_of(table, 700)[["width", "height", "depth"]].to_dask_array(),
    ):
        is_known = not np.isnan(rows.shape[0])
        lazy = fit(rows, sample_weight=weights if is_known else None)
        assert isinstance(lazy.labels_, da.Array)
        assert_same_fit(lazy, model, lazy.labels_.compute())
        assert lazy.contains(rows).compute().tolist() == model.contains(values).tolist()
        assert lazy.violation(rows).compute().tolist() == model.violation(values).tolist()
        assert lazy.predict(values).tolist() == model.labels_.tolist()


@pytest.mark.filterwarnings("ignore:Only . clusters were found")
def test_boxes_take_over_in_partitions_too(table, monkeypatch):
    monkeypatch.setattr("polyclust.scale.extending.settle_rows", lambda *_: None)  # as if a row fitted nowhere
    model, lazy = fit(table), fit(frame_of(table, 400, 1100))
    assert_same_fit(lazy, model, lazy.labels_.compute())
    assert min(r.size for r in lazy.explanation_.rules) >= 0.02 * N_ROWS


@pytest.mark.parametrize("outside", ["nearest", "none"])
def test_rules_that_may_err(table, outside):
    numbers = table[["width", "height", "depth"]]
    options = {"n_clusters": 4, "representation_weight": 0.1, "outside": outside}
    frame = frame_of(numbers, 400)
    model, lazy = fit(numbers, **options), fit(frame, **options)
    assert lazy.hyperplanes_ == model.hyperplanes_
    assert (lazy.labels_.compute() == model.labels_).all()
    assert lazy.explanation_.fidelity == pytest.approx(model.explanation_.fidelity)
    for ours, theirs in zip(lazy.explanation_.rules, model.explanation_.rules, strict=True):
        assert (ours.size, ours.coverage, ours.precision) == (theirs.size, theirs.coverage, theirs.precision)


@pytest.mark.parametrize("options", [{}, {"n_clusters": 3, "representation_weight": 0.1}], ids=str)
def test_few_rows_are_gathered(table, options):
    few = table.iloc[:500].set_index(pd.Index(range(100, 600)))
    weights = np.arange(500) % 3
    model = fit(few, sample_weight=weights, **options)
    lazy = fit(frame_of(few, 200, 200), sample_weight=da.from_array(weights, chunks=((200, 0, 300),)), **options)
    labels = lazy.labels_.compute()
    assert labels.index.tolist() == few.index.tolist()
    assert labels.tolist() == model.labels_.tolist()
    assert lazy.score_ == model.score_
    numbers = few[["width", "depth"]].to_numpy()
    lazy = fit(da.from_array(numbers, chunks=(150, 1)))
    assert lazy.labels_.chunks == ((150, 150, 150, 50),)
    assert lazy.labels_.compute().tolist() == fit(numbers).labels_.tolist()


def test_rows_of_weight_zero_do_not_make_many(table, monkeypatch):
    weights = (np.arange(N_ROWS) % 3 == 0).astype(int)  # 500 of 1500 count
    model = fit(table, sample_weight=weights)
    assert not hasattr(model, "score_interval_")
    lazy = fit(frame_of(table, 700), sample_weight=da.from_array(weights, chunks=((700, 800),)))
    assert lazy.labels_.compute().tolist() == model.labels_.tolist()
    assert lazy.score_ == model.score_
    monkeypatch.setattr("polyclust.estimator.MOST_GATHERED", 1000)
    lazy = fit(frame_of(table, 700), sample_weight=da.from_array(weights, chunks=((700, 800),)))
    assert hasattr(lazy, "score_interval_")


def test_criteria_that_need_all_rows_are_those_of_the_sample(table):
    seen = []

    def score(space, labels):
        seen.append(len(space))
        return calinski_harabasz_score(space, labels)

    values = table[["width", "height"]].to_numpy()
    lazy = fit(da.from_array(values, chunks=(500, 2)), n_clusters=2, criterion=score)
    assert set(seen) == {300}
    assert lazy.score_ > 0
    assert not hasattr(lazy, "score_interval_")


def test_how_often_the_table_is_read(table):
    """As ARCHITECTURE.md says."""
    n_reads = 0

    def count(rows):
        nonlocal n_reads
        n_reads += len(rows) > 1  # not when dask looks at types
        return rows

    values = table[["width", "height", "depth"]].to_numpy()
    rows = da.from_array(values, chunks=(500, 3)).map_blocks(count, dtype=float, meta=np.empty((0, 0)))
    lazy = fit(rows)
    assert n_reads == 3 * 9
    assert (lazy.labels_.compute() == fit(values).labels_).all()
    assert n_reads == 3 * 10


def test_nothing_of_all_rows_comes_back(table, monkeypatch):
    """The results of a pass are far smaller than the rows."""
    largest, ask = 0, Partitions.map

    def weigh(partitions, *arguments):
        nonlocal largest
        results = ask(partitions, *arguments)
        largest = max(largest, *(len(pickle.dumps(result)) for result in results))
        return results

    monkeypatch.setattr(Partitions, "map", weigh)
    monkeypatch.setattr("polyclust.scale.estimate.N_CHEAP", 200)
    many = pd.concat([mixed_table(12_000, seed=s) for s in range(4)], ignore_index=True)
    fit(frame_of(many, 12_000, 24_000, 36_000), n_clusters=4)
    assert 1000 < largest < 12_000 * 8


def refused(table, match, error=ValueError, **options):
    with pytest.raises(error, match=match):
        fit(table, **options)


def test_what_cannot_be_is_refused_in_one_sentence(table):
    frame = frame_of(table, 400, 800)
    refused(frame, "Precomputed distances need all rows in memory", distance="precomputed")
    refused(frame, "explain_with=Binariser must be fitted on rows in memory", explain_with=Binariser())
    refused(frame, "explain_with=StandardScaler must be fitted", explain_with=StandardScaler())
    refused(frame, "explain_with names columns that the table lacks: age", explain_with=["age"])
    refused(frame, "sample_weight must be a Dask Series or one-dimensional Array", sample_weight=np.ones(N_ROWS))
    refused(frame, "sample_weight has 2 partitions and X has 3", sample_weight=da.ones(N_ROWS, chunks=1000))
    refused(frame, "weights must be .00 finite numbers >= 0", sample_weight=-da.ones(N_ROWS, chunks=((400, 400, 700),)))
    refused(frame, "All sample weights are zero", sample_weight=da.zeros(N_ROWS, chunks=((400, 400, 700),)))
    refused(frame, "9 clusters of at least 300 rows need 2700 rows", n_clusters=9, min_cluster_size=300)
    refused(frame["width"], "A Dask DataFrame or Array is needed; got a Dask Series")
    refused(da.ones(50), "Expected 2D array, got 1D array instead")
    refused(da.ones((900, 2), chunks=300), "All rows are identical")
    refused(frame_of(table.iloc[:0]), "The table has no rows")
    refused(da.ones((900, 2), chunks=300), "sample_weight has 800 rows and X has 900", sample_weight=da.ones(800))


def test_rows_that_cannot_be_used_are_counted_over_all_partitions(table):
    gaps = table.assign(width=table["width"].where(table.index % 100 != 7))
    refused(frame_of(gaps, 400, 800), "Input X contains NaN: column 'width' has 15 missing values; fill or drop")
    dates = table.assign(day=pd.Timestamp("2020-01-01"))
    refused(frame_of(dates, 400), "Column 'day' holds dates; turn them into numbers first")
    names = table.assign(name=[f"n{i}" for i in range(N_ROWS)])
    refused(frame_of(names, 400), "'name' holds more than 1000 different texts; leave it out if it is an identifier")


def test_constant_columns_are_left_out_by_name(table):
    with pytest.warns(PolyclustWarning, match="ignored: still"):
        fit(frame_of(table.assign(still=3), 400))


def test_lazy_results_need_matching_columns_and_labels(table):
    lazy = fit(frame_of(table, 400))
    frame = frame_of(table, 900)
    with pytest.raises(ValueError, match="labels must be a Dask Series or one-dimensional Array"):
        lazy.explanation_.evaluate(frame, lazy.predict(table))
    with pytest.raises(ValueError, match="lacks columns seen at fit"):
        lazy.predict(frame.drop(columns="width"))
    for needs_rows in (lazy.score, lazy.scaled, lazy.explanation_.profile, lazy.explanation_.minimal, Binariser().fit):
        with pytest.raises(ValueError, match="needs the rows in memory: compute"):
            needs_rows(frame)
    whole = lazy.explanation_.evaluate(table, lazy.predict(table))
    pd.testing.assert_frame_equal(lazy.explanation_.evaluate(frame, lazy.predict(frame)).compute(), whole)
