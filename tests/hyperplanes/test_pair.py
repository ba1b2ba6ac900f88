"""The hyperplane of a pair: the enumeration against brute force and against HiGHS."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyclust.hyperplanes import enumeration
from polyclust.hyperplanes.enumeration import enumerate_lattice
from polyclust.hyperplanes.hinge import PairRows, choose_margin, fit_intercept
from polyclust.hyperplanes.integer_program import solve_integer_program
from polyclust.hyperplanes.lattice import list_directions
from polyclust.hyperplanes.pair import separate_pair

GRID = st.integers(-3, 3).map(lambda k: k / 4)


def naive_error(upper, lower, w, threshold, margin, upper_weights, lower_weights):
    """The sum of the hinge errors, written as METHOD's section 2 has it."""
    b = -threshold
    above = sum(u * max(-(x @ w + b), 0.0) for x, u in zip(upper, upper_weights, strict=True))
    below = sum(u * max(x @ w + b + margin, 0.0) for x, u in zip(lower, lower_weights, strict=True))
    return above + below


def naive_best(upper, lower, max_terms, max_coefficient, margin, upper_weights, lower_weights):
    """Every vector of the lattice, both signs, every kink as the threshold."""
    n_features = upper.shape[1]
    best = np.inf
    for w in product(range(-max_coefficient, max_coefficient + 1), repeat=n_features):
        if 1 <= np.count_nonzero(w) <= max_terms:
            for threshold in [*(upper @ w), *(lower @ w + margin)]:
                error = naive_error(upper, lower, w, threshold, margin, upper_weights, lower_weights)
                best = min(best, error)
    return best


@st.composite
def pairs(draw, max_rows=6, max_features=3):
    """Two small clusters with ties, duplicates, perhaps a constant column, and weights."""
    n_features = draw(st.integers(1, max_features))
    sides = [draw(arrays(float, (draw(st.integers(1, max_rows)), n_features), elements=GRID)) for _ in "ab"]
    if draw(st.booleans()):
        for side in sides:
            side[:, 0] = 0.5
    weights = [draw(arrays(float, len(side), elements=st.integers(1, 3).map(float))) for side in sides]
    return *sides, *weights


@given(pairs(), st.integers(1, 3), st.integers(1, 2), st.sampled_from([0.01, 0.25, 1.0]))
@settings(max_examples=80, deadline=None)
def test_enumeration_is_brute_force(pair, max_terms, max_coefficient, margin):
    upper, lower, upper_weights, lower_weights = pair
    found = separate_pair(
        upper,
        lower,
        max_terms=max_terms,
        max_coefficient=max_coefficient,
        margin=margin,
        upper_weights=upper_weights,
        lower_weights=lower_weights,
    )
    expected = naive_best(upper, lower, max_terms, max_coefficient, margin, upper_weights, lower_weights)
    assert found.error == pytest.approx(expected, abs=1e-9)
    assert found.status == "optimal"
    assert found.method == "enumeration"
    assert 1 <= np.count_nonzero(found.w) <= max_terms
    assert np.abs(found.w).max() <= max_coefficient
    own = naive_error(upper, lower, found.w, -found.b, margin, upper_weights, lower_weights)
    assert own == pytest.approx(found.error, abs=1e-9)


@given(pairs(max_rows=5), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_a_weight_is_a_number_of_copies(pair, max_terms):
    upper, lower, upper_weights, lower_weights = pair
    weighted = separate_pair(
        upper,
        lower,
        max_terms=max_terms,
        max_coefficient=2,
        margin=0.1,
        upper_weights=upper_weights,
        lower_weights=lower_weights,
    )
    copies = separate_pair(
        np.repeat(upper, upper_weights.astype(int), axis=0),
        np.repeat(lower, lower_weights.astype(int), axis=0),
        max_terms=max_terms,
        max_coefficient=2,
        margin=0.1,
    )
    assert (weighted.w == copies.w).all()
    assert weighted.b == copies.b
    assert weighted.error == pytest.approx(copies.error, abs=1e-12)


@pytest.mark.parametrize("margin", [0.01, 0.4])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("max_terms", "max_coefficient"), [(1, 1), (2, 3), (3, 2), (None, 1)])
def test_enumeration_agrees_with_highs(seed, max_terms, max_coefficient, margin):
    rng = np.random.default_rng(seed)
    upper, lower = rng.random((25, 5)) + 0.15 * rng.random(5), rng.random((20, 5))
    rows = PairRows.collect(upper, lower, rng.integers(1, 4, 25).astype(float))
    lattice = list_directions(5, max_terms, max_coefficient, primitive=False)
    enumerated = enumerate_lattice(rows, lattice, margin)
    weak = enumerate_lattice(rows, list_directions(5, 1, 1).take(np.array([4])), margin)
    solved = solve_integer_program(rows, weak, max_terms=max_terms, max_coefficient=max_coefficient)
    assert solved.status == "optimal"
    assert solved.method == "milp"
    assert solved.gap == 0.0
    assert solved.error == pytest.approx(enumerated.error, abs=1e-6)


