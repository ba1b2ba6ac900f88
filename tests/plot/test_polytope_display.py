"""PolytopeDisplay: what it says is what it draws."""

from __future__ import annotations

import itertools
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fitted_models import FittedModel, axes_of, separate
from matplotlib.path import Path
from sklearn.exceptions import NotFittedError

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.palette import PALETTE
from polyclust.plot import PolytopeDisplay
from polyclust.plot.badges import spread_places
from polyclust.plot.polygons import hold_points
from polyclust.table.encode import encode_rows


def centre_planes(centres) -> list[Hyperplane]:
    """General hyperplanes half-way between centres."""
    planes = []
    for i, j in itertools.combinations(range(len(centres)), 2):
        w = centres[i] - centres[j]
        above, below, w = (i, j, w) if w[0] > 0 else (j, i, -w)
        threshold = float(w @ (centres[i] + centres[j]) / 2)
        planes.append(
            Hyperplane(
                tuple(range(len(w))),
                tuple(w),
                (1.0,) * len(w),
                threshold,
                float(np.linalg.norm(w)),
                above,
                below,
            )
        )
    return planes


@pytest.fixture(scope="module")
def general() -> tuple[FittedModel, np.ndarray]:
    rng = np.random.default_rng(3)
    centres = rng.uniform(-8, 8, size=(5, 4))
    X = np.vstack([rng.normal(c, 1.0, size=(60, 4)) for c in centres])
    return FittedModel().fit(X, centre_planes(centres), 5), X


@pytest.fixture(scope="module")
def animal_model(animals) -> FittedModel:
    raw = encode_rows(animals, *_columns_and_features(animals))
    names = [f.name for f in _columns_and_features(animals)[1]]
    groups = np.where(animals["milk"], 0, np.where(animals["legs"] == 6, 2, 1))
    allowed = [w for w, name in zip(axes_of(len(names)), names, strict=True) if name in ("milk", "legs")]
    planes = [
        Hyperplane(h.features, h.coefficients, h.units, float(np.ceil(h.threshold)), h.norm, h.above, h.below)
        for h in separate(raw, groups, [*allowed])
    ]
    return FittedModel().fit(animals, planes, 3)


def _columns_and_features(table):
    from polyclust.table.encode import fit_encoder

    columns, encoded = fit_encoder(table)
    return columns, encoded.features


def test_exact_when_the_rules_use_the_two_features_shown(flower_model, flowers) -> None:
    display = PolytopeDisplay.from_estimator(flower_model, flowers)
    assert display.kind_ == "exact"
    assert "exact" in display.ax_.get_title()
    assert "slice" not in display.ax_.get_title()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("length", "width")
    assert display.figure_ is display.ax_.get_figure()
    assert len(plt.get_fignums()) == 1


def test_exact_polygons_hold_exactly_the_rows_of_their_cluster(flower_model, flowers) -> None:
    scene = PolytopeDisplay.prepare(flower_model.explanation_, flowers).scene
    for k, polygon in enumerate(scene.polygons):
        np.testing.assert_array_equal(Path(polygon).contains_points(scene.points), flower_model.labels_ == k)


def test_projection_says_so_and_holds_its_rows(flower_model, flowers) -> None:
    display = PolytopeDisplay.from_estimator(flower_model, flowers, features=["sepal", "length"])
    assert display.kind_ == "projection"
    assert "projection" in display.ax_.get_title()
    scene = display.scene
    for k, halfplanes in enumerate(scene.halfplanes):
        assert hold_points(halfplanes, scene.exact_points)[flower_model.labels_ == k].all()


