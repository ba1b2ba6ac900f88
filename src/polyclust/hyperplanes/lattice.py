"""The lattice of directions: integer vectors with few terms and small coefficients.

One of w and -w is enough, so the first coefficient is positive. Primitive vectors (coefficients without a common
divisor) give every direction once; the integer program with a fixed margin needs the others too.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Directions", "count_directions", "list_along", "list_directions"]

ABSENT = -1


@dataclass(frozen=True)
class Directions:
    """D directions of at most T terms.

    features : int32 (D, T), indexes of the features, padded with -1
    coefficients : float64 (D, T), padded with 0
    """

    features: NDArray[np.int32]
    coefficients: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.features)

    @cached_property
    def longest(self) -> float:
        """The largest sum of the sizes of a direction's coefficients."""
        return float(np.abs(self.coefficients).sum(axis=1).max(initial=0.0))

    def take(self, positions: NDArray[np.intp]) -> Directions:
        """Some of them."""
        return Directions(self.features[positions], self.coefficients[positions])

    def join(self, other: Directions) -> Directions:
        """These, then those."""
        width = max(self.features.shape[1], other.features.shape[1])
        a, b = self.widen(width), other.widen(width)
        return Directions(np.vstack([a.features, b.features]), np.vstack([a.coefficients, b.coefficients]))

    def widen(self, n_terms: int) -> Directions:
        """The same with room for more terms."""
        if n_terms == self.features.shape[1]:
            return self
        pad = ((0, 0), (0, n_terms - self.features.shape[1]))
        return Directions(np.pad(self.features, pad, constant_values=ABSENT), np.pad(self.coefficients, pad))

    def terms(self, position: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Features and coefficients of one direction."""
        used = self.features[position] != ABSENT
        return (
            tuple(self.features[position][used].tolist()),
            tuple(self.coefficients[position][used].tolist()),
        )

    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(D, n): every row along every direction, summed term by term as a hyperplane does."""
        columns = np.ascontiguousarray(values.T)
        total = columns[self.features[:, 0]]
        total *= self.coefficients[:, :1]
        for term in range(1, self.features.shape[1]):
            used = self.features[:, term] != ABSENT
            if used.all():
                more = columns[self.features[:, term]]
                more *= self.coefficients[:, term, None]
                total += more
            else:
                total[used] += self.coefficients[used, term, None] * columns[self.features[used, term]]
        return total


def count_directions(n_features: int, max_terms: int | None, max_coefficient: int) -> int:
    """How many vectors up to sign, primitive or not."""
    most = min(max_terms or n_features, n_features)
    return sum(math.comb(n_features, t) * (2 * max_coefficient) ** t // 2 for t in range(1, most + 1))


@lru_cache(maxsize=16)
def list_directions(n_features: int, max_terms: int | None, max_coefficient: int, primitive: bool = True) -> Directions:
    """All of them: axes first, then two terms, and so on."""
    most = min(max_terms or n_features, n_features)
    parts = [_directions_of(n_features, t, max_coefficient, primitive) for t in range(1, most + 1)]
    return Directions(
        np.vstack([p.widen(most).features for p in parts]),
        np.vstack([p.widen(most).coefficients for p in parts]),
    )


def list_along(features: NDArray[np.intp], max_terms: int, max_coefficient: int) -> Directions:
    """All of them along some features, which ascend."""
    every = list_directions(len(features), max_terms, max_coefficient)
    return Directions(np.append(features, ABSENT).astype(np.int32)[every.features], every.coefficients)


def _directions_of(n_features: int, n_terms: int, max_coefficient: int, primitive: bool) -> Directions:
    choices = np.array(list(itertools.combinations(range(n_features), n_terms)), dtype=np.int32)
    patterns = _patterns(n_terms, max_coefficient, primitive)
    return Directions(np.repeat(choices, len(patterns), axis=0), np.tile(patterns, (len(choices), 1)))


@lru_cache(maxsize=32)
def _patterns(n_terms: int, max_coefficient: int, primitive: bool) -> NDArray[np.float64]:
    sizes = range(1, max_coefficient + 1)
    signed = [*sizes, *(-s for s in sizes)]
    patterns = [(first, *rest) for first in sizes for rest in itertools.product(signed, repeat=n_terms - 1)]
    kept = [p for p in patterns if not primitive or math.gcd(*p) == 1]
    return np.array(sorted(kept, key=lambda p: (sum(abs(c) for c in p), [-c for c in p])), dtype=np.float64)
