"""From a file to rows that can be clustered: read, find kinds, leave out, complete, and say so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from polyclust.explain.spelling import format_count, format_number, spell_count
from polyclust.table.kinds import FoundColumn, Wishes, choose_columns, convert_columns
from polyclust.table.missing import CompleteTable, complete_table
from polyclust.table.read import read_table
from polyclust.table.read_text import find_codes, find_decimal_mark, find_gaps, is_decimal_unsure, read_as_text
from polyclust.table.source import STANDARD_INPUT, TableError, TableSource, spell_option

__all__ = ["PreparedTable", "describe_columns", "head_ids", "prepare_table", "title_of"]

POSTAL_NAME = re.compile(
    r"(^|[^a-z])(plz|postleitzahl|zip|zip[ _-]?code|post[ _-]?code|postal[ _-]?code)$", re.IGNORECASE
)
AS_ASKED = ("ignored as asked", "names the rows")  # notes at columns that the user left out
MOST_SHOWN, FEW_PLAIN = 60, 12  # columns one by one; of wider tables so few that are as usual


@dataclass(frozen=True)
class PreparedTable:
    """A file's rows, ready to cluster, with what was found and left out on the way."""

    source: TableSource
    found: Sequence[FoundColumn]
    complete: CompleteTable
    id_name: str | None
    ids: pd.Series[Any] | None

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return len(self.complete.is_kept)

    @property
    def n_dropped(self) -> int:
        """Rows left out for missing values."""
        return int((~self.complete.is_kept).sum())

    @property
    def kept_ids(self) -> list[str] | None:
        """What the clustered rows are called."""
        return None if self.ids is None else self.ids[self.complete.is_kept].astype(str).tolist()

    @property
    def kept_numbers(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """The number of each clustered row in the file, from 1."""
        return np.flatnonzero(self.complete.is_kept) + 1


def prepare_table(source: TableSource, wishes: Wishes, missing: str) -> PreparedTable:
    """Read the file and make its rows complete. Raises TableError with one clear sentence."""
    table = read_table(source)
    decimal, codes = find_decimal_mark(source), find_codes(source)
    for name in codes.intersection(wishes.categorical):
        table[name] = read_as_text(source, name).where(table[name].notna())
    found = _mark_codes(choose_columns(table, wishes, source.name, decimal), codes)
    if is_decimal_unsure(source):
        found = _mark_thousands(found, decimal)
    found = _mark_gaps(found, find_gaps(source, table) if any(c.n_missing for c in found) else {})
    if not any(c.is_used for c in found):
        raise TableError(f"{source.name} {_say_why_none(table, found)}.")
    converted = convert_columns(table, found, decimal)
    id_name = wishes.id or _find_id(table, found)
    ids = None if id_name is None else _read_ids(source, table, id_name)
    return PreparedTable(source, found, complete_table(converted, found, missing, source.name), id_name, ids)


def describe_columns(prepared: PreparedTable, has_rules: bool = True) -> str:
    """The table that shows the kind of every column and what is left out; of very many columns the first of a sort.

    Where there will be rules, a word on what they do with rows that are left out.
    """
    shown, more = _choose_shown(prepared.found)
    width = min(32, max(len(c.name) for c in shown))
    n_columns = len(prepared.found)
    head = f"{prepared.source.name}: {spell_count(prepared.n_rows, 'row')}, {spell_count(n_columns, 'column')}"
    lines = [f"  {_fit(c.name, width)}  {c.kind:<10}  {_note(c)}" for c in shown]
    return "\n".join([head, *lines, *more, *_describe_names(prepared), *_describe_missing(prepared, has_rules)])


def _choose_shown(found: Sequence[FoundColumn]) -> tuple[Sequence[FoundColumn], list[str]]:
    """The columns that are listed one by one, and lines about the others.

    Of a wide table a few that nobody would doubt are enough; those left out, with gaps or with advice come before.
    """
    if len(found) <= MOST_SHOWN:
        return found, []
    is_plain = {c.name: c.is_used and not (c.advice or c.n_missing) for c in found}
    kept = [*(c for c in found if is_plain[c.name])][:FEW_PLAIN]
    kept += [*(c for c in found if not is_plain[c.name])][: MOST_SHOWN - len(kept)]
    names = {c.name for c in kept}
    lines = []
    for is_used, doing in ((True, "clustered"), (False, "left out")):
        counts = Counter(c.kind for c in found if c.name not in names and c.is_used == is_used)
        listed = ", ".join(f"{format_count(n)} {kind}" for kind, n in counts.most_common())
        if listed:
            n_more = spell_count(counts.total(), "more column")
            lines.append(f"  … and {n_more} {doing} ({listed})")
    return [c for c in found if c.name in names], lines


def head_ids(id_name: str | None) -> str:
    """The name of the first column of labels: that of the identifier, told apart from the other two, or row."""
    if id_name is None:
        return "row"
    return f"{id_name} (id)" if id_name in ("cluster", "name") else id_name


def title_of(source: TableSource) -> str:
    """A short name of the table, for titles and SQL."""
    return "table" if source.path == STANDARD_INPUT else Path(source.path).stem


def _describe_names(prepared: PreparedTable) -> list[str]:
    """A word where the first line may be a row like the others: it holds numbers, and not in their order."""
    names = [c.name for c in prepared.found]
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return []
    if numbers == sorted(set(numbers)) and all(number.is_integer() for number in numbers):
        return []
    listed = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return [f"  the first line was taken for names ({listed}): add a line of names if it is a row"]


def _mark_codes(found: Sequence[FoundColumn], codes: Collection[str]) -> list[FoundColumn]:
    """A word at whole numbers that are written or named like codes."""
    return [_mark_code(c, c.name in codes) for c in found]


def _mark_code(column: FoundColumn, is_written_so: bool) -> FoundColumn:
    if column.kind != "integer" or not (is_written_so or POSTAL_NAME.search(column.name)):
        return column
    note = f"{column.note}{', written with leading zeros' * is_written_so}"
    return replace(column, note=note, advice=f"give {spell_option('categorical', column.name)} if it is a code")


def _mark_thousands(found: Sequence[FoundColumn], decimal: str | None) -> list[FoundColumn]:
    """A word at fractions that may be whole numbers in groups."""
    mark, other = ("comma", ".") if decimal == "," else ("point", ",")
    advice = f"give --decimal {other} if the {mark} marks thousands"
    return [replace(c, advice=advice) if c.kind == "number" else c for c in found]


def _mark_gaps(found: Sequence[FoundColumn], gaps: Mapping[str, str]) -> list[FoundColumn]:
    """A word at columns where a text was taken for a missing value: NA may be Namibia."""
    return [replace(c, note=f"{c.note}, {gaps[c.name]!r} read as missing") if c.name in gaps else c for c in found]


def _describe_missing(prepared: PreparedTable, has_rules: bool) -> list[str]:
    lines = []
    if prepared.n_dropped:
        are, them = ("is", "it") if prepared.n_dropped == 1 else ("are", "them")
        rows = spell_count(prepared.n_dropped, "row")
        lines.append(f"  {rows} with missing values {are} left out (--missing median would fill {them})")
        if has_rules:
            lines.append(
                f"  'assign' and the SQL give {them} a cluster all the same where the rules need no missing value"
            )
    if prepared.n_dropped > prepared.n_rows / 2:
        lines.append(_say_where_missing(prepared))
    fills = prepared.complete.fills
    if fills:
        listed = ", ".join(f"{name}: {_spell_fill(value)}" for name, value in fills.items())
        lines.append(f"  missing values become {listed}")
    return lines


def _say_where_missing(prepared: PreparedTable) -> str:
    """The columns for which most rows are left out."""
    gaps = sorted((c for c in prepared.found if c.is_used and c.n_missing), key=lambda c: -c.n_missing)
    listed = ", ".join(f"{c.name} ({format_count(c.n_missing)})" for c in gaps[:3])
    return f"  most are missing in {listed}: --ignore a column to keep the rows that lack only it"


def _spell_fill(value: float | str | bool) -> str:
    """A value as the rules would print it."""
    return format_number(value) if isinstance(value, float) else str(value)


def _note(column: FoundColumn) -> str:
    missing = f", {format_count(column.n_missing)} missing" if column.n_missing else ""
    advice = f": {column.advice}" if column.advice else ""
    return f"{'' if column.is_used else 'left out: '}{column.note}{missing}{advice}"


def _fit(name: str, width: int) -> str:
    text = " ".join(name.split())
    return (text if len(text) <= width else text[: width - 1] + "…").ljust(width)


def _say_why_none(table: pd.DataFrame, found: Sequence[FoundColumn]) -> str:
    """Why no column can be used, and what to do."""
    if len(table) == 1:
        return "has one row only: add the rows to cluster"
    if all(c.kind == "constant" for c in found):
        return f"has the same values in all {len(table)} rows: there is nothing to tell clusters apart by"
    reasons = _list_reasons(found)
    if all(c.note in AS_ASKED for c in found):
        return (
            f"has no column to cluster by: every one is left out as asked ({reasons}); --ignore fewer, or another --id"
        )
    return (
        f"has no column to cluster by: every one is left out ({reasons}); give --numeric or --categorical for "
        "those to use"
    )


def _list_reasons(found: Sequence[FoundColumn]) -> str:
    reasons = (f"{c.name}: {c.note if c.note in AS_ASKED else c.kind}" for c in found[:5])
    return ", ".join(reasons) + (", …" if len(found) > 5 else "")


def _find_id(table: pd.DataFrame, found: Sequence[FoundColumn]) -> str | None:
    """The first identifier that names every row differently."""
    candidates = (c.name for c in found if c.kind == "identifier" and c.note != "ignored as asked")
    return next((n for n in candidates if table[n].is_unique and table[n].notna().all()), None)


def _read_ids(source: TableSource, table: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Identifiers as they are written: 007 stays 007."""
    if source.kind == "text" and not pd.api.types.is_string_dtype(table[name].dtype):
        return read_as_text(source, name)
    return table[name]
