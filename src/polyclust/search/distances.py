"""Distances between rows as one float32 matrix."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import euclidean_distances

from polyclust.table.features import Feature

__all__ = ["check_precomputed", "gower_coordinates", "measure_distances"]

Floats = NDArray[np.float64]
ROWS_AT_ONCE = 1024


def measure_distances(coordinates: Floats, metric: str, others: Floats | None = None) -> NDArray[np.float32]:
    """(n, n), or (n, m) to other rows, in blocks: nothing else of order n squared is held."""
    targets = coordinates if others is None else others
    distances = np.empty((len(coordinates), len(targets)), dtype=np.float32)
    if metric == "euclidean":
        center = targets.mean(axis=0)
        coordinates, targets = coordinates - center, targets - center
    for start in range(0, len(coordinates), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        distances[block] = _measure_block(coordinates[block], targets, metric)
    if others is None:
        np.fill_diagonal(distances, 0.0)
    return distances


def gower_coordinates(raw: Floats, features: Sequence[Feature]) -> Floats:
    """Coordinates whose city-block distance is Gower's: the mean over columns of range-scaled differences."""
    n_columns = len({f.column.label for f in features})
    share = np.array([0.5 if f.kind == "level" else 1.0 for f in features]) / n_columns
    low = np.array([f.low for f in features])
    span = np.array([f.high - f.low for f in features])
    return np.asarray((raw - low) / span * share, dtype=np.float64)


def check_precomputed(distances: Any, n_rows: int) -> NDArray[np.float32]:
    """A square, symmetric, non-negative matrix, or a ValueError."""
    if distances is None:
        raise ValueError('distance="precomputed" needs the distances: fit(X, distances=D).')
    matrix = np.asarray(distances, dtype=np.float32)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"distances must be a square matrix; got the shape {matrix.shape}.")
    if len(matrix) != n_rows:
        raise ValueError(f"distances has {len(matrix)} rows and X has {n_rows}; they must be the same rows.")
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError("distances must be finite and not negative.")
    if not np.allclose(matrix, matrix.T, rtol=1e-4, atol=1e-6):
        raise ValueError("distances must be symmetric; use (D + D.T) / 2 if the difference is rounding.")
    if np.abs(np.diagonal(matrix)).max() > 1e-6:
        raise ValueError("distances must be 0 on the diagonal.")
    return matrix


def _measure_block(block: Floats, targets: Floats, metric: str) -> Floats:
    if metric == "euclidean":
        return euclidean_distances(block, targets)  # type: ignore[no-any-return]
    if metric == "gower":
        metric = "cityblock"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*converted to boolean.*")
        return pairwise_distances(block, targets, metric=metric)  # type: ignore[no-any-return]
