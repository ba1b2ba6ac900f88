"""Does racing cost quality? The default search beside the same search with its short cuts switched off.

The constants that decide are set for the time of one fit; a constant that is no longer there is an error, so that the
study cannot silently compare a search with itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.speed.cases import Input
from benchmarks.speed.contestants import SETTINGS, SPARSE, run_polyclust

RACED, UNRACED, EXHAUSTIVE = "raced", "every direction", "every direction, no groups"
TIME_LIMIT = 60.0
MOST_CELLS = 1e10  # directions × rows²: one sweep of all takes a few seconds
ENDLESS = float("inf")

Constants = dict[str, float]  # module:name or module:Class.name -> value
_NO_RACE: Constants = {
    "polyclust.search.directions:AxisDirections.CELLS_TO_LIST": ENDLESS,
    "polyclust.search.directions:AxisDirections.N_RACED": ENDLESS,
    "polyclust.search.directions:LatticeDirections.CELLS_TO_LIST": ENDLESS,
    "polyclust.search.legality:VALUES_TO_LIST": ENDLESS,
    "polyclust.search.sampled:CELLS_TO_SCAN": ENDLESS,
    "polyclust.search.solve:CELLS_OF_A_CUT": ENDLESS,
    "polyclust.search.plan:CELLS_OF_A_LATTICE": ENDLESS,
    "polyclust.search.plan:CELLS_OF_ALL_AXES": ENDLESS,
}
_NO_GROUPS: Constants = {f"polyclust.search.{room}:FEW_POINTS": ENDLESS for room in ("plan", "solve", "starting")}
SEARCHES: dict[str, Constants] = {RACED: {}, UNRACED: _NO_RACE, EXHAUSTIVE: {**_NO_RACE, **_NO_GROUPS}}


@contextmanager
def set_constants(values: Constants) -> Iterator[None]:
    """Give constants of the search other values for a while."""
    places = [(*_find_place(path), value) for path, value in values.items()]
    before = [getattr(owner, name) for owner, name, _ in places]
    try:
        for owner, name, value in places:
            setattr(owner, name, value)
        yield
    finally:
        for (owner, name, _), value in zip(places, before, strict=True):
            setattr(owner, name, value)


def _find_place(path: str) -> tuple[Any, str]:
    module, _, dotted = path.partition(":")
    owner: Any = import_module(module)
    *parts, name = dotted.split(".")
    for part in parts:
        owner = getattr(owner, part)
    if not hasattr(owner, name):
        raise AttributeError(f"The search has no constant {path}; name the one that took its place in races.py.")
    return owner, name


def count_cells(given: Input) -> float:
    """Cells of one sweep along every direction of the family over all rows."""
    from polyclust.hyperplanes.lattice import count_directions

    settings = SETTINGS[SPARSE]
    n_rows, n_features = given.scaled.shape
    return float(count_directions(n_features, settings["max_terms"], settings["max_coefficient"])) * n_rows**2


def run_search(given: Input, search: str, notes: list[str]) -> np.ndarray:
    """MPC-2 by one of the searches; a note says when the time limit ended it."""
    limit = None if search == RACED else TIME_LIMIT
    start = time.monotonic()
    with set_constants(SEARCHES[search]):
        labels = run_polyclust(given, **SETTINGS[SPARSE], time_limit=limit)
    if limit is not None and time.monotonic() - start > limit:
        notes.append(f"ended by the limit of {limit:g} s")
    return labels
