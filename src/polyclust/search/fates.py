"""What becomes of the mean silhouette when one row is put into another cluster, to first order.

A row's fate in a cluster is the silhouette that it would have there, and what it would do to those of all others:
whoever lies in that cluster comes to be farther from its own on average, or nearer, and whoever has it for the nearest
other cluster farther from that. A row far from everything does more harm to the others than to itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counting", "Influence", "compare_means", "mark_labels", "mark_losses", "weigh_influence"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Counting = Literal["whole", "alone", "alike"]  # a row's part in the score, its own silhouette, or all the same
LEAST_LOSS = 1e-6
TINY = 1e-150


def compare_means(means: Floats) -> Floats:
    """(n, K): the silhouette that every row would have in every cluster, given its mean distance to each."""
    n_clusters = means.shape[1]
    if n_clusters == 1:
        return np.zeros_like(means)
    nearest, second = np.partition(means, 1, axis=1)[:, :2].T
    is_nearest = np.arange(n_clusters) == means.argmin(axis=1)[:, None]
    others = np.where(is_nearest, second[:, None], nearest[:, None])
    return np.asarray((others - means) / np.maximum(np.maximum(others, means), TINY))


@dataclass(frozen=True)
class Influence:
    """What a row does to the silhouettes of some others: linear in its distances to them.

    pull : (R, K), of every other row and the cluster that the row is put into
    still : (K,), the sum at distances that change nothing
    """

    pull: Floats
    still: Floats

    def of(self, distances: NDArray[np.floating]) -> Floats:
        """(n, K): the change of the sum of silhouettes, by the distances (n, R) to those others."""
        return np.asarray(distances @ self.pull.astype(distances.dtype) - self.still)


def weigh_influence(labels: Ints, means: Floats, sizes: Floats, weights: Floats) -> Influence:
    """The influence on rows with these labels, weights and mean distances (R, K) to the clusters of these sizes."""
    every = np.arange(len(labels))
    own = means[every, labels]
    rest = means.copy()
    rest[every, labels] = np.inf
    nearest = rest.argmin(axis=1)
    other = rest[every, nearest]
    larger, lesser = np.maximum(own, other), np.minimum(own, other)
    steep = np.divide(weights, larger, out=np.zeros_like(larger), where=larger > TINY)
    flat = np.divide(steep * lesser, larger, out=np.zeros_like(larger), where=larger > TINY)
    is_inside = own < other  # the slopes of (other - own) / larger
    by_own, by_other = -np.where(is_inside, steep, flat), np.where(is_inside, flat, steep)
    pull, still = np.zeros_like(means), np.zeros(means.shape[1])
    for towards, slope, mean in ((labels, by_own, own), (nearest, by_other, other)):
        share = slope / sizes[towards]
        pull[every, towards] += share
        still += np.bincount(towards, weights=share * mean, minlength=len(still))
    return Influence(pull, still)


def mark_labels(labels: Ints, n_clusters: int) -> Floats:
    """(n, K): 1 in a row's own cluster and 0 in the others, so that all rows count alike."""
    marks = np.zeros((len(labels), n_clusters))
    marks[np.arange(len(labels)), labels] = 1.0
    return marks


def mark_losses(labels: Ints, silhouettes: Floats, n_clusters: int) -> Floats:
    """(n, K): a row's own silhouette in its own cluster, so that it counts by what it would lose in the next best one.

    There the neighbour and its own cluster change roles, and with them the sign of the silhouette.
    """
    return mark_labels(labels, n_clusters) * np.maximum(silhouettes, LEAST_LOSS)[:, None]
