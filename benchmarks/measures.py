"""What is reported of a clustering.

Choosing between proposals uses the distance matrix; what is reported is scikit-learn's.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import silhouette_score

from benchmarks.problem import Floats, Labels


def number_labels(labels: Labels) -> Labels:
    """Labels as 0, 1, 2, ..."""
    return np.unique(labels, return_inverse=True)[1]


def silhouette_of_distances(distances: Floats, labels: Labels) -> float:
    """The mean silhouette width from a distance matrix: one matrix product."""
    labels = number_labels(labels)
    members = np.eye(labels.max() + 1, dtype=distances.dtype)[labels]
    counts = members.sum(axis=0, dtype=float)
    sums = (distances @ members).astype(float)
    rows = np.arange(len(labels))
    own = sums[rows, labels] / np.maximum(counts[labels] - 1, 1)
    means = sums / counts
    means[rows, labels] = np.inf
    nearest = means.min(axis=1)
    widths = (nearest - own) / np.maximum(np.maximum(nearest, own), 1e-300)
    return float(np.where(counts[labels] > 1, widths, 0.0).mean())


def silhouette_reported(matrix: Floats, labels: Labels) -> float:
    """scikit-learn's, on the numbers that were clustered."""
    return float(silhouette_score(matrix, labels))


def list_sizes(labels: Labels) -> list[int]:
    """Cluster sizes, largest first."""
    return sorted(np.unique(labels, return_counts=True)[1].tolist(), reverse=True)
