"""What surrounds a search: its journal, the time limit, Ctrl-C, progress, and one thread for each library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

from polyclust.interrupts import ask_on_interrupt
from polyclust.kernels.compilation import announce_compilation, is_compiled
from polyclust.progress import COMPILING, is_heard, report_progress
from polyclust.search.journal import Journal
from polyclust.verbosity import show_progress

__all__ = ["watch_search"]


@contextmanager
def watch_search(time_limit: float | None, verbose: int) -> Iterator[Journal]:
    """A journal for the search; Ctrl-C and the time limit end it early."""
    _tell_of_compilation()
    journal = Journal(time_limit=time_limit)
    with threadpool_limits(1), ask_on_interrupt(journal.interrupt), show_progress(verbose):
        yield journal


def _tell_of_compilation() -> None:
    """Whoever listens is told, and passes it on or not; else a line where a person may be reading."""
    if not is_heard():
        announce_compilation()
    elif not is_compiled():
        report_progress(COMPILING)
