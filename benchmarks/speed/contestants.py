"""Who runs: grids of k-means and polyclust, each from a table to labels that a reader has an explanation of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.metrics import silhouette_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks.datasets import PRACTICAL_SHARE
from benchmarks.speed.cases import Input

GRID, MINIBATCH, BEST = "k-means grid", "MiniBatchKMeans grid", "k-means' best"
AXIS, SPARSE = "MPC-1", "MPC-2"
FAMILIES = (AXIS, SPARSE)

SAMPLE = 10_000  # rows of the silhouette by which the MiniBatchKMeans grid and k-means' best choose k
MOST_EXACT = 20_000  # rows up to which the reported silhouette is exact
SEEDING_ROWS = 50_000  # k-means' best: seeds are tried on so many rows, then all rows are iterated

Labels = np.ndarray
SETTINGS: dict[str, dict[str, Any]] = {AXIS: {}, SPARSE: {"max_terms": 2, "max_coefficient": 3}}


def run_kmeans_grid(given: Input) -> Labels:
    """KMeans(n_init=10) and the exact silhouette for every k, then a tree on the labels of the best."""
    labels = _run_grid(given, lambda k: KMeans(k, n_init=10, random_state=0).fit_predict(given.scaled), None)
    DecisionTreeClassifier(random_state=0).fit(given.scaled, labels)
    return labels


def run_minibatch_grid(given: Input) -> Labels:
    """MiniBatchKMeans(n_init=10) and a sampled silhouette for every k; no tree, which would favour polyclust."""
    return _run_grid(given, lambda k: MiniBatchKMeans(k, n_init=10, random_state=0).fit_predict(given.scaled), SAMPLE)


def run_kmeans_best(given: Input) -> Labels:
    """k-means at its best, whatever it takes: ten seeds on many rows for every k, then iterated on all rows."""
    random = np.random.default_rng(2)
    rows = random.permutation(len(given.scaled))[:SEEDING_ROWS]

    def cluster(k: int) -> Labels:
        seeded = KMeans(k, n_init=10, random_state=0).fit(given.scaled[rows])
        return KMeans(k, init=seeded.cluster_centers_, n_init=1).fit_predict(given.scaled)

    return _run_grid(given, cluster, SAMPLE)


def _run_grid(given: Input, cluster: Callable[[int], Labels], sample: int | None) -> Labels:
    """The labels of best silhouette among those with no cluster under the minimum; else the best of all."""
    matrix = given.scaled
    sample = None if sample is None or sample >= len(matrix) else sample
    found = []
    for k in range(2, given.case.max_clusters + 1):
        labels = cluster(k)
        is_allowed = np.bincount(labels).min() >= PRACTICAL_SHARE * len(labels)
        score = silhouette_score(matrix, labels, sample_size=sample, random_state=0)
        found.append((is_allowed, score, labels))
    return max(found, key=lambda each: each[:2])[2]


def run_polyclust(given: Input, **settings: Any) -> Labels:
    """The estimator with its defaults, from the raw table to labels, rules and a score."""
    return np.asarray(fit_polyclust(given, **settings).labels_)


def fit_polyclust(given: Input, **settings: Any) -> Any:
    """The fitted estimator."""
    from polyclust import PolytopeClustering

    options = {"max_clusters": given.case.max_clusters, "random_state": 0, "n_jobs": 1, "units": "range", **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small clusters are reported by their sizes
        return PolytopeClustering(**options).fit(given.raw)


CONTESTANTS: dict[str, Callable[[Input], Labels]] = {
    GRID: run_kmeans_grid,
    MINIBATCH: run_minibatch_grid,
    BEST: run_kmeans_best,
    AXIS: lambda given: run_polyclust(given, **SETTINGS[AXIS]),
    SPARSE: lambda given: run_polyclust(given, **SETTINGS[SPARSE]),
}


def score_labels(matrix: np.ndarray, labels: Labels) -> float:
    """The silhouette, of the same random rows for every contestant where there are too many."""
    if len(matrix) <= MOST_EXACT:
        return float(silhouette_score(matrix, labels))
    rows = np.random.default_rng(1).choice(len(matrix), MOST_EXACT, replace=False)
    return float(silhouette_score(matrix[rows], labels[rows]))
