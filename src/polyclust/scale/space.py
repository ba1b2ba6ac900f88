"""The clustering space: from raw values of the features to the coordinates between which distances are measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.search.distances import gower_coordinates
from polyclust.table.encode import EncodedTable
from polyclust.table.features import Feature

__all__ = ["Space"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Space:
    """The features that distances use, and the metric."""

    features: tuple[Feature, ...]
    metric: str

    def locate(self, rows: Floats) -> Floats:
        """Coordinates of rows that are given by their raw values."""
        if self.metric == "gower":
            return gower_coordinates(rows, self.features)
        return EncodedTable(self.features, rows).scaled
