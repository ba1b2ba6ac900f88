"""Which sets of few points a direction of several terms tells apart; where clusters end and what was asked is kept.

Many cuts are asked about beside the same other clusters, so that where these end along every direction is worked out
once. Moves that come back to a cluster ask again what is known.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions
from polyclust.kernels.intervals import measure_direction_intervals
from polyclust.kernels.separating import find_beside

__all__ = ["Separations"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
MOST_ENDS, MOST_ANSWERS = 4_000_000, 20_000  # kept in memory


class Separations:
    """The answers for some points and directions."""

    def __init__(self, values: Floats, directions: Directions) -> None:
        self.values = values
        self.directions = directions
        self._every = np.arange(len(directions))
        self._ends: dict[bytes, tuple[Floats, Floats]] = {}
        self._answers: dict[tuple[bytes, bytes], int] = {}

    def find(self, rows: Ints, cluster: Ints, recent: Ints) -> tuple[int, bool]:
        """A direction along which the rows and a cluster lie apart, or -1, and whether it is one of the recent ones.

        These are asked first; of all others the first is given.
        """
        name = _digest(cluster)
        found = self._ask(rows, name, cluster, recent) if recent.size else -1
        if found >= 0:
            return found, True
        question = _digest(rows), name
        if question not in self._answers:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[question] = self._ask(rows, name, cluster, self._every)
        return self._answers[question], False

    def _ask(self, rows: Ints, name: bytes, cluster: Ints, some: Ints) -> int:
        lows, highs = self._ends_of(name, cluster)
        return int(find_beside(self.values, rows, *self._terms, lows, highs, some))

    @property
    def _terms(self) -> tuple[NDArray[np.int32], Floats]:
        return self.directions.features, self.directions.coefficients

    def _ends_of(self, name: bytes, cluster: Ints) -> tuple[Floats, Floats]:
        """Where a cluster ends along every direction."""
        if name in self._ends:
            self._ends[name] = self._ends.pop(name)  # the last to be forgotten
            return self._ends[name]
        if 2 * len(self.directions) * (len(self._ends) + 1) > MOST_ENDS and self._ends:
            self._ends.pop(next(iter(self._ends)))
        lows, highs = np.empty((2, len(self.directions), 1))
        labels = np.zeros(len(cluster), dtype=np.intp)
        measure_direction_intervals(self.values[cluster], labels, *self._terms, lows, highs)
        self._ends[name] = lows[:, 0], highs[:, 0]
        return self._ends[name]


def _digest(rows: Ints) -> bytes:
    """A short name of some rows, since many are kept."""
    return blake2b(rows.tobytes(), digest_size=16).digest()
