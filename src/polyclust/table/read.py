"""Reading tables: csv, tsv, parquet, Excel and standard input; whole for fitting, in chunks for assigning.

Whole numbers stay whole where values are missing (pandas' nullable types), and decimals are read to the
nearest float, so that a threshold means the same here and in a database.
"""

from __future__ import annotations

import csv
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import pandas as pd

from polyclust.table.stored_index import show_index
from polyclust.table.text import TextFormat, detect_format, find_other_separator, find_ragged_line

__all__ = [
    "NAMELESS",
    "NONE",
    "STANDARD_INPUT",
    "TableError",
    "TableSource",
    "find_codes",
    "find_decimal_mark",
    "find_gaps",
    "is_decimal_unsure",
    "iterate_chunks",
    "open_source",
    "read_as_text",
    "read_table",
    "refuse_unreadable",
    "spell_option",
]

STANDARD_INPUT = "-"
PARQUET_ENDINGS = (".parquet", ".pq")
EXCEL_ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")
LOOKED_ROWS = 1000  # for what stands where values are missing
# As pandas has them, but for None: among numbers it stands for a missing value, among words it is one of them.
NUMBERS_THAT_ARE_NONE = ("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
GAPS = ("", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "#N/A", "#N/A N/A", "#NA", *NUMBERS_THAT_ARE_NONE)
NONE = "None"
NAMELESS = "Unnamed: "  # and the place, as pandas calls them
# A table in memory takes about this many times its file, while it is being read.
MEMORY_PER_BYTE = {"text": 4, "parquet": 8, "excel": 20}


class TableError(ValueError):
    """A table cannot be read; the message says what, where and what to do."""


def spell_option(option: str, name: str) -> str:
    """An option with a column as it can be typed, whatever the column is called."""
    return f"--{option} {shlex.quote(name)}"


@dataclass(frozen=True)
class TableSource:
    """Where a table comes from and how its text is to be read (None: find out)."""

    path: str
    location: str
    kind: str = "text"
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    @property
    def name(self) -> str:
        """What people read in messages."""
        return "standard input" if self.path == STANDARD_INPUT else self.path

    def open_binary(self) -> IO[bytes]:
        """The bytes from their beginning."""
        return open(self.location, "rb")


def open_source(
    path: str,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> TableSource:
    """Check that there is something to read and say which kind of file it is."""
    refuse_unreadable(path)
    location = _spool_standard_input() if path == STANDARD_INPUT else path
    source = TableSource(path, location, "text", separator, decimal, encoding, sheet)
    with source.open_binary() as stream:
        head = stream.read(8)
    if not head:
        raise TableError(f"{source.name} is empty: give a table with a header and rows.")
    kind = _kind_of_file(path, head)
    if sheet is not None and kind != "excel":
        raise TableError(f"{source.name} is no Excel file and has no sheets: leave --sheet out.")
    return replace(source, kind=kind)


def read_table(source: TableSource) -> pd.DataFrame:
    """The whole table. Raises TableError with one clear sentence for what cannot be read."""
    _refuse_too_large(source)
    try:
        table = _READERS[source.kind](source)
    except MemoryError:
        raise TableError(f"{source.name} does not fit into memory: {_ADVICE_LARGE}.") from None
    table.columns = pd.Index([str(c) for c in table.columns])
    _refuse_repeated(table.columns.tolist(), source)
    table = _refuse_nameless(table, source)
    if table.empty:
        raise TableError(f"{source.name} has a header but no rows: add the rows to cluster.")
    if table.shape[1] == 1 and source.kind == "text":
        _refuse_other_separator(source)
    return table


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


def iterate_chunks(
    source: TableSource, chunk_rows: int = 50_000, text_columns: Sequence[str] = ()
) -> Iterator[pd.DataFrame]:
    """The table in pieces of at most ``chunk_rows``, in order; Excel, which cannot be streamed, is sliced.

    ``text_columns`` are kept as they are written: identifiers (007) and categories.
    """
    if source.kind == "text":
        yield from _iterate_text(source, chunk_rows, text_columns)
    elif source.kind == "parquet":
        yield from _iterate_parquet(source, chunk_rows)
    else:
        table = read_table(source)
        for start in range(0, len(table), chunk_rows):
            yield table.iloc[start : start + chunk_rows]


_spooled: list[IO[bytes]] = []


def _spool_standard_input() -> str:
    """Standard input as a file, for it is read more than once and may be larger than memory."""
    # Kept open, and so kept on disk, until the process ends.
    copy = tempfile.NamedTemporaryFile(prefix="polyclust-")  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.flush()
    _spooled.append(copy)
    return copy.name


def _kind_of_file(path: str, head: bytes) -> str:
    if head.startswith(b"PAR1") or path.lower().endswith(PARQUET_ENDINGS):
        return "parquet"
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")) or path.lower().endswith(EXCEL_ENDINGS):
        return "excel"
    return "text"


def refuse_unreadable(name: str) -> None:
    """Raise TableError if there is no file of that name to read, before any work is done."""
    if name == STANDARD_INPUT:
        return
    path = Path(name)
    if path.is_dir():
        raise TableError(f"{path} is a folder: give the file in it that holds the table.")
    try:
        path.open("rb").close()
    except FileNotFoundError:
        raise TableError(f"{path} does not exist: check the name and the folder.") from None
    except PermissionError:
        raise TableError(f"{path} may not be read: change its permissions or copy it.") from None
    except OSError as error:
        raise TableError(f"{path} cannot be opened: {error.strerror}.") from None


_ADVICE_LARGE = "cluster a sample of its rows and label all of them with 'polyclust assign'"


def _refuse_too_large(source: TableSource) -> None:
    needed = Path(source.location).stat().st_size * MEMORY_PER_BYTE[source.kind]
    available = _available_memory()
    if available is not None and needed > available:
        raise TableError(
            f"{source.name} needs about {needed / 2**30:.1f} GB of memory and {available / 2**30:.1f} GB are "
            f"free: {_ADVICE_LARGE}."
        )


def _available_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return None
    found = re.search(r"MemAvailable:\s+(\d+) kB", text)
    return int(found.group(1)) * 1024 if found else None


def _name_columns(header: Sequence[str]) -> list[str]:
    """Every column with a name; those that have none are called by their place."""
    return [name or f"{NAMELESS}{position}" for position, name in enumerate(header)]


def _refuse_nameless(table: pd.DataFrame, source: TableSource) -> pd.DataFrame:
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


def _refuse_repeated(names: Sequence[str], source: TableSource) -> None:
    repeated = next((n for i, n in enumerate(names) if n and n in names[:i]), None)
    if repeated is not None:
        raise TableError(f"{source.name} has more than one column named {repeated!r}: rename all but one.")


def _read_text(source: TableSource) -> pd.DataFrame:
    form = _find_format(source)
    _refuse_ragged(source, form)
    return _trim(_keep_none(_parse_text(source, form), source, form), form)


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
    _refuse_repeated(form.header, source)
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
            raise TableError(f"{source.name} cannot be read as a table: {_first_line(error)}.") from None
    if ragged is not None:
        line, n_fields = ragged
        raise TableError(
            f"line {line} of {source.name} has {n_fields} field{'s' * (n_fields != 1)} and the header "
            f"{len(form.header)}: correct the line, or give the separator with --sep."
        )


def _refuse_other_separator(source: TableSource) -> None:
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
                names=_name_columns(form.header),
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
        raise TableError(f"{source.name} cannot be read as a table: {_first_line(error)}.") from None


def _exact_decimals() -> dict[str, Any]:
    """What makes pandas read decimals to the nearest float: an option before version 3, the default since."""
    return {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}


def _iterate_text(source: TableSource, chunk_rows: int, text_columns: Sequence[str]) -> Iterator[pd.DataFrame]:
    form = _find_format(source)
    _refuse_ragged(source, form)
    names = _name_columns(form.header)
    kept = {name: "string" for name in text_columns if name in names}
    gaps = {name: GAPS if name in kept else (*GAPS, NONE) for name in names}
    reader = _parse_text(source, form, chunksize=chunk_rows, dtype=kept, keep_default_na=False, na_values=gaps)
    with reader:
        try:
            for chunk in reader:
                yield _trim(chunk, form)
        except (pd.errors.ParserError, UnicodeError) as error:
            raise TableError(f"{source.name} cannot be read as a table: {_first_line(error)}.") from None


def _read_parquet(source: TableSource) -> pd.DataFrame:
    with _parquet_errors(source), source.open_binary() as stream:
        return show_index(pd.read_parquet(stream, dtype_backend="numpy_nullable"))


def _iterate_parquet(source: TableSource, chunk_rows: int) -> Iterator[pd.DataFrame]:
    import pyarrow.parquet

    with _parquet_errors(source), source.open_binary() as stream:
        for batch in pyarrow.parquet.ParquetFile(stream).iter_batches(batch_size=chunk_rows):
            yield show_index(batch.to_pandas(), is_piece=True).convert_dtypes()


class _parquet_errors:
    """Turns what pyarrow raises into one sentence."""

    def __init__(self, source: TableSource) -> None:
        self.source = source

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        import pyarrow

        if isinstance(error, pyarrow.ArrowException):
            raise TableError(f"{self.source.name} is not a sound parquet file: {_first_line(error)}.") from None


def _read_excel(source: TableSource) -> pd.DataFrame:
    try:
        with source.open_binary() as stream:
            options: dict[str, Any] = {"dtype": object, "keep_default_na": False, "na_values": GAPS}
            rows = pd.read_excel(stream, sheet_name=_sheet(source), header=None, **options)
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
    first = int(rows.notna().any(axis=1).to_numpy().argmax())  # rows without any value may stand above the header
    header = ["" if pd.isna(name) else str(name) for name in rows.iloc[first]]
    _refuse_repeated(header, source)
    table = rows.iloc[first + 1 :].reset_index(drop=True)
    table.columns = pd.Index(_name_columns(header))
    columns = {name: _drop_lone_none(table[name]) for name in table.columns}
    return pd.DataFrame(columns).infer_objects().convert_dtypes()


def _drop_lone_none(column: pd.Series[Any]) -> pd.Series[Any]:
    """None as missing where it is the only word."""
    is_none = column == NONE
    has_words = any(isinstance(value, str) for value in column[~is_none])
    return column if has_words else column.mask(is_none)


def _say_of_excel(error: Exception) -> str:
    """pandas' own words speak of engines where a file is something else under that name."""
    sentence = _first_line(error)
    return "give it the ending of what it is, such as .csv" if "cannot be determined" in sentence else sentence


def _sheet(source: TableSource) -> str | int:
    return source.sheet if source.sheet is not None else 0


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


_READERS = {"text": _read_text, "parquet": _read_parquet, "excel": _read_excel}
