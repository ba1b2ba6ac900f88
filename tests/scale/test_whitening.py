"""Distances by variances and covariances: those of scikit-learn, the same in blocks, by weights and after loading."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from blockwise import in_blocks, numbers
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.datasets import load_iris

from polyclust import PolytopeClustering, fitting
from polyclust.scale.space import fit_space
from polyclust.search.distances import measure_distances

BOTH = pytest.mark.parametrize("distance", ["seuclidean", "mahalanobis"])
pytestmark = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


def make_rows(n_rows=300, seed=0):
    """Three long parallel groups, beside a column of another size."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n_rows)
    along = rng.normal(size=n_rows) * 5
    return np.column_stack([along, along + group * 2 + rng.normal(size=n_rows) / 4, 1e6 * rng.normal(size=n_rows)])


def make_table(n_rows=300):
    rows = make_rows(n_rows)
    colour = np.array(["red", "green", "blue"])[np.random.default_rng(1).integers(0, 3, n_rows)]
    return pd.DataFrame(rows, columns=["a", "b", "c"]).assign(colour=colour, member=rows[:, 0] > 0)


def features_of(rows):
    ends = zip(numbers(rows.shape[1]), rows.min(axis=0), rows.max(axis=0), strict=True)
    return tuple(replace(f, low=float(low), high=float(high)) for f, low, high in ends)


def fit(table, distance, **options):
    weights = options.pop("sample_weight", None)
    options = {"max_clusters": 4, "n_init": 1, "random_state": 0, **options}
    return PolytopeClustering(distance=distance, **options).fit(table, sample_weight=weights)


@BOTH
@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
@pytest.mark.parametrize("limits", [(1, 1), (2, 3)])
def test_the_score_is_that_of_scikit_learn(distance, scale, limits):
    for rows in (load_iris().data, make_rows()):
        model = fit(rows, distance, scale=scale, max_terms=limits[0], max_coefficient=limits[1])
        expected = metrics.silhouette_score(model.scaled(rows), model.labels_, metric=distance)
        assert model.score_ == pytest.approx(expected, abs=1e-5)
        assert model.score(rows) == pytest.approx(expected, abs=1e-5)
        assert (model.predict(rows) == model.labels_).all()


def test_one_hot_columns_by_variance_are_those_of_scikit_learn():
    table = make_table()
    model = fit(table, "seuclidean")
    expected = metrics.silhouette_score(model.scaled(table), model.labels_, metric="seuclidean")
    assert model.score_ == pytest.approx(expected, abs=1e-5)


def test_levels_that_determine_each_other_count_as_one_level_less():
    table = make_table()
    model = fit(table, "mahalanobis")
    independent = np.delete(model.scaled(table), 3, axis=1)  # one of three levels
    expected = metrics.silhouette_score(independent, model.labels_, metric="mahalanobis")
    assert model.score_ == pytest.approx(expected, abs=1e-5)
    assert model.score(table) == pytest.approx(expected, abs=1e-5)


@BOTH
@given(cuts=st.lists(st.integers(0, 60), max_size=4), repeats=st.lists(st.integers(0, 3), min_size=60, max_size=60))
def test_distances_are_those_of_repeated_rows_wherever_blocks_end(distance, cuts, repeats):
    rows, repeats = make_rows(60), np.array(repeats)
    repeats[:10] = np.maximum(repeats[:10], 1)
    rows, repeats = rows[repeats > 0], repeats[repeats > 0]
    features = features_of(rows)
    cuts = [min(c, len(rows)) for c in cuts]
    space = fit_space(in_blocks(rows, repeats.astype(float), cuts), features, distance)
    found = measure_distances(space.locate(rows), space.metric)[1:, 0]
    every = np.repeat(rows, repeats, axis=0)
    expected = metrics.pairwise_distances(every, metric=distance)[:, 0][np.cumsum(repeats)[:-1]]
    assert found / found.sum() == pytest.approx(expected / expected.sum(), rel=1e-4, abs=1e-6)


