from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from benchmarks.captions import Caption, write_captions
from benchmarks.cell import Row
from benchmarks.comparison import PUBLISHED, Study, open_study
from benchmarks.figures import (
    FAMILIES,
    draw_family,
    draw_quality,
    find_reference,
    make_figure_data,
    place_method,
    save_quality,
)
from benchmarks.results import FOLDER, read_all


@pytest.fixture
def study() -> Study:
    measured = {
        ("iris", "icot"): 0.6295,
        ("iris", "mpc-2"): 0.6295,
        ("spam", "icot"): 0.749,
        ("spam", "mpc-2"): 0.75953,
        ("bank", "icot"): 0.13,
        ("atom", "mpc-2"): 0.6158,
        ("atom", "mpc-2-k11"): 0.6240,
    }
    rows = [
        Row("paper", data, method, "ok", score, 2, 50, "100/50", 0.5, 2.0, 4)
        for (data, method), score in measured.items()
    ]
    ceilings = pd.DataFrame({"dataset": ["spam", "bank"], "protocol": "paper", "silhouette": [0.75953, 0.1871]})
    return Study(pd.DataFrame([row.as_dict() for row in rows]), pd.read_csv(PUBLISHED), ceilings)


def test_methods_are_placed_by_their_gap_to_the_best_known_without_spam(study: Study) -> None:
    spot = place_method(study, "paper", "icot")
    assert spot is not None
    assert spot.seconds == pytest.approx(2.0)
    assert spot.gap == pytest.approx((0.0 + (0.1871 - 0.13)) / 2)
    assert spot.n_solved == 2
    assert place_method(study, "paper", "gmm") is None


def test_an_eleventh_cluster_does_not_raise_the_reference(study: Study) -> None:
    assert find_reference(study, "paper", "atom") == pytest.approx(0.6158)


def test_figure_is_drawn(study: Study, tmp_path: Path) -> None:
    save_quality(study, tmp_path)
    assert (tmp_path / "quality_seconds.png").stat().st_size > 10_000


def test_crowded_captions_cover_neither_each_other_nor_a_point() -> None:
    random = np.random.default_rng(0)
    figure, ax = plt.subplots(figsize=(7, 7), dpi=100)
    points = np.concatenate([random.normal(0.5, 0.05, size=(12, 2)), random.uniform(0.1, 0.9, size=(6, 2))])
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    captions = [Caption(f"method {i} (16 sets)", *point, "black") for i, point in enumerate(points)]
    boxes = write_captions(ax, captions)
    pixels = ax.transData.transform(points)
    plt.close(figure)
    assert len(boxes) == len(captions)
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert not any(box.contains(*point) for box in boxes for point in pixels)


@pytest.mark.parametrize("protocol", ["paper", "practical"])
def test_captions_of_the_stored_results_are_free(protocol: str) -> None:
    figure, ax = plt.subplots(figsize=(6.5, 6), dpi=150)
    boxes = draw_quality(open_study(read_all(FOLDER)), protocol, ax)
    inside = ax.bbox
    plt.close(figure)
    assert len(boxes) > 10
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert all(inside.x0 <= b.x0 and b.x1 <= inside.x1 and inside.y0 <= b.y0 and b.y1 <= inside.y1 for b in boxes)


def test_wider_families_score_higher_on_the_data_of_the_figure() -> None:
    X = make_figure_data()
    figure, axes = plt.subplots(1, len(FAMILIES))
    titles = [
        draw_family(X, name, settings, ax).get_title()
        for (name, settings), ax in zip(FAMILIES.items(), axes, strict=True)
    ]
    plt.close(figure)
    scores = [float(title.rsplit(" ", 1)[1]) for title in titles]
    assert all(narrow < wide for narrow, wide in pairwise(scores))
