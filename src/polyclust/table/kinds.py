"""What each column of a file is (number, boolean, category, date, identifier, ...) and which ones are used.

The estimator knows four kinds and refuses the rest. A file holds more: here they are found, shown and left
out with a word, or read as the user says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.table.amounts import Reading, as_numbers, read_numbers
from polyclust.table.columns import LARGEST_EXACT_INTEGER
from polyclust.table.source import NAMELESS, TableError, quote_value, show_value, spell_option

FoundKind = Literal["number", "integer", "boolean", "category", "date", "identifier", "free text", "constant", "other"]
USED_KINDS = ("number", "integer", "boolean", "category")

__all__ = ["FoundColumn", "FoundKind", "Wishes", "choose_columns", "convert_columns", "is_identifier"]

MOST_LEVELS = 50
FREQUENT_SHARE = 0.1  # of different texts among all, up to which they are rather a category with many values
MIXED_SHARE = 0.5  # of numbers among texts, from which on the texts are taken for mistakes
SHOWN_NAMES = 5  # of columns in a message
OUTLIER_SHARES = 0.01, 0.99  # of the values
SQUEEZED_SHARE = 0.01  # of a column's range: where nearly all values lie within so little, the rest are outliers
SAMPLED_ROWS = 1000  # tell what most columns of text are
# A number of this name says which one it is, also where several rows have it; the others may be amounts.
NAMING_NAME = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid)$|^[fpu]id$|^(subject|patient|respondent)$|"
    r"(user|customer|cust|client|account|order|item|product|record|row|object|person|patient|session|family|town)id$|"
    r"(?-i:[a-z](Id|ID)$)",
    re.IGNORECASE,
)
IDENTIFIER_NAME = re.compile(
    rf"{NAMING_NAME.pattern}|(^|[^a-z])(key|nr|no|number|code|index|email|e-mail|phone|name)$|^unnamed|^$",
    re.IGNORECASE,
)
LINE_NAME = re.compile(
    r"(^|[^a-z])(tel|tel\.|telephone|telefon|telefonnummer|phone|mobile|mobil|handy|fax|iban|kontonummer)$",
    re.IGNORECASE,
)
SHORTEST_LINE = 10**5  # of the numbers of telephones and accounts
DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?$|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([ T].*)?$|\d{4}-\d{2}$"
)

TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?([ap]\.?m\.?)?$", re.IGNORECASE)
WRITTEN_DATES = 1900_01_01, 2100_12_31  # the earliest and the latest that are taken for dates
FEWEST_WRITTEN_DATES = 5  # different ones: numbers that only look so would not all do


class MixedColumnError(TableError):
    """A column holds numbers and other values; others of the table that do too can be told along with it."""

    def __init__(self, name: str, fault: str, others: Sequence[str] = ()) -> None:
        self.name, self.fault = name, fault
        shown = ", ".join(map(repr, others[:SHOWN_NAMES])) + ", …" * (len(others) > SHOWN_NAMES)
        super().__init__(
            f"{fault}{f', and so do {shown}' if others else ''}: correct or empty them, or "
            f"give {spell_option('categorical', name)} or {spell_option('ignore', name)}."
        )

    def join(self, others: Sequence[MixedColumnError]) -> MixedColumnError:
        """The same with the names of the others."""
        return MixedColumnError(self.name, self.fault, [other.name for other in others])


@dataclass(frozen=True)
class FoundColumn:
    """A column of the file: its kind, whether it is clustered, and a word on why or what it holds.

    ``written`` is the first text that people read as a number and most programs do not; empty: there is none.
    ``advice`` is what to give if the column was not meant so; empty where nobody would doubt it.
    """

    name: str
    kind: FoundKind
    is_used: bool
    note: str
    n_missing: int = 0
    written: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Wishes:
    """What the user said about columns, which overrules what is found."""

    ignore: Sequence[str] = ()
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    id: str | None = None

    def refuse_unknown(self, names: Collection[str], where: str) -> None:
        """Raise TableError for a name that the table does not have, or that is wished two things."""
        for option in ("ignore", "categorical", "numeric"):
            for name in getattr(self, option):
                _refuse_unknown(name, f"--{option}", names, where)
        if self.id is not None:
            _refuse_unknown(self.id, "--id", names, where)
        for one, other in (("categorical", "numeric"), ("ignore", "categorical"), ("ignore", "numeric")):
            both = set(getattr(self, one)) & set(getattr(self, other))
            if both:
                raise TableError(f"column {min(both)!r} is given to both --{one} and --{other}: choose one.")


def choose_columns(table: pd.DataFrame, wishes: Wishes, where: str, decimal: str | None = None) -> list[FoundColumn]:
    """The kind of every column and whether it is used; ``decimal`` is the file's mark, None if it has none.

    Raises TableError for columns of mixed values, all of them at once.
    """
    wishes.refuse_unknown(table.columns.tolist(), where)
    found, mixed = [], []
    for name in table.columns:
        try:
            found.append(_choose_column(table[name], name, wishes, where, decimal))
        except MixedColumnError as error:
            mixed.append(error)
    if mixed:
        raise mixed[0].join(mixed[1:])
    return found


def is_identifier(series: pd.Series[Any], name: str, decimal: str | None = None) -> bool:
    """Whether the column, of which nothing else is asked, only names its rows."""
    if _find_kind(series, name)[0] != "identifier":
        return False
    if pd.api.types.is_numeric_dtype(series.dtype):
        return True
    reading = read_numbers(series, decimal)
    is_mixed = bool(reading.is_wrong.any()) and reading.values.notna().mean() >= MIXED_SHARE
    return not reading.is_meant and not _is_stored_as_text(reading) and not is_mixed


def convert_columns(table: pd.DataFrame, found: Sequence[FoundColumn], decimal: str | None = None) -> pd.DataFrame:
    """The used columns with types to match their kinds; missing values stay missing."""
    columns = {c.name: _convert(table[c.name], c.kind, decimal) for c in found if c.is_used}
    return pd.DataFrame(columns, index=table.index)


def _refuse_unknown(name: str, option: str, names: Collection[str], where: str) -> None:
    if name not in names:
        known = ", ".join(list(names)[:8]) + (", …" if len(names) > 8 else "")
        raise TableError(f"{option} {name}: {where} has no such column; it has {known}.")


def _choose_column(series: pd.Series[Any], name: str, wishes: Wishes, where: str, decimal: str | None) -> FoundColumn:
    n_missing = int(series.isna().sum())
    if name in wishes.ignore:
        return FoundColumn(name, _find_kind(series, name)[0], False, "ignored as asked", n_missing)
    if name == wishes.id:
        return FoundColumn(name, "identifier", False, "names the rows", n_missing)
    if name in wishes.numeric:
        _refuse_mixed(series, name, where, decimal)
        return _take_for_numbers(series, name, decimal)
    if name in wishes.categorical:
        _refuse_levels(series, name, where)
        return FoundColumn(name, "category", True, _describe_levels(series), n_missing)
    kind, note = _find_kind(series, name)
    if kind in ("category", "free text", "identifier") and not isinstance(series.dtype, pd.CategoricalDtype):
        amounts = _find_amounts(series, name, kind, decimal)
        if amounts is not None:
            return amounts
        if _share_of_numbers(series, decimal) >= MIXED_SHARE:
            _refuse_mixed(series, name, where, decimal)
    written = _write_with_comma(series, decimal)
    words = f", written as '{written}'" if written else ""
    advice = _advise(series.dropna(), name, kind)
    return FoundColumn(name, kind, kind in USED_KINDS, note + words, n_missing, written, advice)


def _advise(present: pd.Series[Any], name: str, kind: FoundKind) -> str:
    """What to give for a column that may well be meant otherwise; empty for others."""
    if kind == "integer" and (present.min(), present.max()) == (1, 2):
        return f"give {spell_option('categorical', name)} if these are codes"
    if kind in ("integer", "number"):
        return _advise_of_outliers(present)
    if kind == "identifier" and pd.api.types.is_numeric_dtype(present.dtype):
        return _advise_of_identifier(present, name)
    if kind in ("category", "free text", "identifier") and _may_be_numbers(present, name):
        return f"give {spell_option('numeric', name)} if these are numbers"
    if kind in ("category", "free text", "identifier") and _have_several_units(present):
        return "convert them to one currency or unit to use them as numbers"
    if kind == "category" and (alike := _find_alike(present)):
        return f"{alike[0]!r} and {alike[1]!r} differ in case or spaces only"
    if kind == "free text" and present.nunique() <= FREQUENT_SHARE * len(present):
        return f"give {spell_option('categorical', name)} to use it"
    return ""


def _advise_of_outliers(present: pd.Series[Any]) -> str:
    """A few values so far out that to distances all others are nearly the same; not where most are one value anyway."""
    values = present.to_numpy(dtype=float)
    low, first, last, high = np.quantile(values, [OUTLIER_SHARES[0], 0.05, 0.95, OUTLIER_SHARES[1]], method="nearest")
    if first == last or high - low >= SQUEEZED_SHARE * (values.max() - values.min()):
        return ""
    share = _percent(OUTLIER_SHARES[1] - OUTLIER_SHARES[0])
    return f"{share} of them are {_describe_span(low, high)}, correct the others if they are mistakes"


def _may_be_numbers(present: pd.Series[Any], name: str) -> bool:
    """Whether texts are digits, and neither zeros at their beginning nor the name says that they are codes."""
    if isinstance(present.dtype, pd.CategoricalDtype) or IDENTIFIER_NAME.search(name) or LINE_NAME.search(name):
        return False
    sample = present.head(SAMPLED_ROWS)
    is_code = sample.astype("string").str.match(r"\s*0\d").any()
    return not is_code and read_numbers(sample).is_numeric


def _have_several_units(present: pd.Series[Any]) -> bool:
    """Whether texts are amounts, but not all of the same currency."""
    if isinstance(present.dtype, pd.CategoricalDtype):
        return False
    reading = read_numbers(present.head(SAMPLED_ROWS))
    return reading.n_signs > 1 and not reading.is_wrong.any()


def _find_alike(present: pd.Series[Any]) -> list[str]:
    """The first two values that people would take for one; none if there are no such."""
    by_word: dict[str, list[str]] = {}
    for value in present.unique():
        by_word.setdefault(" ".join(str(value).casefold().split()), []).append(str(value))
    return next((values for values in by_word.values() if len(values) > 1), [])


def _advise_of_identifier(present: pd.Series[Any], name: str) -> str:
    """Names of something may be categories; numbers without gaps may be ranks or years, unless they are called so."""
    if not present.is_unique:
        return f"give {spell_option('categorical', name)} to use it"
    is_small = max(abs(int(present.min())), abs(int(present.max()))) <= LARGEST_EXACT_INTEGER
    is_called_so = IDENTIFIER_NAME.search(name) or LINE_NAME.search(name)
    if not is_small or is_called_so:
        return ""
    return f"give {spell_option('numeric', name)} if it is a rank or time"


def _take_for_numbers(series: pd.Series[Any], name: str, decimal: str | None) -> FoundColumn:
    """The column as the user wants it."""
    if pd.api.types.is_numeric_dtype(series.dtype):
        numbers, written = series, _write_with_comma(series, decimal)
    else:
        reading = read_numbers(series, decimal)
        numbers, written = reading.values, reading.written or reading.placeholder
    return FoundColumn(name, _kind_of_numbers(numbers), True, "number as asked", int(numbers.isna().sum()), written)


def _write_with_comma(series: pd.Series[Any], decimal: str | None) -> str:
    """The first fraction of a column as a file with decimal commas has it; empty if there is none."""
    if decimal != "," or not pd.api.types.is_float_dtype(series.dtype):
        return ""
    fractions = series[series % 1 != 0].dropna()
    return repr(float(fractions.iloc[0])).replace(".", ",") if len(fractions) else ""


def _find_amounts(
    series: pd.Series[Any], name: str, kind_of_text: FoundKind, decimal: str | None
) -> FoundColumn | None:
    """The column if its texts are numbers as people write them, with a word on how they are written."""
    if read_numbers(series.dropna().head(SAMPLED_ROWS), decimal).is_wrong.any():
        return None
    reading = read_numbers(series, decimal)
    is_stored_as_text = kind_of_text != "category" and _is_stored_as_text(reading)
    if not reading.is_meant and not is_stored_as_text:
        return None
    kind, note = _find_kind(reading.values, name)
    words = ["stored as text"] if is_stored_as_text else []
    words += [f"written as '{' '.join(reading.written.split())}'"] if reading.written else []
    words += [f"'{reading.placeholder}' read as missing"] if reading.placeholder else []
    n_missing = int(reading.values.isna().sum())
    written = reading.written or reading.placeholder
    return FoundColumn(name, kind, kind in USED_KINDS, ", ".join([note, *words]), n_missing, written)


def _is_stored_as_text(reading: Reading) -> bool:
    """Whether a spreadsheet or a database keeps plain numbers as text; whole ones may be codes."""
    return not reading.written and reading.is_numeric and reading.has_fractions


def _find_kind(series: pd.Series[Any], name: str) -> tuple[FoundKind, str]:
    present = series.dropna()
    if present.empty:
        return "constant", "empty"
    try:
        n_distinct = int(present.nunique())
    except TypeError:
        return "other", f"holds values of type {type(present.iloc[0]).__name__}"
    if n_distinct == 1:
        return "constant", f"always {show_value(present.iloc[0])}"
    if _are_decimals(present):
        present = as_numbers(present)
    dtype = present.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return "boolean", f"true in {_percent(present.astype(bool).mean())}"
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        return "date", _DATE_ADVICE
    if pd.api.types.is_numeric_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype):
        return _find_kind_of_numbers(present, name, n_distinct)
    return _find_kind_of_text(present, name, n_distinct)


def _are_decimals(present: pd.Series[Any]) -> bool:
    """What parquet keeps of a database's NUMERIC columns."""
    return present.dtype == object and all(isinstance(v, Decimal) for v in present)


