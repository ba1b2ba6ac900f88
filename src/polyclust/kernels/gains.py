"""Half-spaces in which rows gain most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from polyclust.kernels.separating import RELATIVE_GAP

__all__ = ["weigh_half_spaces"]

Array = NDArray[Any]
N_BINS = 256


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_half_spaces(
    columns: Array, rows: Array, gains: Array, features: Array, coefficients: Array, best: Array, thresholds: Array,
    is_low: Array,
) -> None:  # fmt: skip
    """best[d]: about the most that some rows gain on one side of a cut along direction d, with rows on both sides.

    columns (F, n) has a row for every feature, gains one for every of the rows; directions have one or two terms, an
    absent one the coefficient 0. The cut is between bins of equal width: below thresholds[d] if is_low[d], else at
    it or above. Minus infinity where all rows lie together, as far as sums can tell.
    """
    n_rows = rows.shape[0]
    along, sums = np.empty(n_rows), np.empty(N_BINS)
    total = gains.sum()
    near = _gather(columns, rows, features)
    for d in range(features.shape[0]):
        x, y = near[features[d, 0]], near[features[d, 1]]
        a, b = coefficients[d, 0], coefficients[d, 1]
        low, high = np.inf, -np.inf
        for r in range(n_rows):
            along[r] = a * x[r] + b * y[r]
        for r in range(n_rows):
            low, high = min(low, along[r]), max(high, along[r])
        best[d], thresholds[d], is_low[d] = -np.inf, low, False
        scale = (N_BINS - 0.5) / (high - low)
        if not (high - low > RELATIVE_GAP * max(abs(low), abs(high)) and 0.0 < scale < np.inf):
            continue
        sums[:] = 0.0
        for r in range(n_rows):
            sums[int((along[r] - low) * scale)] += gains[r]
        below = 0.0
        for p in range(N_BINS - 1):
            below += sums[p]
            if max(below, total - below) > best[d]:
                best[d] = max(below, total - below)
                thresholds[d] = low + (p + 1) / scale
                is_low[d] = below >= total - below


@njit(cache=True, nogil=True, error_model="numpy")
def _gather(columns: Array, rows: Array, features: Array) -> Array:
    """Some rows of the columns that are used, close together in memory."""
    near = np.empty((columns.shape[0], rows.shape[0]))
    is_used = np.zeros(columns.shape[0], dtype=np.bool_)
    for f in features.ravel():
        if not is_used[f]:
            is_used[f] = True
            for r in range(rows.shape[0]):
                near[f, r] = columns[f, rows[r]]
    return near
