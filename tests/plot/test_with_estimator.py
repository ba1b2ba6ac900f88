"""The pictures of models that were really fitted."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.path import Path
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from polyclust import PolytopeClustering
from polyclust.plot import HistoryDisplay, PolytopeDisplay, ScoresDisplay, SilhouetteDisplay, draw_families


@pytest.fixture(scope="module")
def iris():
    return load_iris(as_frame=True).data.iloc[:, 2:]


@pytest.fixture(scope="module")
def model(iris) -> PolytopeClustering:
    return PolytopeClustering(n_clusters=3, n_init=2, random_state=0).fit(iris)


def test_polygons_hold_the_rows_of_their_clusters(model, iris) -> None:
    display = PolytopeDisplay.from_estimator(model, iris)
    assert display.kind_ == "exact"
    assert display.sizes == tuple(np.bincount(model.labels_))
    for k, polygon in enumerate(display.scene.polygons):
        np.testing.assert_array_equal(Path(polygon).contains_points(display.scene.points), model.labels_ == k)


def test_the_mean_silhouette_is_the_score(model, iris) -> None:
    display = SilhouetteDisplay.from_estimator(model, iris)
    assert display.mean == pytest.approx(model.score_, abs=1e-5)


def test_history_and_scores_are_the_models(model) -> None:
    assert HistoryDisplay.from_estimator(model).scores == tuple(step.score for step in model.history_)
    display = ScoresDisplay.from_estimator(model)
    assert display.scores == model.scores_
    assert display.chosen == 3


def test_families(model, iris) -> None:
    integer = PolytopeClustering(n_clusters=3, max_terms=2, max_coefficient=3, n_init=2, random_state=0).fit(iris)
    assert len(draw_families([model, integer], iris)) == 2


def test_a_model_explained_by_a_transformer(iris) -> None:
    model = PolytopeClustering(n_clusters=2, explain_with=StandardScaler(), n_init=2, random_state=0).fit(iris)
    display = PolytopeDisplay.from_estimator(model, iris)
    np.testing.assert_array_equal(display.scene.labels, model.labels_)


def test_a_model_read_from_a_file_has_no_history(model, iris, tmp_path) -> None:
    model.save(tmp_path / "model.json")
    again = PolytopeClustering.load(tmp_path / "model.json")
    assert PolytopeDisplay.from_estimator(again, iris).sizes == tuple(np.bincount(model.labels_))
    with pytest.raises(ValueError, match="no history"):
        HistoryDisplay.from_estimator(again)
