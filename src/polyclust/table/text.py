"""What a text table looks like: its encoding, its separator, its decimal mark. Parsing is left to pandas."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

import pandas as pd

from polyclust.table.amounts import read_numbers

__all__ = ["TextFormat", "detect_format", "find_other_separator", "find_ragged_line"]

SEPARATORS = (",", ";", "\t", "|")
OTHER_SEPARATORS = (" ", ":", "^", "~")  # not looked for, as texts and times hold them too
SAMPLE_BYTES = 256 * 1024
SAMPLE_LINES = 200
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+$")
CODE = re.compile(r"0\d{2,}$")  # two digits may be a month or an hour
POINT_NUMBER = re.compile(r"[+-]?\d+\.\d+$")
LIKE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}$")

WORD_TO_EXCEL = re.compile(r"\s*\"?sep=.?\"?\s*$", re.IGNORECASE)

csv.field_size_limit(2**27)


@dataclass(frozen=True)
class TextFormat:
    """How to read a text table.

    is_spaced : spaces after the separators are no part of the values
    codes : columns in which digits begin with zeros, as far as was looked
    is_decimal_unsure : the mark that was found may be one of thousands, as in 1,234
    """

    encoding: str
    separator: str
    decimal: str
    header: tuple[str, ...]
    is_spaced: bool = False
    codes: frozenset[str] = frozenset()
    is_decimal_unsure: bool = False


def detect_format(
    stream: IO[bytes],
    *,
    is_tab_separated: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> TextFormat:
    """Find what was not given. Raises ValueError with the end of a sentence about the file."""
    encoding = encoding or find_encoding(stream)
    stream.seek(0)
    lines = _sample_lines(stream.read(SAMPLE_BYTES), encoding)
    if not lines:
        raise ValueError("holds no text: give a table with a header and rows.")
    if WORD_TO_EXCEL.match(lines[0]):
        raise ValueError(
            f"begins with {lines[0].strip()!r}, a word to Excel: delete that line; the separator is found without it."
        )
    separator = separator or ("\t" if is_tab_separated else find_separator(lines))
    is_spaced = _is_spaced(lines[0], separator)
    rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=is_spaced))
    is_unsure = decimal is None and separator != "," and _are_like_thousands(rows[1:])
    decimal = decimal or find_decimal(rows[1:], separator)
    header = next((row for row in rows if row), [])
    names = [name.strip() for name in header] if is_spaced else header
    codes = {name for row in rows[1:] for name, field in zip(names, row, strict=False) if CODE.match(field)}
    return TextFormat(encoding, separator, decimal, tuple(names), is_spaced, frozenset(codes), is_unsure)


def find_encoding(stream: IO[bytes]) -> str:
    """By the byte-order mark; else UTF-8 if the whole stream is; else Windows' western encoding."""
    stream.seek(0)
    head = stream.read(SAMPLE_BYTES)
    for mark, name in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return name
    if b"\0" in head:
        raise ValueError("is not a text table: give csv, tsv, parquet or Excel.")
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while head:
            decoder.decode(head)
            head = stream.read(2**24)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def find_separator(lines: Sequence[str]) -> str:
    """The separator that cuts most lines into the same number of fields, and more than one.

    Of a table of one column any that it does not hold. There ``1,5`` is ambiguous: under a header without a comma,
    where every line is one number, the comma belongs to the number, as its decimal mark unless ``1,234,567`` occurs.
    Lines without anything are no rows there either; a missing value is written ``""``.
    """
    if _is_list_of_numbers(lines):
        return ";"
    best = max(SEPARATORS, key=lambda separator: _measure_agreement(lines, separator))
    return best if _measure_agreement(lines, best)[0] > 0 else ","


def find_other_separator(stream: IO[bytes], form: TextFormat) -> str | None:
    """A mark that cuts the lines of a table of one column, all alike, in two or more; None if there is none."""
    stream.seek(0)
    lines = _sample_lines(stream.read(SAMPLE_BYTES), form.encoding)
    return next((mark for mark in OTHER_SEPARATORS if _measure_agreement(lines, mark)[0] == 1), None)


def _measure_agreement(lines: Sequence[str], separator: str) -> tuple[float, int]:
    """The share of the lines with the most frequent number of fields, 0 if that is one, and that number."""
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=_is_spaced(lines[0], separator))
    widths = Counter(len(row) for row in reader if row)
    width, n_lines = widths.most_common(1)[0]
    return (n_lines / widths.total() if width > 1 else 0.0, width)


def _is_list_of_numbers(lines: Sequence[str]) -> bool:
    """A name, and below it one number a line with a comma in some: no table of several columns."""
    header, *rows = (line.strip() for line in lines)
    if not any("," in row for row in rows) or any(mark in header for mark in SEPARATORS):
        return False
    reading = read_numbers(pd.Series(rows, dtype="string"), ",")
    return not reading.is_wrong.any()


def find_decimal(rows: Sequence[Sequence[str]], separator: str) -> str:
    """A comma where fields like 3,5 occur and fields like 3.5 hardly do; 1,234 and 1.234 count where no others are."""
    if separator == ",":
        return "."
    fields = [field.strip() for row in rows for field in row]
    clear = [field for field in fields if not LIKE_THOUSANDS.match(field)]
    leads = (_count_commas(clear), _count_commas(fields))
    return "," if next((lead for lead in leads if lead), 0) > 0 else "."


def _count_commas(fields: Sequence[str]) -> int:
    """How many more fields have a decimal comma than a decimal point."""
    return sum((COMMA_NUMBER.match(f) is not None) - (POINT_NUMBER.match(f) is not None) for f in fields)


def _are_like_thousands(rows: Sequence[Sequence[str]]) -> bool:
    """Whether fields like 1,234 or 1.234 occur, by one mark, and no others that have a mark."""
    fields = [field.strip() for row in rows for field in row]
    marked = [f for f in fields if COMMA_NUMBER.match(f) or POINT_NUMBER.match(f)]
    return len({f[-4:-3] for f in marked}) == 1 and all(LIKE_THOUSANDS.match(f) for f in marked)


def find_ragged_line(stream: IO[bytes], form: TextFormat) -> tuple[int, int] | None:
    """The first line whose number of fields is not the header's, and that number; None: all agree."""
    text = io.TextIOWrapper(stream, encoding=form.encoding, newline="")
    reader = csv.reader(text, delimiter=form.separator, skipinitialspace=form.is_spaced)
    width = len(form.header)
    try:
        for row in reader:
            # A line without any field is blank and skipped when the table is read.
            if len(row) != width and row:
                return reader.line_num, len(row)
    finally:
        text.detach()
    return None


def _is_spaced(header: str, separator: str) -> bool:
    """Whether a space follows every separator of the header, as in ``name, age, city``."""
    _, *fields = header.rstrip("\r\n").split(separator)
    return bool(fields) and all(field.startswith(" ") and field.strip() for field in fields)


def _sample_lines(sample: bytes, encoding: str) -> list[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    text = decoder.decode(sample)
    lines = text.splitlines(keepends=True)
    # The last line may be cut short, unless the sample is the whole file.
    if len(sample) == SAMPLE_BYTES and len(lines) > 1:
        lines = lines[:-1]
    return [line for line in lines[:SAMPLE_LINES] if line.strip()]
