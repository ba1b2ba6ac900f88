"""Numbers as people write them in tables: ``$1,234.50``, ``1.234,56 €``, ``12.5 %``, ``(300)``, ``-`` for none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Reading", "as_numbers", "is_placeholder", "read_numbers"]

PLACEHOLDERS = frozenset(
    {"-", "--", "\u2013", "\u2014", "?", "??", ".", "..", "...", "n.a.", "n/a", "na", "k.a.", "none", "null", "nil"}
    | {"missing", "unknown", "#div/0!", "#value!", "#ref!", "#name?", "#num!"}
)
MINUSES = ("(", "-", "\u2212")
CURRENCIES = r"[$€£¥₹₽₩₺]|US\$|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|INR|CNY|BRL"


@dataclass(frozen=True)
class Reading:
    """A column of text read as numbers.

    values : what is no number is missing
    is_wrong : neither a number nor a sign that there is none
    written : the first text that is not a plain number, "" if there is none
    placeholder : the first text that stands for a missing value, "" if there is none
    n_signs : in how many ways, of currencies, percent and none, the values are marked
    """

    values: pd.Series[Any]
    is_wrong: pd.Series[bool]
    written: str = ""
    placeholder: str = ""
    n_signs: int = 1

    @property
    def is_meant(self) -> bool:
        """All are numbers, one way or the other, and the text says no more than that."""
        return bool(self.written or self.placeholder) and self.is_numeric

    @property
    def is_numeric(self) -> bool:
        """All are numbers, and their signs are the same."""
        return self.n_signs == 1 and not self.is_wrong.any() and bool(self.values.notna().any())

    @property
    def has_fractions(self) -> bool:
        """Some are no whole numbers, as codes would be."""
        return bool((self.values.dropna() % 1 != 0).any())


def as_numbers(series: pd.Series[Any], decimal: str | None = None) -> pd.Series[Any]:
    """Text as numbers; what is none becomes missing."""
    return series if pd.api.types.is_numeric_dtype(series.dtype) else read_numbers(series, decimal).values


def read_numbers(series: pd.Series[Any], decimal: str | None = None) -> Reading:
    """Text as numbers, by the decimal mark of the file if all can be read so, else by the other.

    A mark between groups of three digits is one of thousands: 1,234 is more than 850 where the decimal mark is a point.
    """
    codes, found = pd.factorize(series.astype("string").str.strip().astype(object))  # a missing value has the code -1
    distinct = [str(text) for text in found]
    placeholders = [text for text in distinct if text.casefold() in PLACEHOLDERS]
    spoken = [text for text in distinct if text.casefold() not in PLACEHOLDERS]
    first, second = (",", ".") if decimal == "," else (".", ",")
    read = _read_all(spoken, first)
    if len(read) < len(spoken):
        read = max(read, _read_all(spoken, second), key=len)
    numbers = pd.to_numeric(pd.Series([read.get(text, (None, ""))[0] for text in distinct] + [None], dtype=object))
    is_wrong = [text not in read and text.casefold() not in PLACEHOLDERS for text in distinct] + [False]
    return Reading(
        pd.Series(numbers.to_numpy()[codes], index=series.index).convert_dtypes(),
        pd.Series(np.array(is_wrong, dtype=bool)[codes], index=series.index),
        next((text for text, (number, _) in read.items() if not _is_plain(text, number)), ""),
        placeholders[0] if placeholders else "",
        len({sign for _, sign in read.values()}),
    )


def is_placeholder(series: pd.Series[Any]) -> pd.Series[bool]:
    """Which texts only say that there is no value."""
    return series.astype("string").str.strip().str.casefold().isin(PLACEHOLDERS)


def _read_all(distinct: list[str], mark: str) -> dict[str, tuple[int | float, str]]:
    """The number and the sign of every text that is a number with this decimal mark."""
    found = ((value, _read(value, mark)) for value in distinct)
    return {value: number for value, number in found if number is not None}


def _read(text: str, mark: str) -> tuple[int | float, str] | None:
    match = _amount(mark).fullmatch(text)
    if match is None:
        return (float(text), "") if text.casefold().lstrip("+-") in ("inf", "infinity") else None
    opened, ahead, front, inside, whole, fraction, power, back, behind, closed = match.groups()
    n_minuses = sum(sign in MINUSES for sign in (opened, ahead, inside, behind))
    if (opened is None) != (closed is None) or n_minuses > 1 or (front and back):
        return None
    digits = whole if whole.isdigit() else re.sub(r"\D", "", whole) or "0"
    is_whole = fraction is None and power is None and len(digits) <= 18
    size = int(digits) if is_whole else float(f"{digits}.{fraction or 0}{power or ''}")
    return (-size if n_minuses and size else size), front or back or ""


@cache
def _amount(mark: str) -> re.Pattern[str]:
    """Sign, currency, digits in groups or not, fraction, power of ten, currency or percent, sign."""
    group = r"[\s'\u2019,]" if mark == "." else r"[\s'\u2019.]"
    return re.compile(
        rf"(?P<open>\()?\s*(?P<ahead>[+\-\u2212])?\s*(?P<front>{CURRENCIES})?\s*(?P<inside>[+\-\u2212])?\s*"
        rf"(?P<whole>[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+|(?=\{mark}\d))"
        rf"(?:\{mark}(?P<fraction>\d*))?(?P<power>[eE][+-]?\d+)?"
        rf"\s*(?P<back>{CURRENCIES}|%)?\s*(?P<behind>[\-\u2212])?\s*(?P<close>\))?"
    )


def _is_plain(text: str, number: float) -> bool:
    """Whether any program reads it as this number."""
    try:
        return bool(np.isfinite(number)) and float(text) == number
    except ValueError:
        return False
