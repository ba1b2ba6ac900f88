"""The real command in a process of its own, and one clustering of the customers that many tests look at."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pandas as pd
import pytest
from own_process import run_forked

import polyclust
from polyclust.demo_data import make_customers

Run = Callable[..., CompletedProcess[str]]
COMMAND = [sys.executable, "-m", "polyclust"]
# The command under test is the package that these tests import, wherever it lies.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(polyclust.__file__).parents[1])}


def run_command(
    *arguments: object, cwd: Path | None = None, stdin: bytes | Path | None = None
) -> CompletedProcess[str]:
    """``polyclust`` with these arguments; its output as text."""
    return run_forked([*map(str, arguments)], cwd, stdin, ENVIRONMENT, timeout=240)


@pytest.fixture(scope="session")
def command() -> list[str]:
    return COMMAND


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    return ENVIRONMENT


@pytest.fixture(scope="session")
def run() -> Run:
    return run_command


@pytest.fixture(scope="session")
def customers() -> pd.DataFrame:
    return make_customers()


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory, customers: pd.DataFrame) -> Path:
    """A folder with customers.csv; tests that write use folders of their own."""
    folder = tmp_path_factory.mktemp("work")
    customers.to_csv(folder / "customers.csv", index=False)
    return folder


@pytest.fixture(scope="session")
def fitted(workplace: Path, run: Run) -> Path:
    """The folder that a plain ``polyclust fit`` wrote, with what it printed beside it."""
    done = run("fit", "customers.csv", "-o", "segments", "--max-clusters", "5", cwd=workplace)
    assert done.returncode == 0, done.stderr
    (workplace / "printed.txt").write_text(done.stdout)
    (workplace / "complained.txt").write_text(done.stderr)
    return workplace / "segments"
