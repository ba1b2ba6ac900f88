"""ICOT: its kernel against plain rescoring, and its values against those that are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.cell import run_cell
from benchmarks.datasets import load
from benchmarks.measures import silhouette_of_distances
from benchmarks.methods import METHODS
from benchmarks.methods.icot import Ground, choose_thresholds, find_best_cut, graft, prune_empty
from benchmarks.trees import Branch, Leaf, Tree, number_leaves, place_rows
from sklearn.metrics import pairwise_distances


def make_ground(seed: int, min_size: int = 1) -> Ground:
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(40, 3)), 1)
    return Ground(X, pairwise_distances(X).astype(np.float32), min_size)


def score_plainly(ground: Ground, tree: Tree) -> float | None:
    labels = place_rows(number_leaves(tree)[0], ground.matrix)
    sizes = np.unique(labels, return_counts=True)[1]
    if len(sizes) < 2 or sizes.min() < ground.min_size:
        return None
    return silhouette_of_distances(ground.distances.astype(float), labels)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("path", [(), (False,), (True,)])
@pytest.mark.parametrize("min_size", [1, 4])
def test_best_cut_is_that_of_plain_rescoring(seed: int, path: tuple[bool, ...], min_size: int) -> None:
    ground = make_ground(seed, min_size)
    tree = Branch(0, 0.05, Branch(1, 0.05, Leaf(0), Leaf(0)), Leaf(0))
    node: Tree = tree if not path else (tree.upper if path[0] else tree.lower)
    lower, upper = (node.lower, node.upper) if isinstance(node, Branch) else (Leaf(0), Leaf(0))
    rows = np.ones(len(ground.matrix), dtype=bool)
    if path:
        rows = (ground.matrix[:, 0] > 0.05) == path[0]
    scores = []
    for feature, thresholds in enumerate(ground.thresholds):
        for threshold in thresholds:
            if 0 < (ground.matrix[rows, feature] <= threshold).sum() < rows.sum():
                scores.append(score_plainly(ground, graft(tree, path, Branch(feature, threshold, lower, upper))))
    expected = max((s for s in scores if s is not None), default=None)
    score, branch = find_best_cut(ground, tree, path)
    if expected is None:
        assert branch is None
    else:
        assert branch is not None
        assert score == pytest.approx(expected, abs=1e-5)
        assert score_plainly(ground, graft(tree, path, branch)) == pytest.approx(expected, abs=1e-5)


def test_only_the_widest_gaps_hold_thresholds() -> None:
    assert choose_thresholds(np.array([0.0, 0.1, 0.2, 5.0, 5.1])).tolist() == pytest.approx([2.6])
    assert choose_thresholds(np.array([0.0, 1.0, 2.0])).tolist() == [0.5, 1.5]
    assert choose_thresholds(np.array([3.0, 3.0])).size == 0


def test_empty_leaves_are_pruned() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    tree = Branch(0, 0.5, Leaf(0), Branch(0, 9.0, Leaf(1), Leaf(2)))
    assert prune_empty(tree, X) == Branch(0, 0.5, Leaf(0), Leaf(1))


@pytest.mark.parametrize(("name", "expected"), [("iris", 0.629), ("wine", 0.386), ("zoo", 0.416)])
def test_values_of_the_paper(name: str, expected: float, data_folder: Path) -> None:
    row = run_cell(load(name, "paper", data_folder), METHODS["icot"], max_starts=10)
    assert row.silhouette == pytest.approx(expected, abs=0.0006)
    assert row.fidelity == 1.0


SCALED = {"hepta": 0.455, "tetra": 0.504, "twodiamonds": 0.486, "target": 0.629, "engytime": 0.573}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCALED)
def test_values_of_the_paper_on_scaled_points(name: str, data_folder: Path) -> None:
    problem = replace(load(name, "practical", data_folder), min_size=1)
    assert run_cell(problem, METHODS["icot"]).silhouette == pytest.approx(SCALED[name], abs=0.0006)


@pytest.mark.slow
def test_spam_as_the_first_prototype_found_it(data_folder: Path) -> None:
    row = run_cell(load("spam", "paper", data_folder), METHODS["icot"], budget=300)
    assert row.silhouette == pytest.approx(0.749, abs=0.001)
