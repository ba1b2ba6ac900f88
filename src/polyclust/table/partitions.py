"""Tables that Dask holds in partitions: DataFrames, Arrays. Nothing else imports Dask, and this only when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from joblib import parallel_config

from polyclust.table.slices import Slices, is_wide
from polyclust.table.unseen import UnseenLevels

__all__ = [
    "Partitions",
    "attach",
    "find_by_weight",
    "find_for_rows",
    "is_partitioned",
    "join_later",
    "lend_workers",
    "map_lazily",
    "refuse_dimensions",
    "show_columns",
]

Result = TypeVar("Result")


def is_partitioned(X: Any) -> bool:
    """Whether it is something of Dask's."""
    return hasattr(X, "__dask_graph__")


def show_columns(X: Any) -> Any:
    """A table in memory with the same columns and no rows of its own, to check names and widths on."""
    if _is_frame(X):
        return X._meta
    if not hasattr(X, "chunks"):
        raise ValueError(f"A Dask DataFrame or Array is needed; got a Dask {type(X).__name__}.")
    refuse_dimensions(X)
    return np.empty((0, X.shape[1]), dtype=X.dtype)


def refuse_dimensions(X: Any) -> None:
    """Raise ValueError for an array that is no table, in the words that scikit-learn's checks look for."""
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: rows are samples, columns are "
            "features."
        )


@contextmanager
def lend_workers() -> Iterator[None]:
    """Whatever joblib runs inside goes to the workers of the cluster, where there is one."""
    try:
        from distributed import get_client

        get_client()
    except (ImportError, ValueError):
        yield
        return
    with parallel_config(backend="dask"):
        yield


class Partitions:
    """The partitions of a table, each with the same rows of some columns that go with it (weights, labels)."""

    def __init__(self, X: Any, **beside: Any) -> None:
        show_columns(X)
        self.names = [name for name, column in beside.items() if column is not None]
        columns = [_split_column(beside[name], X, name) for name in self.names]
        self.parts = list(zip(_split_table(X), *columns, strict=True))

    def __len__(self) -> int:
        return len(self.parts)

    def gather(self) -> tuple[Any, Any]:
        """The whole table in memory, and the weights that go with it, or None."""
        from dask import compute

        parts = list(zip(*compute(*self.parts), strict=True))
        is_frame = isinstance(parts[0][0], pd.DataFrame)
        table = pd.concat(parts[0]) if is_frame else np.concatenate(parts[0])
        return table, np.concatenate(parts[1]) if self.names else None

    def map(self, function: Callable[..., Result], asked: Mapping[int, Any] | None = None) -> list[Result]:
        """function(table, name=column, ...), computed for every partition, in order.

        With ``asked``: for some, by number, as function(table, argument, name=column, ...).
        """
        from dask import compute

        return list(compute(*self.delay(function, asked)))

    def delay(self, function: Callable[..., Any], asked: Mapping[int, Any] | None = None) -> list[Any]:
        """The same, not computed yet."""
        from dask import delayed

        shared = delayed(function, traverse=False)  # once in the graph, whatever it carries
        tasks = []
        for number in range(len(self)) if asked is None else asked:
            table, *columns = self.parts[number]
            argument = [] if asked is None else [delayed(asked[number], traverse=False)]
            tasks.append(shared(table, *argument, **dict(zip(self.names, columns, strict=True))))
        return tasks


def map_lazily(function: Callable[[Any], Any], X: Any, dtype: Any, n_columns: int | None = None) -> Any:
    """function(table) -> array of n rows, for all partitions, not computed yet.

    A DataFrame gives a Series, ``cluster``, or with ``n_columns`` a DataFrame, with its own index; an Array an Array.
    """
    show_columns(X)
    if _is_frame(X):
        meta = _label_rows(np.empty((0,) if n_columns is None else (0, n_columns), dtype=dtype), X._meta.iloc[:0])
        return X.map_partitions(_map_frame, function, meta=meta, enforce_metadata=False)
    whole = _join_columns(X)
    if n_columns is None:
        return whole.map_blocks(function, dtype=dtype, drop_axis=1, meta=np.empty(0, dtype=dtype))
    chunks, meta = (whole.chunks[0], (n_columns,)), np.empty((0, 0), dtype=dtype)
    return whole.map_blocks(function, dtype=dtype, chunks=chunks, meta=meta)


