"""The index that pandas keeps in a parquet file, as columns, so that the names of rows are not lost."""

from __future__ import annotations

import pandas as pd

__all__ = ["show_index"]

NO_NAME = "index"


def show_index(table: pd.DataFrame, is_piece: bool = False) -> pd.DataFrame:
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
