"""The values of a file as the kind of column that a model knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from polyclust.table.amounts import as_numbers, is_placeholder
from polyclust.table.features import Column
from polyclust.table.source import NONE, TableError, quote_value

__all__ = ["convert_to_column"]

TRUTH = {"true": 1.0, "false": 0.0, "t": 1.0, "f": 0.0, "yes": 1.0, "no": 0.0, "1": 1.0, "0": 0.0}


def convert_to_column(
    series: pd.Series[Any], column: Column, where: str, offset: int = 0, decimal: str | None = None
) -> pd.Series[Any]:
    """Numbers as floats, booleans as 0 and 1, categories as the model's levels; missing values stay missing.

    Raises TableError for a value that the column cannot hold; ``offset`` counts the rows before the series, and
    ``decimal`` is the file's mark.
    """
    if column.kind == "category":
        return _convert_category(series, column)
    numbers = as_numbers(series, decimal)
    if column.kind == "boolean" and not pd.api.types.is_numeric_dtype(series.dtype):
        numbers = series.astype("string").str.strip().str.lower().map(TRUTH)
    values = numbers.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
    is_wrong = np.isnan(values) & series.notna().to_numpy(dtype=bool) & ~is_placeholder(series).to_numpy(dtype=bool)
    if column.kind == "boolean":
        is_wrong |= ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    if is_wrong.any():
        first = int(np.argmax(is_wrong))
        wanted = "0 or 1, true or false" if column.kind == "boolean" else "numbers"
        raise TableError(
            f"column {column.name!r} of {where} holds {quote_value(series.iloc[first])} in row {offset + first + 1}; "
            f"it held {wanted} at fit: correct the value or leave it empty."
        )
    return pd.Series(values, index=series.index)


def _convert_category(series: pd.Series[Any], column: Column) -> pd.Series[Any]:
    """The level itself, or the level that is written the same; other values stay and are told as unseen.

    Levels that the fit read as numbers or truths are found in whatever way a file writes them: 01067, 1.50, TRUE.
    """
    known = set(column.levels)
    spelled = {str(level): level for level in column.levels}
    truths = {bool(level): level for level in column.levels if isinstance(level, bool | np.bool_)}
    numbers = {float(str(level)): level for level in column.levels if _is_number(level)}

    def find(value: Any) -> Any:
        text = str(value).strip()
        if value in known or text in spelled:
            return value if value in known else spelled[text]
        if text == NONE and (truths or numbers):
            return None
        if truths and text.lower() in TRUTH:
            return truths.get(bool(TRUTH[text.lower()]), value)
        return numbers.get(_read_number(text), value) if numbers else value

    plain = series.astype(object).where(series.notna(), None)
    return plain.map(find, na_action="ignore").astype(object)


def _is_number(level: Any) -> bool:
    return isinstance(level, int | float | np.number) and not isinstance(level, bool | np.bool_)


def _read_number(text: str) -> float:
    """The number that is written, with a decimal point or comma; NaN, which equals no level, if there is none."""
    try:
        return float(text.replace(",", ".", 1))
    except ValueError:
        return float("nan")
