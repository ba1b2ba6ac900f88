"""Tables that would grow when encoded, read slice by slice.

Arrays of float32 or integers, and files mapped into memory, double as float64; a frame of texts or categories gets one
column of numbers for every level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["Slices", "is_narrow", "is_wide"]

Result = TypeVar("Result")
ROWS_AT_ONCE = 250_000
BYTES_AT_ONCE = 64e6
MOST_BYTES = 1e9  # a frame is encoded whole up to here


def is_narrow(X: Any) -> bool:
    """Whether it is an array of numbers that float64 would copy."""
    return isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.dtype != np.float64


def is_wide(X: Any) -> bool:
    """Whether it is a frame that takes too much memory when every level has a column of numbers."""
    return isinstance(X, pd.DataFrame) and 8.0 * len(X) * _count_features(X) > MOST_BYTES


def _count_features(X: pd.DataFrame) -> int:
    return sum(_count_levels(X.iloc[:, position]) for position in range(X.shape[1]))


def _count_levels(column: pd.Series) -> int:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return len(column.dtype.categories)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return 1
    try:
        return int(column.nunique(dropna=False))
    except (TypeError, NotImplementedError):  # lists, say: refused where columns are described
        return 1


@dataclass(frozen=True)
class Slices:
    """The rows of a table in memory, slice by slice, with their weights: what Partitions are to a table of Dask's."""

    MOST_LEVELS: ClassVar[int] = 10_000  # of a column

    X: Any
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return -(-len(self.X) // self.n_rows)

    @cached_property
    def n_rows(self) -> int:
        """How many rows a slice has."""
        if isinstance(self.X, np.ndarray):
            return ROWS_AT_ONCE
        return int(np.clip(BYTES_AT_ONCE / (8.0 * max(_count_features(self.X), 1)), 1000, ROWS_AT_ONCE))

    def map(self, function: Callable[..., Result], asked: Mapping[int, Any] | None = None) -> list[Result]:
        """function(rows, sample_weight=weights) for every slice, in order; or, with an argument each, for some."""
        results = []
        for number in range(len(self)) if asked is None else asked:
            here = slice(number * self.n_rows, (number + 1) * self.n_rows)
            argument = [] if asked is None else [asked[number]]
            rows = self.X[here] if isinstance(self.X, np.ndarray) else self.X.iloc[here]
            results.append(function(rows, *argument, sample_weight=self.weights[here]))
        return results
