"""The criterion of labels on rows as they are, as scikit-learn computes it where it has it; larger is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from polyclust.search.criteria import dunn
from polyclust.search.distances import measure_distances
from polyclust.table.features import Feature

__all__ = ["score_labels"]


def score_labels(
    criterion: str | Callable[..., float], space: NDArray[np.float64], labels: NDArray[np.intp], distance: str,
    features: Sequence[Feature],
) -> float:  # fmt: skip
    """The score for GridSearchCV; labels with fewer than two clusters score worst."""
    if len(np.unique(labels)) < 2:
        return -np.inf if criterion != "silhouette" else -1.0
    if callable(criterion):
        return float(criterion(space, labels))
    if criterion == "calinski_harabasz":
        return float(metrics.calinski_harabasz_score(space, labels))
    if criterion == "davies_bouldin":
        return -float(metrics.davies_bouldin_score(space, labels))
    if distance == "precomputed":
        raise ValueError('score needs distances between the rows, which distance="precomputed" does not give here.')
    if criterion == "dunn":
        return dunn(measure_distances(_gower(space, features, distance), distance), labels)
    arguments: dict[str, Any] = {"metric": "cityblock" if distance == "gower" else distance}
    return float(metrics.silhouette_score(_gower(space, features, distance), labels, **arguments))


def _gower(space: NDArray[np.float64], features: Sequence[Feature], distance: str) -> NDArray[np.float64]:
    if distance != "gower":
        return space
    n_columns = len({f.column.label for f in features})
    share = np.array([0.5 if f.kind == "level" else 1.0 for f in features]) / n_columns
    span = np.array([f.high - f.low for f in features])
    scale = np.array([f.scale for f in features])
    return np.asarray(space * scale / span * share, dtype=np.float64)