@pytest.mark.parametrize("n_rows", [1500, 3000])
def test_no_pruned_direction_was_the_best(n_rows):
    """Enough rows for several rounds of the race: the winner is the least of all closed-form errors."""
    rng = np.random.default_rng(n_rows)
    X = rng.random((n_rows, 6))
    is_upper = X @ rng.normal(size=6) + 0.4 * rng.normal(size=n_rows) > 0.3
    rows = PairRows.collect(X[is_upper], X[~is_upper])
    lattice = list_directions(6, 2, 3, primitive=False)
    found = enumerate_lattice(rows, lattice, 0.02)
    errors = []
    for d in range(len(lattice)):
        w = np.zeros(6)
        features, coefficients = lattice.terms(d)
        w[list(features)] = coefficients
        errors += [fit_intercept(rows, w, 0.02)[1], fit_intercept(rows, -w, 0.02)[1]]
    assert found.error == pytest.approx(min(errors), rel=1e-12)


def list_errors(rows, lattice, margin):
    """(2, D): the closed-form error of every direction, as listed and reversed."""
    errors = np.empty((2, len(lattice)))
    for d in range(len(lattice)):
        w = np.zeros(rows.values.shape[1])
        features, coefficients = lattice.terms(d)
        w[list(features)] = coefficients
        errors[:, d] = fit_intercept(rows, w, margin)[1], fit_intercept(rows, -w, margin)[1]
    return errors


def draw_pair(random, n_rows):
    """Two clusters that overlap more or less, on a grid or not, far from zero or not, with weights."""
    X = random.normal(size=(n_rows, 4)) + random.choice([0.0, 1e3])
    X = np.round(2 * X) / 2 if random.random() < 0.5 else X
    along = (X - X.mean(axis=0)) @ random.normal(size=4)
    is_upper = along + random.choice([0.0, 0.5, 3.0]) * random.normal(size=n_rows) > 0
    is_upper[:2] = True, False
    order = np.argsort(~is_upper, kind="stable")
    return PairRows(X[order], random.integers(1, 4, n_rows).astype(float), int(is_upper.sum()))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 0.01, 0.3]), st.sampled_from([0, 5, 300]))
def test_bounds_hold_for_every_direction_and_end_at_the_least_error(seed, margin, most_cuts):
    random = np.random.default_rng(seed)
    rows = draw_pair(random, int(random.integers(4, 120)))
    lattice = list_directions(4, 2, 3, primitive=False)
    errors = list_errors(rows, lattice, margin)
    below = random.choice([np.inf, 0.5 * errors.min(), 1.5 * errors.min()])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumeration, "MOST_CUTS", most_cuts)
        least, best, bounds = enumeration._bound(rows, lattice, margin, below)
    rounding = enumeration._size_of_rounding(rows, lattice)
    assert (bounds <= errors * (1.0 + 1e-9) + rounding).all()
    assert least == pytest.approx(min(errors.min(), below), rel=1e-9, abs=rounding)
    assert (best >= 0) == (least < below)
    assert best < 0 or errors[:, best].min() == pytest.approx(least, rel=1e-9, abs=rounding)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_leaving_out_what_is_worse_changes_nothing(seed):
    random = np.random.default_rng(seed)
    rows = draw_pair(random, int(random.integers(4, 120)))
    lattice = list_directions(4, 2, 3, primitive=False)
    found = enumerate_lattice(rows, lattice, 0.01)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumeration, "FEW_DIRECTIONS", len(lattice))
        scanned = enumerate_lattice(rows, lattice, 0.01)
    assert (found.w == scanned.w).all()
    assert (found.b, found.error) == (scanned.b, scanned.error)


