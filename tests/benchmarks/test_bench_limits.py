"""What silhouettes are possible: the kernels against scikit-learn, and against all partitions of a few rows."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from benchmarks.limits import boxes, climbs, half_planes, studies
from benchmarks.limits.best import Best, merge, score
from benchmarks.methods.icot_kernel import sum_distances
from benchmarks.problem import Problem
from scipy.optimize import linprog
from sklearn.metrics import pairwise_distances, silhouette_score


def make_rows(seed, n_rows=8, n_values=4):
    """Rows on a small grid, with many equal values, of which no two are equal in both columns."""
    grid = np.array(list(product(range(n_values), repeat=2)), dtype=float)
    return np.random.default_rng(seed).permutation(grid)[:n_rows] * [1.0, 1.3]


def list_partitions(n_rows, k):
    """Every labelling with exactly k clusters, the first row in cluster 0."""
    for rest in product(range(k), repeat=n_rows - 1):
        labels = np.array((0, *rest))
        if len(set(labels.tolist())) == k:
            yield labels


def is_parted_by_an_axis(first, second):
    return bool(((first.max(axis=0) < second.min(axis=0)) | (second.max(axis=0) < first.min(axis=0))).any())


def are_boxes(X, labels, k):
    return all(is_parted_by_an_axis(X[labels == a], X[labels == b]) for a, b in combinations(range(k), 2))


def is_parted_by_a_line(X, labels):
    """Whether w and b exist with w·x + b >= 1 on one side and <= -1 on the other."""
    signs = np.where(labels == 1, -1.0, 1.0)[:, None]
    rows = signs * np.column_stack([X, np.ones(len(X))])
    return linprog(np.zeros(3), A_ub=rows, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 0


# --- the silhouette


@pytest.mark.parametrize("seed", range(5))
def test_score_is_that_of_scikit_learn(seed):
    """With equal rows and a cluster of one row."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, size=(30, 2)).astype(float)
    labels = np.concatenate([[0], random.permutation(np.arange(29) % 3 + 1)])
    distances = pairwise_distances(X)
    sums, sizes = sum_distances(distances, labels, 4)
    found = score(sums, sizes, labels, np.empty(30), np.empty(30))
    assert found == pytest.approx(silhouette_score(X, labels), abs=1e-12)


# --- boxes


@pytest.mark.parametrize("seed", range(3))
def test_the_best_cut_of_a_box(seed):
    X = make_rows(seed, 14)
    labels = (X[:, 0] > X[:, 0].mean()).astype(np.int64)
    scores = []
    for threshold in np.unique(X[labels == 1, 1])[1:]:
        cut = np.where((labels == 1) & (X[:, 1] >= threshold), 2, labels)
        scores.append(silhouette_score(X, cut))
    best = boxes.cut_box(X[:, 1], pairwise_distances(X), labels, 1)
    assert best.n_scored == len(scores)
    assert best.score == pytest.approx(max(scores), abs=1e-12)
    assert silhouette_score(X, best.labels) == pytest.approx(best.score, abs=1e-12)


def test_a_cut_that_parts_equal_values():
    """Three rows share a value, and parting them scores most; as a rule only cuts beside all three can be had."""
    values, across = np.array([0.0, 1.0, 1.0, 1.0, 2.0]), np.array([0.0, 0.0, 0.1, 5.0, 5.0])
    distances = pairwise_distances(across[:, None])
    parted = boxes.cut_box(values, distances, np.zeros(5, dtype=np.int64), 0, parts_equals=True)
    assert parted.labels.tolist() == [1, 1, 1, 0, 0]
    assert parted.n_scored == 4
    kept = boxes.cut_box(values, distances, np.zeros(5, dtype=np.int64), 0)
    assert kept.n_scored == 2
    assert kept.score < parted.score


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 3])
def test_all_boxes_are_tried(seed, k):
    """Of all labellings those whose clusters are parted pair by pair: two cuts, one after the other, make them all."""
    X = make_rows(seed, 7)
    expected = max(silhouette_score(X, p) for p in list_partitions(7, k) if are_boxes(X, p, k))
    tried = boxes.try_two_boxes if k == 2 else boxes.try_three_boxes
    best = merge(tried(X, pairwise_distances(X)))
    assert best.score == pytest.approx(expected, abs=1e-12)
    assert silhouette_score(X, best.labels) == pytest.approx(expected, abs=1e-12)
    assert are_boxes(X, number(best.labels), k)


def number(labels):
    return np.unique(labels, return_inverse=True)[1]


