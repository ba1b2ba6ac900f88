"""The least hinge errors of many pairs of clusters, one after the other, where hyperplanes themselves do not matter.

Most pairs are like others before, so directions that did well for these are tried first: one without error ends it.
Errors above what is asked for need not be known.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property

import numpy as np

from polyclust.hyperplanes.enumeration import find_least_error
from polyclust.hyperplanes.hinge import PairRows, choose_margin
from polyclust.hyperplanes.lattice import Directions
from polyclust.hyperplanes.pair import list_lattice

__all__ = ["ErrorFinder"]

N_RECENT = 16


class ErrorFinder:
    """The errors of what ``separate_rows`` finds with no nodes, for one lattice."""

    def __init__(self, n_features: int, max_terms: int | None, max_coefficient: int, margin: float | None) -> None:
        self.n_features = n_features
        self.limits = max_terms, max_coefficient
        self.margin = margin
        self._recent: deque[int] = deque(maxlen=N_RECENT)

    @cached_property
    def lattice(self) -> Directions:
        """All of it that can be listed, the axes first."""
        return list_lattice(self.n_features, *self.limits)

    def find(self, rows: PairRows, below: float = np.inf) -> float:
        """The least error if it is ``below`` that, else ``below``."""
        margin = choose_margin(rows.values) if self.margin is None else self.margin
        recent = np.array(self._recent, dtype=np.intp)
        least, winner = find_least_error(rows, self.lattice.take(recent), margin, below) if len(recent) else (below, -1)
        if winner >= 0:
            winner = int(recent[winner])
        if least > 0.0:
            found, best = find_least_error(rows, self.lattice, margin, least)
            least, winner = (found, best) if best >= 0 else (least, winner)
        if winner in self._recent:
            self._recent.remove(winner)
        if winner >= 0:
            self._recent.appendleft(winner)
        return least
