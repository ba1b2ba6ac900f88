"""This method beside the usual ones, on the same rows and by the same measures."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from polyclust.explain.explanation import Explanation
from polyclust.table.encode import fit_encoder

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

__all__ = ["METHODS", "Trial", "choose_best", "compare_methods", "find_most_clusters"]


@dataclass(frozen=True)
class Trial:
    """One method with one number of clusters.

    ``clauses`` is how long the rules are that describe the clusters, ``fidelity`` the share of rows that they
    place as the method did; methods without rules of their own are explained after the fact.
    """

    method: str
    n_clusters: int
    score: float
    smallest: int
    clauses: int
    fidelity: float
    seconds: float


@dataclass(frozen=True)
class Rows:
    """What every method is given."""

    table: pd.DataFrame
    scaled: Floats
    min_size: float
    scale: str
    seed: int
    jobs: int | None


@dataclass(frozen=True)
class Clustering:
    """What a method gives back; ``clauses`` is None where rules are made after the fact."""

    labels: Labels
    clauses: int | None = None
    fidelity: float = 1.0


def compare_methods(
    table: pd.DataFrame,
    max_clusters: int,
    *,
    min_size: float = 0.02,
    scale: str = "minmax",
    seed: int = 0,
    jobs: int | None = None,
) -> Iterator[Trial]:
    """Every method with every number of clusters, as they are done."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, encoded = fit_encoder(table, scale=scale)
    rows = Rows(table, encoded.scaled, min_size, scale, seed, jobs)
    most = find_most_clusters(len(table), max_clusters, min_size)
    for method, cluster in METHODS.items():
        for n_clusters in range(2, most + 1):
            yield _try(method, cluster, rows, n_clusters)


def find_most_clusters(n_rows: int, max_clusters: int, min_size: float) -> int:
    """How many clusters are tried at most: more could not all have the minimum size."""
    least = min_size if min_size >= 1 else min_size * n_rows
    return max(2, min(max_clusters, n_rows - 1, n_rows // max(math.ceil(least), 1)))


def choose_best(trials: list[Trial]) -> list[Trial]:
    """The best number of clusters of each method, in the order of the methods."""
    methods = dict.fromkeys(t.method for t in trials)
    return [max((t for t in trials if t.method == m), key=lambda t: t.score) for m in methods]


def _try(method: str, cluster: Callable[[Rows, int], Clustering], rows: Rows, n_clusters: int) -> Trial:
    with warnings.catch_warnings(), threadpool_limits(1):  # one thread each: comparable, and no slower on small tables
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        found = cluster(rows, n_clusters)
        seconds = time.perf_counter() - started
        clauses, fidelity = (found.clauses, found.fidelity)
        if clauses is None:
            explanation = _explain(rows, found.labels)
            clauses, fidelity = explanation.n_clauses, explanation.fidelity
    counts = np.unique(found.labels, return_counts=True)[1]
    score = float(silhouette_score(rows.scaled, found.labels)) if len(counts) > 1 else -1.0
    return Trial(method, len(counts), score, int(counts.min()), clauses, fidelity, seconds)


def _explain(rows: Rows, labels: Labels) -> Explanation:
    from polyclust import explain_labels

    return explain_labels(rows.table, labels, max_terms=1, scale=rows.scale)  # type: ignore[arg-type]


def _cluster_k_means(rows: Rows, n_clusters: int) -> Clustering:
    model = KMeans(n_clusters, n_init=10, random_state=rows.seed)
    return Clustering(np.asarray(model.fit_predict(rows.scaled), dtype=np.intp))


def _cluster_ward(rows: Rows, n_clusters: int) -> Clustering:
    model = AgglomerativeClustering(n_clusters, linkage="ward")
    return Clustering(np.asarray(model.fit_predict(rows.scaled), dtype=np.intp))


def _cluster_mixture(rows: Rows, n_clusters: int) -> Clustering:
    model = GaussianMixture(n_clusters, random_state=rows.seed, reg_covar=1e-4)
    return Clustering(np.asarray(model.fit_predict(rows.scaled), dtype=np.intp))


def _cluster_tree(rows: Rows, n_clusters: int) -> Clustering:
    """A tree with one leaf per cluster that imitates k-means; its leaves are the clusters."""
    target = _cluster_k_means(rows, n_clusters).labels
    tree = DecisionTreeClassifier(max_leaf_nodes=n_clusters, random_state=rows.seed).fit(rows.scaled, target)
    leaves = np.unique(tree.apply(rows.scaled), return_inverse=True)[1].astype(np.intp)
    fidelity = float((tree.predict(rows.scaled) == target).mean())
    return Clustering(leaves, _count_conditions(tree), fidelity)


def _count_conditions(tree: Any) -> int:
    """The conditions on the way to every leaf, those on the same feature and side counted once."""
    structure = tree.tree_

    def walk(node: int, conditions: frozenset[tuple[int, bool]]) -> int:
        if structure.children_left[node] < 0:
            return len(conditions)
        feature = int(structure.feature[node])
        left = walk(structure.children_left[node], conditions | {(feature, False)})
        return left + walk(structure.children_right[node], conditions | {(feature, True)})

    return walk(0, frozenset())


def _cluster_polytopes(max_terms: int, max_coefficient: int) -> Callable[[Rows, int], Clustering]:
    def cluster(rows: Rows, n_clusters: int) -> Clustering:
        from polyclust import PolytopeClustering

        model = PolytopeClustering(
            n_clusters,
            max_terms=max_terms,
            max_coefficient=max_coefficient,
            min_cluster_size=rows.min_size,
            scale=rows.scale,
            random_state=rows.seed,
            n_jobs=rows.jobs,
        ).fit(rows.table)
        return Clustering(model.labels_, model.explanation_.n_clauses, model.explanation_.fidelity)

    return cluster


METHODS: dict[str, Callable[[Rows, int], Clustering]] = {
    "k-means": _cluster_k_means,
    "Ward": _cluster_ward,
    "Gaussian mixture": _cluster_mixture,
    "tree on k-means": _cluster_tree,
    "polyclust, 1 term": _cluster_polytopes(1, 1),
    "polyclust, 2 terms": _cluster_polytopes(2, 3),
}