_DATE_ADVICE = "turn it into a number (days, month) to use it"
_TIME_ADVICE = "turn it into a number (hours) to use it"


def _find_kind_of_numbers(present: pd.Series[Any], name: str, n_distinct: int) -> tuple[FoundKind, str]:
    values = present.to_numpy()
    kind = _kind_of_numbers(present)
    if kind == "integer":
        low, high = int(values.min()), int(values.max())
        is_distinct = n_distinct == len(values) and (len(values) >= 10 or name.startswith(NAMELESS))
        is_a_count = is_distinct and high - low == len(values) - 1
        looks_so = n_distinct >= 0.95 * len(values) and IDENTIFIER_NAME.search(name) is not None
        if low >= SHORTEST_LINE and n_distinct >= 0.95 * len(values) and LINE_NAME.search(name) is not None:
            return "identifier", "numbers of telephones or accounts"
        if is_a_count or (is_distinct and looks_so) or max(abs(low), abs(high)) > LARGEST_EXACT_INTEGER:
            return "identifier", "a number for each row"
        if NAMING_NAME.search(name) is not None:
            return "identifier", "numbers that name something"
        if n_distinct >= FEWEST_WRITTEN_DATES and _are_written_dates(values):
            return "date", f"written as {low}; {_DATE_ADVICE}"
    if kind == "boolean":
        return kind, f"1 in {_percent(float((values == 1).mean()))}"
    return kind, _describe_span(values.min(), values.max())


