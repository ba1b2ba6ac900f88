"""Hyperplanes in the user's units. THE sign rule lives here and nowhere else.

A hyperplane compares  value(x) = sum of coefficient * (x / unit)  with a threshold:

    x is above  <=>  value(x) >= threshold          x is below  <=>  value(x) < threshold

The sum is formed term by term, in the stored order, in float64, so that SQL, Python and numpy agree to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

__all__ = [
    "OUTSIDE",
    "ROWS_AT_ONCE",
    "Hyperplane",
    "Polytope",
    "build_polytopes",
    "evaluate",
    "find_members",
    "measure_violation",
    "place_rows",
]

OUTSIDE = ("nearest", "none")  # what may become of rows in no polytope
ROWS_AT_ONCE = 20_000  # raw rows that are worked on together, so that what is made of them stays small and close


@dataclass(frozen=True, slots=True)
class Hyperplane:
    """What tells cluster ``above`` from cluster ``below``.

    Parameters
    ----------
    features : indexes into the features that explain (columns of the raw matrix)
    coefficients : one per feature, the first positive; whole numbers unless the family is general
    units : one divisor per feature; a hyperplane of one term has coefficient 1 and unit 1
    threshold : the least value that counts as above
    norm : length of the normal vector in the scaled space, so that (value - threshold) / norm is a distance
    above, below : cluster labels
    """

    features: tuple[int, ...]
    coefficients: tuple[float, ...]
    units: tuple[float, ...]
    threshold: float
    norm: float
    above: int
    below: int

    @property
    def direction(self) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]:
        """What is summed, without the threshold."""
        return self.features, self.coefficients, self.units

    @property
    def pair(self) -> tuple[int, int]:
        """The two clusters, the lower label first."""
        return min(self.above, self.below), max(self.above, self.below)

    def value(self, raw: Floats) -> Floats:
        """The left-hand side for every row of the raw matrix."""
        total = self.coefficients[0] * (raw[:, self.features[0]] / self.units[0])
        for feature, coefficient, unit in zip(self.features[1:], self.coefficients[1:], self.units[1:], strict=True):
            total = total + coefficient * (raw[:, feature] / unit)
        return total

    def is_above(self, raw: Floats) -> Bools:
        """Which rows are above."""
        return self.compare(self.value(raw))

    def compare(self, values: Floats) -> Bools:
        """THE sign rule, for left-hand sides."""
        return values >= self.threshold

    def distance(self, raw: Floats) -> Floats:
        """Signed distance in the scaled space, positive above."""
        return (self.value(raw) - self.threshold) / self.norm


@dataclass(frozen=True, slots=True)
class Polytope:
    """The intersection of the half-spaces of one cluster: (hyperplane, whether the cluster is above it)."""

    cluster: int
    halfspaces: tuple[tuple[Hyperplane, bool], ...]

    def contains(self, raw: Floats) -> Bools:
        """Which rows lie inside."""
        inside = np.ones(len(raw), dtype=bool)
        for hyperplane, is_upper in self.halfspaces:
            inside &= hyperplane.is_above(raw) == is_upper
        return inside


def build_polytopes(hyperplanes: Sequence[Hyperplane], n_clusters: int) -> tuple[Polytope, ...]:
    """One polytope per cluster from the hyperplanes of all pairs."""
    return tuple(
        Polytope(k, tuple((h, h.above == k) for h in hyperplanes if k in (h.above, h.below))) for k in range(n_clusters)
    )


def evaluate(raw: Floats, hyperplanes: Sequence[Hyperplane]) -> Iterator[tuple[Hyperplane, Floats]]:
    """Every hyperplane with its left-hand side; those that share one share the work."""
    known: dict[object, Floats] = {}
    for h in hyperplanes:
        if h.direction not in known:
            known[h.direction] = h.value(raw)
        yield h, known[h.direction]


def find_members(raw: Floats, hyperplanes: Sequence[Hyperplane], n_clusters: int) -> Bools:
    """The n x K membership matrix: row t lies in polytope k."""
    members = np.ones((n_clusters, len(raw)), dtype=bool)
    for start in range(0, len(raw), ROWS_AT_ONCE):
        piece = slice(start, start + ROWS_AT_ONCE)
        for h, values in evaluate(raw[piece], hyperplanes):
            above = h.compare(values)
            members[h.above, piece] &= above
            members[h.below, piece] &= ~above
    return members.T


def measure_violation(raw: Floats, hyperplanes: Sequence[Hyperplane], n_clusters: int) -> Floats:
    """n x K: the sum of distances by which the row is on the wrong side of k's hyperplanes."""
    violation = np.zeros((len(raw), n_clusters))
    for h in hyperplanes:
        distance = h.distance(raw)
        violation[:, h.above] += np.maximum(-distance, 0.0)
        violation[:, h.below] += np.maximum(distance, 0.0)
    return violation


def place_rows(
    raw: Floats, hyperplanes: Sequence[Hyperplane], n_clusters: int, outside: str = "nearest"
) -> NDArray[np.intp]:
    """The polytope that holds each row; rows in none go to the least violation or get -1."""
    members = find_members(raw, hyperplanes, n_clusters)
    labels = np.where(members.any(axis=1), members.argmax(axis=1), -1).astype(np.intp)
    lost = np.flatnonzero(labels < 0)
    if outside == "nearest" and lost.size:
        labels[lost] = measure_violation(raw[lost], hyperplanes, n_clusters).argmin(axis=1)
    return labels
