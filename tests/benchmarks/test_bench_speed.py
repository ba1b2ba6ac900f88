from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.contestants import Case, Timing, make_noisy_blobs, measure
from benchmarks.kernels import make_case, prepare_sweep
from benchmarks.measures import silhouette_of_distances
from benchmarks.speed import (
    COUNTS,
    FAMILIES,
    GRID,
    MINIBATCH,
    SETS,
    SIZES,
    WIDTHS,
    draw,
    list_jobs,
    measure_growth,
    render,
)


def make_timings() -> dict:
    """Made up: seconds grow as the rows, and the families take half the time of the grid."""
    timings = {}
    for case, who, _ in list_jobs(1, 10**6):
        seconds = (case.n_rows or 5000) / 1000 * (0.5 if who in FAMILIES else 1.0)
        timings[case.name, who] = Timing(case, who, seconds, 0.5, 3, 100, 10**6, 2 * 10**8)
    return timings


def test_kernel_benchmark_sweeps_what_it_says() -> None:
    distances, labels, projection = make_case(200)
    scores = np.asarray(prepare_sweep(distances, labels, projection)())
    rows = np.flatnonzero(labels <= 1)
    order = rows[np.argsort(projection[rows], kind="stable")]
    for position in (5, 40, 90):
        cut = labels.copy()
        cut[order] = 1
        cut[order[: position + 1]] = 0
        expected = silhouette_of_distances(distances.astype(float), cut)
        assert scores[position] / 200 == pytest.approx(expected, abs=1e-5)


def test_blobs_are_the_same_whatever_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    X = make_noisy_blobs(Case("blobs", 2000, 5))
    assert X.shape == (2000, 5)
    assert np.isfinite(X).all()
    assert (make_noisy_blobs(Case("blobs", 2000, 5)) == X).all()


def test_contestant_is_measured_in_its_own_process() -> None:
    timing = measure(Case("blobs", 400, 3, 4, max_clusters=5), "k-means grid", 2)
    assert timing.seconds > 0
    assert 0.2 < timing.silhouette < 1
    assert 2 <= timing.k <= 5
    assert timing.smallest >= 8
    assert timing.peak_bytes > timing.input_bytes == 400 * 3 * 8


def test_every_case_is_measured_for_every_contestant() -> None:
    jobs = {(case.name, who) for case, who, _ in list_jobs(1, 10**6)}
    assert {(case.name, who) for case in SETS + WIDTHS + COUNTS for who in (GRID, *FAMILIES)} <= jobs
    assert {(case.name, who) for case in SIZES for who in (MINIBATCH, *FAMILIES)} <= jobs
    assert not any(case.n_rows > 10**4 for case, _, _ in list_jobs(1, 10**4))


def test_page_and_chart(tmp_path: Path) -> None:
    timings = make_timings()
    page = render(timings)
    assert "| spam | MPC-1 | 2.5 | 0.50 |" in page
    assert measure_growth(timings, "MPC-1") == pytest.approx(1.0)
    draw(timings, tmp_path / "figures" / "speed.png")
    assert (tmp_path / "figures" / "speed.png").stat().st_size > 10_000