def test_few_directions_need_be_worked_out():
    """Bounds alone leave less than a hundredth of the directions."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 20))
    is_upper = X @ random.normal(size=20) + random.normal(size=400) > 0
    rows = PairRows.collect(X[is_upper], X[~is_upper])
    lattice = list_directions(20, 2, 3, primitive=False)
    assert len(enumeration._leave_out_worse(rows, lattice, 0.01)) < len(lattice) / 100


def test_a_multiple_of_a_vector_can_be_better_under_a_fixed_margin():
    upper, lower = np.array([[0.5], [0.6]]), np.array([[0.4999], [0.2]])
    one = separate_pair(upper, lower, max_terms=1, max_coefficient=1, margin=2e-4)
    two = separate_pair(upper, lower, max_terms=1, max_coefficient=2, margin=2e-4)
    assert one.w.tolist() == [1.0]
    assert one.error == pytest.approx(1e-4)
    assert two.w.tolist() == [2.0]
    assert two.error == pytest.approx(0.0, abs=1e-15)


def test_the_intercept_is_an_order_statistic():
    rng = np.random.default_rng(0)
    upper, lower, w, margin = rng.random((9, 2)), rng.random((5, 2)), np.array([1.0, -2.0]), 0.03
    b, _ = fit_intercept(PairRows.collect(upper, lower), w, margin)
    assert -b == pytest.approx(np.sort(np.r_[upper @ w, lower @ w + margin])[len(lower) - 1], abs=1e-12)


def test_ties_go_to_fewer_terms_and_then_to_the_wider_gap():
    upper = np.array([[1.0, 5.0, 3.0], [2.0, 6.0, 4.0]])
    lower = np.array([[0.0, 1.0, 2.0], [0.5, 2.0, 2.5]])
    found = separate_pair(upper, lower, max_terms=2, max_coefficient=2, margin=0.1)
    assert found.error == 0.0
    assert found.w.tolist() == [0.0, 1.0, 0.0]


def test_a_lattice_too_large_goes_to_highs_and_keeps_the_gap():
    rng = np.random.default_rng(3)
    upper, lower = rng.random((40, 8)) + 0.1, rng.random((40, 8))
    settings_ = {"max_terms": 3, "max_coefficient": 2, "margin": 0.01}
    exact = separate_pair(upper, lower, **settings_)
    solved = separate_pair(upper, lower, lattice_limit=100, **settings_)
    assert (exact.method, solved.method, solved.status) == ("enumeration", "milp", "optimal")
    assert solved.error == pytest.approx(exact.error, abs=1e-6)
    stopped = separate_pair(upper, lower, lattice_limit=100, time_limit=0.0, **settings_)
    assert stopped.status == "time limit"
    assert stopped.gap == 1.0
    assert exact.error <= stopped.error
    limited = separate_pair(upper, lower, lattice_limit=100, node_limit=1, **settings_)
    assert limited.status == "node limit"
    assert 0.0 < limited.gap <= 1.0
    assert (1.0 - limited.gap) * limited.error <= exact.error + 1e-6


def test_highs_is_spared_when_a_small_part_of_the_lattice_has_no_error():
    rng = np.random.default_rng(4)
    upper = rng.random((30, 40)) + np.r_[2.0, np.zeros(39)]
    found = separate_pair(upper, rng.random((30, 40)), max_terms=None, max_coefficient=5, time_limit=0.0)
    assert (found.error, found.status, found.method) == (0.0, "optimal", "enumeration")


@given(pairs(), st.sampled_from([0.01, 0.5]))
@settings(max_examples=40, deadline=None)
def test_reversing_swaps_the_clusters_and_no_cost(pair, margin):
    upper, lower, _, _ = pair
    found = separate_pair(upper, lower, max_terms=2, max_coefficient=2, margin=margin)
    other = found.reverse()
    np.testing.assert_allclose(found.errors_above(upper), other.errors_below(upper), atol=1e-12)
    np.testing.assert_allclose(found.errors_below(lower), other.errors_above(lower), atol=1e-12)


@given(pairs())
@settings(max_examples=40, deadline=None)
def test_the_default_margin_makes_no_error_where_one_feature_separates(pair):
    upper, lower, _, _ = pair
    is_split = (upper.min(axis=0) > lower.max(axis=0)) | (lower.min(axis=0) > upper.max(axis=0))
    found = separate_pair(upper, lower, max_terms=1, max_coefficient=1)
    assert (found.error == 0.0) == bool(is_split.any())


def test_the_default_margin_is_half_the_smallest_real_difference():
    assert choose_margin(np.array([[0.0, 10.0], [1.0, 10.5], [1.0, 12.0]])) == 0.25
    assert choose_margin(np.array([[0.1 + 0.2], [0.3], [0.8]])) == pytest.approx(0.25)  # rounding does not count
    assert choose_margin(np.ones((4, 2))) == 1.0


def test_an_empty_side_is_refused():
    with pytest.raises(ValueError, match="both sides"):
        separate_pair(np.ones((3, 2)), np.ones((0, 2)), max_terms=1, max_coefficient=1)


@pytest.mark.parametrize("max_coefficient", [1, 3, None])
def test_clusters_that_one_term_tells_apart_get_one_term(max_coefficient):
    rng = np.random.default_rng(0)
    upper, lower = rng.random((40, 4)), rng.random((40, 4))
    upper[:, 2] += 1.5
    found = separate_pair(upper, lower, max_terms=None, max_coefficient=max_coefficient)
    assert (found.error, found.status, found.gap, found.method) == (0.0, "optimal", 0.0, "enumeration")
    assert np.flatnonzero(found.w).tolist() == [2]
    assert (upper @ found.w + found.b >= 0.0).all()
    assert (lower @ found.w + found.b < 0.0).all()
