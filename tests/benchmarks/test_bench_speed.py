from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from benchmarks.kernels import make_case, measure_bandwidth, prepare_scan, quote
from benchmarks.markdown import show_seconds
from benchmarks.measures import silhouette_of_distances
from benchmarks.speed.cases import Case, make_noisy_blobs, make_warm_up
from benchmarks.speed.chart import draw_chart
from benchmarks.speed.contestants import (
    AXIS,
    BEST,
    FAMILIES,
    GRID,
    MINIBATCH,
    SPARSE,
    run_kmeans_best,
    run_kmeans_grid,
    run_minibatch_grid,
    run_polyclust,
    score_labels,
)
from benchmarks.speed.figures import Figures, largest_case
from benchmarks.speed.jobs import Batch, JobError, list_batches, run_batch, run_child
from benchmarks.speed.page import render_page
from benchmarks.speed.races import EXHAUSTIVE, RACED, SEARCHES, UNRACED, run_search, set_constants
from benchmarks.speed.rows import Results, Row, now
from benchmarks.speed.start import EMPTY, FIRST, FRESH, LATER, WARM
from benchmarks.speed.verdicts import judge, list_verdicts, lost_by_racing
from sklearn.metrics import silhouette_score

SMALL = Case("blobs", 400, 3, 4, max_clusters=5)
FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def make_rows(share: float = 0.5, score: float = 0.5) -> list[Row]:
    """Made up: seconds grow as the rows, the families take a share of the grid's time and score this."""
    rows = []
    for batch in list_batches(1, True):
        n_rows = batch.case.n_rows or 4000
        for who, repeat in batch.list_missing([]):
            seconds = n_rows / 1000 * (share if who in FAMILIES else 1.0)
            silhouette = score if who in FAMILIES else 0.5
            rows.append(
                Row(batch.study, batch.case.name, who, repeat, "b", now(), seconds, seconds, silhouette, 3,
                    n_rows // 20, n_rows, n_rows * 160, 10**8)
            )  # fmt: skip
    steps = {f"{EMPTY}: {FIRST}": 9.0, f"{EMPTY}: {LATER}": 1.0, f"{WARM}: {FIRST}": 1.4, f"{WARM}: {LATER}": 1.0}
    rows = [row for row in rows if row.study != "start"]
    return rows + [Row("start", f, FRESH, 0, "b", seconds=s, note=n) for f in FAMILIES for n, s in steps.items()]


# --- what is measured


def test_kernel_benchmark_sweeps_what_it_says() -> None:
    distances, labels, projections = make_case(200)
    scores = np.asarray(prepare_scan(distances, labels, projections)())
    rows = np.flatnonzero(labels <= 1)
    for direction, position in ((0, 5), (3, 40), (9, 90)):
        order = rows[np.argsort(projections[rows, direction], kind="stable")]
        cut = labels.copy()
        cut[order] = 1
        cut[order[: position + 1]] = 0
        expected = silhouette_of_distances(distances.astype(float), cut)
        assert scores[direction, position] == pytest.approx(expected, abs=1e-5)


def test_bandwidth_is_that_of_a_machine() -> None:
    assert 1e8 < measure_bandwidth(2**24) < 1e13


def test_blobs_are_the_same_every_time() -> None:
    X = make_noisy_blobs(Case("blobs", 2000, 5))
    assert X.shape == (2000, 5)
    assert np.isfinite(X).all()
    assert (make_noisy_blobs(Case("blobs", 2000, 5)) == X).all()


def test_scaled_input_is_what_polyclust_clusters() -> None:
    given = make_warm_up(200)
    assert given.scaled.shape == (200, 3 + 1 + 3)
    assert given.scaled.min() == 0
    assert given.scaled.max() == 1


@pytest.mark.parametrize("run", [run_kmeans_grid, run_minibatch_grid, run_kmeans_best, run_polyclust])
def test_every_contestant_finds_the_blobs(run) -> None:
    given = replace(SMALL, noise=0.0).make()
    labels = run(given)
    sizes = np.bincount(labels)
    assert 2 <= len(sizes) <= 5
    assert sizes.min() >= 8
    assert score_labels(given.scaled, labels) == pytest.approx(silhouette_score(given.scaled, labels))
    assert score_labels(given.scaled, labels) > 0.4


def test_grid_passes_over_clusters_under_the_minimum() -> None:
    random = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0.0], [20.0, 0.0], [0.0, 20.0], [45.0, 45.0]], [100, 100, 100, 3], axis=0)
    given = replace(SMALL.make(), raw=centres + random.normal(size=centres.shape))
    of_four = silhouette_score(given.scaled, np.unique(centres, axis=0, return_inverse=True)[1])
    labels = run_kmeans_grid(given)
    assert np.bincount(labels).min() >= 7
    assert silhouette_score(given.scaled, labels) < of_four  # which a grid without a minimum would have chosen