def _are_written_dates(values: NDArray[Any]) -> bool:
    """Whether whole numbers are dates as 20240131: years, months and days, between which differences mean little."""
    months, days = values // 100 % 100, values % 100
    first, last = WRITTEN_DATES
    is_date = (values >= first) & (values <= last) & (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)
    return bool(is_date.all())


def _describe_span(low: Any, high: Any) -> str:
    """Both ends in as many digits as it takes to tell them apart; what stands before the point in full."""
    for n_digits in range(6, 18):
        ends = [_spell_end(end, n_digits) for end in (low, high)]
        if float(ends[0]) < float(ends[1]):
            break
    return " to ".join(ends)


def _spell_end(end: Any, n_digits: int) -> str:
    if not 1 <= abs(end) < 1e15:
        return f"{end:.{n_digits}g}"
    is_whole = float(end).is_integer()
    return f"{int(end):d}" if is_whole else f"{end:.{max(n_digits, len(str(int(abs(end)))))}g}"


def _kind_of_numbers(series: pd.Series[Any]) -> FoundKind:
    values = series.dropna()
    if bool(values.isin([0, 1]).all()):
        return "boolean"
    return "integer" if pd.api.types.is_integer_dtype(values.dtype) else "number"


def _find_kind_of_text(present: pd.Series[Any], name: str, n_distinct: int) -> tuple[FoundKind, str]:
    sample = present.head(SAMPLED_ROWS)
    if all(hasattr(v, "isoformat") for v in sample):
        return "date", _DATE_ADVICE
    text = sample.astype(str).str.strip()
    if text.str.match(DATE).mean() > 0.95:
        return "date", _DATE_ADVICE
    share = n_distinct / len(present)
    is_many = n_distinct > MOST_LEVELS or (share > 0.5 and len(present) >= 10)
    if (is_many or share == 1) and text.str.match(TIME).mean() > 0.95:
        return "date", _TIME_ADVICE
    is_wordy = bool((text.str.count(r"\s").mean() >= 3) or (text.str.len().mean() > 40))
    if not is_wordy and len(present) >= 5 and (share == 1 or (share > 0.95 and IDENTIFIER_NAME.search(name))):
        return "identifier", "a different text in each row"
    if is_wordy and share > 0.2:
        return "free text", f"{n_distinct} different texts"
    if is_many:
        return "free text", f"{n_distinct} different values, too many for a category"
    return "category", _describe_levels(present)