def test_slice_says_so_and_is_the_polytope_at_the_medians(general) -> None:
    model, X = general
    display = PolytopeDisplay.from_estimator(model, X, features=[1, 3])
    assert display.kind_ == "slice"
    assert "slice" in display.ax_.get_title()
    rng = np.random.default_rng(0)
    points = rng.uniform(-10, 10, size=(400, 2))
    for k, halfplanes in enumerate(display.scene.halfplanes):
        medians = np.quantile(X[model.labels_ == k], 0.5, axis=0, method="inverted_cdf")
        raw = np.tile(medians, (400, 1))
        raw[:, [1, 3]] = points
        np.testing.assert_array_equal(hold_points(halfplanes, points), model.polytopes_[k].contains(raw))


def test_a_slice_whose_medians_lie_outside_goes_through_a_row_and_says_so() -> None:
    corners = np.array([[0.0, 0.0, 3.0], [0.0, 3.0, 0.0], [3.0, 0.0, 0.0]])
    rng = np.random.default_rng(0)
    X = np.vstack([corners[i] + rng.uniform(0, 0.1, size=(20, 3)) for i in range(3)] + [rng.uniform(0, 0.1, (50, 3))])
    plane = Hyperplane((0, 1, 2), (1.0, 1.0, 1.0), (1.0,) * 3, 2.0, 1.7, 0, 1)
    model = FittedModel().fit(X, [plane], 2)
    display = PolytopeDisplay.from_estimator(model, X, features=[0, 1])
    assert display.scene.moved == (0,)
    assert "cluster 0: at the row nearest them" in display.ax_.get_title().replace("\n", " ")
    assert len(display.scene.polygons[0]) >= 3


def test_jittered_rows_stay_in_their_polygons(animal_model, animals) -> None:
    display = PolytopeDisplay.from_estimator(animal_model, animals)
    scene = display.scene
    assert {f.name for f in scene.shown} == {"milk", "legs"}
    assert display.kind_ == "exact"
    assert (scene.points != scene.exact_points).any()
    assert np.abs(scene.points - scene.exact_points).max() < 0.5
    for k, polygon in enumerate(scene.polygons):
        np.testing.assert_array_equal(Path(polygon).contains_points(scene.points), animal_model.labels_ == k)


def test_booleans_and_levels_read_no_and_yes(animal_model, animals) -> None:
    display = PolytopeDisplay.from_estimator(animal_model, animals, features=['home = "sea"', "milk"])
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["no", "yes"]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["no", "yes"]
    assert display.ax_.get_xlabel() == 'home = "sea"'


def test_a_category_stands_for_one_of_its_levels(animal_model, animals) -> None:
    display = PolytopeDisplay.from_estimator(animal_model, animals, features=["home", "weight"])
    assert display.scene.shown[0].column.name == "home"
    assert display.kind_ == "projection"


def test_one_feature_is_a_strip(flower_model, flowers) -> None:
    display = PolytopeDisplay.from_estimator(flower_model, flowers, features=["length"])
    assert len(display.ax_.get_yticks()) == 0
    np.testing.assert_array_equal(display.scene.points[:, 0], flowers["length"])


def test_a_table_of_one_column() -> None:
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(3, 4, 30)])[:, None]
    model = FittedModel().fit(X, [Hyperplane((0,), (1.0,), (1.0,), 2.0, 1.0, 0, 1)], 2)
    display = PolytopeDisplay.from_estimator(model, X)
    assert display.kind_ == "exact"
    assert display.ax_.get_xlabel() == "x0"


def test_legend_names_and_counts_the_clusters(flower_model, flowers) -> None:
    display = PolytopeDisplay.from_estimator(flower_model, flowers)
    texts = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert texts == ["0 · middling (50)", "1 · short (40)", "2 · wide (45)"]


def test_what_begins_alike_is_told_apart_however_long(flower_model, flowers) -> None:
    question = "Which of the following best describes the "
    table = flowers.set_axis([f"{question}flower by its {part}" for part in ("length", "width", "sepals")], axis=1)
    names = [f"{question}{word}" for word in ("middling", "short", "wide")]
    model = FittedModel().fit(table, flower_model.hyperplanes_, 3, names=names)
    display = PolytopeDisplay.from_estimator(model, table)
    texts = [t.get_text().split(" · ")[1][:36] for t in display.ax_.get_legend().get_texts()]
    assert len(set(texts)) == 3
    shown = display.ax_.get_title().splitlines()[0].removeprefix("3 clusters in ").split(" and ")
    assert len(set(shown)) == 2


