"""Algorithm 1: Theorem 2, the bounds on the sizes, and what its result says."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.preprocessing import minmax_scale

from polyclust.alternating import alternate
from polyclust.clusters.assignment import meets_bounds

FAMILIES = [(1, 1), (2, 3), (2, None), (None, None)]


def naive_objective(X, values, labels, hyperplanes, slack_weight, weights):
    """J from its definition, row by row."""
    total = 0.0
    for k in np.unique(labels):
        centre = np.average(X[labels == k], axis=0, weights=weights[labels == k])
        for t in np.flatnonzero(labels == k):
            error = 0.0
            for (i, j), h in hyperplanes.items():
                if k == i:
                    error += max(-(h.w @ values[t] + h.b), 0.0)
                elif k == j:
                    error += max(h.w @ values[t] + h.b + h.margin, 0.0)
            total += weights[t] * (((X[t] - centre) ** 2).sum() + slack_weight * error)
    return total


@st.composite
def tables(draw):
    """Rows with ties and duplicates, starting labels that use every cluster, weights, bounds."""
    n, n_features, n_clusters = draw(st.integers(6, 24)), draw(st.integers(1, 3)), draw(st.integers(2, 3))
    X = draw(arrays(float, (n, n_features), elements=st.integers(0, 8).map(lambda k: k / 8)))
    labels0 = draw(arrays(np.intp, n, elements=st.integers(0, n_clusters - 1)))
    assume(len(np.unique(labels0)) == n_clusters)
    minimum = draw(st.sampled_from([0, 1, n // n_clusters]))
    weights = np.ones(n) if draw(st.booleans()) else draw(arrays(float, n, elements=st.sampled_from([1.0, 2.0])))
    return X, labels0, weights, minimum


@given(
    tables(),
    st.sampled_from(FAMILIES),
    st.sampled_from([0.1, 1.0, 20.0]),
    st.sampled_from([0, 3, None]),
    st.sampled_from([0.05, None]),
)
@settings(max_examples=80, deadline=None)
def test_theorem_2_the_objective_falls_and_the_rounds_end(table, family, slack_weight, node_limit, margin):
    X, labels0, weights, minimum = table
    n_clusters = labels0.max() + 1
    result = alternate(
        X,
        X,
        n_clusters,
        labels0=labels0,
        slack_weight=slack_weight,
        max_terms=family[0],
        max_coefficient=family[1],
        margin=margin,
        minimum=minimum,
        weights=weights,
        max_rounds=500,
        node_limit=node_limit,
    )
    history = np.array(result.objective_history)
    assert (np.diff(history) < 0.0).all()
    assert len(history) < 500
    assert meets_bounds(result.labels, weights, n_clusters, max(minimum, 1))
    assert set(result.hyperplanes) == set(combinations(range(n_clusters), 2))
    expected = naive_objective(X, X, result.labels, result.hyperplanes, slack_weight, weights)
    assert history[-1] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_end_is_a_fixed_point(family):
    X = minmax_scale(load_iris().data)
    start = KMeans(3, n_init=1, random_state=0).fit_predict(X)
    given_ = {
        "slack_weight": 1.0,
        "max_terms": family[0],
        "max_coefficient": family[1],
        "margin": 0.01,
        "node_limit": None,
    }
    first = alternate(X, X, 3, labels0=start, **given_)
    again = alternate(X, X, 3, labels0=start, **given_)
    assert (first.labels == again.labels).all()
    assert first.objective_history == again.objective_history
    for (i, j), h in first.hyperplanes.items():
        own = h.errors_above(X[first.labels == i]).sum() + h.errors_below(X[first.labels == j]).sum()
        assert own == pytest.approx(h.error, abs=1e-9)
        assert h.status == "optimal"


def test_a_high_price_of_errors_ends_with_none():
    X, _ = make_blobs(300, 2, centers=4, cluster_std=1.2, random_state=3)
    X = minmax_scale(X)
    start = KMeans(4, n_init=1, random_state=0).fit_predict(X)
    cheap, dear = (
        alternate(X, X, 4, labels0=start, slack_weight=price, max_terms=1, max_coefficient=1, margin=1e-4)
        for price in (1e-3, 1e3)
    )
    errors = [sum(h.error for h in result.hyperplanes.values()) for result in (cheap, dear)]
    assert errors[1] < errors[0]
    assert len(dear.objective_history) > 1


def test_hyperplanes_may_live_in_other_features():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 0.1, (40, 2)), rng.normal(1, 0.1, (40, 2))]
    age = np.r_[rng.uniform(20, 30, 40), rng.uniform(40, 50, 40)][:, None]
    start = (X[:, 0] > 0.5).astype(np.intp)
    result = alternate(X, age, 2, labels0=start, slack_weight=1.0, max_terms=1, max_coefficient=1)
    assert result.hyperplanes[0, 1].w.tolist() == [-1.0]
    assert result.hyperplanes[0, 1].error == 0.0
    assert (result.labels == start).all()


def test_bounds_hold_from_a_start_that_breaks_them():
    rng = np.random.default_rng(1)
    X = rng.random((60, 2))
    start = np.r_[0, 1, np.full(58, 2)]
    result = alternate(X, X, 3, labels0=start, slack_weight=1.0, max_terms=1, max_coefficient=1, minimum=15, maximum=25)
    sizes = np.bincount(result.labels)
    assert sizes.min() >= 15
    assert sizes.max() <= 25


def test_no_time_at_all_still_gives_clusters_and_hyperplanes():
    rng = np.random.default_rng(2)
    X = rng.random((80, 3))
    start = rng.integers(0, 3, 80)
    result = alternate(
        X,
        X,
        3,
        labels0=start,
        slack_weight=1.0,
        max_terms=2,
        max_coefficient=None,
        seconds_left=lambda: 0.0,
    )
    assert len(result.objective_history) == 1
    assert len(result.hyperplanes) == 3
    assert {h.status for h in result.hyperplanes.values()} <= {"optimal", "node limit"}


def test_an_empty_start_is_refused():
    with pytest.raises(ValueError, match="labels0 must use each of the labels 0 to 2"):
        alternate(
            np.eye(4),
            np.eye(4),
            3,
            labels0=np.array([0, 0, 1, 1]),
            slack_weight=1.0,
            max_terms=1,
            max_coefficient=1,
        )


def test_a_k_means_start_is_kept_when_hyperplanes_are_general():
    """Theorem 1 again: with nothing to pay for, the first round is the last."""
    X = minmax_scale(load_iris().data)
    start = KMeans(4, n_init=1, random_state=1, tol=0.0).fit_predict(X).astype(np.intp)
    result = alternate(X, X, 4, labels0=start, slack_weight=1.0, max_terms=None, max_coefficient=None)
    assert (result.labels == start).all()
    assert len(result.objective_history) == 1
    assert all(h.error == 0.0 for h in result.hyperplanes.values())