def find_for_rows(
    find: Callable[[Any], Any], read: Callable[..., Any], X: Any, dtype: Any, n_columns: int | None = None
) -> Any:
    """find(read(X)): an array of n rows; lazily for a table in partitions, as map_lazily does.

    Of a table in slices ``read(rows, unseen=...)`` collects the levels that the fit had not, for one warning.
    """
    read_and_find = partial(_read_and_find, find, read)
    if is_partitioned(X):
        return map_lazily(read_and_find, X, dtype, n_columns)
    if is_wide(X):
        unseen = UnseenLevels()
        found = Slices(X, np.ones(len(X))).map(partial(_read_and_find, find, partial(read, unseen=unseen)))
        unseen.warn()
        return np.concatenate(found)
    return read_and_find(X)


def _read_and_find(
    find: Callable[[Any], Any],
    read: Callable[[Any], Any],
    table: Any,
    sample_weight: Any = None,  # noqa: ARG001
) -> Any:
    return find(read(table))


def join_later(parts: Sequence[Any], function: Callable[[list[Any]], Any]) -> Any:
    """function(results of delayed parts), not computed yet."""
    from dask import delayed

    return delayed(function, traverse=False)(list(parts))


def attach(X: Any, columns: Sequence[Any]) -> Any:
    """Known values of the rows, an array per partition, in the form that map_lazily gives."""
    parts = Partitions(X).delay(_attach_part, dict(enumerate(columns)))
    return _join_parts(X, parts, [len(column) for column in columns], columns[0].dtype)


def find_by_weight(
    find: Callable[[Any, Any], Any], X: Any, sample_weight: Any, lengths: Sequence[int], dtype: Any
) -> Any:
    """find(table, weights) -> array of n rows, not computed yet, in the form that map_lazily gives."""
    parts = Partitions(X, sample_weight=sample_weight).delay(partial(_find_part, find))
    return _join_parts(X, parts, lengths, dtype)


def _find_part(find: Callable[[Any, Any], Any], table: Any, sample_weight: Any) -> Any:
    return _label_rows(find(table, np.asarray(sample_weight)), table)


def _join_parts(X: Any, parts: Sequence[Any], lengths: Sequence[int], dtype: Any) -> Any:
    if _is_frame(X):
        import dask.dataframe as dd

        return dd.from_delayed(parts, meta=_label_rows(np.empty(0, dtype=dtype), X._meta.iloc[:0]))
    import dask.array as da

    known = zip(parts, lengths, strict=True)
    return da.concatenate([da.from_delayed(part, (length,), dtype=dtype) for part, length in known])


def _attach_part(table: Any, column: Any) -> Any:
    return _label_rows(column, table)


def _map_frame(table: pd.DataFrame, function: Callable[[Any], Any]) -> Any:
    return _label_rows(function(table), table)


def _label_rows(values: Any, table: Any) -> Any:
    if not hasattr(table, "index"):
        return values
    if values.ndim == 1:
        return pd.Series(values, index=table.index, name="cluster")
    return pd.DataFrame(values, index=table.index)


def _is_frame(X: Any) -> bool:
    return isinstance(getattr(X, "_meta", None), pd.DataFrame)


def _split_table(X: Any) -> list[Any]:
    return list(np.ravel((X if _is_frame(X) else _join_columns(X)).to_delayed()))


def _join_columns(X: Any) -> Any:
    """An array whose chunks hold whole rows."""
    return X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})


def _split_column(column: Any, X: Any, name: str) -> list[Any]:
    """The parts of a column, one per partition of the table."""
    if not is_partitioned(column) or column.ndim != 1:
        raise ValueError(f"{name} must be a Dask Series or one-dimensional Array with the partitions of X.")
    if hasattr(X, "chunks") and hasattr(column, "chunks") and not np.isnan([*X.shape, *column.shape]).any():
        if len(column) != len(X):
            raise ValueError(f"{name} has {len(column)} rows and X has {len(X)}; they must be the same rows.")
        column = column.rechunk((X.chunks[0],))
    parts = list(np.ravel(column.to_delayed()))
    n_parts = len(X.chunks[0]) if hasattr(X, "chunks") else X.npartitions
    if len(parts) != n_parts:
        raise ValueError(f"{name} has {len(parts)} partitions and X has {n_parts}; they must be the same rows.")
    return parts
