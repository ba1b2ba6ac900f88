"""What a hyperplane between two clusters costs: hinge errors, the margin, the best intercept.

A hyperplane (w, b) has one cluster above it and the other below. With a margin eps > 0 a row x costs

    max(-(w.x + b), 0)         if it belongs above         (it should have  w.x + b >= 0)
    max(w.x + b + eps, 0)      if it belongs below         (it should have  w.x + b <= -eps)

Reversing a hyperplane, (w, b) -> (-w, -b - eps), swaps the two clusters and changes no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.hinge import find_threshold

Floats = NDArray[np.float64]

__all__ = ["PRECISION", "PairHyperplane", "PairRows", "choose_margin", "fit_intercept"]

PRECISION = 1e-9
"""Differences below this share of the data's magnitude are rounding, not separation."""


@dataclass(frozen=True)
class PairHyperplane:
    """The hyperplane found between two clusters, and how sure we are that none is better.

    Parameters
    ----------
    w, b : the cluster called upper has w.x + b >= 0
    margin : eps of the errors
    error : the (weighted) sum of the hinge errors of the pair's rows
    status : "optimal", "time limit", "node limit" or "heuristic"
    gap : (error - proved lower bound) / error; 0 when optimal, 1 when nothing is proved
    method : "enumeration", "milp" or "lp"
    """

    w: Floats
    b: float
    margin: float
    error: float
    status: str
    gap: float
    method: str

    def errors_above(self, values: Floats) -> Floats:
        """What each row would cost above: xi_plus."""
        return np.asarray(np.maximum(-(values @ self.w + self.b), 0.0), dtype=np.float64)

    def errors_below(self, values: Floats) -> Floats:
        """What each row would cost below: xi_minus."""
        return np.asarray(np.maximum(values @ self.w + self.b + self.margin, 0.0), dtype=np.float64)

    def reverse(self) -> PairHyperplane:
        """The same hyperplane with the two clusters swapped; every row costs what it did."""
        return replace(self, w=-self.w, b=-self.b - self.margin)


@dataclass(frozen=True)
class PairRows:
    """The rows of two clusters, equal rows of a side collapsed: upper rows first, then lower rows."""

    values: Floats
    weights: Floats
    n_upper: int

    @classmethod
    def collect(
        cls,
        upper: Floats,
        lower: Floats,
        upper_weights: Floats | None = None,
        lower_weights: Floats | None = None,
    ) -> PairRows:
        """Collapse duplicates into weights and drop rows of weight 0."""
        above, above_weights = _collapse(upper, upper_weights)
        below, below_weights = _collapse(lower, lower_weights)
        if not len(above) or not len(below):
            raise ValueError("A hyperplane needs rows of positive weight on both sides; one side has none.")
        return cls(np.vstack([above, below]), np.concatenate([above_weights, below_weights]), len(above))

    @property
    def upper(self) -> Floats:
        """Rows that belong above."""
        return self.values[: self.n_upper]

    @property
    def lower(self) -> Floats:
        """Rows that belong below."""
        return self.values[self.n_upper :]

    @property
    def sides(self) -> Floats:
        """-1 for rows that belong above, +1 for rows that belong below."""
        return np.where(np.arange(len(self.values)) < self.n_upper, -1.0, 1.0)

    def mean_difference(self) -> Floats:
        """Upper mean - lower mean."""
        above, below = self.weights[: self.n_upper], self.weights[self.n_upper :]
        return np.asarray(above @ self.upper / above.sum() - below @ self.lower / below.sum(), dtype=np.float64)


def _collapse(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    values = np.ascontiguousarray(values, dtype=np.float64)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    values, weights = values[weights > 0.0], weights[weights > 0.0]
    if not len(values):
        return values, weights
    distinct, places = np.unique(values, axis=0, return_inverse=True)
    totals = np.bincount(places.ravel(), weights=weights, minlength=len(distinct))
    return distinct, totals.astype(np.float64)


def choose_margin(values: Floats) -> float:
    """A sound eps for these rows: half of the smallest separation that one feature makes.

    The paper asks for the smallest non-zero distance of two points along any feasible hyperplane. Along a
    single feature that is the smallest difference of two of its values; half of it leaves room for rounding
    and keeps every separation by one feature free of cost. Sums of features can come closer than that, down
    to rounding, so for them the margin is a price, not a proof: a separation narrower than eps costs less
    than eps per row, and rows that w does not tell apart at all cost the full eps. A margin at the level of
    rounding would make such a useless w almost free. Differences below PRECISION of a column's magnitude do
    not count.
    """
    values = np.asarray(values, dtype=np.float64)
    magnitudes = np.abs(values).max(axis=0)
    steps = np.diff(np.sort(values, axis=0), axis=0)
    real = steps[steps > PRECISION * magnitudes]
    if not real.size:
        return 1.0
    return max(0.5 * float(real.min()), PRECISION * float(magnitudes.max()))


def fit_intercept(rows: PairRows, w: Floats, margin: float) -> tuple[float, float]:
    """The best b for a given w, and the error: -b is a weighted order statistic (see kernels.hinge)."""
    sides = rows.sides
    keys = rows.values @ w + margin * (sides > 0.0)
    threshold, error = find_threshold(keys, sides, rows.weights, np.empty((2, len(keys))))
    return -float(threshold), float(error)
