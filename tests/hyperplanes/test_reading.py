"""Hyperplanes read off a finished partition: one for every pair, exact, few, and with round thresholds."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import lattice, lie_apart, lie_apart_by_any_plane, pairs_in_conflict
from polyclust.geometry.hyperplane import find_members
from polyclust.hyperplanes.lattice import list_directions
from polyclust.hyperplanes.reading import (
    NotSeparableError,
    plane_between,
    read_general_hyperplanes,
    read_hyperplanes,
)
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.table.features import Column, Feature
from strategies import partitioned_points


def features_of(raw, units=None, kind="number"):
    spans = np.maximum(np.ptp(raw, axis=0), 1.0)
    units = np.ones(raw.shape[1]) if units is None else units
    return tuple(
        Feature(Column(f"x{f}", kind, f), kind, None, 0.0, float(spans[f]), float(units[f]))
        for f in range(raw.shape[1])
    )


def assert_reads(planes, raw, labels, n_clusters, features):
    assert [tuple(sorted((h.above, h.below))) for h in planes] == list(combinations(range(n_clusters), 2))
    members = find_members(raw, planes, n_clusters)
    assert (members.sum(axis=1) == 1).all()
    assert members[np.arange(len(raw)), labels].all()
    for h in planes:
        assert h.coefficients[0] > 0
        if len(h.features) == 1:
            assert h.coefficients == (1.0,)
            assert h.units == (1.0,)
        w = [c * features[f].scale / u for f, c, u in zip(h.features, h.coefficients, h.units, strict=True)]
        assert h.norm == pytest.approx(np.linalg.norm(w))


@settings(deadline=None, max_examples=120)
@given(partitioned_points(), st.sampled_from([(1, 1), (2, 1), (2, 3), (3, 2)]))
def test_every_pair_that_can_be_told_apart_is(drawn, limits):
    points, labels, n_clusters = drawn
    features = features_of(points.raw)
    oblique = None if limits == (1, 1) else list_directions(points.n_features, *limits)
    apart = partial(lie_apart, directions=lattice(points.n_features, *limits))
    conflicts = pairs_in_conflict(points.raw, labels, apart)
    if conflicts:
        with pytest.raises(NotSeparableError) as caught:
            read_hyperplanes(points.raw, labels, n_clusters, features, oblique)
        assert caught.value.pairs == conflicts
        assert len(caught.value.hyperplanes) == n_clusters * (n_clusters - 1) // 2 - len(conflicts)
    else:
        planes = read_hyperplanes(points.raw, labels, n_clusters, features, oblique)
        assert_reads(planes, points.raw, labels, n_clusters, features)


@settings(deadline=None, max_examples=60)
@given(partitioned_points())
def test_general_hyperplanes_tell_apart_whatever_a_plane_can(drawn):
    points, labels, n_clusters = drawn
    features = features_of(points.raw)
    if not pairs_in_conflict(points.raw, labels, lie_apart_by_any_plane):
        planes = read_general_hyperplanes(points.raw, labels, n_clusters, features)
        assert_reads(planes, points.raw, labels, n_clusters, features)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 2), st.data())
def test_no_cut_that_a_pair_needs_is_left_out(most, data):
    """However few cuts are kept, each pair keeps one that settles it."""
    points, labels, n_clusters = data.draw(partitioned_points())
    features = features_of(points.raw)
    oblique = list_directions(points.n_features, 2, 2)
    apart = partial(lie_apart, directions=lattice(points.n_features, 2, 2))
    if pairs_in_conflict(points.raw, labels, apart):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("polyclust.hyperplanes.cover.MOST_CUTS", most)
        planes = read_hyperplanes(points.raw, labels, n_clusters, features, oblique)
    assert_reads(planes, points.raw, labels, n_clusters, features)


def test_one_cut_serves_many_pairs():
    """Two clusters below 5 and two above: the first axis settles four pairs with one threshold."""
    raw = np.array([[0.0, 0.0], [1.0, 9.0], [9.0, 1.0], [10.0, 8.0]])
    planes = read_hyperplanes(raw, np.arange(4), 4, features_of(raw))
    on_x = [h for h in planes if h.features == (0,)]
    assert len(on_x) == 4
    assert {h.threshold for h in on_x} == {5.0}
    assert {(h.features, h.threshold) for h in planes} == {((0,), 5.0), ((1,), 5.0)}


def test_the_threshold_is_the_roundest_number_of_the_gap():
    raw = np.array([[1.9], [1.0], [3.0], [4.0]])
    (plane,) = read_hyperplanes(raw, np.array([0, 0, 1, 1]), 2, features_of(raw))
    assert plane.threshold == choose_threshold(1.9, 3.0) == 2.5
    (whole,) = read_hyperplanes(raw.round(), np.array([0, 0, 1, 1]), 2, features_of(raw, kind="integer"))
    assert whole.threshold == 3.0
    assert (plane.above, plane.below) == (1, 0)


def test_several_terms_are_in_units():
    raw = np.array([[0.0, 40.0], [10.0, 0.0], [10.0, 45.0], [25.0, 0.0]])
    features = features_of(raw, units=[20.0, 50.0])
    (plane,) = read_hyperplanes(raw, np.array([0, 0, 1, 1]), 2, features, list_directions(2, 2, 1))
    assert plane.features == (0, 1)
    assert plane.units == (20.0, 50.0)
    values = plane.value(raw)
    assert values[:2].max() < plane.threshold <= values[2:].min()


def test_a_far_cluster_does_not_hide_a_narrow_gap_between_others():
    """The size that a gap is compared with is that of its own ends, not that of all clusters."""
    t = np.linspace(-1, 1, 9)
    near, beside = np.column_stack([t, -t]), np.column_stack([t, 1e-4 - t])
    raw = np.vstack([near, beside, [[1e6, 1e6], [1e6, 2e6]]])
    labels = np.repeat([0, 1, 2], [9, 9, 2])
    planes = read_hyperplanes(raw, labels, 3, features_of(raw), list_directions(2, 2, 1))
    assert_reads(planes, raw, labels, 3, features_of(raw))


@pytest.mark.parametrize("is_upper", [[True, False, False], [False, True, True]])
def test_rows_whose_sums_are_alike_are_on_one_side_of_a_plane_that_may_err(is_upper):
    raw = np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 0.0]])  # 3 * 0.1 and 0.1 + 0.2 are the same float
    terms, features = {0: 0.1, 1: 0.2}, features_of(raw)
    with pytest.raises(ValueError, match="gap"):
        plane_between(raw, np.array(is_upper), terms, features, upper=1, lower=0)
    plane = plane_between(raw, np.array(is_upper), terms, features, upper=1, lower=0, may_err=True)
    above = plane.is_above(raw)
    assert np.isfinite(plane.threshold)
    assert above[0] == above[1]
