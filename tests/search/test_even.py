"""Trees of even parts: as many as asked for, and no heavier than ties force them to be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclust.search.distances import measure_distances
from polyclust.search.even import grow_even_tree
from polyclust.search.points import Points
from strategies import points


def points_of(rows, weights=None):
    weights = np.ones(len(rows)) if weights is None else weights
    return Points(measure_distances(rows, "euclidean"), weights, rows, rows, rows)


@pytest.mark.parametrize("n_clusters", [2, 3, 5, 7, 10])
def test_without_ties_the_parts_are_even(n_clusters):
    some = points_of(np.random.default_rng(0).normal(size=(700, 3)))
    sizes = np.bincount(grow_even_tree(some, n_clusters))
    assert len(sizes) == n_clusters
    assert sizes.max() <= 1.1 * 700 / n_clusters


def test_a_heavy_value_takes_one_leaf_and_leaves_the_others_to_the_rest():
    weights = np.concatenate([[50.0], np.ones(50)])
    some = points_of(np.arange(51.0)[:, None], weights)
    sizes = np.bincount(grow_even_tree(some, 4), weights=weights)
    assert sorted(sizes) == [16.0, 17.0, 17.0, 50.0]


@settings(deadline=None, max_examples=60)
@given(points(n_rows=st.integers(4, 30)), st.integers(2, 6))
def test_rows_of_a_leaf_are_apart_from_all_others_by_cuts(some, n_clusters):
    labels = grow_even_tree(some, n_clusters)
    assert labels.max() < n_clusters
    for first in np.unique(labels):
        for second in np.unique(labels[labels > first]):
            a, b = some.raw[labels == first], some.raw[labels == second]
            assert ((a.max(axis=0) < b.min(axis=0)) | (b.max(axis=0) < a.min(axis=0))).any()
