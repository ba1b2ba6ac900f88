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
        is_decorated = bool(self.written or self.placeholder)
        return is_decorated and self.n_signs == 1 and not self.is_wrong.any() and bool(self.values.notna().any())


def as_numbers(series: pd.Series[Any], decimal: str | None = None) -> pd.Series[Any]:
    """Text as numbers; what is none becomes missing."""
    return series if pd.api.types.is_numeric_dtype(series.dtype) else read_numbers(series, decimal).values


def read_numbers(series: pd.Series[Any], decimal: str | None = None) -> Reading:
    """Text as numbers, by the decimal mark of the file if all can be read so, else by the other.

    A mark between groups of three digits is one of thousands: 1,234 is more than 850 where the decimal mark is a point.
    """
    text = series.astype("string").str.strip()
    distinct = [str(v) for v in text.dropna().unique()]
    placeholders = [v for v in distinct if v.casefold() in PLACEHOLDERS]
    spoken = [v for v in distinct if v.casefold() not in PLACEHOLDERS]
    marks = (",", ".") if decimal == "," else (".", ",")
    read = max((_read_all(spoken, mark) for mark in marks), key=len)  # of equals the first
    numbers = {value: number for value, (number, _) in read.items()}
    values = pd.to_numeric(text.astype(object).map(numbers)).convert_dtypes()
    return Reading(
        values,
        text.notna() & ~text.isin([*numbers, *placeholders]),
        next((value for value in read if not _is_plain(value)), ""),
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
    if text.casefold().lstrip("+-") in ("inf", "infinity"):
        return float(text), ""
    match = _amount(mark).fullmatch(text)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    minuses = [match["open"], match["ahead"], match["inside"], match["behind"]]
    n_minuses = sum(sign in ("(", "-", "\u2212") for sign in minuses)
    if n_minuses > 1 or (match["front"] and match["back"]):
        return None
    whole, fraction, power = match["whole"], match["fraction"], match["power"]
    digits = re.sub(r"\D", "", whole)
    plain = f"{'-' * n_minuses}{digits or '0'}"
    is_whole = fraction is None and power is None and len(digits) <= 18
    number = int(plain) if is_whole else float(f"{plain}.{fraction or 0}{power or ''}")
    return number + 0, match["front"] or match["back"] or ""  # no minus zero


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


def _is_plain(text: str) -> bool:
    """Whether any program reads it as a number."""
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
