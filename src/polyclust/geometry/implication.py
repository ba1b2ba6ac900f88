"""Implication between half-spaces of several terms, by linear and integer programs; believed when certain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds as Box
from scipy.optimize import LinearConstraint, linprog, milp

from polyclust.geometry.bounds import Bounds, HalfSpace, PossibleRows

__all__ = ["is_implied_by_program"]

LARGEST_WHOLE = 1e6  # of bounds and coefficients, so that the integer program's tolerances cannot matter
MARGIN = 1e-6  # of the numbers involved: room for the rounding of sums in rows far from the data
INFEASIBLE = 2

Row = dict[int, float]


def is_implied_by_program(
    candidate: HalfSpace, others: Sequence[HalfSpace], bounds: Bounds, possible: PossibleRows
) -> bool:
    """Whether the others imply the candidate: exact for small whole numbers, else certified."""
    long = [other for other in others if not other.is_plain]
    used = _connected_features(candidate, long, possible)
    long = [other for other in long if used.issuperset(other.plane.features)]
    if all(_is_small_whole(h, possible) for h in (candidate, *long)) and all(
        possible.is_whole[f] and _is_small(bounds.low[f]) and _is_small(bounds.high[f]) for f in used
    ):
        return _is_implied_whole(candidate, long, bounds, possible, used)
    return _is_implied_linear(candidate, long, bounds, possible, used)


def _is_small(value: float) -> bool:
    return abs(value) <= LARGEST_WHOLE


def _is_small_whole(halfspace: HalfSpace, possible: PossibleRows) -> bool:
    """Sums that are whole numbers and exact."""
    plane = halfspace.plane
    return (
        all(possible.is_whole[f] for f in plane.features)
        and all(unit == 1 for unit in plane.units)
        and all(c == math.floor(c) and _is_small(c) for c in plane.coefficients)
        and _is_small(plane.threshold)
    )


def _connected_features(candidate: HalfSpace, long: Sequence[HalfSpace], possible: PossibleRows) -> set[int]:
    """Features that can matter for the candidate: linked by sums, categories and steps."""
    links = [set(h.plane.features) for h in long]
    links += [set(group) for group in possible.groups]
    links += [{step for _, step in ladder.steps} for ladder in possible.ladders]
    used = set(candidate.plane.features)
    grew = True
    while grew:
        grew = False
        for link in links:
            if link & used and not link <= used:
                used |= link
                grew = True
    return used


def _type_rows(possible: PossibleRows, used: set[int]) -> list[tuple[Row, float]]:
    """Rows a.x <= b that hold for every possible row."""
    rows = [(dict.fromkeys(group, 1.0), 1.0) for group in possible.groups if used.issuperset(group)]
    for ladder in possible.ladders:
        steps = [step for _, step in ladder.steps if step in used]
        rows += [({higher: 1.0, lower: -1.0}, 0.0) for lower, higher in pairwise(steps)]
    return rows


def _is_implied_whole(
    candidate: HalfSpace, long: Sequence[HalfSpace], bounds: Bounds, possible: PossibleRows, used: set[int]
) -> bool:
    """Minimise the candidate's sum over whole numbers (maximise it for the lower side)."""
    order = sorted(used)
    place = {feature: i for i, feature in enumerate(order)}
    rows = _type_rows(possible, used)
    for other in long:
        sign = -1.0 if other.is_upper else 1.0
        terms = {f: sign * c for f, c in zip(other.plane.features, other.plane.coefficients, strict=True)}
        least = math.ceil(other.plane.threshold)
        rows.append((terms, -least if other.is_upper else least - 1))
    objective = np.zeros(len(order))
    sign = 1.0 if candidate.is_upper else -1.0
    for feature, coefficient in zip(candidate.plane.features, candidate.plane.coefficients, strict=True):
        objective[place[feature]] = sign * coefficient
    result = milp(
        objective,
        integrality=np.ones(len(order), dtype=np.int64),
        bounds=Box([bounds.low[f] for f in order], [bounds.high[f] for f in order]),
        constraints=_constraints(rows, place),
    )
    if result.status == INFEASIBLE:
        return True
    if result.status != 0:
        return False
    least = math.ceil(candidate.plane.threshold)
    target = least if candidate.is_upper else -(least - 1)
    return bool(result.mip_dual_bound >= target - 0.5)


def _constraints(rows: Sequence[tuple[Row, float]], place: dict[int, int]) -> list[LinearConstraint]:
    if not rows:
        return []
    matrix = np.zeros((len(rows), len(place)))
    for i, (terms, _) in enumerate(rows):
        for feature, coefficient in terms.items():
            matrix[i, place[feature]] = coefficient
    return [LinearConstraint(matrix, -np.inf, [b for _, b in rows])]


def _is_implied_linear(
    candidate: HalfSpace, long: Sequence[HalfSpace], bounds: Bounds, possible: PossibleRows, used: set[int]
) -> bool:
    """A linear program over sums in their units; its multipliers are then made exact and checked.

    All rows read a.x <= b. With y >= 0 and r = c + sum of y a:  c.x >= r.x - y.b,  and the box bounds r.x.
    """
    unit = _units(candidate, long)
    order = sorted(used)
    low = [Fraction(bounds.low[f]) / unit.get(f, 1) if bounds.low[f] > -math.inf else None for f in order]
    high = [Fraction(bounds.high[f]) / unit.get(f, 1) if bounds.high[f] < math.inf else None for f in order]
    rows = [({f: Fraction(v) for f, v in terms.items()}, Fraction(b)) for terms, b in _type_rows(possible, used)]
    rows += [_lower_row(other, unit, flip=other.is_upper) for other in long]
    terms, limit = _lower_row(candidate, unit, flip=not candidate.is_upper)
    matrix = [[row.get(f, Fraction(0)) for f in order] for row, _ in rows]
    right = [b for _, b in rows]
    objective = [terms.get(f, Fraction(0)) for f in order]
    # The candidate reads  objective.x >= limit  (upper)  or, turned around,  objective.x > limit  (lower).
    multipliers = _solve_linear(objective, matrix, right, low, high)
    if multipliers is None:
        return False
    certain = _lower_bound(objective, matrix, right, low, high, multipliers)
    if certain is None:
        return False
    value, magnitude = certain
    return value > limit and value - limit >= Fraction(MARGIN) * (magnitude + abs(limit))


