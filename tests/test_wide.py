"""Tables with more features than sums of all of them can be listed, or than rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from polyclust import PolytopeClustering, explain_labels, fitting
from polyclust.hyperplanes.telling import count_summed
from test_exactness import assert_exact, assert_well_formed

pytestmark = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
N_FEATURES = 150
TWO_TERMS = {"max_terms": 2, "max_coefficient": 3, "random_state": 0, "n_init": 2, "max_clusters": 4}


def make_slanted(n_rows=80, n_features=N_FEATURES, at=(7, 140)):
    """Three clusters that two features tell apart by their difference, and neither alone; the others are noise."""
    random = np.random.default_rng(3)
    X = random.normal(scale=0.02, size=(n_rows, n_features))
    along, across = random.normal(scale=0.9, size=n_rows), np.arange(n_rows) % 3
    X[:, at[0]], X[:, at[1]] = along + across, along - across
    return X, across


def test_all_two_term_directions_would_be_too_many():
    assert count_summed(N_FEATURES, 3) < N_FEATURES


def test_rules_are_exact_and_say_no_more_than_asked():
    X, _ = make_slanted()
    model = PolytopeClustering(**TWO_TERMS).fit(X)
    assert_exact(model, X)
    assert_well_formed(model)
    assert model.search_ == "raced"


def test_two_terms_score_no_less_than_one():
    X = np.random.default_rng(0).normal(size=(60, N_FEATURES))
    X[:20, 100:110] += 3.0
    X[20:40, 30:35] -= 3.0
    one = PolytopeClustering(random_state=0, n_init=2, max_clusters=4).fit(X)
    two = PolytopeClustering(**TWO_TERMS).fit(X)
    assert two.score_ >= one.score_ - 1e-12
    assert all(two.scores_[k] >= one.scores_[k] - 1e-12 for k in one.scores_)
    assert_exact(two, X)


def test_two_clusters_are_not_claimed_to_be_proved():
    X, _ = make_slanted()
    model = PolytopeClustering(2, max_terms=2, max_coefficient=3, random_state=0).fit(X)
    assert not model.is_optimal_
    assert PolytopeClustering(2, random_state=0).fit(X).is_optimal_


def test_a_difference_of_two_features_is_found_among_many():
    X, clusters = make_slanted()
    distances = np.abs(clusters[:, None] - clusters[None, :]) + 0.01 * (1.0 - np.eye(len(X)))
    model = PolytopeClustering(3, distance="precomputed", **{**TWO_TERMS, "max_clusters": 3})
    model.fit(X, distances=distances)
    assert len(set(zip(model.labels_.tolist(), clusters.tolist(), strict=True))) == 3
    assert {h.features for h in model.hyperplanes_} == {(7, 140)}


def test_the_order_of_rows_does_not_matter():
    X = np.random.default_rng(5).normal(size=(50, N_FEATURES))
    order = np.random.default_rng(6).permutation(len(X))
    first, second = (PolytopeClustering(**TWO_TERMS).fit(rows) for rows in (X, X[order]))
    assert first.score_ == pytest.approx(second.score_, abs=1e-12)
    assert second.predict(X[order]).tolist() == first.labels_[order].tolist()


def test_many_levels_of_a_category():
    random = np.random.default_rng(1)
    town = random.integers(140, size=400)
    frame = pd.DataFrame({"town": [f"t{t}" for t in town], "size": town % 3 + random.normal(scale=0.1, size=400)})
    model = PolytopeClustering(**TWO_TERMS).fit(frame)
    assert_exact(model, frame)


@pytest.mark.parametrize("settings", [{"representation_weight": 1.0}, {"criterion": "davies_bouldin"}])
def test_other_aims(settings):
    X, _ = make_slanted(40)
    model = PolytopeClustering(**{**TWO_TERMS, "n_init": 1, "max_clusters": 3}, **settings).fit(X)
    assert_well_formed(model)
    if "criterion" in settings:
        assert_exact(model, X)


def test_labels_from_elsewhere_are_told_by_the_features_that_tell_them(monkeypatch):
    monkeypatch.setattr("polyclust.explain.posthoc.MOST_OF_TWO", 20_000)
    X, clusters = make_slanted()
    explanation = explain_labels(X, clusters, max_terms=2, max_coefficient=3)
    assert explanation.fidelity == 1.0
    assert {h.features for h in explanation.hyperplanes} == {(7, 140)}


@pytest.mark.parametrize("n_features", [39, 40, 90])
def test_general_hyperplanes_of_more_features_than_rows(n_features):
    X = np.random.default_rng(2).normal(size=(40, n_features))
    model = PolytopeClustering(4, max_terms=None, max_coefficient=None, random_state=0, n_init=2).fit(X)
    assert_exact(model, X)


def test_general_hyperplanes_of_rows_that_lie_in_a_plane():
    plane = np.random.default_rng(4).normal(size=(2, 60))
    X = np.random.default_rng(2).normal(size=(40, 2)) @ plane
    model = PolytopeClustering(4, max_terms=None, max_coefficient=None, random_state=0, n_init=2).fit(X)
    assert_exact(model, X)


def test_the_number_of_clusters_that_was_asked_for_counts_before_the_score(monkeypatch):
    fit_points = fitting._fit_points

    def fit_fewer(points, features, settings, journal, is_sample):
        fewer = {"n_clusters": (2, 2)} if settings.max_terms == 1 else {}
        return fit_points(points, features, replace(settings, **fewer), journal, is_sample)

    monkeypatch.setattr(fitting, "_fit_points", fit_fewer)
    X = np.random.default_rng(0).normal(size=(60, N_FEATURES))
    X[:30] += 9.0  # two clusters score more than four
    model = PolytopeClustering(4, **{**TWO_TERMS, "max_clusters": 4}).fit(X)
    assert model.n_clusters_ == 4
    assert model.scores_[2] > model.scores_[4]