def _describe_levels(series: pd.Series[Any]) -> str:
    counts = series.dropna().astype(str).value_counts()
    shown = ", ".join(map(show_value, counts.index[:3]))
    return f"{len(counts)} value{'s' * (len(counts) != 1)}: {shown}{', …' if len(counts) > 3 else ''}"


def _percent(share: float) -> str:
    """In as many digits as it takes not to read 0% or 100%, which no share is where values differ."""
    texts = (f"{share:.{n_digits}%}" for n_digits in range(15))
    return next((text for text in texts if float(text[:-1]) not in (0, 100)), f"{share:.0%}")


def _share_of_numbers(series: pd.Series[Any], decimal: str | None) -> float:
    """Of rows here and there: a column of a million texts need not be read to know what they are."""
    present = series.dropna()
    some = present.iloc[:: max(1, len(present) // SAMPLED_ROWS)]
    return float(as_numbers(some, decimal).notna().mean()) if len(some) else 0.0


def _refuse_mixed(series: pd.Series[Any], name: str, where: str, decimal: str | None) -> None:
    """Raise TableError where some values are numbers and some are not."""
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        raise TableError(f"--numeric {name}: the column holds dates; turn them into numbers (days, month).")
    if pd.api.types.is_numeric_dtype(series.dtype):
        return
    wrong = read_numbers(series, decimal).is_wrong
    if wrong.any():
        first = int(np.argmax(wrong.to_numpy(dtype=bool)))
        n_wrong = int(wrong.sum())
        n_right = int(series.notna().sum()) - n_wrong
        if not n_right:
            raise TableError(
                f"--numeric {name}: the column of {where} holds no number, first {quote_value(series.iloc[first])} in "
                f"row {first + 1}; turn its values into numbers, or leave the option out."
            )
        raise MixedColumnError(
            name,
            f"column {name!r} of {where} mixes numbers ({n_right} row{'s' * (n_right != 1)}) and other "
            f"values ({n_wrong}, first {quote_value(series.iloc[first])} in row {first + 1})",
        )


def _refuse_levels(series: pd.Series[Any], name: str, where: str) -> None:
    """Raise TableError for values that neither a model file nor the exports can write as a category's."""
    values = series.astype(series.cat.categories.dtype) if isinstance(series.dtype, pd.CategoricalDtype) else series
    if pd.api.types.is_numeric_dtype(values.dtype) or isinstance(values.dtype, pd.StringDtype):
        return
    foreign = next((v for v in values.dropna() if not isinstance(v, str | int | float | np.generic)), None)
    if foreign is not None:
        raise TableError(
            f"--categorical {name}: the column of {where} holds values of type {type(foreign).__name__}, such as "
            f"{foreign}; turn them into text or numbers."
        )


def _convert(series: pd.Series[Any], kind: FoundKind, decimal: str | None) -> pd.Series[Any]:
    if kind in ("number", "integer", "boolean"):
        return as_numbers(series, decimal)
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.cat.categories.dtype)
    return series.astype(object).where(series.notna(), None)
