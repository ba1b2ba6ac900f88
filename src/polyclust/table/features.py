"""Columns as the user has them and features as hyperplanes use them.

A numeric or boolean column is one feature; a categorical column is one feature per level.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

ColumnKind = Literal["number", "integer", "boolean", "category"]
FeatureKind = Literal["number", "integer", "boolean", "level", "cut"]

__all__ = ["Column", "ColumnKind", "Feature", "FeatureKind"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the user's table.

    ``label`` is the key under which the table holds it (often a string, an int for arrays), ``name`` what
    people read. ``fill`` is what a missing value is replaced by before the rules apply; None: it is not.
    ``written`` is one of the texts from which numbers were read, such as ``$1,234.50``; empty: they were numbers.
    """

    name: str
    kind: ColumnKind
    label: Hashable
    levels: tuple[Hashable, ...] = ()
    fill: float | str | bool | None = None
    written: str = ""


@dataclass(frozen=True, slots=True)
class Feature:
    """One number per row that a hyperplane can use, with the way into the scaled space.

    Kinds: a number, integer or boolean column as it is; a "level" is 1 where the column equals ``level``; a
    "cut" (made by the binariser) is 1 where the column is at least ``level``.

    scaled = (raw - offset) / scale.  A clause of several terms uses raw / unit.
    """

    column: Column
    kind: FeatureKind
    level: Hashable = None
    offset: float = 0.0
    scale: float = 1.0
    unit: float = 1.0
    low: float = 0.0
    high: float = 1.0

    @property
    def name(self) -> str:
        """What people read: ``age``, ``colour = "red"`` or ``age ≥ 40``."""
        if self.kind == "level":
            return f'{self.column.name} = "{self.level}"'
        return f"{self.column.name} ≥ {self.level}" if self.kind == "cut" else self.column.name

    @property
    def origin(self) -> float:
        """What is near the values: the offset, or the least of them where scaling takes nothing off."""
        return self.offset or self.low

    @property
    def is_whole(self) -> bool:
        """Only whole numbers can occur."""
        return self.kind != "number"

    @property
    def is_binary(self) -> bool:
        """Only 0 and 1 can occur."""
        return self.kind in ("boolean", "level", "cut")
