"""Labels, membership and prediction agree on every training row, whatever the table, the family and the units."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from polyclust import PolyclustWarning, PolytopeClustering, SmallClusterWarning
from strategies import COLUMNS, frames

FAMILIES = [(1, 1), (2, 1), (2, 3), (3, 2), (2, None), (None, None)]
UNITS = ["round", "range", "none"]
SCALES = ["minmax", "standard", "none"]
NUMERIC = ("number", "tied", "integer", "zero_one")

pytestmark = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
SLOW_TABLES = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}


def quick(**settings):
    """A short search: exactness does not depend on quality."""
    return PolytopeClustering(**{"n_init": 1, "max_clusters": 4, "random_state": 0} | settings)


def assert_exact(model, X, labels=None):
    labels = model.labels_ if labels is None else labels
    members = model.contains(X)
    assert members.shape == (len(X), model.n_clusters_)
    assert (members.sum(axis=1) == 1).all()
    assert members[np.arange(len(X)), labels].all()
    assert model.predict(X).tolist() == labels.tolist()
    violation = model.violation(X)
    assert (violation[np.arange(len(X)), labels] == 0).all()
    for polytope in model.polytopes_:
        assert len(polytope.halfspaces) == model.n_clusters_ - 1


def assert_well_formed(model):
    """Labels by size; hyperplanes of every pair, the first coefficient positive."""
    sizes = np.bincount(model.labels_, minlength=model.n_clusters_)
    assert (np.diff(sizes) <= 0).all()
    assert sizes.min() > 0
    pairs = [tuple(sorted((h.above, h.below))) for h in model.hyperplanes_]
    assert sorted(pairs) == [(i, j) for i in range(model.n_clusters_) for j in range(i + 1, model.n_clusters_)]
    for h in model.hyperplanes_:
        assert h.coefficients[0] > 0
        if model.max_terms is not None:
            assert len(h.features) <= model.max_terms
        if model.max_coefficient is not None:
            assert all(c.is_integer() and abs(c) <= model.max_coefficient for c in h.coefficients)


@settings(max_examples=40, **SLOW_TABLES)
@given(frames(), st.sampled_from(FAMILIES), st.sampled_from(UNITS), st.sampled_from(SCALES))
def test_every_family_is_exact_on_mixed_tables(table, family, units, scale):
    model = quick(max_terms=family[0], max_coefficient=family[1], units=units, scale=scale, min_cluster_size=1)
    model.fit(table)
    assert_exact(model, table)
    assert_well_formed(model)
    backwards = table[table.columns[::-1]]
    assert_exact(model, backwards)
    copy = pickle.loads(pickle.dumps(model))
    assert_exact(copy, table)
    assert model.explanation_.predict(table).tolist() == model.labels_.tolist()
    assert model.explanation_.is_exact


@settings(max_examples=15, **SLOW_TABLES)
@given(frames(), st.sampled_from(["gower", "cityblock", "cosine", "chebyshev", "hamming"]))
def test_every_distance_is_exact(table, distance):
    table = pd.concat([table, pd.Series(np.arange(len(table)) % 5 + 1, name="more")], axis=1)
    model = quick(distance=distance, min_cluster_size=2, scale="none" if distance == "cosine" else "minmax")
    model.fit(table)
    assert_exact(model, table)
    assert_well_formed(model)


@settings(max_examples=12, **SLOW_TABLES)
@given(frames(), st.sampled_from(["dunn", "calinski_harabasz", "davies_bouldin"]))
def test_every_criterion_is_exact(table, criterion):
    model = quick(criterion=criterion, min_cluster_size=2, max_clusters=3).fit(table)
    assert_exact(model, table)
    assert_well_formed(model)


@settings(max_examples=15, **SLOW_TABLES)
@given(frames(kinds=tuple(k for k in COLUMNS if k != "category")), st.sampled_from(FAMILIES[:3]))
def test_pandas_polars_and_object_arrays_are_one(table, family):
    model = quick(max_terms=family[0], max_coefficient=family[1])
    expected = clone(model).fit(table).labels_
    other = pl.from_pandas(table)
    from_polars = clone(model).fit(other)
    assert from_polars.labels_.tolist() == expected.tolist()
    assert from_polars.predict(other).tolist() == expected.tolist()
    assert from_polars.predict(table).tolist() == expected.tolist()
    plain = table.to_numpy(dtype=object)
    from_array = clone(model).fit(plain)
    assert_exact(from_array, plain)


@settings(max_examples=15, **SLOW_TABLES)
@given(frames(kinds=NUMERIC), st.sampled_from(FAMILIES))
def test_arrays_of_numbers_are_exact(table, family):
    X = table.to_numpy(dtype=float)
    model = quick(max_terms=family[0], max_coefficient=family[1]).fit(X)
    assert_exact(model, X)
    assert model.n_features_in_ == X.shape[1]
    assert not hasattr(model, "feature_names_in_")


@settings(max_examples=10, **SLOW_TABLES)
@given(frames(n_rows=st.integers(12, 30)), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    model = quick(max_terms=2, max_coefficient=3)
    straight = clone(model).fit(table).labels_
    shuffled = clone(model).fit(table.iloc[order]).labels_
    assert shuffled.tolist() == straight[order].tolist()


@settings(max_examples=15, **SLOW_TABLES)
@given(frames(n_rows=st.integers(10, 25)), st.data())
def test_weights_are_repetitions(table, data):
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table))))
    repeated = table.iloc[np.repeat(np.arange(len(table)), weights)]
    if len(repeated.drop_duplicates()) < 3:
        return
    model = quick(min_cluster_size=2)
    weighted = clone(model).fit(table, sample_weight=weights)
    assert weighted.predict(table).tolist() == weighted.labels_.tolist()
    plain = clone(model).fit(repeated)
    assert weighted.labels_[np.repeat(np.arange(len(table)), weights)].tolist() == plain.labels_.tolist()
    assert weighted.score_ == pytest.approx(plain.score_, abs=1e-6)
    assert_exact(weighted, table[weights > 0], weighted.labels_[weights > 0])
    assert {r.cluster: r.size for r in weighted.explanation_.rules} == {
        r.cluster: r.size for r in plain.explanation_.rules
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_values_a_float_apart_are_told_apart(family):
    low = np.nextafter(0.3, 0)
    X = np.array([[low, 1.0]] * 5 + [[0.3, 1.0]] * 5 + [[0.9, 2.0]] * 5)
    model = quick(n_clusters=3, max_terms=family[0], max_coefficient=family[1], min_cluster_size=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyclustWarning)
        model.fit(X)
    assert_exact(model, X)


def test_huge_and_tiny_columns_side_by_side():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=80) * 1e12 + 1e15, rng.normal(size=80) * 1e-9, rng.integers(0, 2, 80)])
    for family in FAMILIES:
        for units in UNITS:
            model = quick(max_terms=family[0], max_coefficient=family[1], units=units).fit(X)
            assert_exact(model, X)


def test_general_hyperplanes_of_numbers_far_from_zero():
    """Where sums are a billion times the range, clusters that only scaled rows tell apart cannot be told."""
    rng = np.random.default_rng(8)
    X = np.column_stack([1e9 + rng.normal(size=60), rng.integers(0, 4, 60), rng.normal(size=60)])
    limits = {"max_terms": None, "max_coefficient": None, "min_cluster_size": 2, "n_init": 2, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClusterWarning)
        model = PolytopeClustering(5, **limits).fit(X)
    assert model.n_clusters_ == 5
    assert (model.predict(X) == model.labels_).all()
    assert (model.contains(X).sum(axis=1) == 1).all()


def test_general_hyperplanes_of_unscaled_numbers_far_from_zero():
    rng = np.random.default_rng(42)
    groups = rng.integers(3, size=80)
    late = 1e9 + rng.normal(size=(2, 80)) * [[0.1], [1.0]] + groups * [[1.0], [2.0]]
    X = np.column_stack([*late, rng.normal(size=80) * 3 + groups * 3])
    limits = {"max_terms": None, "max_coefficient": None, "min_cluster_size": 2, "n_init": 1, "random_state": 0}
    model = PolytopeClustering(5, scale="none", **limits).fit(X)
    assert (model.predict(X) == model.labels_).all()
    assert (model.contains(X).sum(axis=1) == 1).all()
