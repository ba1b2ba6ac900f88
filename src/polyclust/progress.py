"""How far a search is. The search reports; whoever listens (a progress bar) hears; neither knows the other.

The search:      ``report_progress("improving", done=3, total=20, best_score=0.61)``
The listener:    ``with listen_to_progress(show): model.fit(X)``
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["COMPILING", "Progress", "is_heard", "listen_to_progress", "report_progress"]

COMPILING = "compiling"  # the phase before a machine's first search


@dataclass(frozen=True, slots=True)
class Progress:
    """One report: the phase, steps done of a total (None: not known) and the best score so far."""

    phase: str
    done: int
    total: int | None
    best_score: float | None


_listener: ContextVar[Callable[[Progress], None] | None] = ContextVar("listener", default=None)


def report_progress(phase: str, done: int = 0, total: int | None = None, best_score: float | None = None) -> None:
    """Tell the listener, if there is one. Cheap when nobody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(Progress(phase, done, total, best_score))


def is_heard() -> bool:
    """Whether anyone listens."""
    return _listener.get() is not None


@contextmanager
def listen_to_progress(listener: Callable[[Progress], None]) -> Iterator[None]:
    """Every report made inside the block goes to ``listener``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
