"""Small fitted models for the pictures: real tables, features, hyperplanes and explanations, no search."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import silhouette_score

from polyclust.explain.build import build_explanation
from polyclust.explain.rows import read_rows
from polyclust.geometry.hyperplane import Hyperplane, build_polytopes, place_rows
from polyclust.scale.space import Space
from polyclust.table.encode import fit_encoder


@dataclass(frozen=True)
class Step:
    move: str
    score: float
    n_clusters: int
    phase: str = "search"


class FittedModel(BaseEstimator):
    """What the pictures need of a fitted PolytopeClustering, made from given hyperplanes."""

    def __init__(self, n_clusters="auto", distance="euclidean", criterion="silhouette"):
        self.n_clusters = n_clusters
        self.distance = distance
        self.criterion = criterion

    def fit(self, X: Any, hyperplanes: list[Hyperplane], n_clusters: int, names=(), outside="nearest"):
        columns, table = fit_encoder(X)
        self._columns, self._space = columns, Space(table.features, self.distance)
        self.n_clusters_ = n_clusters
        self.hyperplanes_ = tuple(hyperplanes)
        self.polytopes_ = build_polytopes(hyperplanes, n_clusters)
        self.labels_ = place_rows(table.raw, hyperplanes, n_clusters, outside)
        self.explanation_ = build_explanation(
            columns,
            table.features,
            hyperplanes,
            table.raw,
            self.labels_,
            outside=outside,
            names=names or None,
        )
        self.score_ = float(silhouette_score(table.scaled, self.labels_))
        self.scores_ = {2: 0.4, n_clusters: self.score_}
        self.history_ = (Step("split", 0.3, 2), Step("shift", 0.35, 2), Step("split", self.score_, 3))
        return self

    def predict(self, X: Any):
        return self.explanation_.predict(X)

    def _locate(self, X: Any):
        return self._space.locate(self._encode_explaining(X)), self._space.known_metric

    def _encode_explaining(self, X: Any):
        return read_rows(X, self.explanation_.columns, self.explanation_.features)

    def scaled(self, X: Any):
        features = self.explanation_.features
        raw = self._encode_explaining(X)
        return (raw - [f.offset for f in features]) / [f.scale for f in features]


def separate(raw, labels, directions, units=None) -> list[Hyperplane]:
    """For every pair of clusters the direction with the widest relative gap and the middle of that gap."""
    units = np.ones(raw.shape[1]) if units is None else np.asarray(units)
    planes = []
    for i, j in itertools.combinations(np.unique(labels), 2):
        best = max((_gap(raw / units, labels, i, j, w) for w in directions), key=lambda g: g[0])
        width, w, middle, above, below = best
        assert width > 0, f"clusters {i} and {j} cannot be told apart"
        used = np.flatnonzero(w)
        one = len(used) == 1
        planes.append(
            Hyperplane(
                tuple(int(f) for f in used),
                tuple(float(w[f]) for f in used),
                tuple(1.0 if one else float(units[f]) for f in used),
                float(middle * units[used[0]]) if one else float(middle),
                float(np.linalg.norm(w)),
                int(above),
                int(below),
            )
        )
    return planes


def _gap(raw, labels, i, j, w):
    w = np.asarray(w, dtype=float)
    value = raw @ w
    first, second = value[labels == i], value[labels == j]
    up = (first.min() - second.max(), w, (first.min() + second.max()) / 2, i, j)
    down = (second.min() - first.max(), w, (second.min() + first.max()) / 2, j, i)
    width, *rest = max(up, down, key=lambda g: g[0])
    return (width / np.ptp(value), *rest)


def axes_of(n: int) -> list[list[float]]:
    """The axis-parallel directions."""
    return np.eye(n).tolist()
