"""Distances between rows as one float32 matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

from polyclust.kernels.distances import root_products, sum_roots
from polyclust.table.features import Feature

__all__ = [
    "as_compared",
    "check_precomputed",
    "gower_coordinates",
    "measure_distances",
    "measure_equal",
    "refuse_flat_rows",
    "sum_distances_to",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
ROWS_AT_ONCE = 1024
VALUES_AT_ONCE = 250_000  # of products, so that they stay close
UNDEFINED_AT_ZERO = ("braycurtis", "dice", "sokalsneath")  # 0 / 0 between two rows of zeros


def measure_distances(coordinates: Floats, metric: str, others: Floats | None = None) -> NDArray[np.float32]:
    """(n, n), or (n, m) to other rows, in blocks: nothing else of order n squared is held."""
    targets = coordinates if others is None else others
    distances = np.empty((len(coordinates), len(targets)), dtype=np.float32)
    if metric == "euclidean":
        for block, *begun in _begin_distances(coordinates, targets):
            root_products(*begun, distances[block])
    else:
        for start in range(0, len(coordinates), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            with np.errstate(over="ignore"):  # what float32 cannot hold is refused
                distances[block] = _measure_block(coordinates[block], targets, metric)
    if others is None:
        np.fill_diagonal(distances, 0.0)
    if metric != "euclidean":
        _refuse_undefined(distances, metric)
    return distances


def measure_equal(coordinates: Floats, metric: str) -> Floats:
    """(n,): the distance between a row and one that equals it, which two metrics do not call 0."""
    if metric == "cosine":  # rows of zeros have no direction; scikit-learn puts them 1 apart
        return np.asarray(~coordinates.any(axis=1), dtype=np.float64)
    if metric == "russellrao":
        return np.asarray((coordinates == 0).mean(axis=1), dtype=np.float64)
    return np.zeros(len(coordinates))


def refuse_flat_rows(coordinates: Floats, weights: Floats, metric: str) -> None:
    """Raise ValueError for rows that the metric cannot compare: with anything, or with others that equal them."""
    if metric == "correlation":
        is_flat, kind, allowed = (coordinates == coordinates[:, :1]).all(axis=1), "for rows of equal scaled values", 0
    elif metric in UNDEFINED_AT_ZERO:
        is_flat, kind, allowed = ~coordinates.any(axis=1), "between rows of scaled values that are all 0", 1
    else:
        return
    n_flat = float(weights[is_flat].sum())
    if n_flat > allowed:
        raise ValueError(
            f'distance="{metric}" is not defined {kind}, and there are {n_flat:g}; leave them out, or choose another '
            "metric."
        )


def sum_distances_to(others: Floats, coordinates: Floats, labels: Ints, weights: Floats, metric: str, k: int) -> Floats:
    """(k, m): for each of the others the weighted sums of its distances to the rows of every cluster."""
    sums = np.zeros((k, len(others)))
    if metric == "euclidean":
        for block, *begun in _begin_distances(coordinates, others):
            sum_roots(*begun, labels[block], weights[block], sums)
        return sums
    member = np.zeros((k, len(labels)), dtype=np.float32)
    member[labels, np.arange(len(labels))] = weights
    return np.asarray(member @ measure_distances(coordinates, metric, others), dtype=np.float64)


def _begin_distances(
    coordinates: Floats, others: Floats
) -> Iterator[tuple[slice, Floats, Floats, Floats, Floats, Floats]]:
    """Blocks of rows: products with the others and squared lengths of both, seen from the others' centre; both sets."""
    center = others.mean(axis=0)
    centred = others - center
    other_squares = np.einsum("ij,ij->i", centred, centred)
    n_rows = max(64, VALUES_AT_ONCE // max(len(others), 1))
    for start in range(0, len(coordinates), n_rows):
        block = slice(start, start + n_rows)
        rows = coordinates[block] - center
        squares = np.einsum("ij,ij->i", rows, rows)
        yield block, rows @ centred.T, squares, other_squares, coordinates[block], others


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
    try:
        given = np.asarray(distances)
        if given.dtype.kind == "c":
            raise TypeError
        matrix = given.astype(np.float32, copy=False)
    except (TypeError, ValueError):
        raise ValueError("distances must be a square matrix of numbers, one row and column per row of X.") from None
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


def as_compared(coordinates: Floats, metric: str) -> NDArray[Any]:
    """The coordinates as a metric takes them: scikit-learn makes booleans for some, and warns of it."""
    return coordinates.astype(bool) if metric in PAIRWISE_BOOLEAN_FUNCTIONS else coordinates


def _measure_block(block: Floats, targets: Floats, metric: str) -> Floats:
    if metric == "gower":
        metric = "cityblock"
    with np.errstate(divide="ignore", invalid="ignore"):
        return pairwise_distances(as_compared(block, metric), as_compared(targets, metric), metric=metric)  # type: ignore[no-any-return]


def _refuse_undefined(distances: NDArray[np.float32], metric: str) -> None:
    if not all(np.isfinite(row).all() for row in distances):  # row by row: nothing of the matrix' size is made
        raise ValueError(
            f'distance="{metric}" is not defined between some of these rows, as where squares are too large, or all '
            "values or their sums are 0; leave them out, or choose another metric."
        )