def test_more_boxes_are_boxes():
    X = make_rows(1, 12)
    distances = pairwise_distances(X)
    best = merge(boxes.try_more_boxes(X, distances, boxes.try_three_boxes(X, distances)))
    assert are_boxes(X, number(best.labels), 4)
    assert silhouette_score(X, best.labels) == pytest.approx(best.score, abs=1e-12)


# --- half-planes


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("least", [1, 3])
def test_all_half_planes_are_tried(seed, least):
    X = np.random.default_rng(seed).normal(size=(8, 2))
    halves = [p for p in list_partitions(8, 2) if np.bincount(p).min() >= least and is_parted_by_a_line(X, p)]
    best = half_planes.try_half_planes(X, pairwise_distances(X), least)
    assert best.score == pytest.approx(max(silhouette_score(X, p) for p in halves), abs=1e-12)
    assert silhouette_score(X, best.labels) == pytest.approx(best.score, abs=1e-12)
    if least == 1:
        assert len(halves) == 8 * 7 // 2
        assert best.n_scored == 8 * 7 // 2 + 7  # those of the first order are met again, from the other side


def test_rows_on_one_line_need_the_jitter():
    X = make_rows(0, 16)
    distances = pairwise_distances(X)
    halves = [np.array(p) for p in ((X @ [a, b] > c).astype(int) for a, b, c in product((-1, 0, 1), (1, 2), (2, 3, 4)))]
    known = max(silhouette_score(X, p) for p in halves if 0 < p.sum() < len(X))
    assert half_planes.try_half_planes(X, distances, 1).score >= known - 1e-12
    with pytest.raises(RuntimeError, match="not of neighbours"):
        half_planes.try_half_planes(X, distances, 1, jitter=0.0)


# --- partitions without rules


def move_slowly(X, distances, rows, labels, least):
    """Each row to its nearest other cluster, if scikit-learn's silhouette rises."""
    labels = labels.copy()
    for row in rows:
        others = [c for c in set(labels.tolist()) if c != labels[row]]
        moved = labels.copy()
        moved[row] = min(others, key=lambda c: distances[row, labels == c].mean())
        is_allowed = (labels == labels[row]).sum() > least
        if is_allowed and silhouette_score(X, moved) > silhouette_score(X, labels) + 1e-10:
            labels = moved
    return labels


@pytest.mark.parametrize("least", [1, 8])
def test_moves_are_those_of_slow_rescoring(least):
    random = np.random.default_rng(least)
    X = random.normal(size=(30, 2))
    distances, rows, labels = pairwise_distances(X), random.permutation(30), np.arange(30) % 3
    expected = move_slowly(X, distances, rows, labels, least)
    sums, sizes = sum_distances(distances, labels, 3)
    best, _ = climbs.try_moves(distances, rows, sums, sizes, labels, least, silhouette_score(X, labels))
    assert labels.tolist() == expected.tolist()
    assert (labels != np.arange(30) % 3).any()
    assert best == pytest.approx(silhouette_score(X, expected), abs=1e-12)


@pytest.mark.parametrize("least", [1, 12])
def test_a_climb_ends_where_no_move_helps(least):
    random = np.random.default_rng(0)
    X, start = random.normal(size=(60, 2)), np.arange(60) % 4
    distances = pairwise_distances(X)
    best = climbs.climb(distances, start, least)
    assert best.score == pytest.approx(silhouette_score(X, best.labels), abs=1e-12)
    assert best.score > silhouette_score(X, start)
    assert np.bincount(best.labels).min() >= least
    assert move_slowly(X, distances, range(60), best.labels, least).tolist() == best.labels.tolist()


# --- the table


@pytest.fixture
def problem():
    matrix = np.random.default_rng(3).normal(size=(60, 2))
    return Problem("small", "practical", pd.DataFrame(matrix), matrix, False, 5)


def test_climbs_from_several_starts(problem):
    starts = {"k-means": climbs.start_kmeans, "outliers": climbs.start_outliers}
    for k in (2, 4):
        for labels in climbs.start_outliers(problem, k):
            assert np.bincount(labels).size == k
        winner, best = climbs.climb_from_all(problem, pairwise_distances(problem.matrix), k, starts)
        assert winner in starts
        assert problem.allows(best.labels)


def test_a_row_says_whether_the_aim_is_reached(problem):
    best = studies.score_plainly(problem, np.arange(60) % 2)
    assert studies.show_row(problem, "all", best, -1.0).endswith("| 30/30 | -1.0000 | yes |")
    assert studies.show_row(problem, "all", best, 1.0).endswith("| no |")
    wrong = Best(best.score + 0.01, best.labels, 1)
    with pytest.raises(RuntimeError, match=r"scikit-learn's silhouette is"):
        studies.show_row(problem, "all", wrong, 0.0)
