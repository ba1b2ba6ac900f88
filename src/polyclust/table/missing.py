"""Missing values: rows left out, or filled by a stated rule that becomes part of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.table.kinds import FoundColumn, FoundKind
from polyclust.table.source import TableError, spell_option

__all__ = ["CompleteTable", "complete_table", "fill_missing"]

OWN_CATEGORY = "missing"
FEWEST_ROWS = 4

Fill = float | str | bool


@dataclass(frozen=True)
class CompleteTable:
    """A table without missing values, which rows of the file it holds, and what was filled in."""

    table: pd.DataFrame
    is_kept: NDArray[np.bool_]
    fills: dict[str, Fill] = field(default_factory=dict)


def complete_table(table: pd.DataFrame, found: Sequence[FoundColumn], rule: str, where: str) -> CompleteTable:
    """Drop or fill, then give every column the plain type of its kind."""
    kinds = {c.name: c.kind for c in found if c.is_used}
    _refuse_infinity(table, kinds, where)
    fills = {} if rule == "drop" else _choose_fills(table, kinds, rule)
    filled = fill_missing(table, fills)
    is_kept = filled.notna().all(axis=1).to_numpy(dtype=bool)
    if is_kept.sum() < FEWEST_ROWS:
        raise TableError(_say_too_few(table, is_kept, where))
    kept = filled[is_kept].reset_index(drop=True)
    plain = {name: _plain_type(kept[name], kind) for name, kind in kinds.items()}
    return CompleteTable(pd.DataFrame(plain), is_kept, fills)


def fill_missing(table: pd.DataFrame, fills: dict[str, Fill]) -> pd.DataFrame:
    """The table with the missing values of some columns replaced."""
    if not fills:
        return table
    columns = {
        name: series.where(series.notna(), fills[str(name)]) if name in fills else series
        for name, series in table.items()
    }
    return pd.DataFrame(columns, index=table.index)


def _choose_fills(table: pd.DataFrame, kinds: Mapping[str, FoundKind], rule: str) -> dict[str, Fill]:
    return {
        name: _choose_fill(table[name], kind, rule)
        for name, kind in kinds.items()
        if table[name].isna().any() and table[name].notna().any()
    }


def _choose_fill(series: pd.Series[Any], kind: FoundKind, rule: str) -> Fill:
    present = series.dropna()
    if kind == "category":
        if rule == "category" and all(isinstance(v, str) for v in present.head(1000)):
            return _own_category(set(present))
        return _most_frequent(present)
    if kind == "boolean" or rule == "most-frequent":
        return _most_frequent(present)
    if kind == "integer":
        # The lower middle value: whole, and one that occurs.
        return int(np.sort(present.to_numpy(dtype=np.int64))[(len(present) - 1) // 2])
    return float(np.median(present.to_numpy(dtype=np.float64)))


def _most_frequent(present: pd.Series[Any]) -> Fill:
    """Of several that are as frequent the first, of numbers the middle one: where all differ, no end of them."""
    counts = present.value_counts()
    tops = sorted(counts.index[counts == counts.max()])
    top = tops[(len(tops) - 1) // 2 if pd.api.types.is_numeric_dtype(present.dtype) else 0]
    fill: Fill = top.item() if isinstance(top, np.generic) else top
    return fill


def _own_category(levels: set[str]) -> str:
    name = OWN_CATEGORY
    while name in levels:
        name = f"({name})"
    return name


def _refuse_infinity(table: pd.DataFrame, kinds: Mapping[str, FoundKind], where: str) -> None:
    for name, kind in kinds.items():
        if kind == "number":
            is_infinite = np.isinf(table[name].to_numpy(dtype=np.float64, na_value=np.nan))
            if is_infinite.any():
                row = int(np.argmax(is_infinite)) + 1
                raise TableError(
                    f"column {name!r} of {where} holds infinity in row {row}: correct it, or "
                    f"{spell_option('ignore', name)}."
                )


def _say_too_few(table: pd.DataFrame, is_kept: NDArray[np.bool_], where: str) -> str:
    n_missing = table.isna().sum()
    if int(n_missing.sum()) == 0:
        return f"{where} has {len(table)} row{'s' * (len(table) != 1)}: too few to cluster; give {FEWEST_ROWS} or more."
    worst = str(n_missing.idxmax())
    return (
        f"{int(is_kept.sum())} of {len(table)} rows of {where} have no missing value ({worst!r} lacks "
        f"{int(n_missing.max())}): give {spell_option('ignore', worst)}, or --missing median to fill them."
    )


def _plain_type(series: pd.Series[Any], kind: FoundKind) -> pd.Series[Any]:
    if kind == "integer":
        return series.astype(np.int64)
    if kind == "number":
        return series.astype(np.float64)
    if kind == "boolean":
        return series.astype(np.float64).astype(bool)
    if all(isinstance(v, str) for v in series):
        return series.astype(object)
    return series.astype("category")
