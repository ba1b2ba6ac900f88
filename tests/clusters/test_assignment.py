"""Assignment under bounds on the sizes: against every possible labelling of a few rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from polyclust.clusters.assignment import assign_rows, meets_bounds


def total(cost, weights, labels):
    return float(weights @ cost[np.arange(len(cost)), labels])


def naive_least_cost(cost, weights, minimum, maximum):
    """The least total cost of all labellings with allowed sizes; inf if there is none."""
    n, n_clusters = cost.shape
    labellings = (np.array(labels) for labels in product(range(n_clusters), repeat=n))
    allowed = (labels for labels in labellings if meets_bounds(labels, weights, n_clusters, minimum, maximum))
    return min((total(cost, weights, labels) for labels in allowed), default=np.inf)


@st.composite
def problems(draw, is_weighted):
    n, n_clusters = draw(st.integers(2, 6)), draw(st.integers(2, 3))
    cost = draw(arrays(float, (n, n_clusters), elements=st.integers(0, 6).map(float)))
    weights = np.ones(n)
    if is_weighted:
        weights = draw(arrays(float, n, elements=st.integers(1, 4).map(float)))
    minimum = draw(st.integers(0, int(weights.sum()) // n_clusters))
    maximum = draw(st.none() | st.integers(-int(-weights.sum() // n_clusters), int(weights.sum())))
    return cost, weights, minimum, maximum


@given(problems(is_weighted=False))
@settings(max_examples=150, deadline=None)
def test_least_cost_of_all_labellings(problem):
    cost, weights, minimum, maximum = problem
    labels = assign_rows(cost, None, minimum, maximum)
    assert meets_bounds(labels, weights, cost.shape[1], minimum, maximum)
    expected = naive_least_cost(cost, weights, minimum, maximum)
    assert total(cost, weights, labels) == pytest.approx(expected, abs=1e-9)


@given(problems(is_weighted=True))
@settings(max_examples=150, deadline=None)
def test_least_cost_with_rows_that_stay_whole(problem):
    cost, weights, minimum, maximum = problem
    expected = naive_least_cost(cost, weights, minimum, maximum)
    if np.isinf(expected):
        with pytest.raises(ValueError, match="No assignment"):
            assign_rows(cost, weights, minimum, maximum)
        return
    labels = assign_rows(cost, weights, minimum, maximum)
    assert meets_bounds(labels, weights, cost.shape[1], minimum, maximum)
    assert total(cost, weights, labels) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_growing_lp_is_the_whole_lp(seed):
    rng = np.random.default_rng(seed)
    n, n_clusters = 400, 5
    cost = rng.random((n, n_clusters)) + np.arange(n_clusters)[rng.permutation(n_clusters)] * 0.2
    minimum, maximum = rng.integers(40, 70), rng.integers(90, 140)
    labels = assign_rows(cost, None, minimum, maximum)
    sizes = np.kron(np.ones((1, n)), np.eye(n_clusters))
    whole = linprog(
        cost.ravel(),
        A_ub=np.vstack([sizes, -sizes]),
        b_ub=np.repeat([maximum, -minimum], n_clusters),
        A_eq=np.kron(np.eye(n), np.ones((1, n_clusters))),
        b_eq=np.ones(n),
    )
    assert meets_bounds(labels, np.ones(n), n_clusters, minimum, maximum)
    assert not meets_bounds(cost.argmin(axis=1), np.ones(n), n_clusters, minimum, maximum)
    assert total(cost, np.ones(n), labels) == pytest.approx(whole.fun, rel=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_unequal_weights_come_close_to_the_bound_of_the_lp(seed):
    """Divided rows are the only loss: at most one per bound."""
    rng = np.random.default_rng(seed)
    n, n_clusters = 500, 4
    cost = rng.random((n, n_clusters)) + np.array([0.0, 0.3, 0.6, 0.9])
    weights = rng.uniform(0.5, 3.0, n)
    minimum = 0.8 * weights.sum() / n_clusters
    labels = assign_rows(cost, weights, minimum)
    sizes = np.kron(weights[None, :], np.eye(n_clusters))
    relaxed = linprog(
        (weights[:, None] * cost).ravel(),
        A_ub=-sizes,
        b_ub=np.full(n_clusters, -minimum),
        A_eq=np.kron(np.eye(n), np.ones((1, n_clusters))),
        b_eq=np.ones(n),
    )
    assert meets_bounds(labels, weights, n_clusters, minimum)
    assert relaxed.fun - 1e-6 <= total(cost, weights, labels) <= relaxed.fun * 1.001


def test_no_bound_is_the_cheapest_cluster_and_ties_go_low():
    cost = np.array([[1.0, 1.0], [2.0, 1.0], [0.0, 5.0]])
    assert assign_rows(cost).tolist() == [0, 1, 0]


def test_rows_of_weight_zero_fill_no_cluster():
    cost = np.array([[0.0, 9.0], [0.0, 1.0], [0.0, 2.0], [3.0, 0.0]])
    labels = assign_rows(cost, np.array([1.0, 1.0, 1.0, 0.0]), minimum=1.0)
    assert labels.tolist() == [0, 1, 0, 1]


def test_the_same_twice():
    cost = np.random.default_rng(0).random((200, 4)).round(1)
    first, second = (assign_rows(cost, None, 45, 55) for _ in range(2))
    assert (first == second).all()


@pytest.mark.parametrize(("minimum", "maximum", "n_clusters"), [(3, None, 2), (0, 2, 2), (6, None, 1)])
def test_bounds_that_cannot_be_met_are_refused(minimum, maximum, n_clusters):
    with pytest.raises(ValueError, match="No assignment of 5 rows"):
        assign_rows(np.zeros((5, n_clusters)), None, minimum, maximum)
