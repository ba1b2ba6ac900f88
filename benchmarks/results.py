"""Results on disk: one CSV per protocol and method, a row per data set, written whole or not at all.

Methods that are told their number of clusters (`mpc-1-at-7`) share a file (`mpc-1-at-k`): a row per set and number.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from benchmarks.cell import COLUMNS, Row

FOLDER = Path(__file__).resolve().parent / "results"


def file_of(folder: Path, protocol: str, method: str) -> Path:
    """Where the rows of a method are kept."""
    base, at, _ = method.partition("-at-")
    return folder / f"{protocol}-{base}{'-at-k' if at else ''}.csv"


def read_rows(path: Path) -> pd.DataFrame:
    """The rows of one file; none if it is not there."""
    return pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=list(COLUMNS))


def read_all(folder: Path = FOLDER) -> pd.DataFrame:
    """Every row that has been measured."""
    tables = [read_rows(path) for path in sorted(folder.glob("*-*.csv"))]
    filled = [table.dropna(axis="columns", how="all") for table in tables if len(table)]
    if not filled:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.concat(filled, ignore_index=True).reindex(columns=list(COLUMNS))


def has_row(folder: Path, protocol: str, name: str, method: str) -> bool:
    """Whether the cell was measured; a cell that was skipped for want of a package is tried again."""
    rows = read_rows(file_of(folder, protocol, method))
    found = rows[(rows["data"] == name) & (rows["method"] == method)]
    return len(found) > 0 and found["status"].iloc[0] != "skipped"


def store_row(folder: Path, row: Row) -> None:
    """Add the row or put it in the place of an older one."""
    path = file_of(folder, row.protocol, row.method)
    rows = read_rows(path).to_dict("records")
    rows = [old for old in rows if (old["data"], old["method"]) != (row.data, row.method)] + [row.as_dict()]
    rows.sort(key=lambda each: (str(each["data"]), len(str(each["method"])), str(each["method"])))
    folder.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(temporary, index=False)
    temporary.replace(path)
