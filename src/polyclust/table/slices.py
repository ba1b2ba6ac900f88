"""Arrays that would double when made float64 (float32, integers, files mapped into memory), read slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Slices", "is_narrow"]

Result = TypeVar("Result")
ROWS_AT_ONCE = 250_000


def is_narrow(X: Any) -> bool:
    """Whether it is an array of numbers that float64 would copy."""
    return isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.dtype != np.float64


@dataclass(frozen=True)
class Slices:
    """Rows of an array with their weights, as Partitions are of a table elsewhere."""

    X: NDArray[Any]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return -(-len(self.X) // ROWS_AT_ONCE)

    def map(self, function: Callable[..., Result], asked: Mapping[int, Any] | None = None) -> list[Result]:
        """function(rows, sample_weight=weights) for every slice, in order; or, with an argument each, for some."""
        results = []
        for number in range(len(self)) if asked is None else asked:
            here = slice(number * ROWS_AT_ONCE, (number + 1) * ROWS_AT_ONCE)
            argument = [] if asked is None else [asked[number]]
            results.append(function(self.X[here], *argument, sample_weight=self.weights[here]))
        return results
