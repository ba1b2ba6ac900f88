"""Hyperplanes with real coefficients: separability, the widest gap, the least error."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from polyclust.hyperplanes.general import (
    find_direction,
    is_separable,
    separates,
    solve_gap,
    walk_to_direction,
    widen_gap,
    widen_in_box,
)
from polyclust.hyperplanes.pair import separate_pair

GRID = st.integers(-4, 4).map(float)


def naive_least_error(upper, lower, margin, features=None):
    """2d linear programs, one per coordinate at -1 or 1, on the given features."""
    features = range(upper.shape[1]) if features is None else features
    x = np.vstack([upper, lower])[:, list(features)]
    n, d = x.shape
    side = np.r_[-np.ones(len(upper)), np.ones(len(lower))]
    A = np.hstack([side[:, None] * x, side[:, None], -np.eye(n)])
    rhs = np.where(side > 0, -margin, 0.0)
    errors = []
    for anchor in range(d):
        for sign in (-1.0, 1.0):
            bounds = [(-1, 1)] * d + [(None, None)] + [(0, None)] * n
            bounds[anchor] = (sign, sign)
            errors.append(linprog(np.r_[np.zeros(d + 1), np.ones(n)], A_ub=A, b_ub=rhs, bounds=bounds).fun)
    return min(errors)


def naive_is_separable(upper, lower):
    """Separable <=> the two convex hulls share no point: one LP over convex combinations."""
    n, m = len(upper), len(lower)
    A = np.vstack([np.hstack([upper.T, -lower.T]), np.r_[np.ones(n), np.zeros(m)], np.r_[np.zeros(n), np.ones(m)]])
    answer = linprog(np.zeros(n + m), A_eq=A, b_eq=np.r_[np.zeros(upper.shape[1]), 1.0, 1.0])
    return answer.status == 2


def gap_along(upper, lower, w):
    return (upper @ w).min() - (lower @ w).max()


@st.composite
def two_clouds(draw):
    n_features = draw(st.integers(1, 4))
    shift = draw(st.sampled_from([0.0, 1.0, 3.0]))
    upper, lower = (draw(arrays(float, (draw(st.integers(1, 9)), n_features), elements=GRID)) for _ in range(2))
    return upper + shift, lower


@given(two_clouds())
@settings(max_examples=120, deadline=None)
def test_separable_exactly_when_the_hulls_are_disjoint(clouds):
    upper, lower = clouds
    w = find_direction(upper, lower)
    assert (w is not None) == naive_is_separable(upper, lower)
    assert is_separable(upper, lower) == is_separable(lower, upper)
    if w is not None:
        assert np.abs(w).max() == 1.0
        assert gap_along(upper, lower, w) > 0.0


@given(two_clouds())
@settings(max_examples=60, deadline=None)
def test_the_widest_direction_is_the_widest(clouds):
    upper, lower = clouds
    widest = find_direction(upper, lower, widest=True)
    assume(widest is not None)
    assert np.abs(widest).max() == 1.0
    gap = gap_along(upper, lower, widest)
    rng = np.random.default_rng(0)
    others = rng.uniform(-1, 1, (200, upper.shape[1]))
    others /= np.abs(others).max(axis=1, keepdims=True)
    assert all(gap >= gap_along(upper, lower, w) - 1e-6 for w in others)


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6, 1e-7])
@pytest.mark.parametrize("seed", range(5))
def test_narrow_gaps_are_found(width, seed):
    rng = np.random.default_rng(seed)
    X, w = rng.random((600, 6)), rng.normal(size=6)
    height = X @ w - np.median(X @ w)
    X += np.sign(height)[:, None] * width * w / (w @ w)
    assert is_separable(X[height > 0], X[height <= 0])


@pytest.mark.parametrize("seed", range(5))
def test_the_lp_agrees_with_itself_on_all_rows(seed):
    """The growing set of rows ends at the same gap whatever direction it starts from."""
    rng = np.random.default_rng(seed)
    X, w = rng.random((900, 8)), rng.normal(size=8)
    is_upper = X @ w > np.median(X @ w)
    upper, lower = X[is_upper], X[~is_upper]
    starts = [walk_to_direction(upper, lower), *np.eye(8)[:3]]
    gaps = [gap_along(upper, lower, widen_gap(upper, lower, start, is_enough=False)) for start in starts]
    assert gaps == pytest.approx([gaps[0]] * len(gaps), rel=1e-5)


def test_one_row_on_the_wrong_side_is_noticed():
    rng = np.random.default_rng(1)
    upper, lower = rng.random((500, 4)) + 2.0, rng.random((500, 4))
    assert is_separable(upper, lower)
    assert not is_separable(np.vstack([upper, lower.mean(axis=0)]), lower)
    assert not is_separable(np.vstack([upper, lower[0]]), lower)


def test_a_gap_of_rounding_is_no_gap():
    upper, lower = np.array([[0.1 + 0.2, 7.0]]), np.array([[0.3, 7.0]])
    assert not separates(upper, lower, np.array([1.0, 0.0]))
    assert not is_separable(upper, lower)


@given(
    arrays(float, st.tuples(st.integers(6, 40), st.integers(1, 4)), elements=st.floats(-5, 5, width=32)),
    st.integers(2, 4),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_theorem_1_cells_of_k_means_are_separable(X, n_clusters, random):
    """Any fixed point of Lloyd's steps is separated pair by pair by general hyperplanes."""
    centres = X[random.sample(range(len(X)), n_clusters)]
    for _ in range(200):
        distances = cdist(X, centres, "sqeuclidean")
        labels = distances.argmin(axis=1)
        assume(len(np.unique(labels)) == n_clusters)
        moved = np.array([X[labels == k].mean(axis=0) for k in range(n_clusters)])
        if np.allclose(moved, centres, rtol=0, atol=1e-14):
            break
        centres = moved
    nearest = np.sort(distances, axis=1)
    assume((nearest[:, 1] - nearest[:, 0]).min() > 1e-6)  # a row between two centres may fall to either by rounding
    for i, j in combinations(range(n_clusters), 2):
        assert is_separable(X[labels == i], X[labels == j])


