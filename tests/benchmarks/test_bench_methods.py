"""Every comparator gives a row; those that need a package say so when it is absent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from benchmarks.cell import Choice, run_cell
from benchmarks.methods import METHODS
from benchmarks.methods.dbscan import adopt_outliers
from benchmarks.problem import Clock, Problem, Proposal, Task
from sklearn.datasets import load_iris
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import MinMaxScaler

COMPARATORS = [name for name, method in METHODS.items() if method.kind != "polytopes"]


@pytest.fixture(scope="module")
def iris() -> Problem:
    table = load_iris(as_frame=True).data
    return Problem("iris", "practical", table, MinMaxScaler().fit_transform(table), False, 3)


@pytest.mark.parametrize("name", COMPARATORS)
def test_row_of_every_comparator(name: str, iris: Problem) -> None:
    method = METHODS[name]
    if method.reason_to_skip:
        pytest.skip(method.reason_to_skip)
    row = run_cell(iris, method, budget=60, max_starts=5)
    sizes = [int(size) for size in row.sizes.split("/")]
    assert row.status == "ok"
    assert row.silhouette == pytest.approx(0.6300, abs=0.0001)  # known for all of them on this table
    assert (row.k, row.smallest, sum(sizes)) == (2, 50, 150)
    assert (row.clauses_per_cluster is None) == (method.kind == "plain")
    assert row.seconds_total >= row.seconds_per_run > 0


@pytest.mark.parametrize("name", ["mpc-1", "mpc-2"])
def test_row_of_polyclust_is_exact(name: str, iris: Problem) -> None:
    row = run_cell(iris, METHODS[name])
    assert row.status == "ok"
    assert row.fidelity == 1.0
    assert row.note == ""  # score_ is scikit-learn's
    assert row.silhouette == pytest.approx(0.6300, abs=0.0001)


@pytest.mark.parametrize("name", ["icot", "exkmc-1", "exkmc-5", "cart", "kauri", "kmeans", "hclust"])
def test_minimum_size_is_held(name: str) -> None:
    if METHODS[name].reason_to_skip:
        pytest.skip(METHODS[name].reason_to_skip)
    random = np.random.default_rng(3)
    X = np.concatenate([random.normal(size=(80, 2)), random.normal(loc=4, size=(40, 2)), [[60.0, 60.0]]])
    problem = Problem("made", "practical", pd.DataFrame(X, columns=["a", "b"]), X, False, 5)
    loose = run_cell(replace(problem, min_size=1), METHODS[name], max_starts=5)
    tight = run_cell(problem, METHODS[name], max_starts=5)
    assert loose.smallest == 1  # the outlier makes the best silhouette
    assert tight.status == "none" or tight.smallest >= 5


def test_absent_package_is_a_reason_not_an_error(iris: Problem) -> None:
    row = run_cell(iris, replace(METHODS["kauri"], package="no_such_package_here"))
    assert row.status == "skipped"
    assert row.note == "the package no_such_package_here is not installed"


def test_budget_that_is_used_up_is_recorded(iris: Problem) -> None:
    row = run_cell(iris, METHODS["kmeans-best"], budget=0.02)
    assert row.is_cut
    assert row.n_runs < 900


def test_a_method_that_is_told_k_tries_no_other(iris: Problem) -> None:
    told = METHODS["kmeans-best"].at(4)
    row = run_cell(iris, told, max_starts=3)
    assert (row.method, row.k) == ("kmeans-best-at-4", 4)
    assert told.has_fixed_count
    assert row.n_runs <= 3 < run_cell(iris, METHODS["kmeans-best"], max_starts=3).n_runs


def test_outliers_join_the_majority_and_ties_the_nearer() -> None:
    X = np.array([0.0, 0.1, 0.2, 1.0, 1.1, 0.55])[:, None]
    labels = np.array([0, 0, 0, 1, 1, -1])
    assert adopt_outliers(np.abs(X - X.T), labels)[-1] == 0
    tie = np.array([0.0, 1.0, 0.6])[:, None]
    assert adopt_outliers(np.abs(tie - tie.T), np.array([0, 1, -1]))[-1] == 1


def test_choice_keeps_the_best_allowed_proposal(iris: Problem) -> None:
    task = Task(iris, 0, Clock())
    choice = Choice()
    cut_off = np.zeros(150, dtype=int)
    cut_off[0] = 1
    halves, thirds = (np.arange(150) >= 50).astype(int), np.arange(150) // 50
    for labels in (cut_off, thirds, halves):
        choice.consider(Proposal(labels), task)
    assert choice.best is not None
    assert (choice.best.labels == halves).all()
    assert choice.score == pytest.approx(silhouette_score(iris.matrix, halves), abs=1e-5)
    assert choice.passed_over == "149/1"
