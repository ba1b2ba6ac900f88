"""ExKMC: its cuts against brute force, and its values against those of the original package."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.cell import run_cell
from benchmarks.methods import METHODS
from benchmarks.methods.exkmc import build_trees, find_imm_cut, find_surrogate_cut
from benchmarks.problem import Problem
from benchmarks.trees import place_rows, walk_leaves
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import MinMaxScaler


def make_clusters(seed: int) -> tuple[np.ndarray, KMeans]:
    X = np.round(np.random.default_rng(seed).normal(size=(60, 3)), 1)
    return X, KMeans(4, n_init=1, random_state=seed).fit(X)


@pytest.mark.parametrize("seed", range(6))
def test_imm_parts_the_fewest_rows_from_their_centres(seed: int) -> None:
    X, model = make_clusters(seed)
    centres = model.cluster_centers_
    own = centres[model.labels_]
    least = len(X)
    for feature in range(3):
        column = centres[:, feature]
        for threshold in np.concatenate([X[:, feature], column]):
            if column.min() <= threshold < column.max():
                parted = (X[:, feature] <= threshold) != (own[:, feature] <= threshold)
                least = min(least, int(parted.sum()))
    n_parted, feature, threshold = find_imm_cut(X, own, centres)
    found = (X[:, feature] <= threshold) != (own[:, feature] <= threshold)
    assert n_parted == least == found.sum()
    assert centres[:, feature].min() <= threshold < centres[:, feature].max()


@pytest.mark.parametrize("seed", range(6))
def test_expansion_takes_the_largest_drop_of_the_surrogate_cost(seed: int) -> None:
    X, model = make_clusters(seed)
    costs = euclidean_distances(X, model.cluster_centers_, squared=True)
    cheapest = np.inf
    for feature in range(3):
        for value in np.unique(X[:, feature])[:-1]:
            lower = X[:, feature] <= value
            cheapest = min(cheapest, costs[lower].sum(axis=0).min() + costs[~lower].sum(axis=0).min())
    gain, feature, threshold, low, high = find_surrogate_cut(X, costs)
    assert gain == pytest.approx(costs.sum(axis=0).min() - cheapest)
    lower = X[:, feature] <= threshold
    assert costs[lower][:, low].sum() + costs[~lower][:, high].sum() == pytest.approx(cheapest)


@pytest.mark.parametrize("leaves_per_cluster", [1, 5])
def test_trees_keep_to_their_number_of_leaves(leaves_per_cluster: int) -> None:
    X, model = make_clusters(0)
    for tree in build_trees(X, model.labels_, model.cluster_centers_, leaves_per_cluster):
        leaves = list(walk_leaves(tree))
        assert len(leaves) <= 4 * leaves_per_cluster
        assert set(place_rows(tree, X)) <= {0, 1, 2, 3}


@pytest.mark.parametrize(("method", "expected"), [("exkmc-1", 0.2818), ("exkmc-5", 0.3013)])
def test_values_of_the_original_package_on_wine(method: str, expected: float) -> None:
    table = load_wine(as_frame=True).data
    problem = Problem("wine", "practical", table, MinMaxScaler().fit_transform(table), False, 4)
    assert run_cell(problem, METHODS[method]).silhouette == pytest.approx(expected, abs=0.0001)
