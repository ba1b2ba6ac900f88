"""Silhouettes, families, history, scores; and what happens without matplotlib."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fitted_models import FittedModel, Step
from sklearn.metrics import pairwise_distances, silhouette_samples

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.plot import HistoryDisplay, PolytopeDisplay, ScoresDisplay, SilhouetteDisplay, draw_families
from polyclust.plot.families import name_family


def title_of(display) -> str:
    return display.ax_.get_title().replace("\n", " ")


def test_silhouettes_are_those_of_scikit_learn(flower_model, flowers) -> None:
    display = SilhouetteDisplay.from_estimator(flower_model, flowers)
    expected = silhouette_samples(flower_model.scaled(flowers), flower_model.labels_)
    np.testing.assert_array_equal(display.silhouettes, expected)
    assert f"{flower_model.score_:.3f}" in title_of(display)
    assert "sampled" not in title_of(display)
    ticks = [t.get_text() for t in display.ax_.get_yticklabels()]
    assert ticks[0] == f"0 · middling (50)\nmean {expected[flower_model.labels_ == 0].mean():.3f}"


def test_labels_of_small_clusters_and_the_title_have_room() -> None:
    labels = np.repeat(np.arange(5), [640, 460, 430, 220, 36])
    names = tuple(f"{k} · high vibration, low pressure at outlet" for k in range(5))
    display = SilhouetteDisplay(np.full(len(labels), 0.3), labels, names, (640, 460, 430, 220, 36)).plot()
    display.figure_.canvas.draw()
    assert display.ax_.title.get_window_extent().x1 <= display.figure_.bbox.x1
    boxes = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
    assert not any(above.overlaps(below) for above, below in pairwise(boxes))


@pytest.mark.parametrize("display", [ScoresDisplay, HistoryDisplay])
def test_a_table_given_as_axes_is_refused(display, flower_model, flowers) -> None:
    with pytest.raises(TypeError, match="ax must be matplotlib axes or None; got DataFrame"):
        display.from_estimator(flower_model, flowers)


def test_every_cluster_has_its_sorted_bars(flower_model, flowers) -> None:
    display = SilhouetteDisplay.from_estimator(flower_model, flowers)
    assert len(display.ax_.patches) == 3
    for cluster, patch in enumerate(display.ax_.patches):
        values = patch.get_data().values
        assert (np.diff(values) <= 0).all()
        np.testing.assert_allclose(np.sort(values), np.sort(display.silhouettes[flower_model.labels_ == cluster]))


def test_silhouettes_of_many_rows_are_sampled_and_say_so(flower_model, flowers) -> None:
    display = SilhouetteDisplay.from_estimator(flower_model, flowers, sample_size=60)
    assert len(display.silhouettes) == 60
    assert "60 of 135 rows sampled" in title_of(display)
    again = SilhouetteDisplay.from_estimator(flower_model, flowers, sample_size=60)
    np.testing.assert_array_equal(display.silhouettes, again.silhouettes)


def test_silhouettes_of_given_distances(flower_model, flowers) -> None:
    model = FittedModel(distance="precomputed").fit(flowers, flower_model.hyperplanes_, 3)
    distances = pairwise_distances(flowers, metric="cityblock")
    display = SilhouetteDisplay.from_estimator(model, flowers, distances=distances)
    expected = silhouette_samples(distances, model.labels_, metric="precomputed")
    np.testing.assert_array_equal(display.silhouettes, expected)
    with pytest.raises(ValueError, match="distances="):
        SilhouetteDisplay.from_estimator(model, flowers)
    with pytest.raises(ValueError, match="square"):
        SilhouetteDisplay.from_estimator(model, flowers, distances=distances[:10])


def test_silhouettes_of_gower_distances(flower_model, flowers) -> None:
    model = FittedModel(distance="gower").fit(flowers, flower_model.hyperplanes_, 3)
    display = SilhouetteDisplay.from_estimator(model, flowers)
    span = (flowers / (flowers.max() - flowers.min())).to_numpy()
    gower = np.abs(span[:, None, :] - span[None, :, :]).mean(axis=2)
    expected = silhouette_samples(gower, model.labels_, metric="precomputed")
    np.testing.assert_allclose(display.silhouettes, expected, atol=1e-12)


def test_silhouettes_need_two_clusters(flower_model, flowers) -> None:
    with pytest.raises(ValueError, match="at least two clusters"):
        SilhouetteDisplay.from_estimator(flower_model, flowers[flower_model.labels_ == 0])
    assert plt.get_fignums() == []


def test_silhouettes_leave_out_rows_in_no_polytope(flower_model, flowers) -> None:
    model = FittedModel().fit(flowers, flower_model.hyperplanes_, 3, outside="none")
    far = pd.DataFrame({"length": [1.0], "width": [1.6], "sepal": [5.0]})
    display = SilhouetteDisplay.from_estimator(model, pd.concat([flowers, far], ignore_index=True))
    assert len(display.silhouettes) == len(flowers)


def test_history_marks_every_kind_of_move(flower_model) -> None:
    model = FittedModel()
    model.score_ = 0.5
    moves = ["start", "split", "shift", "shift", "merge", "polish"]
    model.history_ = [Step(m, 0.1 * i, 2 + (i > 0)) for i, m in enumerate(moves)]
    display = HistoryDisplay.from_estimator(model)
    texts = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert texts == ["best so far", "start (1)", "shift (2)", "split (1)", "merge (1)", "polish (1)"]
    points = np.vstack([c.get_offsets() for c in display.ax_.collections])
    assert sorted(map(tuple, points.tolist())) == [(i + 1, 0.1 * i) for i in range(6)]
    assert "Best silhouette 0.500 at accepted step 6 of 6" in title_of(display)


def test_history_of_mappings_and_of_nothing() -> None:
    model = FittedModel()
    model.score_ = 0.4
    model.history_ = [{"move": "split", "score": 0.4, "n_clusters": 2, "phase": "groups"}]
    assert "0.400 at accepted step 1 of 1" in title_of(HistoryDisplay.from_estimator(model))
    model.history_ = []
    assert "No step" in title_of(HistoryDisplay.from_estimator(model))


def test_history_parts_its_phases() -> None:
    model = FittedModel()
    model.score_ = 0.4
    model.history_ = [Step("shift", 0.1 * (i % 5), 2, "groups" if i < 5 else "rows") for i in range(10)]
    display = HistoryDisplay.from_estimator(model)
    assert [t.get_text() for t in display.ax_.texts] == ["groups", "rows"]
    lines = [line.get_xdata() for line in display.ax_.lines[1:] if line.get_linestyle() == "-"]
    assert [(min(x), max(x)) for x in lines] == [(1, 5), (6, 10)]


def test_history_says_the_best_even_when_later_steps_are_worse() -> None:
    model = FittedModel()
    model.score_ = 0.5
    model.history_ = [Step("shift", s, 2) for s in (0.2, 0.5, 0.1, 0.4)]
    display = HistoryDisplay.from_estimator(model)
    assert title_of(display) == "Best silhouette 0.500 at accepted step 2 of 4"
    np.testing.assert_array_equal(display.ax_.lines[0].get_ydata(), [0.2, 0.5, 0.5, 0.5])


def test_history_counts_only_what_was_asked_for() -> None:
    model = FittedModel(n_clusters=3)
    model.score_ = 0.5
    model.n_clusters_ = 3
    model.history_ = [Step("split", s, k) for s, k in ((0.7, 2), (0.4, 3), (0.3, 3), (0.6, 4), (0.5, 3))]
    display = HistoryDisplay.from_estimator(model)
    assert title_of(display) == "Best silhouette 0.500 at accepted step 5 of 5"
    np.testing.assert_array_equal(display.ax_.lines[0].get_ydata(), [np.nan, 0.4, 0.4, 0.4, 0.5])
    model.history_ = model.history_[:1]
    assert title_of(HistoryDisplay.from_estimator(model)) == "1 accepted step, none to as many clusters as asked for"


def test_history_of_a_criterion_to_be_minimised() -> None:
    model = FittedModel(criterion="davies_bouldin")
    model.score_ = 0.6
    model.history_ = [Step("shift", s, 2) for s in (-0.9, -0.6, -0.7)]
    display = HistoryDisplay.from_estimator(model)
    assert display.scores == (0.9, 0.6, 0.7)
    assert "0.600 at accepted step 2 of 3" in title_of(display)
    assert "lower is better" in display.ax_.get_ylabel()


def test_history_of_a_sample_says_the_score_of_all_rows() -> None:
    model = FittedModel()
    model.score_ = 0.47
    model.history_ = [Step("shift", s, 2) for s in (0.2, 0.5)]
    assert title_of(HistoryDisplay.from_estimator(model)) == (
        "Best silhouette 0.500 at accepted step 2 of 2; 0.470 in the end"
    )


def test_scores_mark_the_chosen_number_of_clusters() -> None:
    model = FittedModel()
    model.scores_, model.n_clusters_ = {4: 0.3, 2: 0.5, 3: 0.61234}, 3
    display = ScoresDisplay.from_estimator(model)
    curve, ring = display.ax_.lines
    np.testing.assert_array_equal(curve.get_xydata(), [[2, 0.5], [3, 0.61234], [4, 0.3]])
    np.testing.assert_array_equal(ring.get_xydata(), [[3, 0.61234]])
    assert title_of(display) == "3 clusters chosen; 2 to 4 tried"
    assert [t.get_text() for t in display.ax_.texts] == ["0.612"]


def test_scores_to_be_minimised_say_so() -> None:
    model = FittedModel(criterion="davies_bouldin")
    model.scores_, model.n_clusters_ = {2: 0.5}, 2
    display = ScoresDisplay.from_estimator(model)
    assert "lower is better" in display.ax_.get_ylabel()
    assert "only number found" in title_of(display)


def test_families_side_by_side(flower_model, flowers) -> None:
    slanted = [
        Hyperplane((0, 1), (1.0, 2.0), (1.0, 1.0), 3.5, 1.0, 0, 1),
        Hyperplane((0, 1), (1.0, 2.0), (1.0, 1.0), 7.5, 1.0, 2, 0),
        Hyperplane((0, 1), (1.0, 2.0), (1.0, 1.0), 7.5, 1.0, 2, 1),
    ]
    real = [Hyperplane(h.features, (0.37, 1.0), h.units, h.threshold * 0.45, 1.0, h.above, h.below) for h in slanted]
    models = [flower_model, *(FittedModel().fit(flowers, planes, 3) for planes in (slanted, real))]
    panels = draw_families(models, flowers)
    assert [p.get_title().split(":")[0] for p in panels] == ["axis-parallel", "scorecard", "general"]
    assert all("exact" in p.get_title() for p in panels)
    assert len(plt.get_fignums()) == 1
    assert len({p.get_xlim() for p in panels}) == 1


def test_families_give_the_same_rows_the_same_colour(flower_model, flowers) -> None:
    swapped = {0: 2, 1: 0, 2: 1}
    planes = [
        Hyperplane(h.features, h.coefficients, h.units, h.threshold, h.norm, swapped[h.above], swapped[h.below])
        for h in flower_model.hyperplanes_
    ]
    left, right = draw_families({"a": flower_model, "b": FittedModel().fit(flowers, planes, 3)}, flowers)
    assert left.get_title().startswith("a: 3 clusters")
    colors = [{tuple(c.get_offsets()[0]): tuple(c.get_facecolor()[0]) for c in ax.collections} for ax in (left, right)]
    assert colors[0] == colors[1]


def test_families_in_given_axes(flower_model, flowers) -> None:
    _, axes = plt.subplots(1, 2)
    assert list(draw_families([flower_model, flower_model], flowers, axes=axes)) == list(axes)
    with pytest.raises(ValueError, match="as many as models"):
        draw_families([flower_model], flowers, axes=axes)
    with pytest.raises(ValueError, match="at least one"):
        draw_families([], flowers)


def test_family_names() -> None:
    assert name_family([]) == "axis-parallel"


@pytest.mark.parametrize("display", [HistoryDisplay, ScoresDisplay])
def test_given_axes_are_used(display, flower_model) -> None:
    figure, ax = plt.subplots()
    drawn = display.from_estimator(flower_model, ax=ax)
    assert drawn.ax_ is ax
    assert drawn.figure_ is figure
    assert len(plt.get_fignums()) == 1


def test_pictures_in_subfigures(flower_model, flowers) -> None:
    figure = plt.figure()
    ax = figure.subfigures(1, 2)[0].subplots()
    assert PolytopeDisplay.from_estimator(flower_model, flowers, ax=ax).figure_ is figure


WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None
from polyclust.plot import ScoresDisplay
try:
    ScoresDisplay({2: 0.5}, 2).plot()
except ImportError as error:
    print(error)
"""


def test_matplotlib_is_loaded_only_to_draw() -> None:
    code = "import sys, polyclust.plot; print('matplotlib' in sys.modules)"
    assert _run(code) == "False"
    assert _run(WITHOUT_MATPLOTLIB) == "Plots need matplotlib; install it with: pip install polyclust[plot]"


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
