"""Progress bars: one per phase, with the best score so far and the time left where known.

None in a pipe, where only the compilation before a machine's first search is announced; nothing at all if quiet.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from polyclust.progress import COMPILING, listen_to_progress
from polyclust.progress import Progress as Report

__all__ = ["count_rows", "show_progress"]


@contextmanager
def show_progress(quiet: bool, time_limit: float | None = None) -> Iterator[None]:
    """Bars for the search that runs inside the block."""
    if quiet or not sys.stderr.isatty():
        with listen_to_progress(_ignore if quiet else _CompilationNotice(partial(typer.echo, err=True))):
            yield
        return
    bars = _make_bars("{task.fields[score]}", "{task.fields[left]}")
    with bars, listen_to_progress(_PhaseBars(bars, time_limit)):
        yield


@contextmanager
def count_rows(quiet: bool, what: str) -> Iterator[Progress | None]:
    """A counter of rows for work of unknown length."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with _make_bars("{task.completed:.0f} rows") as bars:
        bars.add_task(what, total=None)
        yield bars


def _make_bars(*texts: str) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        *(TextColumn(text) for text in texts),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _ignore(report: Report) -> None:
    """Hear it and say nothing."""


class _CompilationNotice:
    """Says once that the kernels are being compiled, and nothing else."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say = say
        self.was_said = False

    def __call__(self, report: Report) -> None:
        if report.phase == COMPILING and not self.was_said:
            from polyclust.kernels.compilation import NOTICE

            self.say(NOTICE)
            self.was_said = True


class _PhaseBars:
    """Turns the reports of a search into bars; a new phase ends the bar of the last."""

    def __init__(self, bars: Progress, time_limit: float | None) -> None:
        self.bars = bars
        self.announce = _CompilationNotice(partial(bars.console.print, highlight=False, soft_wrap=True))
        self.ends = None if time_limit is None else time.monotonic() + time_limit
        self.phase = ""
        self.task: TaskID | None = None

    def __call__(self, report: Report) -> None:
        if report.phase == COMPILING:
            self.announce(report)
            return
        if report.phase != self.phase or self.task is None:
            self._begin(report)
        assert self.task is not None
        score = "" if report.best_score is None else f"best {report.best_score:.4f}"
        self.bars.update(self.task, completed=report.done, total=report.total, score=score, left=self._say_left(report))

    def _begin(self, report: Report) -> None:
        if self.task is not None:
            self.bars.update(self.task, total=1, completed=1, left="")
            self.bars.stop_task(self.task)
        self.phase = report.phase
        self.task = self.bars.add_task(report.phase, total=report.total, score="", left="")

    def _say_left(self, report: Report) -> str:
        if self.ends is not None:
            return f"at most {max(0, round(self.ends - time.monotonic()))} s left"
        if report.total is None or report.done == 0 or self.task is None:
            return ""
        elapsed = self.bars.tasks[self.bars.task_ids.index(self.task)].elapsed or 0.0
        return f"about {round(elapsed / report.done * (report.total - report.done))} s left"
