"""What kind of column each one is, and one clear sentence for those that cannot be used."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Rational
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse

from polyclust.errors import ColumnTypeError
from polyclust.table.features import Column
from polyclust.table.partitions import is_partitioned, refuse_dimensions

__all__ = [
    "ColumnSummary",
    "RawTable",
    "conclude_column",
    "describe_columns",
    "join_summaries",
    "list_some",
    "open_table",
    "plain_value",
    "read_array",
    "refuse_form",
    "refuse_other_columns",
    "summarise_column",
]

LARGEST_EXACT_INTEGER = 2**53
SHOWN_NAMES = 5  # of the columns that are wrong


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


def refuse_form(X: Any, name: str = "X", make_dense: str = "call its .toarray() first") -> None:
    """Raise TypeError, saying what to do, for what numpy would misread; ValueError for masked values."""
    if issparse(X):
        raise TypeError(f"{name} is a sparse matrix and must be dense: {make_dense}.")
    if type(X).__name__ == "LazyFrame" and type(X).__module__.startswith("polars"):
        raise TypeError(f"{name} is a LazyFrame of polars, whose rows are not read yet: call its .collect() first.")
    if isinstance(X, np.ndarray) and X.dtype.names is not None:
        raise TypeError(
            f"{name} is a structured array, a frame in another form: give pandas.DataFrame({name}) instead."
        )
    n_masked = int(np.ma.getmaskarray(X).sum()) if isinstance(X, np.ma.MaskedArray) else 0
    if n_masked:
        raise ValueError(
            f"{name} is a masked array with {n_masked} masked value{'s' * (n_masked > 1)}, which count as missing; "
            "fill or drop these rows first."
        )


def open_table(X: Any) -> RawTable:
    """Wrap an array or a pandas or polars frame."""
    refuse_form(X)
    if is_partitioned(X):
        raise ValueError("This needs the rows in memory: compute() the Dask collection, or some of its rows, first.")
    if hasattr(X, "to_pandas") and not isinstance(X, pd.DataFrame):
        X = X.to_pandas()
    if isinstance(X, pd.Series):
        X = X.to_frame()
    if isinstance(X, pd.DataFrame):
        repeated = X.columns[X.columns.duplicated()].unique().tolist()
        if repeated:
            raise ValueError(f"Column names must differ; {repeated[0]!r} occurs more than once: rename one.")
        return RawTable(X.columns.tolist(), X, len(X), is_frame=True)
    values = read_array(X)
    return RawTable(range(values.shape[1]), values, len(values), is_frame=False)


def read_array(X: Any) -> NDArray[Any]:
    """An array of two dimensions. In lists of numbers and texts each value keeps its type: numpy makes texts of all."""
    try:
        values = np.asarray(X)
    except ValueError:
        raise ValueError("The rows of X differ in length; give each as many values as there are columns.") from None
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers; give their parts as columns.")
    if values.dtype.kind == "S" or (values.dtype.kind == "U" and not hasattr(X, "dtype")):
        values = np.asarray(X, dtype=object)
    refuse_dimensions(values)
    return values


def refuse_other_columns(present: Sequence[Hashable], fitted: Sequence[Hashable]) -> None:
    """Raise ValueError, naming the columns, unless they are those of the fit; their order does not matter."""
    seen, known = set(present), set(fitted)
    missing = [c for c in fitted if c not in seen]
    unexpected = [c for c in present if c not in known]
    wrongs = [f"lacks columns seen at fit ({list_some(missing)})"] if missing else []
    wrongs += [f"has columns not seen at fit ({list_some(unexpected)})"] if unexpected else []
    if wrongs:
        raise ValueError(
            f"The table {' and '.join(wrongs)}: give it the columns of the fit (feature_names_in_), in any order."
        )


def list_some(names: Sequence[Hashable]) -> str:
    """The first few names, and how many there are where these are not all."""
    return ", ".join(map(repr, names[:SHOWN_NAMES])) + (f", … {len(names)} in all" if len(names) > SHOWN_NAMES else "")


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds in some rows; those of several parts of a table can be joined.

    kinds : "number" (booleans too), "text", "category" or, where it cannot be used, words for what is there
    levels : what occurs, of text and categories; categories : all that the dtype knows, in the user's order
    is_whole, is_zero_one, largest : of numbers
    """

    n_rows: int
    kinds: frozenset[str] = frozenset()
    levels: frozenset[Hashable] = frozenset()
    categories: tuple[Hashable, ...] = ()
    is_whole: bool = True
    is_zero_one: bool = True
    largest: int = 0
    n_missing: int = 0
    n_infinite: int = 0


