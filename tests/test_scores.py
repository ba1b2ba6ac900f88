"""The score of a fit is what scikit-learn gives on the same rows, for every criterion, distance and scale."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.datasets import make_blobs
from sklearn.preprocessing import MinMaxScaler

from naive import dunn
from polyclust import PolytopeClustering
from polyclust.search.distances import measure_distances

quietly = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


@quietly
@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
@pytest.mark.parametrize("limits", [(1, 1), (2, 3), (None, None)])
def test_the_score_is_that_of_scikit_learn(customers, scale, limits):
    model = PolytopeClustering(scale=scale, max_terms=limits[0], max_coefficient=limits[1], random_state=0, n_init=2)
    model.fit(customers)
    space = model.scaled(customers)
    assert model.score_ == pytest.approx(metrics.silhouette_score(space, model.labels_), abs=1e-5)
    assert model.score(customers) == pytest.approx(model.score_, abs=1e-5)
    assert model.score_ == model.scores_[model.n_clusters_] == max(model.scores_.values())


@quietly
@pytest.mark.parametrize("criterion", ["silhouette", "davies_bouldin"])
def test_scores_leave_out_the_price_of_errors(iris, criterion):
    model = PolytopeClustering(3, representation_weight=0.5, criterion=criterion, random_state=0, n_init=1).fit(iris)
    assert model.explanation_.fidelity < 1
    assert model.scores_ == {3: model.score_}


@quietly
@pytest.mark.parametrize("spread", [1e-9, 1e-6, 1e-3])
def test_the_score_is_exact_where_differences_are_tiny(spread):
    """Small values beside booleans, and all but one row of a column close together."""
    rng = np.random.default_rng(1)
    small = rng.normal(0, spread, (80, 2))
    beside = pd.DataFrame({"a": small[:, 0], "b": small[:, 1], "is_c": rng.random(80) < 0.5})
    far = pd.DataFrame({"a": np.append(small[:, 0], 1.0), "b": np.append(small[:, 1], 1.0)})
    for table in (beside, far):
        model = PolytopeClustering(5, scale="none", min_cluster_size=1, n_init=2, random_state=0).fit(table)
        exact = cdist(model.scaled(table), model.scaled(table))  # scikit-learn's own lose digits here
        expected = metrics.silhouette_score(exact, model.labels_, metric="precomputed")
        assert model.score_ == pytest.approx(expected, abs=1e-7)


@quietly
def test_other_criteria_are_reported_as_scikit_learn_does(customers):
    small = {"max_clusters": 4, "n_init": 1, "random_state": 0}
    model = PolytopeClustering(criterion="calinski_harabasz", **small).fit(customers)
    space = model.scaled(customers)
    expected = metrics.calinski_harabasz_score(space, model.labels_)
    assert model.score_ == pytest.approx(expected, rel=1e-6)
    assert model.score(customers) == pytest.approx(expected, rel=1e-6)
    model = PolytopeClustering(criterion="davies_bouldin", **small).fit(customers)
    expected = metrics.davies_bouldin_score(space, model.labels_)
    assert model.score_ == pytest.approx(expected, rel=1e-6)
    assert model.score_ == min(model.scores_.values())
    assert model.score(customers) == pytest.approx(-expected, rel=1e-6)
    model = PolytopeClustering(criterion="dunn", **small).fit(customers)
    assert model.score_ == pytest.approx(dunn(measure_distances(space, "euclidean"), model.labels_), rel=1e-5)


@quietly
def test_a_criterion_of_ones_own_is_maximised(customers):
    def negative_inertia(X, labels):
        centers = np.array([X[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
        return -float(((X - centers[labels]) ** 2).sum())

    few = {"n_clusters": 3, "n_init": 1, "random_state": 0}
    own = PolytopeClustering(criterion=negative_inertia, **few).fit(customers)
    assert own.score_ == pytest.approx(negative_inertia(own.scaled(customers), own.labels_))
    other = PolytopeClustering(**few).fit(customers)
    assert own.score_ >= negative_inertia(other.scaled(customers), other.labels_) - 1e-9


def test_what_a_criterion_cannot_judge_is_worst(iris):
    def spread(X, labels):
        return np.nan if np.bincount(labels).min() <= 10 else float(X[:, 2] @ (labels == labels[0]))

    own = PolytopeClustering(criterion=spread, n_clusters=3, min_cluster_size=1, n_init=1, random_state=0).fit(iris)
    assert np.isfinite(own.score_)
    assert np.bincount(own.labels_).min() > 10


@quietly
@pytest.mark.parametrize("distance", ["cityblock", "cosine", "gower"])
def test_other_distances_are_those_of_scikit_learn(customers, distance):
    model = PolytopeClustering(distance=distance, n_init=1, max_clusters=4, random_state=0).fit(customers)
    assert (model.predict(customers) == model.labels_).all()
    assert model.score(customers) == pytest.approx(model.score_, abs=1e-5)
    if distance != "gower":
        expected = metrics.silhouette_score(model.scaled(customers), model.labels_, metric=distance)
        assert model.score_ == pytest.approx(expected, abs=1e-5)


@quietly
@pytest.mark.parametrize("distance", ["cosine", "russellrao"])
def test_equal_rows_that_a_metric_puts_apart(distance):
    kinds = np.array([[0, 0, 0], [1, 2, 0], [2, 1, 0], [0, 1, 3], [3, 0, 1]])
    X = np.repeat(kinds, [6, 6, 5, 4, 6], axis=0)
    for rows, weights in ((X, None), (kinds, [6, 6, 5, 4, 6])):
        model = PolytopeClustering(distance=distance, scale="none", min_cluster_size=1, max_clusters=4, random_state=0)
        model.fit(rows, sample_weight=weights)
        D = metrics.pairwise_distances(X > 0 if distance == "russellrao" else X, metric=distance)
        expected = metrics.silhouette_score(D, model.predict(X), metric="precomputed")
        assert model.score_ == pytest.approx(expected, abs=1e-5)
        assert model.score(X) == pytest.approx(expected, abs=1e-5)
        model.set_params(criterion="dunn", n_clusters=3).fit(rows, sample_weight=weights)
        np.fill_diagonal(D, 0.0)
        assert model.score_ == pytest.approx(dunn(D, model.predict(X)), rel=1e-5)
        assert model.score(X) == pytest.approx(model.score_, rel=1e-5)


def test_precomputed_distances_give_what_their_metric_gives():
    X, _ = make_blobs(90, centers=3, random_state=4)
    usual = PolytopeClustering(random_state=0).fit(X)
    D = metrics.pairwise_distances(MinMaxScaler().fit_transform(X))
    given_ = PolytopeClustering(distance="precomputed", random_state=0).fit(X, distances=D)
    assert given_.labels_.tolist() == usual.labels_.tolist()
    assert given_.score_ == pytest.approx(metrics.silhouette_score(D, given_.labels_, metric="precomputed"), abs=1e-5)
    assert (given_.predict(X) == given_.labels_).all()
    with pytest.raises(ValueError, match='distance="precomputed" does not give'):
        given_.score(X)
