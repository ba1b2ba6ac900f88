"""A partition of the points with its score; immutable, so that the search can keep the best ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.orders import number_by_first

__all__ = ["Partition", "is_new", "join_labels", "member_mask", "order_by_size", "sum_weights"]

Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Partition:
    """Labels 0..K-1 and what the scorer keeps beside them.

    score : the objective, larger is better
    sums : (K, n) distance sums where the criterion is the silhouette, else None
    """

    labels: Ints
    n_clusters: int
    sizes: NDArray[np.float64]
    score: float
    sums: NDArray[np.float64] | None = None

    def rows_of(self, cluster: int) -> Ints:
        """The points of a cluster."""
        return np.flatnonzero(self.labels == cluster)

    def name_pair(self, i: int, j: int) -> tuple[bytes, int, int]:
        """Two clusters of this partition, under whatever numbers these are."""
        clusters, numbers = self._renumbered
        first, second = int(numbers[i]), int(numbers[j])
        return clusters, min(first, second), max(first, second)

    @cached_property
    def _renumbered(self) -> tuple[bytes, Ints]:
        return renumber(self.labels)


def renumber(labels: Ints) -> tuple[bytes, Ints]:
    """The labels with clusters numbered in the order of their first rows, and the new number of every cluster."""
    renumbered, numbers = np.empty(len(labels), dtype=np.int32), np.empty(int(labels.max()) + 1, dtype=np.intp)
    number_by_first(labels, renumbered, numbers)
    return renumbered.tobytes(), numbers


def sum_weights(labels: Ints, weights: NDArray[np.float64], n_clusters: int) -> NDArray[np.float64]:
    """The weight of every cluster."""
    return np.bincount(labels, weights=weights, minlength=n_clusters).astype(np.float64, copy=False)


def join_labels(labels: Ints, i: int, j: int, n_clusters: int) -> Ints:
    """The labels after cluster j has gone into i; the last label takes j's place."""
    merged = np.where(labels == j, i, labels)
    last = n_clusters - 1
    return np.where(merged == last, j, merged) if j != last else merged


def order_by_size(labels: Ints, weights: NDArray[np.float64]) -> Ints:
    """New labels, largest cluster first; equal sizes in the order of their first row."""
    present, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    sizes = np.bincount(codes, weights=weights, minlength=len(present))
    rank = np.empty(len(present), dtype=np.intp)
    rank[np.lexsort((first, -sizes))] = np.arange(len(present))
    return rank[codes]


def member_mask(partition: Partition, i: int, j: int | None) -> NDArray[np.bool_]:
    """The points of cluster i, or of i and j."""
    labels = partition.labels
    return np.asarray(labels == i if j is None else (labels == i) | (labels == j))


def is_new(labels: Ints, seen: set[bytes]) -> bool:
    """Whether these clusters, under whatever numbers, were not seen before; now they were."""
    key, _ = renumber(labels)
    is_new = key not in seen
    seen.add(key)
    return is_new
