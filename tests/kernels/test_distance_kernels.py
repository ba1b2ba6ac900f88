"""The kernels that finish Euclidean distances against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from polyclust.search.distances import measure_distances, sum_distances_to
from strategies import labels_for, matrices, weights_for


@settings(deadline=None, max_examples=60)
@given(matrices(n_rows=st.integers(2, 30)), st.floats(-1e4, 1e4))
def test_distances_of_all_rows(rows, offset):
    moved = rows + offset  # far from the origin a product of two rows loses digits: rows are centred first
    assert np.allclose(measure_distances(moved, "euclidean"), pairwise_distances(rows), atol=1e-4)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_rows_close_to_each_other_and_far_from_the_rest(far):
    """Products of such rows cancel to the last digit; their distances are no less exact than others."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([far * rng.integers(0, 2, 60), rng.random(60), rng.integers(0, 4, 60)])
    exact = cdist(rows, rows)
    assert np.allclose(measure_distances(rows, "euclidean"), exact, rtol=1e-6, atol=0)
    labels, weights, near = rng.integers(0, 2, 60), rng.random(60), rows[:, 0] == 0
    found = sum_distances_to(rows, rows[near], labels[near], weights[near], "euclidean", 2)
    sums = [(exact * weights)[:, near & (labels == k)].sum(axis=1) for k in range(2)]
    assert np.allclose(found, sums, rtol=1e-6, atol=0)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_sums_of_distances_to_the_rows_of_every_cluster(metric, data):
    rows = data.draw(matrices(n_rows=st.integers(4, 40), n_columns=st.just(2)))
    others = data.draw(matrices(n_rows=st.integers(1, 5), n_columns=st.just(2)))
    labels, weights = data.draw(labels_for(len(rows), 3)), data.draw(weights_for(len(rows)))
    found = sum_distances_to(others, rows, labels, weights, metric, 3)
    every = pairwise_distances(others, rows, metric=metric) * weights
    for k in range(3):
        assert np.allclose(found[k], every[:, labels == k].sum(axis=1), rtol=1e-5, atol=1e-4)
