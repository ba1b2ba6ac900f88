"""Family or search? More terms beside more starts, on tables where few terms stay below k-means."""

from __future__ import annotations

from typing import Any

from benchmarks.speed.cases import Input
from benchmarks.speed.contestants import AXIS, SETTINGS, SPARSE, Labels, run_polyclust

THREE, GENERAL = "MPC-3", "MPC general"
FEW, MANY = 10, 100  # n_init: the default, and more starts with less racing

TERMS: dict[str, dict[str, Any]] = {  # from few terms to no limit
    AXIS: SETTINGS[AXIS],
    SPARSE: SETTINGS[SPARSE],
    THREE: {"max_terms": 3, "max_coefficient": 3},
    GENERAL: {"max_terms": None, "max_coefficient": None},
}


def name_entrant(family: str, n_init: int) -> str:
    """How a family with so many starts is called in rows and tables."""
    return f"{family}, n_init={n_init}"


ENTRANTS = {name_entrant(family, n_init): (family, n_init) for family in TERMS for n_init in (FEW, MANY)}


def run_entrant(given: Input, entrant: str) -> Labels:
    """The family with its number of starts."""
    family, n_init = ENTRANTS[entrant]
    return run_polyclust(given, **TERMS[family], n_init=n_init)


def warm_entrant(given: Input, entrant: str) -> Labels:
    """The family with few starts: nothing else is compiled for many."""
    family, _ = ENTRANTS[entrant]
    return run_polyclust(given, **TERMS[family], n_init=FEW)