def test_rows_in_no_polytope_are_told_apart(flower_model, flowers) -> None:
    far = pd.DataFrame({"length": [1.0], "width": [1.6], "sepal": [5.0]})
    assert not any(p.contains(far.to_numpy()).any() for p in flower_model.polytopes_)
    table = pd.concat([flowers, far], ignore_index=True)
    nearest = PolytopeDisplay.from_estimator(flower_model, table)
    assert nearest.scene.is_inside.sum() == len(flowers)
    assert sum(nearest.sizes) == len(table)
    strict = FittedModel().fit(flowers, flower_model.hyperplanes_, 3, outside="none")
    none = PolytopeDisplay.from_estimator(strict, table)
    texts = [t.get_text() for t in none.ax_.get_legend().get_texts()]
    assert texts[0] == "in no cluster (1)"


def test_an_empty_polytope_draws_no_polygon(flowers) -> None:
    planes = [
        Hyperplane((0,), (1.0,), (1.0,), 3.0, 1.0, 0, 1),
        Hyperplane((2,), (1.0,), (1.0,), 5.0, 1.0, 0, 2),
        Hyperplane((2,), (1.0,), (1.0,), 5.0, 1.0, 2, 1),
    ]
    model = FittedModel().fit(flowers, planes, 3)
    assert not model.polytopes_[2].contains(flowers.to_numpy()).any()
    scene = PolytopeDisplay.prepare(model.explanation_, flowers, ["length", "width"]).scene
    assert scene.halfplanes[2] is None
    assert [len(p) > 0 for p in scene.polygons] == [True, True, False]


def test_given_axes_are_used_and_no_figure_is_made(flower_model, flowers) -> None:
    figure, axes = plt.subplots(1, 2)
    display = PolytopeDisplay.from_estimator(flower_model, flowers, ax=axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    assert len(plt.get_fignums()) == 1
    assert not axes[0].patches


def test_preparing_and_failing_make_no_figure(flower_model, flowers) -> None:
    PolytopeDisplay.prepare(flower_model.explanation_, flowers)
    with pytest.raises(ValueError, match=r"'petal' is none of 'length', 'width', 'sepal'"):
        PolytopeDisplay.from_estimator(flower_model, flowers, features=["petal", "width"])
    with pytest.raises(ValueError, match="one or two"):
        PolytopeDisplay.from_estimator(flower_model, flowers, features="length")
    with pytest.raises(ValueError, match="'length' twice"):
        PolytopeDisplay.from_estimator(flower_model, flowers, features=["length", 0])
    with pytest.raises(NotFittedError):
        PolytopeDisplay.from_estimator(FittedModel(), flowers)
    assert plt.get_fignums() == []


def test_many_rows_are_sampled_and_the_title_says_so(flower_model, flowers) -> None:
    display = PolytopeDisplay.from_estimator(flower_model, flowers, sample_size=30)
    assert len(display.scene.points) == 30
    assert "30 of 135 rows drawn" in display.ax_.get_title().replace("\n", " ")
    assert display.sizes == (50, 40, 45)


def test_ten_clusters_have_ten_colours_and_numbers_apart() -> None:
    X = np.random.default_rng(0).uniform(0, 10, size=(400, 2))
    planes = [Hyperplane((0,), (1.0,), (1.0,), float(j), 1.0, j, i) for i, j in itertools.combinations(range(10), 2)]
    model = FittedModel().fit(X, planes, 10)
    display = PolytopeDisplay.from_estimator(model, X)
    assert len(set(PALETTE)) == 10
    badges = {t.get_text(): t.get_position() for t in display.ax_.texts}
    assert set(badges) == {str(k) for k in range(10)}
    assert len(display.ax_.get_legend().get_texts()) == 10


def test_labels_that_would_cover_each_other_are_pushed_apart() -> None:
    places = np.array([[100.0, 0.5]] * 6 + [[900.0, 0.9]])
    spread = spread_places(places, (0.0, 1000.0, 0.0, 1.0)) / [1000.0, 1.0]
    apart = [np.linalg.norm((a - b) * [1.0, 0.7]) for a, b in itertools.combinations(spread, 2)]
    assert min(apart) > 0.05
    np.testing.assert_allclose(spread[6], [0.9, 0.9], atol=0.01)
    assert ((spread > 0) & (spread < 1)).all()


def test_no_row_is_jittered_over_a_slanted_edge() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.uniform(0, 10, 400), "smoker": rng.integers(0, 2, 400)})
    model = FittedModel().fit(X, [Hyperplane((0, 1), (1.0, 6.0), (1.0, 1.0), 6.9, 1.0, 0, 1)], 2)
    scene = PolytopeDisplay.prepare(model.explanation_, X).scene
    np.testing.assert_array_equal(hold_points(scene.halfplanes[0], scene.points), model.labels_ == 0)
    assert (scene.points != scene.exact_points).any(axis=1).mean() > 0.7


