"""A finite slack weight: the criterion less the price of rows on the wrong side of the best hyperplanes.

objective = criterion - slack_weight * (sum over pairs of the least hinge error) / (number of rows)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.hinge import PairHyperplane, PairRows
from polyclust.hyperplanes.pair import separate_rows
from polyclust.hyperplanes.pricing import ErrorFinder
from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.fates import Counting
from polyclust.search.partition import Ints, Partition
from polyclust.search.points import Points, SubsetOrders
from polyclust.search.scoring import Scorer

__all__ = ["PairErrors", "SlackScorer"]

Floats = NDArray[np.float64]


class PairErrors:
    """The best hyperplane of every pair of clusters, remembered by the rows of the pair.

    Once there are no ``seconds_left``, one term has to do for pairs that are not known yet.
    """

    def __init__(
        self,
        points: Points,
        space: Floats,
        max_terms: int | None,
        max_coefficient: int | None,
        margin: float | None,
        seconds_left: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.points = points
        self.space = space
        self.limits = max_terms, max_coefficient
        self.margin = margin
        self.seconds_left = seconds_left
        self._known: dict[tuple[bytes, bytes], PairHyperplane] = {}
        self._errors: dict[tuple[bytes, bytes], float] = {}
        self._at_least: dict[tuple[bytes, bytes], float] = {}

    @cached_property
    def _finder(self) -> ErrorFinder | None:
        """Where coefficients are whole, what finds errors without hyperplanes."""
        terms, coefficient = self.limits
        return None if coefficient is None else ErrorFinder(self.space.shape[1], terms, coefficient, self.margin)

    def separate(self, first: Ints, second: Ints) -> PairHyperplane:
        """The hyperplane of least error with ``first`` above."""
        if first[0] > second[0]:
            return self.separate(second, first).reverse()
        key = _name(first, second)
        if key not in self._known:
            seconds = self.seconds_left()
            if seconds == 0.0:
                return self._separate(first, second, max_terms=1)
            self._known[key] = self._separate(first, second, time_limit=seconds)
            self._errors[key] = self._known[key].error
        return self._known[key]

    def find_error(self, first: Ints, second: Ints, most: float = np.inf) -> float:
        """The least error, or ``most`` if it is no less, of two clusters in the order of their lowest rows."""
        key = _name(first, second)
        if key in self._errors:
            return self._errors[key]
        if self._finder is None or self.seconds_left() == 0.0:
            return self.separate(first, second).error
        if self._at_least.get(key, 0.0) >= most:
            return most
        error = self._finder.find(self._collect(first, second), most)
        if error < most:
            self._errors[key] = error
        else:
            self._at_least[key] = most
        return error

    def _separate(self, first: Ints, second: Ints, **limits: Any) -> PairHyperplane:
        terms, coefficient = self.limits
        asked = {"max_terms": terms, "max_coefficient": coefficient, "margin": self.margin, "node_limit": 0, **limits}
        return separate_rows(self._collect(first, second), **asked)

    def _collect(self, first: Ints, second: Ints) -> PairRows:
        both = np.concatenate([first, second])
        return PairRows(self.space[both], self.points.weights[both], len(first))

    def total(self, partition: Partition, most: float = np.inf) -> float:
        """The errors of all pairs, per row; of some pairs only where these come to ``most`` or more.

        Pairs that are known come first, since they cost nothing.
        """
        clusters = sorted((partition.rows_of(k) for k in range(partition.n_clusters)), key=lambda rows: int(rows[0]))
        pairs = list(itertools.combinations(clusters, 2))
        pairs.sort(key=lambda pair: _name(*pair) not in self._errors)
        total, most = 0.0, most * self.points.total_weight
        for first, second in pairs:
            if total >= most:
                break
            total += self.find_error(first, second, most - total)
        return total / self.points.total_weight


def _name(first: Ints, second: Ints) -> tuple[bytes, bytes]:
    return first.tobytes(), second.tobytes()


class SlackScorer:
    """Another scorer's criterion less the price of errors. Sweeps give the criterion alone: an upper bound."""

    def __init__(self, base: Scorer, errors: PairErrors, slack_weight: float) -> None:
        self.base = base
        self.points = base.points
        self.bounds = base.bounds
        self.errors = errors
        self.slack_weight = slack_weight

    def start(self, labels: Ints, n_clusters: int) -> Partition:
        return self._charge(self.base.start(labels, n_clusters))

    def change(self, partition: Partition, labels: Ints, n_clusters: int, floor: float = IMPOSSIBLE) -> Partition:
        return self._charge(self.base.change(partition, labels, n_clusters), floor)

    def merge(self, partition: Partition, i: int, j: int) -> Partition:
        return self._charge(self.base.merge(partition, i, j))

    def score_merges(self, partition: Partition, pairs: Sequence[tuple[int, int]]) -> Floats:
        return self.base.score_merges(partition, pairs)

    def neighbours(self, partition: Partition) -> Ints:
        return self.base.neighbours(partition)

    def fates(self, partition: Partition, counting: Counting) -> Floats:
        return self.base.fates(partition, counting)

    def scan(
        self, partition: Partition, i: int, j: int | None, orders: SubsetOrders, floor: float = IMPOSSIBLE
    ) -> Floats:
        return self.base.scan(partition, i, j, orders, floor)

    def _charge(self, partition: Partition, floor: float = IMPOSSIBLE) -> Partition:
        if partition.n_clusters < 2 or self.slack_weight == 0.0 or partition.score <= floor:
            return partition
        errors = self.errors.total(partition, (partition.score - floor) / self.slack_weight)
        return replace(partition, score=partition.score - self.slack_weight * errors)
