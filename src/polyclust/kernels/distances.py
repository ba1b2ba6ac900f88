"""Numba kernels that finish Euclidean distances where a matrix product has begun them: |a - b|² = |a|² + |b|² - 2 a·b.

One pass over the products instead of one for every term, and nothing is held beside them. Where two rows lie much
closer to each other than to the centre, that difference is rounding, and their distance is measured directly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["root_products", "sum_roots"]

Array = NDArray[Any]
CANCELLED = 1e-7  # of |a|² + |b|²: what is left has lost so many digits that float32 would show it


@njit(cache=True, nogil=True, error_model="numpy")
def root_products(
    products: Array, squares: Array, other_squares: Array, rows: Array, others: Array, distances: Array
) -> None:
    """distances[r, c] from the product of row r and other row c, and their squared lengths."""
    for r in range(products.shape[0]):
        n_cancelled = 0
        for c in range(products.shape[1]):
            length = squares[r] + other_squares[c]
            squared = length - 2.0 * products[r, c]
            distances[r, c] = np.sqrt(max(squared, 0.0))
            n_cancelled += squared < CANCELLED * length
        for c in range(products.shape[1] if n_cancelled else 0):
            length = squares[r] + other_squares[c]
            if length - 2.0 * products[r, c] < CANCELLED * length:
                distances[r, c] = _measure_directly(rows[r], others[c])


@njit(cache=True, nogil=True, error_model="numpy")
def sum_roots(
    products: Array,
    squares: Array,
    other_squares: Array,
    rows: Array,
    others: Array,
    labels: Array,
    weights: Array,
    sums: Array,
) -> None:
    """Add to sums[k, c] the weighted distances from the rows of cluster k to other row c."""
    for r in range(products.shape[0]):
        k, weight, n_cancelled = labels[r], weights[r], 0
        for c in range(products.shape[1]):
            length = squares[r] + other_squares[c]
            squared = length - 2.0 * products[r, c]
            sums[k, c] += weight * np.sqrt(0.0 if squared < CANCELLED * length else squared)
            n_cancelled += squared < CANCELLED * length
        for c in range(products.shape[1] if n_cancelled else 0):
            length = squares[r] + other_squares[c]
            if length - 2.0 * products[r, c] < CANCELLED * length:
                sums[k, c] += weight * _measure_directly(rows[r], others[c])


@njit(cache=True, nogil=True, error_model="numpy")
def _measure_directly(row: Array, other: Array) -> float:
    squared = 0.0
    for f in range(len(row)):
        squared += (row[f] - other[f]) ** 2
    return np.sqrt(squared)  # type: ignore[no-any-return]
