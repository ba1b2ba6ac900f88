"""What would make an inexact explanation exact, what is not proved about it, and which rows it is not about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyclust.explain.separation import SOLVER_SECONDS, PairTable
from polyclust.explain.spelling import format_count, spell_count
from polyclust.hyperplanes.general import is_separable
from polyclust.hyperplanes.lattice import count_directions, list_directions
from polyclust.kernels.separating import find_separating

__all__ = ["advise", "tell_gaps", "tell_noise"]

RICHER_LIMITS = ((2, 1), (2, 3), (3, 1), (3, 3))
MOST_DIRECTIONS = 50_000
MOST_PAIRS = 20


def advise(
    pairs: Sequence[PairTable],
    max_terms: int | None,
    max_coefficient: int | None,
) -> tuple[str, ...]:
    """One sentence per remedy, with all pairs of clusters that it helps."""
    helped: dict[str, list[str]] = {}
    for pair in pairs[:MOST_PAIRS]:
        remedy = _find_remedy(pair, max_terms, max_coefficient)
        helped.setdefault(remedy, []).append(f"{pair.first} and {pair.second}")
    sentences = [remedy.format(pairs=", ".join(names)) for remedy, names in helped.items()]
    n_left = len(pairs) - MOST_PAIRS
    return (*sentences, f"{n_left} more pairs of clusters overlap.") if n_left > 0 else tuple(sentences)


def tell_gaps(gaps: Mapping[tuple[int, int], float]) -> tuple[str, ...]:
    """A sentence about the pairs whose integer program was stopped at its limit, if there are any."""
    stopped = [f"{i} and {j} (gap {gap:.0%})" for (i, j), gap in gaps.items() if gap > 0]
    if not stopped:
        return ()
    more = f" and {len(stopped) - MOST_PAIRS} more" if len(stopped) > MOST_PAIRS else ""
    return (
        f"The integer program was stopped after {SOLVER_SECONDS:g} s for clusters {', '.join(stopped[:MOST_PAIRS])}"
        f"{more}: a hyperplane with smaller errors may exist.",
    )


def tell_noise(weight: float, inside: float) -> tuple[str, ...]:
    """A sentence about rows of noise, if there are any, and how many of them meet a rule."""
    if not weight:
        return ()
    return (f"Noise: {spell_count(weight, 'more row')}, of which the rules hold {format_count(inside)}.",)


def _find_remedy(pair: PairTable, max_terms: int | None, max_coefficient: int | None) -> str:
    """A sentence with a place for the pairs."""
    if _have_equal_rows(pair):
        return "Rows with the same values are in both of clusters {pairs}; no rule can tell them apart."
    for terms, coefficient in _list_richer(max_terms, max_coefficient, len(pair.features)):
        if _separates(pair, terms, coefficient):
            changed = [f"max_terms={terms}"] if terms != max_terms else []
            changed += [f"max_coefficient={coefficient}"] if coefficient != max_coefficient else []
            return f"{' and '.join(changed)} would separate clusters {{pairs}}."
    values = pair.in_units
    if (max_terms, max_coefficient) != (None, None) and is_separable(values[pair.is_first], values[~pair.is_first]):
        return "max_terms=None and max_coefficient=None would separate clusters {pairs}."
    return "No hyperplane separates clusters {pairs}: they overlap."


def _list_richer(max_terms: int | None, max_coefficient: int | None, n_features: int) -> list[tuple[int, int]]:
    """Terms and coefficients that allow more than these limits do, where all directions can be listed."""
    if max_terms is None or max_coefficient is None:
        return []
    return [
        (terms, coefficient)
        for terms, coefficient in RICHER_LIMITS
        if max_terms <= terms <= n_features
        and coefficient >= max_coefficient
        and (terms, coefficient) != (max_terms, max_coefficient)
        and count_directions(n_features, terms, coefficient) <= MOST_DIRECTIONS
    ]


def _separates(pair: PairTable, terms: int, coefficient: int) -> bool:
    directions = list_directions(len(pair.features), terms, coefficient)
    values = np.ascontiguousarray(pair.in_units)
    found = find_separating(values[pair.is_first], values[~pair.is_first], directions.features, directions.coefficients)
    return int(found) >= 0


def _have_equal_rows(pair: PairTable) -> bool:
    first, second = np.unique(pair.raw[pair.is_first], axis=0), np.unique(pair.raw[~pair.is_first], axis=0)
    return len(np.unique(np.vstack([first, second]), axis=0)) < len(first) + len(second)
