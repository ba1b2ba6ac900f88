"""What kind of column each one is, and one clear sentence for those that cannot be used."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.errors import ColumnTypeError
from polyclust.table.features import Column

__all__ = ["RawTable", "describe_columns", "open_table"]

LARGEST_EXACT_INTEGER = 2**53


class RawTable:
    """Any table that may come in, as labelled columns. Arrays are sliced, never copied."""

    def __init__(self, labels: Sequence[Hashable], values: Any, n_rows: int, is_frame: bool) -> None:
        self.labels = list(labels)
        self.n_rows = n_rows
        self.is_frame = is_frame
        self._values = values

    def column(self, position: int) -> Any:
        """The column as a Series (frames) or a one-dimensional array."""
        return self._values.iloc[:, position] if self.is_frame else self._values[:, position]

    def name(self, position: int) -> str:
        """What people read: the label of a frame's column, x0, x1, ... for arrays."""
        return str(self.labels[position]) if self.is_frame else f"x{position}"

    @property
    def numeric_array(self) -> NDArray[Any] | None:
        """The whole table as one array of numbers where it is one."""
        is_numeric = not self.is_frame and self._values.dtype.kind in "fiub"
        return self._values if is_numeric else None


def open_table(X: Any) -> RawTable:
    """Wrap an array or a pandas or polars frame."""
    if hasattr(X, "to_pandas") and not isinstance(X, pd.DataFrame):
        X = X.to_pandas()
    if isinstance(X, pd.Series):
        X = X.to_frame()
    if isinstance(X, pd.DataFrame):
        repeated = X.columns[X.columns.duplicated()].unique().tolist()
        if repeated:
            raise ValueError(f"Column names must differ; {repeated[0]!r} occurs more than once: rename one.")
        return RawTable(X.columns.tolist(), X, len(X), is_frame=True)
    values = np.asarray(X)
    if values.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {values.ndim}D array instead. Reshape your data: rows are samples, "
            "columns are features."
        )
    return RawTable(range(values.shape[1]), values, len(values), is_frame=False)


def describe_columns(table: RawTable) -> tuple[Column, ...]:
    """The kind of every column, in order. Raises ValueError for what cannot be clustered."""
    if table.numeric_array is not None:
        return _describe_numbers(table, table.numeric_array)
    return tuple(_describe_column(table.column(i), table.labels[i], table.name(i)) for i in range(len(table.labels)))


def _describe_numbers(table: RawTable, values: NDArray[Any]) -> tuple[Column, ...]:
    kinds = [_kind_of_numbers(values[:, i], table.name(i)) for i in range(values.shape[1])]
    return tuple(
        Column(table.name(i), kind, table.labels[i])  # type: ignore[arg-type]
        for i, kind in enumerate(kinds)
    )


def _describe_column(values: Any, label: Hashable, name: str) -> Column:
    series = pd.Series(values).infer_objects() if not isinstance(values, pd.Series) else values
    dtype = series.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        raise ValueError(
            f"Column {name!r} holds dates; turn them into numbers first (days since a date, month, weekday)."
        )
    if pd.api.types.is_timedelta64_dtype(dtype):
        raise ValueError(f"Column {name!r} holds durations; turn them into numbers first (days or seconds).")
    refuse_missing(series, name)
    if isinstance(dtype, pd.CategoricalDtype):
        observed = series.cat.remove_unused_categories().cat.categories
        return Column(name, "category", label, tuple(_plain(v) for v in observed))
    if pd.api.types.is_bool_dtype(dtype):
        return Column(name, "boolean", label)
    if pd.api.types.is_numeric_dtype(dtype):
        return Column(name, _kind_of_numbers(series.to_numpy(), name), label)  # type: ignore[arg-type]
    return _describe_objects(series, label, name)


def _describe_objects(series: pd.Series[Any], label: Hashable, name: str) -> Column:
    try:
        distinct = list(pd.unique(series))
    except TypeError:
        kind = type(next(v for v in series if not isinstance(v, Hashable))).__name__
        raise ColumnTypeError(
            f"Column {name!r} holds values of type {kind}; every argument must be a string or a number: leave "
            "the column out or convert it."
        ) from None
    kinds = {_type_word(v) for v in distinct}
    if kinds == {"text"}:
        return Column(name, "category", label, tuple(sorted(distinct)))
    if kinds == {"boolean"}:
        return Column(name, "boolean", label)
    if kinds == {"number"}:
        return Column(name, _kind_of_numbers(series.to_numpy(dtype=np.float64), name), label)  # type: ignore[arg-type]
    if kinds == {"date"}:
        raise ValueError(
            f"Column {name!r} holds dates; turn them into numbers first (days since a date, month, weekday)."
        )
    raise ColumnTypeError(
        f"Column {name!r} mixes {' and '.join(sorted(kinds))} values; every argument must be a string or every one a "
        "number: convert the column to one type."
    )


def _type_word(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, str):
        return "text"
    if isinstance(value, complex | np.complexfloating):
        return "complex"
    if hasattr(value, "isoformat"):
        return "date"
    return "number" if hasattr(value, "__float__") else type(value).__name__


def _kind_of_numbers(values: NDArray[Any], name: str) -> str:
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    if values.dtype.kind == "b":
        return "boolean"
    if values.dtype.kind == "O":
        values = values.astype(np.float64)
    refuse_missing(values, name)
    is_whole = values.dtype.kind in "iu"
    if is_whole and values.size:
        top = max(abs(int(values.max())), abs(int(values.min())))
        if top > LARGEST_EXACT_INTEGER:
            raise ValueError(
                f"Column {name!r} holds integers beyond 2**53, which floating point cannot tell apart; "
                "leave it out if it is an identifier, or subtract a constant."
            )
    if values.size and np.all((values == 0) | (values == 1)):
        return "boolean"
    return "integer" if is_whole else "number"


def refuse_missing(values: Any, name: str) -> None:
    """Raise a ValueError that says which column is not finite and in how many rows."""
    n_missing = int(pd.isna(values).sum())
    if n_missing:
        raise ValueError(
            f"Input X contains NaN: column {name!r} has {n_missing} missing value{'s' * (n_missing > 1)}; "
            "fill or drop these rows first."
        )
    numbers = np.asarray(values) if getattr(values, "dtype", None) is not None else values
    if getattr(numbers, "dtype", np.dtype(object)).kind == "f":
        n_infinite = int(np.isinf(numbers).sum())
        if n_infinite:
            raise ValueError(
                f"Input X contains infinity: column {name!r} has {n_infinite} infinite "
                f"value{'s' * (n_infinite > 1)}; replace or drop these rows first."
            )


def _plain(value: Any) -> Hashable:
    """A numpy scalar as the Python value it stands for."""
    plain: Hashable = value.item() if isinstance(value, np.generic) else value
    return plain
