"""The benchmark lies beside the package, not in it: make it importable, and find its data."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

REPOSITORY = str(Path(__file__).resolve().parents[2])
if REPOSITORY not in sys.path:
    sys.path.insert(0, REPOSITORY)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    from benchmarks.datasets import find_folder

    folder = find_folder()
    if folder is None:
        pytest.skip("the folder of the benchmark data is not at hand (POLYCLUST_DATA)")
    return folder
