"""The kernels that finish Euclidean distances against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances

from polyclust.search.distances import measure_distances, sum_distances_to
from strategies import labels_for, matrices, weights_for


@settings(deadline=None, max_examples=60)
@given(matrices(n_rows=st.integers(2, 30)), st.floats(-1e4, 1e4))
def test_distances_of_all_rows(rows, offset):
    moved = rows + offset  # far from the origin a product of two rows loses digits: rows are centred first
    assert np.allclose(measure_distances(moved, "euclidean"), pairwise_distances(rows), atol=1e-4)


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
