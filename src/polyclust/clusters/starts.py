"""Starting partitions of weighted points: k-means, Ward, medoids."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

__all__ = ["start_by_best_kmeans", "start_by_kmeans", "start_by_linkage", "start_by_medoids"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def start_by_kmeans(
    coordinates: Floats, weights: Floats, n_clusters: int, seeds: Sequence[int], n_jobs: int = 1
) -> list[Ints]:
    """Labels of k-means++ for every seed, on as many workers as joblib's backend gives: threads, or those of Dask."""
    with warnings.catch_warnings():  # points that coincide make fewer clusters, which is no fault of a start
        warnings.simplefilter("ignore", ConvergenceWarning)
        if n_jobs == 1 or len(seeds) == 1:
            return [_run_kmeans(coordinates, weights, n_clusters, seed) for seed in seeds]
        starts = (delayed(_run_kmeans)(coordinates, weights, n_clusters, seed) for seed in seeds)
        return list(Parallel(n_jobs, prefer="threads")(starts))


def start_by_best_kmeans(coordinates: Floats, weights: Floats, n_clusters: int, seed: int, n_seeds: int) -> Ints:
    """The tightest clusters of several seeds of k-means++."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _run_kmeans(coordinates, weights, n_clusters, seed, n_seeds)


def _run_kmeans(coordinates: Floats, weights: Floats, n_clusters: int, seed: int, n_seeds: int = 1) -> Ints:
    model = KMeans(n_clusters, n_init=n_seeds, random_state=seed)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # what is known need not be checked again
        return model.fit(coordinates, sample_weight=weights).labels_.astype(np.intp)  # type: ignore[no-any-return]


def start_by_linkage(distances: NDArray[np.float32], weights: Floats, most: int) -> dict[int, Ints]:
    """Labels of average linkage on distances for K = 2..most; for Ward pass squared Euclidean mass-scaled ones.

    Ward on weighted points: the merge cost of two points is 2ab/(a+b) times their squared distance.
    """
    mass = 2.0 * weights[:, None] * weights[None, :] / (weights[:, None] + weights[None, :])
    scaled = np.sqrt(mass) * distances
    np.fill_diagonal(scaled, 0.0)
    tree = linkage(squareform(scaled, checks=False), method="ward")
    return {
        k: fcluster(tree, k, criterion="maxclust").astype(np.intp) - 1 for k in range(2, min(most, len(weights)) + 1)
    }


def start_by_medoids(
    distances: NDArray[np.float32], weights: Floats, n_clusters: int, seed: int, n_rounds: int = 20
) -> Ints:
    """Labels of alternating k-medoids, for points that have distances but no coordinates."""
    rng = np.random.default_rng(seed)
    medoids = [int(rng.choice(len(weights), p=weights / weights.sum()))]
    while len(medoids) < n_clusters:
        spread = weights * distances[medoids].min(axis=0).astype(np.float64) ** 2
        if spread.sum() == 0:
            break
        medoids.append(int(rng.choice(len(weights), p=spread / spread.sum())))
    labels = distances[medoids].argmin(axis=0)
    for _ in range(n_rounds):
        medoids = [_find_medoid(distances, weights, np.flatnonzero(labels == k)) for k in range(len(medoids))]
        changed = distances[medoids].argmin(axis=0)
        changed[medoids] = np.arange(len(medoids))
        if np.array_equal(changed, labels):
            break
        labels = changed
    return np.asarray(labels, dtype=np.intp)


def _find_medoid(distances: NDArray[np.float32], weights: Floats, rows: Ints) -> int:
    costs = distances[np.ix_(rows, rows)] @ weights[rows]
    return int(rows[costs.argmin()])
