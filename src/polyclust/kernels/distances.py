"""Numba kernels that finish Euclidean distances where a matrix product has begun them: |a - b|² = |a|² + |b|² - 2 a·b.

One pass over the products instead of one for every term, and nothing is held beside them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["root_products", "sum_roots"]

Array = NDArray[Any]


@njit(cache=True, nogil=True, error_model="numpy")
def root_products(products: Array, squares: Array, other_squares: Array, distances: Array) -> None:
    """distances[r, c] from the product of row r and other row c, and their squared lengths."""
    for r in range(products.shape[0]):
        for c in range(products.shape[1]):
            squared = squares[r] + other_squares[c] - 2.0 * products[r, c]
            distances[r, c] = np.sqrt(max(squared, 0.0))


@njit(cache=True, nogil=True, error_model="numpy")
def sum_roots(
    products: Array, squares: Array, other_squares: Array, labels: Array, weights: Array, sums: Array
) -> None:
    """Add to sums[k, c] the weighted distances from the rows of cluster k to other row c."""
    for r in range(products.shape[0]):
        k, weight = labels[r], weights[r]
        for c in range(products.shape[1]):
            squared = squares[r] + other_squares[c] - 2.0 * products[r, c]
            sums[k, c] += weight * np.sqrt(max(squared, 0.0))
