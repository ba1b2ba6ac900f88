"""The half-space of one or two terms where rows gain most: all directions, thresholds between bins."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from benchmarks.limits.best import Array
from benchmarks.limits.noise import Mask, list_directions
from benchmarks.problem import Floats

N_BINS = 512


@dataclass(frozen=True)
class HalfSpace:
    """Below a threshold along a direction, or not below it."""

    direction: Floats
    threshold: float
    is_below: bool

    def holds(self, rows: Floats) -> Mask:
        """Which of the rows it holds."""
        terms = np.flatnonzero(self.direction)
        return np.asarray((rows[:, terms] @ self.direction[terms] < self.threshold) == self.is_below)


class Finder:
    """Half-spaces for given rows."""

    def __init__(self, rows: Floats) -> None:
        self.rows = rows
        self.directions = list_directions(rows.shape[1])
        ends = [np.flatnonzero(direction)[[0, -1]] for direction in self.directions]
        self.features = np.array(ends)
        self.coefficients = np.take_along_axis(self.directions, self.features, axis=1)
        self.coefficients[self.features[:, 0] == self.features[:, 1], 1] = 0.0

    def find(self, gains: Floats) -> HalfSpace | None:
        """About the best of all; None where no row gains or loses anything."""
        counted = np.flatnonzero(gains)
        if not len(counted):
            return None
        columns = np.ascontiguousarray(self.rows[counted].T)
        found = np.empty((3, len(self.directions)))
        weigh_half_spaces(columns, gains[counted], self.features, self.coefficients, *found)
        best = int(found[0].argmax())
        return HalfSpace(self.directions[best], float(found[1, best]), bool(found[2, best]))


@numba.njit(cache=True, error_model="numpy")
def weigh_half_spaces(
    columns: Array, gains: Array, features: Array, coefficients: Array, best: Array, thresholds: Array, is_below: Array
) -> None:
    """Along every direction the half-space whose rows gain most, by sums in bins of equal width."""
    n_features, n_rows = columns.shape
    lows, highs = np.empty(n_features), np.empty(n_features)
    for f in range(n_features):
        lows[f], highs[f] = columns[f].min(), columns[f].max()
    total = gains.sum()
    bins = np.empty(n_rows, dtype=np.int32)
    sums = np.empty(N_BINS)
    for d in range(features.shape[0]):
        f, g = features[d]
        a, b = coefficients[d]
        low = min(a * lows[f], a * highs[f]) + min(b * lows[g], b * highs[g])
        high = max(a * lows[f], a * highs[f]) + max(b * lows[g], b * highs[g])
        scale = (N_BINS - 0.5) / (high - low if high > low else 1.0)
        x, y = columns[f], columns[g]
        for r in range(n_rows):
            bins[r] = np.int32((a * x[r] + b * y[r] - low) * scale)
        sums[:] = 0.0
        for r in range(n_rows):
            sums[bins[r]] += gains[r]
        below, best_below, best_above, at_below, at_above = 0.0, -np.inf, -np.inf, 0, 0
        for p in range(N_BINS):
            below += sums[p]
            if below > best_below:
                best_below, at_below = below, p
            if total - below > best_above:
                best_above, at_above = total - below, p
        is_low = best_below >= best_above
        best[d] = best_below if is_low else best_above
        thresholds[d] = low + ((at_below if is_low else at_above) + 1) / scale
        is_below[d] = is_low
