"""Reading a sheet of an Excel file."""

from __future__ import annotations

from typing import Any

import pandas as pd

from polyclust.table.source import GAPS, NONE, TableError, TableSource, first_line, name_columns, refuse_repeated

__all__ = ["read_excel"]


def read_excel(source: TableSource) -> pd.DataFrame:
    """The sheet that was asked for, or the first; rows without any value may stand above its header."""
    try:
        with source.open_binary() as stream:
            options: dict[str, Any] = {"dtype": object, "keep_default_na": False, "na_values": GAPS}
            rows = pd.read_excel(stream, sheet_name=0 if source.sheet is None else source.sheet, header=None, **options)
    except ImportError as error:
        if "openpyxl" not in str(error):
            raise TableError(
                f"{source.name} is of an old or foreign spreadsheet format: save it as xlsx or csv."
            ) from None
        raise TableError(
            f"{source.name} is an Excel file and openpyxl is not installed: run pip install "
            '"polyclust[excel]" or save it as csv.'
        ) from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - openpyxl raises whatever a damaged file leads it into
        raise TableError(f"{source.name} is not a sound Excel file: {_say_of_excel(error)}.") from None
    if rows.empty:
        raise TableError(f"{source.name} is empty: give a table with a header and rows.")
    first = int(rows.notna().any(axis=1).to_numpy().argmax())
    header = ["" if pd.isna(name) else str(name) for name in rows.iloc[first]]
    refuse_repeated(header, source)
    table = rows.iloc[first + 1 :].reset_index(drop=True)
    table.columns = pd.Index(name_columns(header))
    columns = {name: _drop_lone_none(table[name]) for name in table.columns}
    return pd.DataFrame(columns).infer_objects().convert_dtypes()


def _drop_lone_none(column: pd.Series[Any]) -> pd.Series[Any]:
    """None as missing where it is the only word."""
    is_none = column == NONE
    has_words = any(isinstance(value, str) for value in column[~is_none])
    return column if has_words else column.mask(is_none)


def _say_of_excel(error: Exception) -> str:
    """pandas' own words speak of engines where a file is something else under that name."""
    sentence = first_line(error)
    return "give it the ending of what it is, such as .csv" if "cannot be determined" in sentence else sentence
