"""Where a table comes from, and the words for what is wrong with it: shared by the readers of all formats."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

__all__ = [
    "GAPS",
    "NAMELESS",
    "NONE",
    "STANDARD_INPUT",
    "TableError",
    "TableSource",
    "first_line",
    "name_columns",
    "open_source",
    "quote_value",
    "refuse_repeated",
    "refuse_unreadable",
    "show_value",
    "spell_option",
]

STANDARD_INPUT = "-"
PARQUET_ENDINGS = (".parquet", ".pq")
EXCEL_ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")
ADDRESS = re.compile(r"[a-z][a-z0-9+]+://", re.IGNORECASE)
HEAD_BYTES = 256
# What files begin with that would be misread, and what to say of them.
FOREIGN = (
    (re.compile(rb"\x1f\x8b|BZh[1-9]1AY|\xfd7zXZ\0|\x28\xb5\x2f\xfd"), "is compressed: unpack it first"),
    (re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*\"|\[\s*[\[{])"), "holds JSON: save the table in it as csv or parquet"),
    (
        re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml)", re.IGNORECASE),
        "is a web page or XML: save its table as csv",
    ),
)
# As pandas has them, but for None: among numbers it stands for a missing value, among words it is one of them.
NUMBERS_THAT_ARE_NONE = ("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
GAPS = ("", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "#N/A", "#N/A N/A", "#NA", *NUMBERS_THAT_ARE_NONE)
NONE = "None"
SHOWN_LETTERS = 40  # of a value
NAMELESS = "Unnamed: "  # and the place, as pandas calls them


class TableError(ValueError):
    """A table cannot be read; the message says what, where and what to do."""


def spell_option(option: str, name: str) -> str:
    """An option with a column as it can be typed, whatever the column is called."""
    return f"--{option} {shlex.quote(name)}"


def show_value(value: object) -> str:
    """A value as a list has room for it: on one line, its beginning if it is long."""
    text = " ".join(str(value).split())
    return text if len(text) <= SHOWN_LETTERS else f"{text[: SHOWN_LETTERS - 1]}…"


def quote_value(value: object) -> str:
    """A value as a sentence tells it, its beginning if it is a long text."""
    is_long = isinstance(value, str) and len(value) > SHOWN_LETTERS
    return repr(show_value(value) if is_long else value)


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
        head = stream.read(HEAD_BYTES)
    if not head:
        raise TableError(f"{source.name} is empty: give a table with a header and rows.")
    _refuse_foreign(source, head)
    kind = _kind_of_file(path, head)
    if sheet is not None and kind != "excel":
        raise TableError(f"{source.name} is no Excel file and has no sheets: leave --sheet out.")
    return replace(source, kind=kind)


def _refuse_foreign(source: TableSource, head: bytes) -> None:
    """Raise TableError for what would be taken for a strange text table, or for a broken Excel file."""
    if head.startswith(b"PK\x03\x04") and source.path.lower().endswith(".zip"):
        raise TableError(f"{source.name} is a zip archive: unpack it and give the file in it that holds the table.")
    for beginning, remedy in FOREIGN:
        if beginning.match(head):
            raise TableError(f"{source.name} {remedy}.")


def refuse_unreadable(name: str) -> None:
    """Raise TableError if there is no file of that name to read, before any work is done."""
    if name == STANDARD_INPUT:
        return
    if ADDRESS.match(name):
        raise TableError(f"{name} is an address: download the file and give its name.")
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


def name_columns(header: Sequence[str]) -> list[str]:
    """Every column with a name; those that have none are called by their place."""
    return [name or f"{NAMELESS}{position}" for position, name in enumerate(header)]


def refuse_repeated(names: Sequence[str], source: TableSource) -> None:
    """Raise TableError if two columns have the same name."""
    repeated = next((n for i, n in enumerate(names) if n and n in names[:i]), None)
    if repeated is not None:
        raise TableError(f"{source.name} has more than one column named {repeated!r}: rename all but one.")


def first_line(error: BaseException) -> str:
    """What an error says, on one line and without a full stop."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
