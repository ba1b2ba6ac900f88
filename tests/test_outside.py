"""Rows in no polytope: how far outside they are, and where they go."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from polyclust import PolytopeClustering


def test_violation_is_the_sum_of_distances_to_the_wrong_sides_in_the_scaled_space():
    X, _ = make_blobs(120, centers=[[0, 0], [8, 0], [0, 30]], random_state=2)
    for limits in ((1, 1), (2, 3), (None, None)):
        model = PolytopeClustering(3, max_terms=limits[0], max_coefficient=limits[1], random_state=0, n_init=2).fit(X)
        others = np.random.default_rng(0).uniform(-20, 50, size=(200, 2))
        expected = np.zeros((200, 3))
        low, span = X.min(axis=0), np.ptp(X, axis=0)
        for h in model.hyperplanes_:
            w = np.zeros(2)
            for f, c, u in zip(h.features, h.coefficients, h.units, strict=True):
                w[f] = c / u * span[f]  # coefficients in the scaled space
            b = sum(c / u * low[f] for f, c, u in zip(h.features, h.coefficients, h.units, strict=True)) - h.threshold
            distance = ((others - low) / span @ w + b) / np.linalg.norm(w)
            expected[:, h.above] += np.maximum(-distance, 0)
            expected[:, h.below] += np.maximum(distance, 0)
        assert model.violation(others) == pytest.approx(expected, abs=1e-9)


def three_clusters_around_two_holes(n, seed=0):
    """Each pair is told apart by an axis of its own, so that no box holds two of the eight corners."""
    x, y, z = np.random.default_rng(seed).uniform(0, 10, size=(3, n))
    group = np.select([(x < 5) & (y < 5), (x >= 5) & (z < 5), (y >= 5) & (z >= 5)], [0, 1, 2], -1)
    place = np.select([group == 0, group == 1, group == 2], [0.0, 50.0, 100.0], 25.0)
    return np.column_stack([x, y, z, place]), group


def test_rows_in_no_polytope_go_to_the_least_violated_or_nowhere():
    X, group = three_clusters_around_two_holes(400)
    model = PolytopeClustering(3, explain_with=["x0", "x1", "x2"], random_state=0).fit(X[group >= 0])
    others, _ = three_clusters_around_two_holes(3000, seed=1)
    members = model.contains(others)
    assert members.sum(axis=1).max() <= 1
    is_lost = ~members.any(axis=1)
    assert is_lost.sum() > 300
    nearest = model.violation(others).argmin(axis=1)
    assert (model.predict(others)[is_lost] == nearest[is_lost]).all()
    assert (model.predict(others)[~is_lost] == members[~is_lost].argmax(axis=1)).all()
    nowhere = clone(model).set_params(outside="none").fit(X[group >= 0])
    assert (nowhere.predict(others)[is_lost] == -1).all()
    assert nowhere.explanation_.predict(others).tolist() == nowhere.predict(others).tolist()


@pytest.mark.parametrize("outside", ["nearest", "none"])
def test_rows_of_no_weight_that_lie_outside_are_predicted_too(outside):
    X, group = three_clusters_around_two_holes(400)
    model = PolytopeClustering(3, explain_with=["x0", "x1", "x2"], outside=outside, random_state=0)
    model.fit(X, sample_weight=group >= 0)
    is_lost = ~model.contains(X).any(axis=1)
    assert is_lost.sum() > 50
    assert (group[is_lost] < 0).all()
    assert model.labels_.tolist() == model.predict(X).tolist()
    assert (model.labels_[is_lost] == -1).all() == (outside == "none")
    assert model.explanation_.fidelity == 1
