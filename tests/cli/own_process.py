"""Runs the command in a process of its own that need not import everything first.

The process is forked from a server in which the package is imported, and nothing more has happened. Tests of the start
itself, of signals and of terminals start Python anew instead.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from typing import IO

__all__ = ["run_forked"]

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(
    ["polyclust.estimator", "polyclust.cli.app", "polyclust.cli.fit", "polyclust.report.page"]
)


def run_forked(
    arguments: Sequence[str],
    cwd: Path | None,
    stdin: bytes | Path | None,
    environment: Mapping[str, str],
    timeout: float,
) -> CompletedProcess[str]:
    """``polyclust`` with these arguments and standard input, or a file of that; its output as text."""
    with tempfile.TemporaryDirectory() as folder:
        given, printed, complained = (Path(folder) / name for name in ("stdin", "stdout", "stderr"))
        if isinstance(stdin, Path):
            given = stdin
        else:
            given.write_bytes(stdin or b"")
        process = SERVER.Process(
            target=_run_command, args=(list(arguments), cwd, dict(environment), given, printed, complained)
        )
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutExpired(list(arguments), timeout)
        return CompletedProcess(list(arguments), process.exitcode, printed.read_text(), complained.read_text())


def _run_command(
    arguments: list[str], cwd: Path | None, environment: dict[str, str], given: Path, printed: Path, complained: Path
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    if cwd is not None:
        os.chdir(cwd)
    sys.stdin = _redirect(given, "r", 0)
    sys.stdout = _redirect(printed, "w", 1)
    sys.stderr = _redirect(complained, "w", 2)
    sys.argv = ["polyclust", *arguments]
    runpy.run_module("polyclust", run_name="__main__", alter_sys=True)


def _redirect(path: Path, mode: str, descriptor: int) -> IO[str]:
    with path.open(mode) as file:
        os.dup2(file.fileno(), descriptor)
    return open(descriptor, mode, closefd=False)
