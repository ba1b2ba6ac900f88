"""Reading text tables: csv, tsv and the like. How a table looks is found by ``text``, parsing is left to pandas.

Whole numbers stay whole where values are missing (pandas' nullable types), and decimals are read to the
nearest float, so that a threshold means the same here and in a database.
"""

from __future__ import annotations

import csv
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from polyclust.table.source import GAPS, NONE, TableError, TableSource, first_line, name_columns, refuse_repeated
from polyclust.table.text import TextFormat, detect_format, find_other_separator, find_ragged_line

__all__ = [
    "find_codes",
    "find_decimal_mark",
    "find_gaps",
    "is_decimal_unsure",
    "iterate_text",
    "read_as_text",
    "read_text",
    "refuse_other_separator",
]

LOOKED_ROWS = 1000  # for what stands where values are missing


def read_text(source: TableSource) -> pd.DataFrame:
    """The whole table."""
    form = _find_format(source)
    _refuse_ragged(source, form)
    return _trim(_keep_none(_parse_text(source, form), source, form), form)


def iterate_text(source: TableSource, chunk_rows: int, text_columns: Sequence[str]) -> Iterator[pd.DataFrame]:
    """The table in pieces, in order; some columns as they are written."""
    form = _find_format(source)
    _refuse_ragged(source, form)
    names = name_columns(form.header)
    kept = {name: "string" for name in text_columns if name in names}
    gaps = {name: GAPS if name in kept else (*GAPS, NONE) for name in names}
    reader = _parse_text(source, form, chunksize=chunk_rows, dtype=kept, keep_default_na=False, na_values=gaps)
    with reader:
        try:
            for chunk in reader:
                yield _trim(chunk, form)
        except (pd.errors.ParserError, UnicodeError) as error:
            raise TableError(f"{source.name} cannot be read as a table: {first_line(error)}.") from None


@lru_cache(maxsize=1)  # asked for every piece of a file
def find_decimal_mark(source: TableSource) -> str | None:
    """The mark of a text table; None where numbers are stored as such."""
    return _find_format(source).decimal if source.kind == "text" else None


def is_decimal_unsure(source: TableSource) -> bool:
    """Whether the decimal mark of a text table was found and could be one of thousands."""
    return source.kind == "text" and _find_format(source).is_decimal_unsure


def find_gaps(source: TableSource, table: pd.DataFrame) -> dict[str, str]:
    """What a text table has in its columns, as far as is looked, where a value was read as missing: NA, n/a, null."""
    if source.kind != "text":
        return {}
    form = _find_format(source)
    options = {"dtype": "string", "keep_default_na": False, "nrows": LOOKED_ROWS}
    written = _trim(_parse_text(source, form, **options), form)
    gaps = ((name, written[name][table[name].head(LOOKED_ROWS).isna()]) for name in table.columns)
    return {name: str(texts[texts != ""].iloc[0]) for name, texts in gaps if (texts != "").any()}


def find_codes(source: TableSource) -> frozenset[str]:
    """Columns of a text table in which digits begin with zeros, as 01067 does."""
    return _find_format(source).codes if source.kind == "text" else frozenset()


def read_as_text(source: TableSource, name: str) -> pd.Series[Any]:
    """One column of a text table as it is written: 007 stays 007."""
    options = {"usecols": [name], "dtype": "string", "keep_default_na": False}
    form = _find_format(source)
    table = _trim(_parse_text(source, form, **options), form)
    return table[name]


def _find_format(source: TableSource) -> TextFormat:
    with source.open_binary() as stream:
        try:
            form = detect_format(
                stream,
                is_tab_separated=source.path.lower().endswith((".tsv", ".tab")),
                separator=source.separator,
                decimal=source.decimal,
                encoding=source.encoding,
            )
        except (UnicodeError, LookupError) as error:
            raise TableError(f"{source.name} {_describe_decoding(error, source.encoding)}") from None
        except ValueError as error:
            raise TableError(f"{source.name} {error}") from None
    refuse_repeated(form.header, source)
    return form


def _describe_decoding(error: Exception, encoding: str | None) -> str:
    if isinstance(error, LookupError):
        return f"cannot be read: there is no encoding {encoding!r}; try --encoding utf-8 or latin-1."
    return f"is not text in the encoding {encoding or 'utf-8'}: give another with --encoding."


def _refuse_ragged(source: TableSource, form: TextFormat) -> None:
    with source.open_binary() as stream:
        try:
            ragged = find_ragged_line(stream, form)
        except (csv.Error, UnicodeError) as error:
            raise TableError(f"{source.name} cannot be read as a table: {first_line(error)}.") from None
    if ragged is not None:
        line, n_fields = ragged
        is_title = len(form.header) == 1 < n_fields
        remedy = "delete the lines above the header" if is_title else "correct the line"
        raise TableError(
            f"line {line} of {source.name} has {n_fields} field{'s' * (n_fields != 1)} and the header "
            f"{len(form.header)}: {remedy}, or give the separator with --sep."
        )


def refuse_other_separator(source: TableSource) -> None:
    """Raise TableError where one column is probably several; --sep says that it is one."""
    form = _find_format(source)
    with source.open_binary() as stream:
        mark = find_other_separator(stream, form) if source.separator is None else None
    if mark is not None:
        raise TableError(
            f"{source.name} has one column only ({form.header[0]!r}) and {mark!r} in every line: give the separator "
            f"with --sep ({shlex.quote(mark)}, or ';' if it is one column)."
        )


def _parse_text(source: TableSource, form: TextFormat, **options: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)
            return pd.read_csv(
                source.location,
                compression=None,
                sep=form.separator,
                names=name_columns(form.header),
                header=0,
                skipinitialspace=form.is_spaced,
                decimal=form.decimal,
                encoding=form.encoding,
                **_exact_decimals(),
                dtype_backend="numpy_nullable",
                index_col=None if "usecols" in options else False,
                skip_blank_lines=True,
                low_memory=False,
                **options,
            )
    except pd.errors.EmptyDataError:
        raise TableError(f"{source.name} is empty: give a table with a header and rows.") from None
    except (pd.errors.ParserError, UnicodeError) as error:
        raise TableError(f"{source.name} cannot be read as a table: {first_line(error)}.") from None


def _exact_decimals() -> dict[str, Any]:
    """What makes pandas read decimals to the nearest float: an option before version 3, the default since."""
    return {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}


def _keep_none(table: pd.DataFrame, source: TableSource, form: TextFormat) -> pd.DataFrame:
    """The table with None as a value of columns that hold other words: how often do you smoke?"""
    is_text = pd.api.types.is_string_dtype
    names = [name for name in table.columns if is_text(table[name].dtype) and table[name].isna().any()]
    if not names:
        return table
    words = _parse_text(source, form, usecols=names, dtype="string", keep_default_na=False, na_values=GAPS)
    return _replace_columns(table, {name: words[name] for name in names})


def _trim(table: pd.DataFrame, form: TextFormat) -> pd.DataFrame:
    """Texts without the spaces that only surround separators."""
    if not form.is_spaced:
        return table
    texts = {name: table[name].str.strip() for name in table.columns if pd.api.types.is_string_dtype(table[name].dtype)}
    return _replace_columns(table, texts)


def _replace_columns(table: pd.DataFrame, columns: Mapping[str, pd.Series[Any]]) -> pd.DataFrame:
    """The table with other values in some columns, whatever they are called."""
    return pd.DataFrame({name: columns.get(name, table[name]) for name in table.columns}, index=table.index)
