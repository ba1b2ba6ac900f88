"""Silhouettes of the paper's data, each with labels equal to its rules. The slow ones run with ``make test-slow``."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from naive import best_axis_cut
from polyclust import PolytopeClustering
from polyclust.search.distances import measure_distances

pytestmark = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")

UCI = {"units": "range", "min_cluster_size": 1}
FCPS = {"units": "none", "scale": "none", "min_cluster_size": 1}
TWO_TERMS = {"max_terms": 2, "max_coefficient": 3}


def assert_reaches(X, least, settings, **more):
    model = PolytopeClustering(random_state=0, **settings, **more).fit(X)
    assert (model.predict(X) == model.labels_).all()
    assert (model.contains(X).sum(axis=1) == 1).all()
    expected = metrics.silhouette_score(model.scaled(X), model.labels_)
    assert model.score_ == pytest.approx(expected, abs=1e-5)
    assert model.score_ >= least
    return model


@pytest.mark.parametrize(
    ("name", "settings", "least"),
    [
        ("iris", UCI, 0.6295),
        ("hepta", FCPS, 0.7019),
        ("tetra", FCPS, 0.5058),
        ("lsun", FCPS, 0.5685),
        ("twodiamonds", FCPS, 0.6306),
        ("seeds", UCI, 0.506),
        ("zoo", UCI, 0.43),
    ],
)
def test_rules_of_one_term(paper_data, name, settings, least):
    assert_reaches(paper_data(name), least - 5e-5, settings)


def test_wingnut_with_two_terms(paper_data):
    assert_reaches(paper_data("wingnut"), 0.4603 - 5e-5, FCPS, **TWO_TERMS)


@pytest.mark.slow
def test_engytime_is_one_row_against_the_rest(paper_data):
    model = assert_reaches(paper_data("engytime"), 0.573, FCPS)
    assert np.bincount(model.labels_).min() == 1


@pytest.mark.slow
def test_the_best_two_boxes_of_wingnut(paper_data):
    """Every cut of both axes, by scikit-learn: no two clusters of one axis-parallel cut score higher."""
    X = paper_data("wingnut")
    best = best_axis_cut(X, measure_distances(X, "euclidean"), np.ones(len(X)))
    assert best == pytest.approx(0.4482, abs=5e-5)
    two = PolytopeClustering(2, **FCPS).fit(X)
    assert two.is_optimal_
    assert two.score_ == pytest.approx(best, abs=1e-5)


def test_the_value_of_the_paper_for_wingnut_parts_equal_values(paper_data):
    """Its .450 is a cut between two rows of one value, as rows happen to be sorted: no threshold makes it."""
    X = paper_data("wingnut")
    along, order = X[:, 0], np.argsort(X[:, 0], kind="stable")
    labels = np.zeros(len(X), dtype=int)
    labels[order[503:]] = 1
    assert metrics.silhouette_score(X, labels) == pytest.approx(0.45045, abs=5e-6)
    assert along[order[502]] == along[order[503]] == -0.15


def test_wingnut_with_one_term(paper_data):
    """At least as good as the best two boxes."""
    assert_reaches(paper_data("wingnut"), 0.4482 - 5e-5, FCPS)
