"""Levels that the fit had not: collected over all rows of a table, however it is read, and told in one sentence."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from polyclust.errors import warn_user
from polyclust.table.source import quote_value

__all__ = ["UnseenLevels"]

SHOWN_LEVELS = 3  # of a column


@dataclass
class UnseenLevels:
    """Rows with such a level, and the first levels, by the column's name."""

    n_rows: dict[str, int] = field(default_factory=dict)
    levels: dict[str, list[Hashable]] = field(default_factory=dict)

    def add(self, column: str, n_rows: int, levels: Sequence[Hashable]) -> None:
        """So many more rows of a column hold these levels."""
        self.n_rows[column] = self.n_rows.get(column, 0) + n_rows
        known = self.levels.setdefault(column, [])
        known.extend([v for v in levels if v not in known][: SHOWN_LEVELS + 1 - len(known)])

    @property
    def sentence(self) -> str:
        """What people should know; nothing if there is none."""
        if not self.n_rows:
            return ""
        name, *others = self.n_rows
        found = (
            f"Columns hold values not seen at fit: {', '.join(f'{n!r} {self._describe(n)}' for n in self.n_rows)}"
            if others
            else f"Column {name!r} holds values not seen at fit {self._describe(name)}"
        )
        return f"{found}; they are placed by their other columns."

    def _describe(self, column: str) -> str:
        levels = self.levels[column]
        shown = [*map(quote_value, levels[:SHOWN_LEVELS]), *(["…"] if len(levels) > SHOWN_LEVELS else [])]
        return f"({', '.join(shown)}) in {self.n_rows[column]} row{'s' * (self.n_rows[column] != 1)}"

    def warn(self) -> None:
        """One warning for all columns, if there is anything to tell."""
        if self.n_rows:
            warn_user(self.sentence)
