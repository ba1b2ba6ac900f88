"""Reading parquet files, whole or in pieces; the index that pandas keeps in them becomes columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd

from polyclust.table.source import TableError, TableSource, first_line

__all__ = ["iterate_parquet", "read_parquet"]

NO_NAME = "index"


def read_parquet(source: TableSource) -> pd.DataFrame:
    """The whole table."""
    with _parquet_errors(source), source.open_binary() as stream:
        return _show_index(pd.read_parquet(stream, dtype_backend="numpy_nullable"))


def iterate_parquet(source: TableSource, chunk_rows: int) -> Iterator[pd.DataFrame]:
    """The table in pieces, in order."""
    import pyarrow.parquet

    with _parquet_errors(source), source.open_binary() as stream:
        for batch in pyarrow.parquet.ParquetFile(stream).iter_batches(batch_size=chunk_rows):
            yield _show_index(batch.to_pandas(), is_piece=True).convert_dtypes()


@contextmanager
def _parquet_errors(source: TableSource) -> Iterator[None]:
    """Turns what pyarrow raises into one sentence."""
    import pyarrow

    try:
        yield
    except pyarrow.ArrowException as error:
        raise TableError(f"{source.name} is not a sound parquet file: {first_line(error)}.") from None


def _show_index(table: pd.DataFrame, is_piece: bool = False) -> pd.DataFrame:
    """The table with its index as the first columns; plain row numbers are left out.

    An index without a name is often but a trace of how the table was made: it is shown only where it names every row
    differently, which a piece of a table cannot tell.
    """
    if isinstance(table.index, pd.RangeIndex):
        return table
    shown = table.reset_index(drop=True)
    for level in reversed(range(table.index.nlevels)):
        values = table.index.get_level_values(level)
        name = NO_NAME if values.name is None else str(values.name)
        is_trace = values.name is None and not (is_piece or (values.is_unique and values.dtype.kind != "f"))
        if name not in map(str, shown.columns) and not is_trace:
            shown.insert(0, name, values.to_numpy())
    return shown
