"""Which half-spaces of a polytope say nothing that the others do not say already, for every possible row.

Possible knows types only: what is whole, what is 0 or 1, of which features at most one is 1, and which are
steps of one number (1 where it reaches a value). A half-space goes only when that is certain:

* one term: bounds are carried through the types, comparisons only, nothing is rounded;
* several terms against bounds: the sum at the worst corner, in the arithmetic that is applied (rounding is
  monotone, so no row inside can do worse);
* whole numbers only: an integer program; otherwise a linear program, whose multipliers are checked exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.bounds import HalfSpace, PossibleRows, is_implied_by_bounds, propagate
from polyclust.geometry.implication import is_implied_by_program

__all__ = ["HalfSpace", "PossibleRows", "drop_redundant"]


def drop_redundant(
    halfspaces: Sequence[HalfSpace],
    possible: PossibleRows,
    witnesses: NDArray[np.float64] | None = None,
) -> tuple[int, ...]:
    """Positions of the half-spaces to keep. The long ones are tried first, so that short ones stay.

    ``witnesses`` are rows that may show quickly that a half-space is needed: those outside it alone.
    """
    needed = _find_needed(halfspaces, witnesses)
    kept = list(range(len(halfspaces)))
    for position in sorted(kept, key=lambda p: _effort(halfspaces[p], p), reverse=True):
        if position in needed:
            continue
        others = [halfspaces[p] for p in kept if p != position]
        if is_implied(halfspaces[position], others, possible):
            kept.remove(position)
    return tuple(kept)


def is_implied(candidate: HalfSpace, others: Sequence[HalfSpace], possible: PossibleRows) -> bool:
    """Whether every possible row inside all the others is inside the candidate, beyond doubt."""
    bounds = propagate(others, possible)
    if bounds.is_empty or is_implied_by_bounds(candidate, bounds):
        return True
    if _is_said_by_same_direction(candidate, others):
        return True
    if all(other.is_plain for other in others) and not possible.groups and not possible.ladders:
        return False
    return is_implied_by_program(candidate, others, bounds, possible)


def _effort(halfspace: HalfSpace, position: int) -> tuple[int, int, int]:
    """Half-spaces that are harder to read come later; the position makes the order definite."""
    plane = halfspace.plane
    n_digits = sum(len(repr(v)) for v in (*plane.coefficients, *plane.units, plane.threshold))
    return len(plane.features), n_digits, position


def _find_needed(halfspaces: Sequence[HalfSpace], witnesses: NDArray[np.float64] | None) -> set[int]:
    if witnesses is None or not len(witnesses) or not halfspaces:
        return set()
    is_outside = np.column_stack([~h.contains(witnesses) for h in halfspaces])
    alone = is_outside[is_outside.sum(axis=1) == 1]
    return set(np.flatnonzero(alone.any(axis=0)).tolist())


def _is_said_by_same_direction(candidate: HalfSpace, others: Sequence[HalfSpace]) -> bool:
    """The same sum against a threshold at least as strict; equal sums are equal to the bit."""
    for other in others:
        if other.plane.direction == candidate.plane.direction and other.is_upper == candidate.is_upper:
            is_stricter = (
                other.plane.threshold >= candidate.plane.threshold
                if candidate.is_upper
                else other.plane.threshold <= candidate.plane.threshold
            )
            if is_stricter:
                return True
    return False
