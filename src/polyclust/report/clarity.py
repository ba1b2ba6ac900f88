"""How clear the clusters are: silhouettes, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import silhouette_samples

__all__ = ["Clarity", "ClusterClarity", "judge", "measure_clarity"]

MOST_ROWS = 5_000


@dataclass(frozen=True)
class ClusterClarity:
    """The silhouettes of one cluster: average, and the share of rows closer to another cluster."""

    average: float
    misplaced: float

    @property
    def word(self) -> str:
        """The average in words."""
        return judge(self.average)


@dataclass(frozen=True)
class Clarity:
    """All clusters, and how many rows were looked at (0: silhouettes do not apply)."""

    clusters: tuple[ClusterClarity, ...]
    average: float
    n_rows: int


def judge(silhouette: float) -> str:
    """Kaufman and Rousseeuw's reading of an average silhouette to two digits, in plain words."""
    shown = round(silhouette, 2)
    if shown > 0.7:
        return "very clear"
    if shown > 0.5:
        return "clear"
    if shown > 0.25:
        return "blurred at the edges"
    return "hard to tell from its neighbours"


def measure_clarity(
    scaled: NDArray[np.float64],
    labels: NDArray[np.intp],
    n_clusters: int,
    metric: str = "euclidean",
    seed: int = 0,
) -> Clarity:
    """Silhouettes by cluster, on a sample where there are many rows."""
    chosen = _draw_rows(labels, n_clusters, seed)
    labels = labels[chosen]
    n_found = len(np.unique(labels))
    if not 2 <= n_found < len(labels):
        nothing = ClusterClarity(0.0, 0.0)
        return Clarity((nothing,) * n_clusters, 0.0, 0)
    silhouettes = silhouette_samples(scaled[chosen], labels, metric=metric)
    clusters = tuple(_summarise(silhouettes[labels == k]) for k in range(n_clusters))
    return Clarity(clusters, float(silhouettes.mean()), len(labels))


def _draw_rows(labels: NDArray[np.intp], n_clusters: int, seed: int) -> NDArray[np.intp]:
    is_placed = np.flatnonzero((labels >= 0) & (labels < n_clusters))
    if len(is_placed) <= MOST_ROWS:
        return is_placed
    return np.sort(np.random.default_rng(seed).choice(is_placed, MOST_ROWS, replace=False))


def _summarise(silhouettes: NDArray[np.float64]) -> ClusterClarity:
    if silhouettes.size == 0:
        return ClusterClarity(0.0, 0.0)
    return ClusterClarity(float(silhouettes.mean()), float((silhouettes < 0).mean()))