@BOTH
def test_weights_are_repeated_rows_and_rows_without_weight_do_not_count(distance):
    rows, weights = make_rows(120), np.random.default_rng(3).integers(0, 3, 120)
    rows[weights == 0] *= 100
    weighted = fit(rows, distance, sample_weight=weights)
    repeated = fit(np.repeat(rows, weights, axis=0), distance)
    assert weighted.score_ == pytest.approx(repeated.score_, abs=1e-6)
    assert (np.repeat(weighted.labels_, weights) == repeated.labels_).all()


@BOTH
def test_other_rows_are_judged_by_the_variances_of_the_fit(distance):
    rows = make_rows()
    model = fit(rows, distance, min_cluster_size=0.2)
    some = rows * [1.0, 1.0, 0.5]
    covariance = np.cov(rows.T)
    given_ = {"V": np.diag(covariance)} if distance == "seuclidean" else {"VI": np.linalg.inv(covariance)}
    expected = metrics.silhouette_score(some, model.predict(some), metric=distance, **given_)
    assert metrics.silhouette_score(some, model.predict(some), metric=distance) != pytest.approx(expected, abs=1e-3)
    assert model.score(some) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("distance", ["seuclidean", "mahalanobis", "gower"])
def test_criteria_without_distances_are_of_the_scaled_features(distance):
    rows = make_table(100)
    for criterion, of_sklearn in [
        ("calinski_harabasz", metrics.calinski_harabasz_score),
        ("davies_bouldin", metrics.davies_bouldin_score),
        (metrics.calinski_harabasz_score, metrics.calinski_harabasz_score),
    ]:
        model = fit(rows, distance, criterion=criterion, max_clusters=3)
        assert model.score_ == pytest.approx(of_sklearn(model.scaled(rows), model.labels_), abs=1e-5)


@BOTH
def test_the_dunn_index(distance):
    rows = make_rows(100)
    model = fit(rows, distance, criterion="dunn", max_clusters=3)
    assert model.score(rows) == pytest.approx(model.score_, rel=1e-4)


@BOTH
def test_a_loaded_model_judges_rows_as_before(distance, tmp_path):
    table = make_table()
    model = fit(table, distance)
    model.save(tmp_path / "m.json")
    again = PolytopeClustering.load(tmp_path / "m.json")
    assert again.score(table) == pytest.approx(model.score(table), abs=1e-12)
    again._space = replace(again._space, transform=None)
    again.save(tmp_path / "m.json")  # as if the file lacked it
    with pytest.raises(ValueError, match="with the model that was fitted"):
        PolytopeClustering.load(tmp_path / "m.json").score(table)


@BOTH
@pytest.mark.parametrize("is_sliced", [False, True])
def test_many_rows_use_the_variances_of_all(distance, is_sliced, monkeypatch):
    monkeypatch.setattr(fitting, "MANY_ROWS", 600)
    monkeypatch.setattr(fitting, "N_SAMPLED", 300)
    monkeypatch.setattr(fitting, "N_POLISHED", 600)
    rows = make_rows(1500).astype(np.float32 if is_sliced else np.float64)
    model = fit(rows, distance, max_clusters=3)
    assert model.search_ == "sampled"
    assert (model.predict(rows) == model.labels_).all()
    low, high = model.score_interval_
    exact = metrics.silhouette_score(rows.astype(np.float64), model.labels_, metric=distance)
    assert low - 0.02 < exact < high + 0.02
    assert model.score(rows) == pytest.approx(exact, abs=1e-4)


def test_a_model_file_holds_no_transform_that_nothing_reads(tmp_path):
    X = np.random.default_rng(3).normal(size=(60, 3))
    model = PolytopeClustering(2, distance="mahalanobis", explain_with=[0], n_init=1, random_state=0).fit(X)
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["transform"] is None
    again = PolytopeClustering.load(tmp_path / "model.json")
    assert (again.predict(X) == model.labels_).all()
    with pytest.raises(ValueError, match="score and scale rows with the model that was fitted"):
        again.score(X)
