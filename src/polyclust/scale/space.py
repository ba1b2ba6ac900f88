"""The clustering space: from raw values of the features to the coordinates between which distances are measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.scale.blocks import Blocks
from polyclust.scale.whitening import WHITENED, fit_transform, whiten
from polyclust.search.distances import as_compared, gower_coordinates
from polyclust.table.encode import EncodedTable
from polyclust.table.features import Feature

__all__ = ["Space", "fit_space", "restore_space"]

Floats = NDArray[np.float64]

OF_DISTANCES = ("silhouette", "dunn")  # criteria; all others are of scaled features


@dataclass(frozen=True)
class Space:
    """The features that distances use, the metric between coordinates, and the transform that makes it Euclidean."""

    features: tuple[Feature, ...]
    metric: str
    transform: Floats | None = None

    @property
    def known_metric(self) -> str:
        """The metric between coordinates as scikit-learn calls it."""
        return "cityblock" if self.metric == "gower" else self.metric

    def locate(self, rows: Floats) -> Floats:
        """Coordinates of rows that are given by their raw values."""
        if self.transform is not None:
            return whiten(rows, self.features, self.transform)
        if self.metric == "gower":
            return gower_coordinates(rows, self.features)
        return EncodedTable(self.features, rows).scaled

    def compare(self, rows: Floats) -> tuple[NDArray[Any], str]:
        """Coordinates of rows that are given by their raw values, and the metric, as scikit-learn takes both."""
        return as_compared(self.locate(rows), self.known_metric), self.known_metric

    def seen_by(self, criterion: str | Callable[..., float]) -> Space:
        """The space that a criterion judges: one without distances has the scaled features as they are."""
        if criterion in OF_DISTANCES or (self.transform is None and self.metric != "gower"):
            return self
        return Space(self.features, "euclidean")


def fit_space(blocks: Blocks, features: tuple[Feature, ...], distance: str) -> Space:
    """The space of a distance; the transform of seuclidean and mahalanobis is that of all rows in the blocks."""
    if distance not in WHITENED:
        return Space(features, distance)
    return Space(features, "euclidean", fit_transform(blocks, features, distance))


def restore_space(features: tuple[Feature, ...], distance: str, transform: Floats | None) -> Space:
    """The space that was fitted; without features where the transform that belongs to them is not known."""
    if distance not in WHITENED:
        return Space(features, distance)
    is_known = transform is not None and len(transform) == len(features)
    return Space(features if is_known else (), "euclidean", transform)
