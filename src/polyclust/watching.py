"""What surrounds a search: its journal, the time limit, Ctrl-C, progress, and one thread for each library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial

from threadpoolctl import threadpool_limits

from polyclust.interrupts import ask_on_interrupt
from polyclust.kernels.compilation import announce_compilation, tell_of_compilation
from polyclust.progress import COMPILING, is_heard, report_progress
from polyclust.search.journal import Journal
from polyclust.verbosity import show_progress

__all__ = ["watch_search"]


@contextmanager
def watch_search(time_limit: float | None, verbose: int) -> Iterator[Journal]:
    """A journal for the search; Ctrl-C and the time limit end it early."""
    journal = Journal(time_limit=time_limit)
    with (
        tell_of_compilation(_choose_teller()),
        threadpool_limits(1),
        ask_on_interrupt(journal.interrupt),
        show_progress(verbose),
    ):
        yield journal


def _choose_teller() -> Callable[[], object]:
    """Whoever listens is told, from any thread, and passes it on or not; else a line where a person may be reading."""
    return partial(copy_context().run, report_progress, COMPILING) if is_heard() else announce_compilation