def describe_columns(table: RawTable) -> tuple[Column, ...]:
    """The kind of every column, in order. Raises ValueError for what cannot be clustered."""
    numbers = table.numeric_array
    is_finite = numbers is not None and bool(np.isfinite(numbers).all())  # row by row: ten times as fast as by column
    summaries = (summarise_column(table.column(i), is_finite) for i in range(len(table.labels)))
    return tuple(conclude_column(summary, table.labels[i], table.name(i)) for i, summary in enumerate(summaries))


def summarise_column(values: Any, is_finite: bool = False) -> ColumnSummary:
    """What the values are: a Series, or a one-dimensional array, which may be known to be finite."""
    if not isinstance(values, pd.Series):
        if values.dtype.kind in "fiubc":
            return _summarise_numbers(values, is_finite)
        values = pd.Series(values).infer_objects()
    dtype = values.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return ColumnSummary(len(values), frozenset({"date"}))
    if pd.api.types.is_timedelta64_dtype(dtype):
        return ColumnSummary(len(values), frozenset({"duration"}))
    if pd.api.types.is_numeric_dtype(dtype) and not values.isna().any():  # booleans too
        return _summarise_numbers(values.to_numpy())
    n_missing, n_infinite = count_missing(values)
    if n_missing or n_infinite:
        return ColumnSummary(len(values), n_missing=n_missing, n_infinite=n_infinite)
    if isinstance(dtype, pd.CategoricalDtype):
        categories = tuple(plain_value(v) for v in dtype.categories)
        observed = values.cat.remove_unused_categories().cat.categories
        return ColumnSummary(len(values), frozenset({"category"}), frozenset(map(plain_value, observed)), categories)
    return _summarise_objects(values)


def _summarise_objects(series: pd.Series[Any]) -> ColumnSummary:
    try:
        distinct = list(pd.unique(series))
    except (TypeError, NotImplementedError):  # the latter of Arrow's lists and structs
        kind = type(next(v for v in series if not isinstance(v, Hashable))).__name__
        return ColumnSummary(len(series), frozenset({f"unhashable {kind}"}))
    kinds = {_type_word(v) for v in distinct}
    if kinds == {"boolean"}:
        return _summarise_numbers(series.to_numpy(dtype=bool))
    if kinds == {"number"}:
        return _summarise_number_objects(series)
    levels = frozenset(map(plain_value, distinct)) if kinds == {"text"} else frozenset()
    return ColumnSummary(len(series), frozenset(kinds), levels)


def _summarise_numbers(values: NDArray[Any], is_finite: bool = False) -> ColumnSummary:
    if values.dtype.kind == "c":
        return ColumnSummary(len(values), frozenset({"complex"}))
    if values.dtype.kind == "O":
        return _summarise_number_objects(pd.Series(values))
    n_missing, n_infinite = (0, 0) if is_finite else count_missing(values)
    is_whole = values.dtype.kind in "iub"
    largest = 0
    if is_whole and values.size:
        largest = max(abs(int(values.max())), abs(int(values.min())))
    is_zero_one = values.dtype.kind == "b" or (_is_zero_one(values[:100]) and _is_zero_one(values))
    return ColumnSummary(
        len(values),
        frozenset({"number"}),
        is_whole=is_whole,
        is_zero_one=is_zero_one,
        largest=largest,
        n_missing=n_missing,
        n_infinite=n_infinite,
    )


def _summarise_number_objects(series: pd.Series[Any]) -> ColumnSummary:
    """Numbers of Python's own, and decimals: how large they are is seen before they become floats."""
    largest = max((_whole_part(v) for v in pd.unique(series)), default=0)
    if largest > LARGEST_EXACT_INTEGER:
        return ColumnSummary(len(series), frozenset({"number"}), largest=largest)
    plain = series.infer_objects().to_numpy()
    return _summarise_numbers(plain.astype(np.float64) if plain.dtype.kind == "O" else plain)


def _whole_part(value: Any) -> int:
    """How large an exact number is; 0 for a float, which has been rounded already."""
    is_exact = isinstance(value, Rational) or (isinstance(value, Decimal) and value.is_finite())
    return abs(int(value)) if is_exact else 0


def _is_zero_one(values: NDArray[Any]) -> bool:
    return bool(values.size and np.all((values == 0) | (values == 1)))


