"""The first fit on a machine compiles the kernels that it needs; people should know what they wait for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from numba.core.event import Listener, install_listener

__all__ = ["announce_compilation", "tell_of_compilation"]

NOTICE = "polyclust: compiling its kernels for this machine (once, up to half a minute) …"


def tell_of_compilation(tell: Callable[[], object]) -> AbstractContextManager[Any]:
    """Inside the block ``tell`` is called once, when a kernel is compiled that no earlier process has left behind.

    Which kernels a fit needs depends on its settings, so none is looked for before.
    """
    return install_listener("numba:compile", _FirstCompilation(tell))  # type: ignore[no-any-return]


def announce_compilation() -> None:
    """Say so on standard error, if a person may be reading."""
    if sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules:
        sys.stderr.write(NOTICE + "\n")
        sys.stderr.flush()


class _FirstCompilation(Listener):  # type: ignore[misc]
    """Hears when numba begins to compile, in whatever thread; functions of others do not count."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self.tell = tell
        self.was_told = False

    def on_start(self, event: Any) -> None:
        is_ours = event.data["dispatcher"].py_func.__module__.startswith(__package__)
        if is_ours and not self.was_told:
            self.was_told = True
            self.tell()

    def on_end(self, event: Any) -> None:
        """There is nothing to say then."""
