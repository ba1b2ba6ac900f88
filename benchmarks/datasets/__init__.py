"""The seventeen data sets of the paper under two protocols."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.datasets import fcps, uci
from benchmarks.datasets.scaling import scale_columns
from benchmarks.datasets.source import DataNotFoundError, find_folder
from benchmarks.problem import Problem

NAMES = (*fcps.NAMES, *uci.NAMES)
PROTOCOLS = ("paper", "practical")
PRACTICAL_SHARE = 0.02

__all__ = ["NAMES", "PRACTICAL_SHARE", "PROTOCOLS", "DataNotFoundError", "find_folder", "load"]


def load(name: str, protocol: str, folder: Path | None = None) -> Problem:
    """One data set as a protocol wants it. `folder` None: where `find_folder` looks, else public sources."""
    if name not in NAMES:
        raise ValueError(f"There is no data set {name!r}; choose from {', '.join(NAMES)}.")
    if protocol not in PROTOCOLS:
        raise ValueError(f"There is no protocol {protocol!r}; choose from {', '.join(PROTOCOLS)}.")
    folder = find_folder(folder)
    return _load_paper(name, folder) if protocol == "paper" else _load_practical(name, folder)


def _load_paper(name: str, folder: Path | None) -> Problem:
    """FCPS as it is, the rest as the paper scaled it; clusters of one row are allowed."""
    table = fcps.read(name, folder) if name in fcps.NAMES else uci.read_as_paper(name, folder)
    return Problem(name, "paper", table, table.to_numpy(dtype=float), True, 1, _note(name))


def _load_practical(name: str, folder: Path | None) -> Problem:
    """Raw features without leaks, clustered on [0, 1]; every cluster holds at least 2% of the rows."""
    table = (fcps if name in fcps.NAMES else uci).read(name, folder)
    matrix = scale_columns(table).to_numpy(dtype=float)
    min_size = math.ceil(PRACTICAL_SHARE * len(table))
    return Problem(name, "practical", table, matrix, False, min_size, _note(name))


def _note(name: str) -> str:
    return fcps.NOTES.get(name, "") or uci.NOTES.get(name, "")
