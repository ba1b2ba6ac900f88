"""The criterion of labels on rows as they are, as scikit-learn computes it where it has it; larger is better."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from polyclust.scale.space import Space
from polyclust.search.criteria import call_criterion, dunn
from polyclust.search.distances import measure_distances, refuse_flat_rows

__all__ = ["score_labels"]


def score_labels(
    criterion: str | Callable[..., float], raw: NDArray[np.float64], labels: NDArray[np.intp], space: Space
) -> float:
    """The score for GridSearchCV; labels with fewer than two clusters score worst."""
    if len(np.unique(labels)) < 2:
        return -np.inf if criterion != "silhouette" else -1.0
    rows = space.seen_by(criterion).locate(raw)
    if callable(criterion):
        return call_criterion(criterion, rows, labels)
    if criterion == "calinski_harabasz":
        return float(metrics.calinski_harabasz_score(rows, labels))
    if criterion == "davies_bouldin":
        return -float(metrics.davies_bouldin_score(rows, labels))
    if space.metric == "precomputed":
        raise ValueError('score needs distances between the rows, which distance="precomputed" does not give here.')
    refuse_flat_rows(rows, np.ones(len(rows)), space.metric)
    if criterion == "dunn":
        return dunn(measure_distances(rows, space.metric), labels)
    compared, metric = space.compare(raw)
    return float(metrics.silhouette_score(compared, labels, metric=metric))
