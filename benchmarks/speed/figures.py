"""The measured rows as figures: the best of the repeats, ratios within a batch, growth."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from benchmarks.datasets import PRACTICAL_SHARE
from benchmarks.speed.cases import Case
from benchmarks.speed.jobs import SIZES
from benchmarks.speed.rows import Row
from benchmarks.speed.start import FIRST, LATER, WARM

FEWEST_OF_GROWTH = 10**4
BUSY = 1.2  # seconds on the clock over processor seconds, from which the machine was doing something else


class Figures:
    """Answers about the rows of a run; None where something was not measured."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        newest: dict[tuple[str, str], str] = {}
        for row in self.rows:
            key = row.study, row.case
            newest[key] = max(newest.get(key, ""), row.batch)
        self.rows = [row for row in self.rows if row.batch == newest[row.study, row.case]]

    def best(self, study: str, case: str, contestant: str) -> Row | None:
        """The fastest of the repeats."""
        found = [r for r in self.rows if (r.study, r.case, r.contestant) == (study, case, contestant)]
        return min(found, key=lambda row: row.seconds, default=None)

    def ratio(self, study: str, case: str, contestant: str, peer: str) -> float | None:
        """Seconds as a share of the peer's."""
        ours, theirs = self.best(study, case, contestant), self.best(study, case, peer)
        return ours.seconds / theirs.seconds if ours and theirs else None

    def gain(self, study: str, case: str, contestant: str, peer: str) -> float | None:
        """Silhouette above the peer's; None where the peer has no solution of the minimum size."""
        ours, theirs = self.best(study, case, contestant), self.best(study, case, peer)
        if not ours or not theirs or theirs.smallest < least_rows(theirs):
            return None
        return ours.silhouette - theirs.silhouette

    def growth(self, contestant: str) -> float | None:
        """The exponent of n from 10⁴ rows on, by least squares on logarithms."""
        points = [(c.n_rows, self.best("sizes", c.name, contestant)) for c in SIZES if c.n_rows >= FEWEST_OF_GROWTH]
        logs = [(math.log(n), math.log(row.seconds)) for n, row in points if row]
        if len(logs) < 2:
            return None
        return float(np.polyfit(*np.array(logs).T, 1)[0])

    def step(self, family: str, state: str, step: str) -> float | None:
        """Seconds of one step of a fresh process, the best of those with this state of the cache."""
        note = f"{state}: {step}"
        found = [r.seconds for r in self.rows if (r.study, r.case, r.note) == ("start", family, note)]
        return min(found, default=None)

    def overhead(self, family: str, state: str = WARM) -> float | None:
        """What the first fit of a process takes longer than a later one."""
        first, later = self.step(family, state, FIRST), self.step(family, state, LATER)
        return None if first is None or later is None else first - later

    def count_busy(self) -> int:
        """Runs during which the machine did something else."""
        return sum(row.wall > BUSY * row.seconds + 0.1 for row in self.rows)


def least_rows(row: Row) -> int:
    """The minimum size of a cluster."""
    return math.ceil(PRACTICAL_SHARE * row.n_rows)


def most_bytes(row: Row) -> float:
    """Twice the input and 1 GB."""
    return 2.0 * row.input_bytes + 1e9


def largest_case() -> Case:
    """The table with the most rows."""
    return max(SIZES, key=lambda case: case.n_rows)