@pytest.mark.parametrize("seed", range(4))
def test_the_least_error_is_that_of_the_2d_linear_programs(seed):
    rng = np.random.default_rng(seed)
    upper, lower = rng.random((18, 3)) + 0.2, rng.random((22, 3))
    found = separate_pair(upper, lower, max_terms=None, max_coefficient=None, margin=0.01)
    assert found.status == "optimal"
    assert found.method == "milp"
    assert np.abs(found.w).max() == pytest.approx(1.0, abs=1e-9)
    assert found.error == pytest.approx(naive_least_error(upper, lower, 0.01), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_least_error_with_two_terms_is_that_of_every_two_features(seed):
    rng = np.random.default_rng(seed)
    upper, lower = rng.random((15, 4)) + 0.2 * rng.random(4), rng.random((15, 4))
    found = separate_pair(upper, lower, max_terms=2, max_coefficient=None, margin=0.01)
    expected = min(naive_least_error(upper, lower, 0.01, pair) for pair in combinations(range(4), 2))
    assert np.count_nonzero(found.w) <= 2
    assert found.status == "optimal"
    assert found.error == pytest.approx(expected, abs=1e-6)


def test_one_term_with_real_coefficients_is_an_axis():
    rng = np.random.default_rng(5)
    upper, lower = rng.random((30, 3)) + 0.3, rng.random((30, 3))
    general = separate_pair(upper, lower, max_terms=1, max_coefficient=None, margin=0.01)
    axis = separate_pair(upper, lower, max_terms=1, max_coefficient=1, margin=0.01)
    assert general.error == axis.error
    assert (general.w == axis.w).all()


def test_a_larger_w_cannot_hide_an_error():
    """With sum |w| >= 1 a margin of .01 that costs .0099 is free for w = 100; with max |w| = 1 it is not."""
    upper, lower = np.array([[0.5001]]), np.array([[0.5]])
    found = separate_pair(upper, lower, max_terms=None, max_coefficient=None, margin=0.01)
    assert found.w.tolist() == [1.0]
    assert found.error == pytest.approx(0.0099)


def test_separable_clusters_need_no_milp():
    rng = np.random.default_rng(2)
    X, w = rng.random((300, 10)), rng.normal(size=10)
    is_upper = X @ w > np.median(X @ w)
    found = separate_pair(X[is_upper], X[~is_upper], max_terms=None, max_coefficient=None, time_limit=0.0)
    assert (found.error, found.status, found.gap, found.method) == (0.0, "optimal", 0.0, "lp")


def test_a_stopped_solver_leaves_a_hyperplane_and_says_so():
    rng = np.random.default_rng(6)
    upper, lower = rng.random((60, 8)) + 0.05, rng.random((60, 8))
    stopped = separate_pair(upper, lower, max_terms=3, max_coefficient=None, margin=0.01, time_limit=0.0)
    assert (stopped.status, stopped.gap) == ("time limit", 1.0)
    assert np.count_nonzero(stopped.w) <= 3
    assert np.isfinite(stopped.error)


@pytest.mark.parametrize("max_terms", [None, 3])
@pytest.mark.parametrize("seed", range(6))
def test_without_a_given_margin_separable_clusters_have_no_error(seed, max_terms):
    """On a grid of tenths the margin from the data is .05; gaps of oblique hyperplanes are narrower."""
    rng = np.random.default_rng(seed)
    X, w = rng.random((250, 3)).round(1), rng.normal(size=3)
    is_upper = X @ w > np.median(X @ w)
    upper, lower = X[is_upper], X[~is_upper]
    strict = separate_pair(upper, lower, max_terms=max_terms, max_coefficient=None, margin=0.05)
    found = separate_pair(upper, lower, max_terms=max_terms, max_coefficient=None)
    assert strict.error > 0.0
    assert (found.error, found.status) == (0.0, "optimal")
    assert 0.0 < found.margin < 0.05
    assert (found.errors_above(upper) < 1e-12).all()
    assert (found.errors_below(lower) < 1e-12).all()


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 6))
def test_both_programs_find_the_widest_gap_of_more_features_than_rows(seed, n_rows, n_more):
    random = np.random.default_rng(seed)
    points = random.integers(-4, 5, size=(n_rows, n_rows + n_more)).astype(float)
    sides = np.where(np.arange(n_rows) < max(n_rows // 2, 1), -1.0, 1.0)
    upper, lower = points[sides < 0], points[sides > 0]
    assume(naive_is_separable(upper, lower))
    in_box = widen_in_box(points, sides)
    assert np.abs(in_box).max() == 1.0
    gap = gap_along(upper, lower, in_box)
    assert gap > 0
    wide = np.vstack([points, points])  # more rows than features, the same hulls: the other program
    if len(wide) >= wide.shape[1]:
        other = solve_gap(wide, np.tile(sides, 2))
        assert gap == pytest.approx(gap_along(upper, lower, other), rel=1e-6)
