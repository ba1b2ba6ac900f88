"""The values of a file as the kind of column that a model knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from polyclust.table.features import Column
from polyclust.table.kinds import as_numbers
from polyclust.table.read import TableError

__all__ = ["convert_to_column"]

TRUTH = {"true": 1.0, "false": 0.0, "t": 1.0, "f": 0.0, "yes": 1.0, "no": 0.0, "1": 1.0, "0": 0.0}


def convert_to_column(series: pd.Series[Any], column: Column, where: str, offset: int = 0) -> pd.Series[Any]:
    """Numbers as floats, booleans as 0 and 1, categories as the model's levels; missing values stay missing.

    Raises TableError for a value that the column cannot hold; ``offset`` counts the rows before the series.
    """
    if column.kind == "category":
        return _convert_category(series, column)
    numbers = as_numbers(series)
    if column.kind == "boolean" and not pd.api.types.is_numeric_dtype(series.dtype):
        numbers = series.astype("string").str.strip().str.lower().map(TRUTH)
    values = numbers.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
    is_wrong = np.isnan(values) & series.notna().to_numpy(dtype=bool)
    if column.kind == "boolean":
        is_wrong |= ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    if is_wrong.any():
        first = int(np.argmax(is_wrong))
        wanted = "0 or 1, true or false" if column.kind == "boolean" else "numbers"
        raise TableError(
            f"column {column.name!r} of {where} holds {series.iloc[first]!r} in row {offset + first + 1}; it "
            f"held {wanted} at fit: correct the value or leave it empty."
        )
    return pd.Series(values, index=series.index)


def _convert_category(series: pd.Series[Any], column: Column) -> pd.Series[Any]:
    """The level itself, or the level that is written the same; other values stay and are told as unseen."""
    spelled = {str(level): level for level in column.levels}
    known = set(column.levels)
    plain = series.astype(object).where(series.notna(), None)
    return plain.map(lambda v: v if v in known else spelled.get(str(v), v), na_action="ignore").astype(object)
