"""PAMSIL gives a row on tables of any size: whole when small, from samples and single swaps when large."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from benchmarks.cell import run_cell
from benchmarks.methods import METHODS, pamsil
from benchmarks.problem import Problem, Task
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances, silhouette_score

kmedoids = pytest.importorskip("kmedoids")


def make_problem(n_rows: int, min_size: int = 1) -> Problem:
    X, _ = make_blobs(n_rows, centers=4, n_features=2, cluster_std=1.6, random_state=3)
    return Problem("made", "practical", pd.DataFrame(X, columns=["a", "b"]), X, True, min_size)


def test_small_tables_are_solved_as_published() -> None:
    problem = make_problem(90)
    steps = list(pamsil.solve(problem, [2, 3]))
    distances = pairwise_distances(problem.matrix)
    for k, step in zip([2, 3], steps, strict=True):
        assert (step.labels == kmedoids.pamsil(distances, k).labels).all()
        assert step.is_run_end
        assert step.note == ""


def test_large_tables_are_solved_on_samples_then_by_swaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pamsil, "SMALL", 60)
    monkeypatch.setattr(pamsil, "SAMPLE", 40)
    problem = make_problem(150)
    steps = list(pamsil.solve(problem, [3, 4]))
    sampled, swapped = steps[: 2 * pamsil.N_SAMPLES], steps[2 * pamsil.N_SAMPLES :]
    assert {step.note for step in sampled} == {"medoids of 40 sampled rows"}
    assert all(len(step.labels) == 150 for step in steps)
    assert all("on all rows" in step.note for step in swapped)
    assert sum(step.is_run_end for step in swapped) == len(sampled)
    first_run = swapped[: 1 + next(i for i, step in enumerate(swapped) if step.is_run_end)]
    scores = [silhouette_score(problem.matrix, step.labels) for step in first_run]
    best = max(silhouette_score(problem.matrix, step.labels) for step in sampled)
    assert scores[0] >= best - 1e-12
    assert all(after >= before - 1e-12 for before, after in pairwise(scores))


def test_starts_that_the_protocol_allows_are_swapped_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pamsil, "SMALL", 60)
    monkeypatch.setattr(pamsil, "SAMPLE", 40)
    problem = make_problem(150, min_size=30)  # four clusters are large enough; of seven some are not
    steps = list(pamsil.solve(problem, [4, 7]))
    first_swap = next(step for step in steps if "on all rows" in step.note)
    assert len(np.unique(first_swap.labels)) == 4


def test_a_cell_that_runs_out_of_time_keeps_its_best() -> None:
    row = run_cell(make_problem(900), METHODS["pamsil"], budget=1.5)
    assert row.status == "ok"
    assert row.is_cut
    assert row.note.startswith("medoids of 300 sampled rows")
    assert row.budget == 1.5
    assert row.seconds_total == pytest.approx(1.5, abs=1.0)


def test_a_cell_without_a_budget_has_one() -> None:
    task = Task(make_problem(40))
    assert len(list(pamsil.propose(task))) == len(task.cluster_counts)
    assert task.clock.budget == pamsil.DEFAULT_BUDGET
    assert not task.clock.was_cut
