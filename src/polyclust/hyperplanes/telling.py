"""Which features take part in sums where a table has too many to list all directions of several terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import count_directions

__all__ = ["choose_telling", "count_summed"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

MOST_LISTED, FEW_LISTED = 150_000, 80_000  # directions of a search, and those of one that more would be too many for


def count_summed(
    n_features: int, max_coefficient: int, most_listed: int = MOST_LISTED, few_listed: int = FEW_LISTED
) -> int:
    """How many features may take part in sums: all of them, unless even their sums of two are too many to list.

    Then so few that these sums are few.
    """
    if count_directions(n_features, 2, max_coefficient) <= most_listed:
        return n_features
    most = 2
    while count_directions(most + 1, 2, max_coefficient) <= few_listed:
        most += 1
    return most


def choose_telling(raw: Floats, weights: Floats, partitions: Sequence[Ints], n_features: int) -> Ints:
    """The features whose variance lies between the clusters rather than within them, in their order in the table.

    What counts is a feature's mean share over the partitions; a label below 0 is no cluster.
    """
    shares = np.mean([_share_between(raw, weights, labels) for labels in partitions], axis=0)
    return np.sort(np.argsort(-shares, kind="stable")[:n_features])


def _share_between(raw: Floats, weights: Floats, labels: Ints) -> Floats:
    """Of every feature's variance the part between clusters; 0 where it is constant."""
    counted = labels >= 0
    raw, weights, labels = raw[counted], weights[counted], labels[counted]
    scale = np.maximum(np.abs(raw).max(axis=0, initial=0.0), 1e-300)  # so that squares stay finite
    deviations = raw / scale
    deviations -= np.average(deviations, axis=0, weights=weights)
    total = weights @ deviations**2
    marks = (labels[:, None] == np.arange(int(labels.max(initial=0)) + 1)) * weights[:, None]
    sums = marks.T @ deviations
    between = (sums**2 / np.maximum(marks.sum(axis=0), 1e-300)[:, None]).sum(axis=0)
    return np.asarray(np.divide(between, total, out=np.zeros_like(total), where=total > 1e-24 * weights.sum()))
