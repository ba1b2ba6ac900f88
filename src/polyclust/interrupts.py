"""Ctrl-C during a fit asks the search to end with the best found so far; a second one stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["ask_on_interrupt"]


@contextmanager
def ask_on_interrupt(ask: Callable[[], None]) -> Iterator[None]:
    """Call ``ask`` at the first interrupt. Signals reach only the main thread; elsewhere nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: Any) -> None:  # noqa: ARG001
        signal.signal(signal.SIGINT, previous)
        ask()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
