"""What all tests share. The presence of this file also puts the tests' own modules (naive, strategies) on the path."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from sklearn.datasets import load_iris

import strategies  # noqa: F401  (first, since tests/explain has a module of that name and is put on the path later)

# Examples are the same in every run, and a busy machine does not fail a test.
settings.register_profile("polyclust", deadline=None, derandomize=True)
settings.load_profile("polyclust")

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def iris():
    return load_iris(as_frame=True).data


@pytest.fixture(scope="session")
def customers():
    """Numbers, a whole number, a boolean, a category and text, in three loose groups."""
    rng = np.random.default_rng(5)
    group = rng.integers(0, 3, 120)
    return pd.DataFrame(
        {
            "age": np.array([25, 45, 68])[group] + rng.integers(-5, 6, 120),
            "income": np.array([20.5, 60.0, 35.0])[group] + rng.normal(size=120).round(2) * 4,
            "member": rng.random(120) < np.array([0.1, 0.9, 0.5])[group],
            "colour": pd.Categorical(np.array(["red", "green", "blue"])[(group + (rng.random(120) < 0.1)) % 3]),
            "city": np.array(["Rome", "Oslo", "Lima"], dtype=object)[(group + (rng.random(120) < 0.2)) % 3],
        }
    )


@pytest.fixture(scope="session")
def paper_data():
    """Reads a data set of the paper without its last column, the label; skips where the folder is absent."""
    folder = Path(os.environ.get("POLYCLUST_DATA", BESIDE))
    if not folder.is_dir():
        pytest.skip("the folder with the paper's data is absent; set POLYCLUST_DATA to it")
    return lambda name: np.genfromtxt(folder / f"{name}.csv", delimiter=",", skip_header=1)[:, :-1]
