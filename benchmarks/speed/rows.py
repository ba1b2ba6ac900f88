"""What is stored of a measurement, and the file of all of them: a row is on disk as soon as it is known."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

STALE = timedelta(hours=1)


@dataclass(frozen=True)
class Row:
    """One timed run of one contestant.

    Parameters
    ----------
    study, case, contestant, repeat : what was run
    batch : when the first run of this case began; only rows of one batch are compared
    ended : when this run was over
    seconds : processor seconds; wall : seconds on the clock
    note : what a reader must know, such as that a time limit ended the run
    """

    study: str
    case: str
    contestant: str
    repeat: int
    batch: str = ""
    ended: str = ""
    seconds: float = 0.0
    wall: float = 0.0
    silhouette: float = float("nan")
    k: int = 0
    smallest: int = 0
    n_rows: int = 0
    input_bytes: int = 0
    peak_bytes: int = 0
    note: str = ""


KINDS: dict[str, type] = {"int": int, "float": float, "str": str}


def now() -> str:
    """The time to the second."""
    return datetime.now().isoformat(timespec="seconds")


class Results:
    """The rows of a file, grouped by case; of each case the rows of its newest batch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row] = list(_read(path))

    def of_case(self, study: str, case: str) -> list[Row]:
        """All rows of a case."""
        return [row for row in self.rows if (row.study, row.case) == (study, case)]

    def begin(self, study: str, case: str, force: bool) -> str:
        """The batch to add to: the one that was broken off within the hour, else a new one without the old rows."""
        present = self.of_case(study, case)
        if present and not force:
            last = datetime.fromisoformat(max(row.ended for row in present))
            if datetime.now() - last < STALE:
                return present[0].batch
        if present:
            self.rows = [row for row in self.rows if row not in present]
            self._rewrite()
        return now()

    def add(self, rows: Iterable[Row]) -> None:
        """Append to the file at once."""
        rows = list(rows)
        is_new = not self.path.is_file()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", newline="", encoding="utf-8") as file:
            _write(file, rows, is_new)
        self.rows += rows

    def _rewrite(self) -> None:
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        with temporary.open("w", newline="", encoding="utf-8") as file:
            _write(file, self.rows, True)
        temporary.replace(self.path)


def _write(file: Any, rows: list[Row], with_header: bool) -> None:
    writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
    if with_header:
        writer.writeheader()
    writer.writerows(asdict(row) for row in rows)


def _read(path: Path) -> Iterator[Row]:
    if not path.is_file():
        return
    with path.open(newline="", encoding="utf-8") as file:
        for record in csv.DictReader(file):
            yield Row(**{field.name: KINDS[str(field.type)](record[field.name]) for field in fields(Row)})
