"""Reading tables: csv, tsv, parquet, Excel and standard input; whole for fitting, in chunks for assigning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from polyclust.table.read_excel import read_excel
from polyclust.table.read_parquet import iterate_parquet, read_parquet
from polyclust.table.read_text import iterate_text, read_text, refuse_other_separator
from polyclust.table.source import NAMELESS, TableError, TableSource, refuse_repeated

__all__ = ["iterate_chunks", "read_table"]

# A table in memory takes about this many times its file, while it is being read.
MEMORY_PER_BYTE = {"text": 4, "parquet": 8, "excel": 20}
ADVICE_LARGE = "cluster a sample of its rows and label all of them with 'polyclust assign'"
READERS = {"text": read_text, "parquet": read_parquet, "excel": read_excel}


def read_table(source: TableSource) -> pd.DataFrame:
    """The whole table. Raises TableError with one clear sentence for what cannot be read."""
    _refuse_too_large(source)
    try:
        table = READERS[source.kind](source)
    except MemoryError:
        raise TableError(f"{source.name} does not fit into memory: {ADVICE_LARGE}.") from None
    table.columns = pd.Index([str(c) for c in table.columns])
    refuse_repeated(table.columns.tolist(), source)
    table = _drop_nameless(table, source)
    if table.empty:
        raise TableError(f"{source.name} has a header but no rows: add the rows to cluster.")
    if table.shape[1] == 1 and source.kind == "text":
        refuse_other_separator(source)
    return table


def iterate_chunks(
    source: TableSource, chunk_rows: int = 50_000, text_columns: Sequence[str] = ()
) -> Iterator[pd.DataFrame]:
    """The table in pieces of at most ``chunk_rows``, in order; Excel, which cannot be streamed, is sliced.

    ``text_columns`` are kept as they are written: identifiers (007) and categories.
    """
    if source.kind == "text":
        yield from iterate_text(source, chunk_rows, text_columns)
    elif source.kind == "parquet":
        yield from iterate_parquet(source, chunk_rows)
    else:
        table = read_table(source)
        for start in range(0, len(table), chunk_rows):
            yield table.iloc[start : start + chunk_rows]


def _refuse_too_large(source: TableSource) -> None:
    needed = Path(source.location).stat().st_size * MEMORY_PER_BYTE[source.kind]
    available = _available_memory()
    if available is not None and needed > available:
        raise TableError(
            f"{source.name} needs about {needed / 2**30:.1f} GB of memory and {available / 2**30:.1f} GB are "
            f"free: {ADVICE_LARGE}."
        )


def _available_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return None
    found = re.search(r"MemAvailable:\s+(\d+) kB", text)
    return int(found.group(1)) * 1024 if found else None


def _drop_nameless(table: pd.DataFrame, source: TableSource) -> pd.DataFrame:
    """The table without columns that have neither name nor values; TableError if several have values but no name."""
    nameless = [name for name in table.columns if str(name).startswith(NAMELESS)]
    empty = [name for name in nameless if table[name].isna().all()]
    n_nameless = len(nameless) - len(empty)
    if n_nameless > 1:
        raise TableError(
            f"{source.name} has {n_nameless} columns without a name in its first row: name them, or delete the rows "
            "above the header."
        )
    return table.drop(columns=empty)
