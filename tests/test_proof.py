"""Two clusters are proved against brute force, and nothing else is called optimal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import best_axis_cut, lattice
from polyclust import PolytopeClustering
from polyclust.search.distances import measure_distances
from strategies import TENTHS

quietly = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


@quietly
@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=6, max_size=14), st.integers(1, 3))
def test_two_clusters_are_proved_against_brute_force(rows, least):
    X = np.array(rows)
    if len(np.unique(X, axis=0)) < 3:
        return
    model = PolytopeClustering(2, min_cluster_size=least, scale="none", units="none").fit(X)
    D = measure_distances(X, "euclidean")
    best = best_axis_cut(X, D, np.ones(len(X)), least)
    if not np.isfinite(best):
        assert model.n_clusters_ == 1
        return
    assert model.is_optimal_
    assert model.score_ == pytest.approx(best, abs=1e-5)


@quietly
def test_two_clusters_of_a_lattice_are_proved_against_brute_force():
    X = np.random.default_rng(8).integers(0, 12, size=(25, 2)).astype(float)
    model = PolytopeClustering(2, max_terms=2, max_coefficient=3, scale="none", units="none", min_cluster_size=3)
    model.fit(X)
    D = measure_distances(X, "euclidean")
    projected = np.stack([X @ w for w in lattice(2, 2, 3)], axis=1)
    assert model.is_optimal_
    assert model.score_ == pytest.approx(best_axis_cut(projected, D, np.ones(25), 3), abs=1e-5)


@pytest.mark.filterwarnings("ignore::polyclust.errors.SmallClusterWarning")  # three clusters: a cap of three rows
def test_nothing_else_is_called_optimal(iris):
    assert PolytopeClustering(2).fit(iris).is_optimal_
    assert not PolytopeClustering(3, n_init=1).fit(iris).is_optimal_
    assert not PolytopeClustering(max_clusters=3, n_init=1).fit(iris).is_optimal_
    general = PolytopeClustering(2, max_terms=None, max_coefficient=None, n_init=1)
    assert not general.fit(iris).is_optimal_
    assert not PolytopeClustering(2, criterion="dunn", n_init=1, min_cluster_size=5).fit(iris).is_optimal_
