"""Numbers, column names and category values as they are printed, so that a parser can read them back.

A name of plain words is printed as it is; any other stands between backticks. Text values stand between
double quotes. Inside both, the quote, the backslash and invisible characters are written with a backslash.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from polyclust.table.features import Column

__all__ = [
    "BARE_NAME",
    "EVERY_ROW",
    "LEAST_GROUPED",
    "THIN_SPACE",
    "Vocabulary",
    "format_count",
    "format_number",
    "on_one_line",
    "spell_columns",
    "spell_count",
    "spell_level",
    "spell_name",
    "squeeze_spaces",
]

Vocabulary = Mapping[Column, str]
EVERY_ROW = "every row"
THIN_SPACE = "\u202f"  # narrow and never broken; a comma is a decimal mark to many
LEAST_GROUPED = 10_000  # 1999 may be a year

_NO_KEYWORD = r"(?!(?:AND|NOT|OR|IF|ELSE)\b)"
BARE_NAME = re.compile(rf"{_NO_KEYWORD}[^\W\d]\w*(?:[ .\-]{_NO_KEYWORD}\w+)*(?: \([\w .%/°\-]+\))?")


def format_number(value: float) -> str:
    """The shortest text that reads back as the same float; whole numbers without a point."""
    value = float(value)
    if value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return repr(value)


def format_count(number: float) -> str:
    """How many there are, for people to read: large whole numbers in groups of three.

    Sums of weights that are not whole show two decimals, below 1 three digits, and not how they were rounded.
    """
    shown = round(float(number), 2) if abs(number) >= 1 else float(f"{number:.3g}")
    is_grouped = shown.is_integer() and abs(shown) >= LEAST_GROUPED
    return f"{int(shown):,}".replace(",", THIN_SPACE) if is_grouped else format_number(shown)


def spell_count(number: float, noun: str) -> str:
    """How many there are of what: 1 row, 2 rows."""
    count = format_count(number)
    return f"{count} {noun}{'' if count == '1' else 's'}"


def spell_name(name: str) -> str:
    """A column name, in backticks unless it consists of plain words."""
    if BARE_NAME.fullmatch(name) and name != EVERY_ROW:
        return name
    return f"`{_escape(name, '`')}`"


def spell_columns(columns: Sequence[Column]) -> dict[Column, str]:
    """How each column is printed; names that occur twice carry the column's position."""
    counts = Counter(column.name for column in columns)
    return {
        column: spell_name(column.name) if counts[column.name] == 1 else f"{spell_name(column.name)}@{position}"
        for position, column in enumerate(columns)
    }


def spell_level(level: Hashable, column: Column) -> str:
    """A category value: numbers and truth values bare, everything else in double quotes."""
    if isinstance(level, bool):
        return "true" if level else "false"
    if isinstance(level, int | float):
        return repr(level)
    text = f'"{_escape(str(level), chr(34))}"'
    if isinstance(level, str) or not _has_double(level, column):
        return text
    return f"{type(level).__name__}({text})"


def squeeze_spaces(text: str) -> str:
    """Text on one line with single spaces; those inside numbers stay."""
    return re.sub(rf"[^\S{THIN_SPACE}]+", " ", text).strip()


def on_one_line(text: str) -> str:
    """Text for headings: without line breaks and invisible characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _has_double(level: Hashable, column: Column) -> bool:
    """Another value of the column reads the same."""
    return sum(str(other) == str(level) for other in column.levels) > 1


def _escape(text: str, quote: str) -> str:
    return "".join(_escape_character(c, quote) for c in text)


def _escape_character(character: str, quote: str) -> str:
    if character in (quote, "\\"):
        return f"\\{character}"
    if not character.isprintable():
        return f"\\u{{{ord(character):x}}}"
    return character
