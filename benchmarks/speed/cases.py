"""The tables that are clustered: data sets of the benchmark, and blobs with uniform noise of any size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.datasets import load
from benchmarks.datasets.scaling import scale_columns

NOISE_SHARE = 0.05
PIECE = 50_000  # rows generated at once


@dataclass(frozen=True)
class Case:
    """A table to be clustered; without a number of rows it is a data set of the benchmark, else blobs by seed."""

    name: str
    n_rows: int = 0
    n_features: int = 20
    n_blobs: int = 8
    noise: float = NOISE_SHARE
    max_clusters: int = 10
    seed: int = 0

    def make(self) -> Input:
        """The table itself."""
        if self.n_rows:
            return Input(self, make_noisy_blobs(self, self.seed))
        return Input(self, load(self.name, "practical").X)


@dataclass(frozen=True)
class Input:
    """What a contestant is given: polyclust the raw table, the grids its scaled numbers."""

    case: Case
    raw: Any

    @cached_property
    def scaled(self) -> np.ndarray:
        """Made when asked for, so that it is not in the memory of a contestant that does without."""
        return scale_columns(self.raw).to_numpy() if isinstance(self.raw, pd.DataFrame) else _scale(self.raw)

    @property
    def n_bytes(self) -> int:
        """Of the raw table."""
        if isinstance(self.raw, pd.DataFrame):
            return int(self.raw.memory_usage(index=False, deep=True).sum())
        return int(self.raw.nbytes)


def _scale(X: np.ndarray) -> np.ndarray:
    low = X.min(axis=0)
    scaled = X - low
    scaled /= X.max(axis=0) - low
    return scaled


def make_noisy_blobs(case: Case, seed: int = 0) -> np.ndarray:
    """Round clouds and a share of rows spread evenly over their box, in pieces: no second copy is made."""
    random = np.random.default_rng(seed)
    centres = random.uniform(-10, 10, size=(case.n_blobs, case.n_features))
    X = np.empty((case.n_rows, case.n_features))
    for start in range(0, case.n_rows, PIECE):
        part = X[start : start + PIECE]
        part[:] = centres[random.integers(case.n_blobs, size=len(part))]
        part += random.normal(scale=2.0, size=part.shape)
        is_noise = random.random(len(part)) < case.noise
        part[is_noise] = random.uniform(-15, 15, size=(int(is_noise.sum()), case.n_features))
    return X


def make_warm_up(n_rows: int, seed: int = 5) -> Input:
    """Numbers, a boolean and a category: unlike every case, but it takes the same ways through the code."""
    random = np.random.default_rng(seed)
    group = random.integers(3, size=n_rows)
    table = pd.DataFrame(random.normal(size=(n_rows, 3)) + 3.0 * group[:, None], columns=["a", "b", "c"])
    table["is_new"] = random.random(n_rows) < 0.2 + 0.3 * group
    table["colour"] = np.array(["red", "green", "blue"])[group]
    return Input(Case("warm-up", n_rows, max_clusters=4), table)
