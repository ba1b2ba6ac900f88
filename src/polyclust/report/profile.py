"""What is typical of each cluster: averages and shares beside those of all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.explain.spelling import LEAST_GROUPED, THIN_SPACE

Floats = NDArray[np.float64]

__all__ = ["ProfileLine", "draw_up_profile"]


@dataclass(frozen=True)
class ProfileLine:
    """One column, or one value of a category: how each cluster stands beside all rows.

    ``standing`` is the difference from all rows in standard deviations; ``low`` and ``high`` bound values.
    """

    column: str
    name: str
    is_share: bool
    averages: tuple[float, ...]
    overall: float
    standing: tuple[float, ...]
    low: float
    high: float

    def text(self, cluster: int) -> str:
        """The cluster's average or share as people read it."""
        return self.spell(self.averages[cluster])

    def spell(self, value: float) -> str:
        """A share in percent; an average to three digits, of itself or of the column's range, whichever is finer."""
        if self.is_share:
            return spell_share(value)
        sizes = [size for size in (abs(value), self.high - self.low) if 0 < size < math.inf]
        place = min((math.floor(math.log10(size)) for size in sizes), default=0) - 2
        n_digits = 3 if value == 0 else max(3, math.floor(math.log10(abs(value))) - place + 1)
        spelled = f"{float(f'{value:.{n_digits}g}'):,.{max(10, n_digits)}g}"
        return spelled.replace(",", THIN_SPACE if abs(value) >= LEAST_GROUPED else "")

    def position(self, value: float) -> float:
        """Where a value stands between the lowest and the highest, in percent."""
        span = self.high - self.low
        return round(100 * (value - self.low) / span, 1) if span > 0 else 50.0

    @property
    def spread(self) -> float:
        """How far apart the clusters are."""
        return max(self.standing) - min(self.standing)


def spell_share(share: float) -> str:
    """Percent without a false 0% or 100%."""
    if 0 < share <= 0.005:
        return "< 1%"
    if 0.995 <= share < 1:
        return "> 99%"
    return f"{share:.0%}"


def draw_up_profile(table: pd.DataFrame, labels: NDArray[np.intp], n_clusters: int) -> list[ProfileLine]:
    """One line per number or boolean and per value of a category, in the order of the columns."""
    return [
        _draw_up_line(str(column), name, values, is_share, labels, n_clusters)
        for column in table.columns
        for name, values, is_share in _list_values(table[column], str(column))
    ]


def _list_values(series: pd.Series[Any], name: str) -> Iterator[tuple[str, Floats, bool]]:
    if pd.api.types.is_numeric_dtype(series.dtype) and not isinstance(series.dtype, pd.CategoricalDtype):
        values = series.to_numpy(dtype=np.float64)
        yield name, values, bool(np.isin(values, (0.0, 1.0)).all())
        return
    plain = series.astype(object)
    for level in plain.value_counts().index:
        yield f"{name} = {level}", (plain == level).to_numpy(dtype=np.float64), True


def _draw_up_line(
    column: str, name: str, values: Floats, is_share: bool, labels: NDArray[np.intp], n_clusters: int
) -> ProfileLine:
    counts = np.bincount(labels, minlength=n_clusters)
    averages = np.bincount(labels, weights=values, minlength=n_clusters) / np.maximum(counts, 1)
    overall, deviation = float(values.mean()), float(values.std())
    standing = (averages - overall) / deviation if deviation > 0 else np.zeros(n_clusters)
    low, high = (0.0, 1.0) if is_share else (float(values.min()), float(values.max()))
    return ProfileLine(column, name, is_share, tuple(averages.tolist()), overall, tuple(standing.tolist()), low, high)