def join_summaries(parts: Sequence[ColumnSummary]) -> ColumnSummary:
    """The column of all parts together; parts without rows say nothing."""
    filled = [part for part in parts if part.n_rows] or list(parts[:1])
    known = [part for part in filled if part.kinds == {"number"}]
    categories = {part.categories for part in filled if part.categories}
    return ColumnSummary(
        n_rows=sum(part.n_rows for part in filled),
        kinds=frozenset[str]().union(*(part.kinds for part in filled)),
        levels=frozenset[Hashable]().union(*(part.levels for part in filled)),
        categories=categories.pop() if len(categories) == 1 else (),
        is_whole=all(part.is_whole for part in known),
        is_zero_one=all(part.is_zero_one for part in known),
        largest=max((part.largest for part in known), default=0),
        n_missing=sum(part.n_missing for part in filled),
        n_infinite=sum(part.n_infinite for part in filled),
    )


def conclude_column(summary: ColumnSummary, label: Hashable, name: str) -> Column:
    """The column, or a ValueError that says why it cannot be clustered and what to do."""
    _refuse_kinds(summary.kinds, name)
    _refuse_counts(summary.n_missing, summary.n_infinite, name)
    label = plain_value(label)
    if summary.kinds == {"number"}:
        if summary.largest > LARGEST_EXACT_INTEGER:
            raise ValueError(
                f"Column {name!r} holds integers beyond 2**53, which floating point cannot tell apart; "
                "leave it out if it is an identifier, or subtract a constant."
            )
        if summary.is_zero_one:
            return Column(name, "boolean", label)
        return Column(name, "integer" if summary.is_whole else "number", label)
    if summary.kinds <= {"text", "category"} and summary.kinds:
        return Column(name, "category", label, _order_levels(summary))
    verb = "mixes" if len(summary.kinds) > 1 else "holds"
    raise ColumnTypeError(
        f"Column {name!r} {verb} {' and '.join(sorted(summary.kinds))} values; every argument must be a string or "
        "every one a number: convert the column to one type."
    )


def _refuse_kinds(kinds: frozenset[str], name: str) -> None:
    if kinds == {"date"}:
        raise ValueError(
            f"Column {name!r} holds dates; turn them into numbers first (days since a date, month, weekday)."
        )
    if kinds == {"duration"}:
        raise ValueError(f"Column {name!r} holds durations; turn them into numbers first (days or seconds).")
    if kinds == {"complex"}:
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    unhashable = sorted(kind.removeprefix("unhashable ") for kind in kinds if kind.startswith("unhashable "))
    if unhashable:
        raise ColumnTypeError(
            f"Column {name!r} holds values of type {unhashable[0]}; every argument must be a string or a number: leave "
            "the column out or convert it."
        )


def _order_levels(summary: ColumnSummary) -> tuple[Hashable, ...]:
    """Categories in the user's order where it is one, anything else sorted."""
    if summary.categories and summary.levels <= set(summary.categories):
        return tuple(level for level in summary.categories if level in summary.levels)
    try:
        return tuple(sorted(summary.levels))  # type: ignore[type-var]
    except TypeError:
        return tuple(sorted(summary.levels, key=lambda level: (type(level).__name__, str(level))))


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


def refuse_missing(values: Any, name: str) -> None:
    """Raise a ValueError that says which column is not finite and in how many rows."""
    _refuse_counts(*count_missing(values), name)


def count_missing(values: Any) -> tuple[int, int]:
    """How many values are missing and, where none is, how many infinite."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub" and np.isfinite(values).all():
        return 0, 0
    n_missing = int(pd.isna(values).sum())
    numbers = np.asarray(values) if getattr(values, "dtype", None) is not None else values
    is_float = not n_missing and getattr(numbers, "dtype", np.dtype(object)).kind == "f"
    return n_missing, int(np.isinf(numbers).sum()) if is_float else 0


def _refuse_counts(n_missing: int, n_infinite: int, name: str) -> None:
    if n_missing:
        raise ValueError(
            f"Input X contains NaN: column {name!r} has {n_missing} missing value{'s' * (n_missing > 1)}; "
            "fill or drop these rows first."
        )
    if n_infinite:
        raise ValueError(
            f"Input X contains infinity: column {name!r} has {n_infinite} infinite "
            f"value{'s' * (n_infinite > 1)}; replace or drop these rows first."
        )


def plain_value(value: Any) -> Hashable:
    """A scalar of numpy, or a text of a type of its own as in an enumeration, as the Python value it stands for."""
    if isinstance(value, np.generic):
        value = value.item()
    plain: Hashable = str.__str__(value) if isinstance(value, str) else value
    return plain
