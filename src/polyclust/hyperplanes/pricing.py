"""The least hinge errors of many pairs of clusters, one after the other, where the hyperplanes themselves do not matter.

That is much less work than to find them: a direction without error ends the scan, errors above what is asked for
need not be known, and directions that did well for other pairs, which are mostly alike, come first.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property

import numpy as np

from polyclust.hyperplanes.enumeration import find_least
from polyclust.hyperplanes.hinge import PairRows, choose_margin
from polyclust.hyperplanes.lattice import Directions, list_directions
from polyclust.hyperplanes.pair import count_listed_terms

__all__ = ["ErrorFinder"]

N_RECENT = 16


class ErrorFinder:
    """The same errors as of ``separate_rows`` with no nodes, for one lattice."""

    def __init__(self, n_features: int, max_terms: int | None, max_coefficient: int, margin: float | None) -> None:
        self.n_features = n_features
        self.n_terms = count_listed_terms(n_features, max_terms, max_coefficient)
        self.max_coefficient = max_coefficient
        self.margin = margin
        self._recent: deque[int] = deque(maxlen=N_RECENT)

    @cached_property
    def directions(self) -> Directions:
        """All of the lattice that can be listed."""
        return list_directions(self.n_features, self.n_terms, self.max_coefficient, primitive=False)

    def find(self, rows: PairRows, below: float = np.inf) -> float:
        """The least error if it is ``below`` that, else ``below``."""
        margin = choose_margin(rows.values) if self.margin is None else self.margin
        listed = np.concatenate([np.array(self._recent, dtype=np.intp), np.arange(len(self.directions))])
        found, _, error = find_least(rows, self.directions.take(listed), margin, below, enough=0.0)
        if found < 0:
            return below
        winner = int(listed[found])
        if winner in self._recent:
            self._recent.remove(winner)
        self._recent.appendleft(winner)
        return error
