"""The polygons are exactly the polytopes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.path import Path

from polyclust.geometry.hyperplane import Hyperplane, Polytope
from polyclust.plot.polygons import (
    HalfPlane,
    clip_polygon,
    find_kind,
    hold_points,
    is_possible,
    project_polytope,
    slice_polytope,
)
from polyclust.table.features import Column, Feature

UNIT = (0.0, 1.0, 0.0, 1.0)


def number(name: str) -> Feature:
    return Feature(Column(name, "number", name), "number")


def whole(name: str, kind: str = "integer") -> Feature:
    return Feature(Column(name, kind, name), kind)


def plane(features, coefficients, threshold, units=None) -> Hyperplane:
    return Hyperplane(tuple(features), tuple(coefficients), tuple(units or [1.0] * len(features)), threshold, 1.0, 0, 1)


def inside_polygon(polygon, points) -> np.ndarray:
    if not len(polygon):
        return np.zeros(len(points), dtype=bool)
    return Path(polygon).contains_points(points)


def grid(view, n: int = 41) -> np.ndarray:
    x, y = np.meshgrid(np.linspace(*view[:2], n), np.linspace(*view[2:], n))
    return np.column_stack([x.ravel(), y.ravel()])


def away_from_edges(polytope, raw, tolerance: float) -> np.ndarray:
    far = np.ones(len(raw), dtype=bool)
    for h, _ in polytope.halfspaces:
        far &= np.abs(h.value(raw) - h.threshold) > tolerance
    return far


coefficient = st.integers(-3, 3)
halfspace = st.tuples(coefficient, coefficient, st.floats(-2, 2), st.booleans()).filter(lambda h: h[0] or h[1])


@given(st.lists(halfspace, max_size=7), st.sampled_from([(1.0, 1.0), (50.0, 0.02), (1e6, 1e-3)]))
def test_polygon_holds_exactly_the_points_of_the_polytope(halfspaces, units) -> None:
    features = [number("a"), number("b")]
    polytope = Polytope(0, tuple((plane([0, 1], [float(a), float(b)], t, units), up) for a, b, t, up in halfspaces))
    view = (-1.5 * units[0], 1.5 * units[0], -1.5 * units[1], 1.5 * units[1])
    frame = (-2.0 * units[0], 2.0 * units[0], -2.0 * units[1], 2.0 * units[1])
    polygon = clip_polygon(project_polytope(polytope, features, (0, 1)), frame)
    points = grid(view)
    sure = away_from_edges(polytope, points, 1e-6)
    drawn = inside_polygon(polygon / units, points / units)
    np.testing.assert_array_equal(drawn[sure], polytope.contains(points)[sure])


@given(st.lists(st.tuples(coefficient, coefficient, coefficient, st.floats(-2, 2), st.booleans()), max_size=6))
def test_slice_holds_the_points_of_the_polytope_at_the_anchor(halfspaces) -> None:
    kept = [h for h in halfspaces if any(h[:3])]
    features = [number("a"), number("b"), number("c")]
    polytope = Polytope(
        0,
        tuple((plane([0, 1, 2], [float(a), float(b), float(c)], t, [1, 2, 5]), up) for a, b, c, t, up in kept),
    )
    anchor = np.array([9.0, 9.0, 0.7])
    halfplanes = slice_polytope(polytope, features, (0, 1), anchor)
    points = grid((-3.0, 3.0, -3.0, 3.0))
    raw = np.column_stack([points, np.full(len(points), 0.7)])
    sure = away_from_edges(polytope, raw, 1e-6)
    np.testing.assert_array_equal(hold_points(halfplanes, points)[sure], polytope.contains(raw)[sure])
    polygon = clip_polygon(halfplanes, (-3.5, 3.5, -3.5, 3.5))
    np.testing.assert_array_equal(inside_polygon(polygon, points)[sure], polytope.contains(raw)[sure])


def test_shown_features_keep_the_order_asked_for() -> None:
    features = [number("a"), number("b"), number("c")]
    polytope = Polytope(0, ((plane([0, 2], [1.0, -2.0], 0.25), True),))
    (halfplane,) = project_polytope(polytope, features, (2, 0))
    assert halfplane == HalfPlane(-2.0, 1.0, 0.25, True)


def test_whole_numbers_are_cut_midway_and_hold_the_same_rows() -> None:
    features = [whole("legs"), whole("hair", "boolean")]
    polytope = Polytope(0, ((plane([0], [1.0], 3.0), True), (plane([0, 1], [2.0, 3.0], 14.0), False)))
    halfplanes = project_polytope(polytope, features, (0, 1))
    assert [h.threshold for h in halfplanes] == [2.5, 13.5]
    rows = np.array([[legs, hair] for legs in range(10) for hair in (0, 1)], dtype=float)
    np.testing.assert_array_equal(hold_points(halfplanes, rows), polytope.contains(rows))
    polygon = clip_polygon(halfplanes, (-1.0, 10.0, -0.5, 1.5))
    np.testing.assert_array_equal(inside_polygon(polygon, rows), polytope.contains(rows))


def test_mixed_terms_keep_their_threshold() -> None:
    features = [number("age"), whole("smoker", "boolean")]
    polytope = Polytope(0, ((plane([0, 1], [2.0, 3.0], 2.6, [50.0, 1.0]), True),))
    (halfplane,) = project_polytope(polytope, features, (0, 1))
    assert halfplane.threshold == 2.6
    assert halfplane.a == 0.04


def test_a_known_triangle() -> None:
    polygon = clip_polygon([HalfPlane(1.0, 1.0, 1.0, False)], UNIT)
    assert {tuple(p) for p in polygon.tolist()} == {(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)}


def test_no_halfplane_fills_the_view() -> None:
    assert {tuple(p) for p in clip_polygon([], (2.0, 3.0, 5.0, 9.0)).tolist()} == {
        (2, 5),
        (3, 5),
        (3, 9),
        (2, 9),
    }


@pytest.mark.parametrize(
    "halfplanes",
    [
        [HalfPlane(1.0, 0.0, 0.6, True), HalfPlane(1.0, 0.0, 0.4, False)],
        [HalfPlane(1.0, 0.0, 0.5, True), HalfPlane(1.0, 0.0, 0.5, False)],
        [HalfPlane(1.0, 0.0, 2.0, True)],
        [HalfPlane(0.0, 0.0, 1.0, True)],
        [HalfPlane(0.0, 0.0, 0.0, False)],
    ],
)
def test_nothing_is_drawn_of_an_empty_polygon(halfplanes) -> None:
    assert clip_polygon(halfplanes, UNIT).shape == (0, 2)


def test_a_condition_on_hidden_features_alone_that_holds_changes_nothing() -> None:
    assert len(clip_polygon([HalfPlane(0.0, 0.0, 0.0, True), HalfPlane(0.0, 0.0, 1.0, False)], UNIT)) == 4


def test_kinds() -> None:
    pair = [plane([0], [1.0], 0.0), plane([0, 1], [1.0, 2.0], 0.0)]
    assert find_kind(pair, (0, 1)) == "exact"
    assert find_kind([*pair, plane([2, 3], [1.0, 1.0], 0.0)], (0, 1)) == "projection"
    assert find_kind([*pair, plane([1, 2], [1.0, 1.0], 0.0)], (0, 1)) == "slice"
    assert find_kind(pair, (0,)) == "slice"


def test_possible_polytopes() -> None:
    features = [number("a"), number("b")]
    low, high = plane([0], [1.0], 2.0), plane([0], [1.0], 2.000001)
    assert is_possible(Polytope(0, ()), features)
    assert is_possible(Polytope(0, ((low, True), (high, False))), features)
    assert not is_possible(Polytope(0, ((low, True), (low, False))), features)
    assert not is_possible(Polytope(0, ((high, True), (low, False))), features)
    slanted = plane([0, 1], [1.0, 1.0], 4.0)
    second = plane([1], [1.0], 2.0)
    assert not is_possible(Polytope(0, ((low, True), (second, True), (slanted, False))), features)
