"""The kernel of slices against brute force: every row beyond a cut goes into a new cluster."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import silhouette_of_repeats
from polyclust.kernels.silhouette import IMPOSSIBLE, sum_distances
from polyclust.kernels.slices import scan_slices
from strategies import partitioned_points


def slice_slowly(points, labels, n_clusters, order, position, bounds):
    """The score of the partition with the slice; IMPOSSIBLE if that, or what is left of a cluster, is out of bounds."""
    sliced = labels.copy()
    sliced[order[: position + 1]] = n_clusters
    sizes = np.bincount(sliced, weights=points.weights, minlength=n_clusters + 1)
    changed = np.append(np.unique(labels[order[: position + 1]]), n_clusters)
    if min(sizes[changed]) < max(bounds[0], 1e-9) or sizes[n_clusters] > bounds[1]:
        return IMPOSSIBLE
    return silhouette_of_repeats(points.distances, sliced, points.weights)


@settings(deadline=None, max_examples=150)
@given(partitioned_points(), st.sampled_from([(1.0, np.inf), (2.0, np.inf), (0.0, 6.0)]), st.booleans())
def test_every_slice_is_scored_as_scikit_learn_scores_it(drawn, bounds, is_reversed):
    points, labels, n_clusters = drawn
    orders = points.order_along_axes(np.ones(len(points), dtype=bool))
    orders = orders.reverse() if is_reversed else orders
    sums, scores = np.empty((n_clusters, len(points))), np.empty(orders.rows.shape)
    sum_distances(points.distances, labels, points.weights, sums)
    scan_slices(points.distances, sums, labels, points.weights, orders.rows, orders.is_end, *bounds, scores)
    for order, is_end, found in zip(orders.rows, orders.is_end, scores, strict=True):
        for position, score in enumerate(found):
            expected = slice_slowly(points, labels, n_clusters, order, position, bounds)
            assert score == pytest.approx(expected if is_end[position] else IMPOSSIBLE, abs=2e-5)


@settings(deadline=None, max_examples=60)
@given(partitioned_points())
def test_orders_from_the_other_end_part_the_same_rows(drawn):
    points, _, _ = drawn
    orders = points.order_along_axes(np.ones(len(points), dtype=bool))
    cuts, mirrored = (
        {
            (axis, frozenset(some.rows[axis, : p + 1].tolist() if is_low else some.rows[axis, p + 1 :].tolist()))
            for axis in range(len(some.rows))
            for p in np.flatnonzero(some.is_end[axis])
        }
        for some, is_low in ((orders, True), (orders.reverse(), False))
    )
    assert cuts == mirrored