def _units(candidate: HalfSpace, long: Sequence[HalfSpace]) -> dict[int, Fraction]:
    """One scale per feature for the program: the first unit it is used with."""
    unit: dict[int, Fraction] = {}
    for halfspace in (candidate, *long):
        for feature, size in zip(halfspace.plane.features, halfspace.plane.units, strict=True):
            unit.setdefault(feature, Fraction(size))
    return unit


def _lower_row(halfspace: HalfSpace, unit: dict[int, Fraction], flip: bool) -> tuple[dict[int, Fraction], Fraction]:
    """The sum and its threshold over x / unit, both with the other sign when flipped."""
    plane, sign = halfspace.plane, -1 if flip else 1
    terms = {
        f: sign * Fraction(c) * unit[f] / Fraction(u)
        for f, c, u in zip(plane.features, plane.coefficients, plane.units, strict=True)
    }
    return terms, sign * Fraction(plane.threshold)


Exact = Sequence[Fraction]
Limits = Sequence[Fraction | None]


def _solve_linear(
    objective: Exact, matrix: Sequence[Exact], right: Exact, low: Limits, high: Limits
) -> list[Fraction] | None:
    """Exact multipliers of the rows, near the optimal ones; None when the sum is unbounded below."""
    box = [(None if a is None else float(a), None if b is None else float(b)) for a, b in zip(low, high, strict=True)]
    rows = np.array([[float(v) for v in row] for row in matrix]) if matrix else None
    result = linprog(
        [float(v) for v in objective],
        A_ub=rows,
        b_ub=[float(b) for b in right] if matrix else None,
        bounds=box,
        method="highs",
    )
    if result.status != 0:
        return None
    guess = -np.asarray(result.ineqlin.marginals) if matrix else np.zeros(0)
    loose = [j for j in range(len(objective)) if low[j] is None or high[j] is None]
    return _make_exact(objective, matrix, np.maximum(guess, 0.0), loose, np.asarray(result.x), low, high)


def _make_exact(
    objective: Exact,
    matrix: Sequence[Exact],
    guess: NDArray[np.float64],
    loose: Sequence[int],
    corner: NDArray[np.float64],
    low: Limits,
    high: Limits,
) -> list[Fraction] | None:
    """Solve objective + sum of y a = 0 exactly in the features whose bounds cannot pay for a remainder."""
    y = [Fraction(float(v)) if v > 1e-12 else Fraction(0) for v in guess]
    active = [i for i, v in enumerate(y) if v > 0]
    free = [j for j in loose if not _is_at_bound(corner[j], low[j]) and not _is_at_bound(corner[j], high[j])]
    system = [[matrix[i][j] for i in active] + [-objective[j]] for j in free]
    solution = _solve_exactly(system, [y[i] for i in active])
    if solution is None or any(v < 0 for v in solution):
        return None
    for i, value in zip(active, solution, strict=True):
        y[i] = value
    return y


def _is_at_bound(value: float, bound: Fraction | None) -> bool:
    return bound is not None and abs(value - float(bound)) <= 1e-7 * max(1.0, abs(float(bound)))


def _solve_exactly(system: list[list[Fraction]], guess: Sequence[Fraction]) -> list[Fraction] | None:
    """Gauss-Jordan elimination; unknowns without a pivot keep their guess. None: no solution."""
    n_unknowns = len(guess)
    pivots: list[int] = []
    for column in range(n_unknowns):
        at = len(pivots)
        found = next((i for i in range(at, len(system)) if system[i][column] != 0), None)
        if found is None:
            continue
        system[at], system[found] = system[found], system[at]
        lead = system[at][column]
        system[at] = [v / lead for v in system[at]]
        for i, row in enumerate(system):
            if i != at and row[column] != 0:
                factor = row[column]
                system[i] = [v - factor * p for v, p in zip(row, system[at], strict=True)]
        pivots.append(column)
    if any(row[-1] != 0 for row in system[len(pivots) :]):
        return None
    solution = list(guess)
    for row, column in zip(system, pivots, strict=False):
        rest = (row[j] * guess[j] for j in range(n_unknowns) if j not in pivots)
        solution[column] = row[-1] - sum(rest, Fraction(0))
    return solution


def _lower_bound(
    objective: Exact, matrix: Sequence[Exact], right: Exact, low: Limits, high: Limits, y: Exact
) -> tuple[Fraction, Fraction] | None:
    """What the multipliers prove: a lower bound of the sum, and the size of the numbers in it."""
    value = -sum((v * b for v, b in zip(y, right, strict=True)), Fraction(0))
    magnitude = sum((v * abs(b) for v, b in zip(y, right, strict=True)), Fraction(0))
    for j, coefficient in enumerate(objective):
        remainder = coefficient + sum((v * row[j] for v, row in zip(y, matrix, strict=True) if v), Fraction(0))
        if remainder == 0:
            continue
        bound = low[j] if remainder > 0 else high[j]
        if bound is None:
            return None
        value += remainder * bound
        magnitude += abs(remainder * bound)
    return value, magnitude
