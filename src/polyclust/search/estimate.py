"""The silhouette of more rows than distances can be held for, with a confidence interval.

A difference estimator. Cheap scores come from a few reference rows per cluster, drawn in proportion to weight; for a
second, smaller sample the exact scores are computed as well, against all rows. The mean of the cheap scores plus
the mean difference (exact - cheap) estimates the silhouette of the labels without bias, whatever the cheap scores are,
and its variance is the sum of the two variances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import score_rows
from polyclust.search.distances import measure_distances
from polyclust.search.partition import sum_weights

__all__ = ["Estimate", "estimate_silhouette"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Locate = Callable[[Ints | slice], Floats]

N_REFERENCES = 64
N_CHEAP = 20_000
N_EXACT = 200
ROWS_AT_ONCE = 50_000
NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A score with the ends of its 95 % confidence interval."""

    score: float
    low: float
    high: float


def estimate_silhouette(
    locate: Locate, metric: str, weights: Floats, labels: Ints, n_clusters: int, seed: int
) -> Estimate:
    """The weighted mean silhouette of labelled rows; ``locate`` gives the coordinates of some of them."""
    rng = np.random.default_rng(seed)
    share = weights / weights.sum()
    sizes = sum_weights(labels, weights, n_clusters)
    cheap_rows = rng.choice(len(labels), size=min(N_CHEAP, len(labels)), p=share)
    exact_rows = cheap_rows[: min(N_EXACT, len(cheap_rows))]
    references = [_draw(rng, labels, weights, k) for k in range(n_clusters)]
    cheap = _score(_cheap_sums(locate, metric, cheap_rows, references, sizes), sizes, labels[cheap_rows])
    exact = _score(_exact_sums(locate, metric, exact_rows, weights, labels, n_clusters), sizes, labels[exact_rows])
    difference = exact - cheap[: len(exact_rows)]
    score = float(cheap.mean() + difference.mean())
    variance = cheap.var(ddof=1) / len(cheap) + difference.var(ddof=1) / len(exact_rows)
    half = NORMAL_95 * float(np.sqrt(variance))
    return Estimate(score, max(score - half, -1.0), min(score + half, 1.0))


def _draw(rng: np.random.Generator, labels: Ints, weights: Floats, cluster: int) -> Ints:
    rows = np.flatnonzero(labels == cluster)
    share = weights[rows] / weights[rows].sum()
    return rng.choice(rows, size=min(N_REFERENCES, len(rows)), p=share)


def _cheap_sums(locate: Locate, metric: str, rows: Ints, references: list[Ints], sizes: Floats) -> Floats:
    """(K, n): the mean distance to each cluster's references, as if it were that to all its rows."""
    here = locate(rows)
    means = [measure_distances(here, metric, locate(r)).mean(axis=1, dtype=np.float64) for r in references]
    return np.stack(means) * sizes[:, None]


def _exact_sums(locate: Locate, metric: str, rows: Ints, weights: Floats, labels: Ints, n_clusters: int) -> Floats:
    """(K, n): the sums of distances to all rows of each cluster, in blocks."""
    here = locate(rows)
    sums = np.zeros((n_clusters, len(rows)))
    for start in range(0, len(labels), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        member = np.zeros((n_clusters, len(labels[block])), dtype=np.float32)
        member[labels[block], np.arange(len(labels[block]))] = weights[block]
        sums += member @ measure_distances(locate(block), metric, here)
    return sums


def _score(sums: Floats, sizes: Floats, labels: Ints) -> Floats:
    n = sums.shape[1]
    own, scores, nearest = np.empty(n), np.empty(n), np.empty(n, dtype=np.intp)
    score_rows(np.ascontiguousarray(sums), sizes, labels, own, nearest, scores)
    return scores
