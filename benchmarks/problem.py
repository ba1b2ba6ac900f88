"""What every method is given (a problem, a seed, a clock) and what it hands back (proposals)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances

Floats = NDArray[np.floating]
Labels = NDArray[np.integer]

LEAST_CLUSTERS = 2
MOST_CLUSTERS = 10
COUNTS = range(LEAST_CLUSTERS, MOST_CLUSTERS + 1)
LARGE = 2000  # rows from which methods with random starts run fewer of them


@dataclass(frozen=True)
class Problem:
    """One data set under one protocol.

    Parameters
    ----------
    X : what an estimator that encodes tables itself is given
    matrix : the numbers that are clustered and on which every method is scored
    is_scaled : whether X holds those numbers already
    min_size : least number of rows of a cluster; solutions with a smaller one are passed over
    note : what a reader must know about these data
    """

    name: str
    protocol: str
    X: pd.DataFrame
    matrix: Floats
    is_scaled: bool
    min_size: int
    note: str = ""

    @property
    def n_rows(self) -> int:
        return len(self.matrix)

    def allows(self, labels: Labels, counts: range = COUNTS) -> bool:
        """Whether the solution has one of these numbers of clusters, none below the protocol's least size."""
        sizes = np.unique(labels, return_counts=True)[1]
        return len(sizes) in counts and int(sizes.min()) >= self.min_size


class Clock:
    """Processor seconds of this process, so that other load on the machine does not count."""

    def __init__(self, budget: float | None = None) -> None:
        self.budget = float("inf") if budget is None else budget
        self.was_cut = False
        self._start = time.process_time()
        self._elsewhere = 0.0

    @property
    def elapsed(self) -> float:
        return time.process_time() - self._start + self._elsewhere

    @property
    def remaining(self) -> float:
        return self.budget - self.elapsed

    def charge(self, seconds: float) -> None:
        """Add the seconds that a child process used."""
        self._elsewhere += seconds

    def has_run_out(self) -> bool:
        """Asked before each piece of work; once it says yes, the cell is recorded as cut."""
        if self.remaining <= 0:
            self.was_cut = True
        return self.was_cut


@dataclass
class Task:
    """A problem to be solved once by one method.

    max_starts : holds random starts down for a quick look; counts : the numbers of clusters to be tried
    """

    problem: Problem
    seed: int = 0
    clock: Clock = field(default_factory=Clock)
    max_starts: int | None = None
    counts: range = COUNTS

    @property
    def matrix(self) -> Floats:
        return self.problem.matrix

    @property
    def cluster_counts(self) -> range:
        return range(self.counts.start, min(self.counts.stop, self.problem.n_rows))

    def n_starts(self, small: int, large: int) -> int:
        """How many random starts: fewer on large tables."""
        wanted = small if self.problem.n_rows < LARGE else large
        return wanted if self.max_starts is None else min(wanted, self.max_starts)

    @cached_property
    def distances(self) -> NDArray[np.float32]:
        """Euclidean distances; whoever asks first pays for them."""
        return np.ascontiguousarray(pairwise_distances(self.matrix), dtype=np.float32)


@dataclass(frozen=True)
class Description:
    """How long an explanation is and how well it fits."""

    fidelity: float
    clauses_per_cluster: float
    terms_per_cluster: float


@dataclass(frozen=True)
class Proposal:
    """One clustering that a method offers; the best allowed one is kept."""

    labels: Labels
    n_runs: int = 1
    describe: Callable[[], Description] | None = None
    note: str = ""