@pytest.mark.parametrize("name", ["price $ per $", "<script>", "länge µm²", 'a "quoted" name', "x" * 200])
def test_any_name_can_be_drawn(name) -> None:
    X = pd.DataFrame({name: np.r_[0.0:1.0:20j, 3.0:4.0:20j], "other_$x": np.linspace(0, 1, 40)})
    model = FittedModel().fit(X, [Hyperplane((0,), (1.0,), (1.0,), 2.0, 1.0, 0, 1)], 2, names=["a $ b", "$_{x}$"])
    display = PolytopeDisplay.from_estimator(model, X)
    display.figure_.canvas.draw()
    assert display.ax_.get_xlabel().replace("\\$", "$").startswith(name[:50])


def test_everything_drawn_fits_into_the_figure(flower_model, flowers) -> None:
    display = PolytopeDisplay.from_estimator(flower_model, flowers)
    display.figure_.canvas.draw()
    frame = display.figure_.bbox
    for artist in (
        display.ax_.title,
        display.ax_.get_legend(),
        display.ax_.xaxis.label,
        display.ax_.yaxis.label,
    ):
        box = artist.get_window_extent()
        assert box.x0 >= frame.x0
        assert box.x1 <= frame.x1 + 1
        assert box.y1 <= frame.y1 + 1


def test_a_clustering_made_elsewhere_keeps_its_labels(flower_model, flowers) -> None:
    kinds = ("versicolor", "setosa", "virginica")
    explanation = replace(flower_model.explanation_, cluster_labels=kinds)
    labels = np.array(kinds)[flower_model.labels_]
    labels[45:47] = "unknown"  # rows in the polytope of cluster 0
    display = PolytopeDisplay.from_explanation(explanation, flowers, labels=labels)
    assert not display.scene.is_inside[45:47].any()
    texts = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert texts[0] == "in no cluster (2)"
    assert texts[2] == "setosa · short (40)"
    assert [t.get_text() for t in display.ax_.texts] == ["versico…", "setosa", "virgini…"]
    with pytest.raises(ValueError, match="one per row: 135 are needed, 3 were given"):
        PolytopeDisplay.from_explanation(explanation, flowers, labels=labels[:3])


def test_an_explanation_colours_rows_by_its_own_polytopes(flower_model, flowers) -> None:
    display = PolytopeDisplay.from_explanation(flower_model.explanation_, flowers)
    np.testing.assert_array_equal(display.scene.labels, flower_model.labels_)
