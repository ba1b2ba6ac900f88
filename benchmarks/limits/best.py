"""The best of some partitions, and the silhouette by which they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
from numpy.typing import NDArray

from benchmarks.problem import Labels

Array = NDArray[Any]

NOTHING = -2.0  # below every silhouette
FAR = 1e300  # not infinity: fastmath may assume there is none


@dataclass(frozen=True)
class Best:
    """The best of some partitions and how many they were."""

    score: float
    labels: Labels
    n_scored: int


def merge(found: Sequence[Best]) -> Best:
    """The best of all, with all partitions counted."""
    best = max(found, key=lambda one: one.score)
    return Best(best.score, best.labels, sum(one.n_scored for one in found))


@numba.njit(cache=True, error_model="numpy", fastmath=True)
def score(sums: Array, sizes: Array, labels: Array, own: Array, nearest: Array) -> float:
    """The mean silhouette; sums[c, t] are the distances of row t to the rows of cluster c, and no cluster is empty.

    Fills own[t] (mean distance inside) and nearest[t] (least mean distance to another cluster). A row alone scores 0.
    """
    n_clusters, n_rows = sums.shape
    nearest[:] = FAR
    for c in range(n_clusters):
        share = 1.0 / sizes[c]
        for t in range(n_rows):
            mean = sums[c, t] * share
            nearest[t] = min(nearest[t], mean if labels[t] != c else FAR)
    total = 0.0
    for t in range(n_rows):
        k = labels[t]
        own[t] = sums[k, t] / max(sizes[k] - 1.0, 1.0)
        width = (nearest[t] - own[t]) / max(nearest[t], own[t], 1e-300)
        total += width if sizes[k] > 1 else 0.0
    return total / n_rows
