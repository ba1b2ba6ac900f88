"""The journal of a search: its accepted steps, its phases, and when it must end."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from polyclust.progress import report_progress
from polyclust.search.partition import Partition

__all__ = ["Journal", "Step"]

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted step of the search."""

    phase: str
    move: str
    n_clusters: int
    score: float
    seconds: float


@dataclass
class Journal:
    """Collects the history, reports progress, and says when time is up or the user has interrupted."""

    time_limit: float | None = None
    listener: Callable[[Step], None] | None = None
    steps: list[Step] = field(default_factory=list)
    was_cut_short: bool = False
    started: float = field(default_factory=time.monotonic)
    phase: str = "start"
    best_score: float | None = None
    n_done: int = 0

    def begin(self, phase: str) -> None:
        """A new phase begins."""
        self.phase, self.n_done = phase, 0
        report_progress(phase, 0, None, self.best_score)

    def accept(self, move: str, partition: Partition) -> None:
        """Record an accepted step."""
        self.n_done += 1
        if self.best_score is None or partition.score > self.best_score:
            self.best_score = partition.score
        step = Step(self.phase, move, partition.n_clusters, partition.score, time.monotonic() - self.started)
        self.steps.append(step)
        if self.listener is not None:
            self.listener(step)
        report_progress(self.phase, self.n_done, None, self.best_score)

    def interrupt(self) -> None:
        """Ask the search to end with the best found so far."""
        self.was_cut_short = True

    def is_over(self) -> bool:
        """Whether to end with the best found so far."""
        if self.time_limit is not None and time.monotonic() - self.started > self.time_limit:
            self.was_cut_short = True
        return self.was_cut_short

    def seconds_left(self) -> float | None:
        """Until the search must end: 0 once it must; None without a time limit."""
        if self.is_over():
            return 0.0
        return None if self.time_limit is None else max(self.started + self.time_limit - time.monotonic(), 0.0)

    def in_time(self, items: Iterable[Item], at_least: int = 0) -> Iterator[Item]:
        """The items one by one; once the search must end, none but the first few is worked out."""
        source = iter(items)
        yield from itertools.islice(source, at_least)
        while not self.is_over():
            try:
                item = next(source)
            except StopIteration:
                return
            yield item