# --- jobs and their rows


def test_job_runs_in_a_process_of_its_own() -> None:
    (row,) = run_child("sets", SMALL, GRID)
    assert row.seconds > 0
    assert row.n_rows == 400
    assert 0.2 < row.silhouette < 1
    assert row.peak_bytes > row.input_bytes == 400 * 3 * 8


def test_failing_job_says_what_happened() -> None:
    with pytest.raises(JobError, match="nobody on blobs failed"):
        run_child("races", SMALL, "nobody")


def test_contestants_are_interleaved_over_the_repeats() -> None:
    batch = Batch("sets", SMALL, (GRID, AXIS, BEST), 2)
    assert list(batch.list_missing([])) == [(GRID, 0), (AXIS, 0), (BEST, 0), (GRID, 1), (AXIS, 1)]
    assert batch.n_jobs == 5


def test_broken_batch_is_continued_and_complete_one_left_alone(tmp_path: Path) -> None:
    path, batch = tmp_path / "results" / "speed.csv", Batch("sets", SMALL, (GRID, MINIBATCH))
    runs = run_batch(batch, Results(path), force=False)
    assert next(runs) == GRID
    runs.close()  # broken off after the first job, whose row is on disk
    assert [row.contestant for row in Results(path).rows] == [GRID]
    assert list(run_batch(batch, Results(path), force=False)) == [MINIBATCH]
    rows = Results(path).rows
    assert len({row.batch for row in rows}) == 1
    assert list(run_batch(batch, Results(path), force=False)) == []
    assert Results(path).rows == rows


def test_batch_that_was_broken_off_long_ago_is_begun_anew(tmp_path: Path) -> None:
    results = Results(tmp_path / "speed.csv")
    old = (datetime.now() - timedelta(hours=3)).isoformat(timespec="seconds")
    other = Row("sets", "spam", GRID, 0, old, old, silhouette=0.5)
    results.add([Row("sets", "bank", GRID, 0, old, old, silhouette=0.25), other])
    assert results.begin("sets", "bank", force=False) != old
    assert Results(results.path).rows == [other]
    assert results.begin("sets", "bank", force=True) != old


# --- races


def test_constants_are_set_for_a_while_and_must_exist() -> None:
    from polyclust.search.directions import LatticeDirections

    before = LatticeDirections.CELLS_TO_LIST
    with set_constants(SEARCHES[UNRACED]):
        assert float("inf") == LatticeDirections.CELLS_TO_LIST
    assert before == LatticeDirections.CELLS_TO_LIST
    with pytest.raises(AttributeError, match="no constant"), set_constants({"polyclust.search.solve:NOTHING": 1.0}):
        pass


