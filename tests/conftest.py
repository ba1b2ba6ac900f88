"""What all tests share. The presence of this file also puts the tests' own modules (naive, strategies) on the path."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import strategies  # noqa: F401  (first, since tests/explain has a module of that name and is put on the path later)

# Examples are the same in every run, and a busy machine does not fail a test.
settings.register_profile("polyclust", deadline=None, derandomize=True)
settings.load_profile("polyclust")

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def paper_data():
    """Reads a data set of the paper without its last column, the label; skips where the folder is absent."""
    folder = Path(os.environ.get("POLYCLUST_DATA", BESIDE))
    if not folder.is_dir():
        pytest.skip("the folder with the paper's data is absent; set POLYCLUST_DATA to it")
    return lambda name: np.genfromtxt(folder / f"{name}.csv", delimiter=",", skip_header=1)[:, :-1]
