"""From exceptions to one line and an exit code: 1 the user's mistake, 130 Ctrl-C."""

from __future__ import annotations

import functools
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import typer

from polyclust.errors import PolyclustWarning

__all__ = ["FAILED", "INTERRUPTED", "collect_warnings", "complain", "guard"]

FAILED = 1
INTERRUPTED = 130

P = ParamSpec("P")


def guard(command: Callable[P, int | None]) -> Callable[P, None]:
    """A command that ends with an exit code, never with a traceback unless --debug was given."""

    @functools.wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs) or 0
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except BaseException as error:  # noqa: BLE001 - the outermost place, where everything becomes a sentence
            if kwargs.get("debug"):
                traceback.print_exc()
            code = _explain(error)
        if code:
            raise typer.Exit(code)

    return guarded


def complain(sentence: str) -> None:
    """One line on standard error."""
    line = " ".join(str(sentence).split())
    typer.echo(f"polyclust: {line}", err=True)


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """The sentences of polyclust's own warnings, each once, there when the block ends; others are silent."""
    sentences: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield sentences
        finally:
            own = [str(w.message) for w in caught if issubclass(w.category, PolyclustWarning)]
            sentences.extend(dict.fromkeys(own))


def _explain(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        complain("stopped; nothing was written.")
        return INTERRUPTED
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else FAILED
    if isinstance(error, BrokenPipeError):
        # The reader of a pipe has gone. Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if isinstance(error, MemoryError):
        complain("out of memory: cluster a sample of the rows and label all of them with 'polyclust assign'.")
    elif isinstance(error, OSError):
        complain(_say_os_error(error))
    elif isinstance(error, ValueError):
        complain(str(error))
    else:
        complain(f"unexpected {type(error).__name__}: {error}; run again with --debug to see where.")
    return FAILED


def _say_os_error(error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror}."