@pytest.mark.parametrize("search", [UNRACED, EXHAUSTIVE])
def test_search_without_races_lists_every_direction(search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyclust.search.directions import LatticeDirections

    n_races = []
    race = LatticeDirections.race
    monkeypatch.setattr(LatticeDirections, "race", lambda self, *trials: n_races.append(1) or race(self, *trials))
    given = Case("blobs", 900, 6, 3, max_clusters=4).make()
    run_search(given, RACED, [])
    assert n_races
    n_races.clear()
    notes: list[str] = []
    run_search(given, search, notes)
    assert not n_races
    assert notes == []


# --- figures, verdicts, page


def test_ratios_use_the_best_of_the_newest_batch() -> None:
    rows = [
        Row("sets", "spam", GRID, 0, "2026-01-01", seconds=1.0),
        *(Row("sets", "spam", GRID, r, "2026-01-02", seconds=s) for r, s in enumerate([5.0, 4.0])),
        *(Row("sets", "spam", AXIS, r, "2026-01-02", seconds=s) for r, s in enumerate([2.0, 3.0])),
    ]
    assert Figures(rows).ratio("sets", "spam", AXIS, GRID) == 0.5
    assert Figures(rows).ratio("sets", "spam", SPARSE, GRID) is None


def test_growth_is_the_exponent() -> None:
    assert Figures(make_rows()).growth(AXIS) == pytest.approx(1.0)
    assert Figures([]).growth(AXIS) is None


def test_overhead_of_a_second_process() -> None:
    figures = Figures(make_rows())
    assert figures.overhead(AXIS) == pytest.approx(0.4)
    assert figures.overhead(AXIS, EMPTY) == pytest.approx(8.0)


def test_verdicts_follow_the_figures() -> None:
    assert {verdict.is_met for verdict in list_verdicts(Figures([]))} == {None}
    good = {v.asked: v.is_met for v in list_verdicts(Figures(make_rows(share=0.1)))}
    assert set(good.values()) == {True}
    slow = {v.asked: v.is_met for v in list_verdicts(Figures(make_rows(share=1.0)))}
    assert {asked for asked in slow if not slow[asked]} == {
        "MPC-1 ≤ 0.8 of the k-means grid on each set",
        "1 000 000 rows: ≤ 0.2 of the MiniBatchKMeans grid",
    }
    worse = [v for v in list_verdicts(Figures(make_rows(share=0.1, score=0.49))) if not v.is_met]
    assert len(worse) == 2
    assert worse[0].found.startswith("-0.0100")


def test_cases_without_a_yardstick_are_counted() -> None:
    verdict = judge("at most 0.2", ["iris", "spam"], {"iris": 0.1}.get, 0.2)
    assert (verdict.found, verdict.words) == ("0.10 (iris); 1 not compared", "met where compared")
    assert judge("at most 0.2", ["spam"], {}.get, 0.2).words == "not measured"


def test_the_readme_quotes_what_was_measured_on_the_largest_table() -> None:
    figures, name = Figures(Results(FOLDER / "results" / "speed.csv").rows), largest_case().name
    seconds = [show_seconds(figures.best("sizes", name, who).seconds) for who in FAMILIES]
    below = [f"{-figures.gain('sizes', name, who, MINIBATCH):.4f}".lstrip("0") for who in FAMILIES]
    words = " ".join((FOLDER.parent / "README.md").read_text(encoding="utf-8").split())
    assert f"took {seconds[0]} s with one term and {seconds[1]} s with two on one core" in words
    assert f"silhouettes were {below[0]} and {below[1]} below the grid's" in words
    to_best = [f"{-figures.gain('sizes', name, who, BEST):.4f}".lstrip("0") for who in FAMILIES]
    assert f"{to_best[0]} and {to_best[1]} below the best that k-means reached" in words


def test_race_is_judged_by_finished_searches_only() -> None:
    scores = {RACED: (0.5, ""), UNRACED: (0.501, ""), EXHAUSTIVE: (0.6, "ended by the limit of 60 s")}
    rows = [Row("races", "iris", s, 0, "b", silhouette=v, k=2, note=n) for s, (v, n) in scores.items()]
    assert lost_by_racing(Figures(rows), "iris") == pytest.approx(0.001)
    assert lost_by_racing(Figures(rows[::2]), "iris") is None


def test_page_and_chart(tmp_path: Path) -> None:
    figures = Figures(make_rows())
    page = render_page(figures, tmp_path)
    assert "| spam | MPC-1 | 2.0 | 0.50 |" in page
    assert "| 1 000 000 rows | MPC-2 | 160 | 100 | 1320 | 50000 | 20000 |" in page
    assert "MPC-1 n^1.00" in page
    assert "MPC-1 takes longer than the grid on 0 of 10 and scores less on 0" in page
    slow = render_page(Figures(make_rows(share=1.1, score=0.49)), tmp_path)
    assert "MPC-1 takes longer than the grid on 10 of 10 and scores less on 10" in slow
    assert "make bench-kernels" in quote(tmp_path)
    for name, some in (("whole", figures), ("nothing", Figures([]))):
        draw_chart(some, tmp_path / name / "speed.png")
        assert (tmp_path / name / "speed.png").stat().st_size > 10_000
    assert "Not measured." in render_page(Figures([]), tmp_path)
