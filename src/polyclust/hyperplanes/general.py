"""Hyperplanes with real coefficients, the largest of size 1.

Whether two clusters can be separated is one LP: fix the distance of both sides to the hyperplane and make w
small.

    minimise s   subject to   w.x + b >= 1 above,   w.x + b <= -1 below,   -s <= w_d <= s

It has no solution if and only if the clusters cannot be separated; otherwise w / s has its largest
coefficient at 1 and leaves the widest gap, 2 / s, of all such w. The LP starts with the rows near the
boundary and takes in the rows it violates. Of many features, or more than rows, it is turned round: w is in a
box and the gap is made wide, which is the same w many times sooner; gaps so narrow that a solver's tolerance hides
them are left to the first. Pairs that cannot be separated, or not with so few terms, go to
the mixed integer program of ``general_program``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import csr_array

from polyclust.hyperplanes.enumeration import enumerate_lattice
from polyclust.hyperplanes.general_program import normalise, solve_anchored, solve_general_program
from polyclust.hyperplanes.hinge import PRECISION, PairHyperplane, PairRows, fit_intercept
from polyclust.hyperplanes.integer_program import run_solver, scale_rows
from polyclust.hyperplanes.lattice import list_directions

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

__all__ = ["find_direction", "is_separable", "separate_general"]

WALK_STEPS = 40
ROWS_PER_ROUND = 64
MANY_FEATURES = 100


def is_separable(upper: Floats, lower: Floats) -> bool:
    """Whether some hyperplane has all of ``upper`` strictly above all of ``lower``."""
    return find_direction(upper, lower) is not None


def find_direction(upper: Floats, lower: Floats, *, widest: bool = False, start: Floats | None = None) -> Floats | None:
    """A direction w, max |w_d| = 1, with min w.upper > max w.lower by more than rounding; None without one.

    ``start`` (a direction that did before, say) and cheap directions are tried before the LP; ``widest=True``
    asks for the one that leaves the widest gap.
    """
    upper, lower = np.asarray(upper, dtype=np.float64), np.asarray(lower, dtype=np.float64)
    if not widest and start is not None and separates(upper, lower, start):
        return normalise(start)
    walked = walk_to_direction(upper, lower)
    if not widest and separates(upper, lower, walked):
        return walked
    return widen_gap(upper, lower, walked, is_enough=not widest)


def separates(upper: Floats, lower: Floats, w: Floats) -> bool:
    """Whether the gap along w exceeds what rounding of the sums could make."""
    gap = float((upper @ w).min() - (lower @ w).max())
    magnitudes = np.maximum(np.abs(upper).max(axis=0), np.abs(lower).max(axis=0))
    return gap > PRECISION * float(magnitudes @ np.abs(w))


def walk_to_direction(upper: Floats, lower: Floats) -> Floats:
    """Gilbert's walk towards the shortest vector between the two convex hulls, in whitened coordinates.

    It starts at the difference of the means (so the first direction tried is Fisher's) and ends as soon as
    the clusters are separated.
    """
    factor, spread = factor_scatter(upper, lower)
    above, below = (dtrtrs(factor, (rows / spread).T, lower=1)[0].T for rows in (upper, lower))
    z = above.mean(axis=0) - below.mean(axis=0)
    for _ in range(WALK_STEPS):
        heights, depths = above @ z, below @ z
        if heights.min() > depths.max():
            break
        step = above[heights.argmin()] - below[depths.argmax()] - z
        length = float(step @ step)
        if length == 0.0:
            break
        z = z + min(max(-float(z @ step) / length, 0.0), 1.0) * step
    return normalise(dtrtrs(factor, z, lower=1, trans=1)[0] / spread)


def factor_scatter(upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """The lower triangle whose inverse makes the rows' scatter about their cluster's mean round (a ridge where it has
    none), for rows over the spreads that come with it."""
    deviations = np.vstack([upper - upper.mean(axis=0), lower - lower.mean(axis=0)])
    spread = np.maximum(deviations.std(axis=0), PRECISION + np.abs(deviations).max() * 1e-3)
    scatter = (deviations / spread).T @ (deviations / spread) / len(deviations)
    factor = np.linalg.cholesky(scatter + 1e-3 * np.eye(len(spread)))
    return factor, spread


def widen_gap(upper: Floats, lower: Floats, start: Floats, *, is_enough: bool) -> Floats | None:
    """The LP on a growing set of rows; with ``is_enough`` any separating w on the way will do."""
    rows = PairRows(np.vstack([upper, lower]), np.ones(len(upper) + len(lower)), len(upper))
    points, _ = scale_rows(rows)
    sides, w = rows.sides, start
    chosen = np.zeros(len(points), dtype=bool)
    while True:
        violated = find_violated(points @ w, sides, chosen)
        if chosen.any() and (not violated.size or (is_enough and separates(upper, lower, w))):
            return w if separates(upper, lower, w) else None
        chosen[violated] = True
        answer = solve_gap(points[chosen], sides[chosen])
        if answer is None:
            return None
        w = answer


def find_violated(heights: Floats, sides: Floats, chosen: NDArray[np.bool_]) -> Ints:
    """Rows outside the chosen set that stick out of it towards the other cluster, the worst of each side."""
    worst = []
    for side in (-1.0, 1.0):
        depth = side * heights
        edge = depth[(sides == side) & chosen].max(initial=-np.inf)
        out = np.flatnonzero((sides == side) & ~chosen & (depth > edge + PRECISION))
        worst.append(out[np.argsort(-depth[out], kind="stable")[:ROWS_PER_ROUND]])
    return np.concatenate(worst)


def solve_gap(points: Floats, sides: Floats) -> Floats | None:
    """minimise s over (w, b, s), as in the head of this file; None if there is no solution."""
    n, n_features = points.shape
    if n_features > min(n, MANY_FEATURES):
        w = widen_in_box(points, sides)
        if separates(points[sides < 0.0], points[sides > 0.0], w):
            return w
    apart = np.hstack([-sides[:, None] * points, -sides[:, None], np.zeros((n, 1))])
    one, edge = np.eye(n_features), np.ones((n_features, 1))
    no_b = np.zeros((n_features, 1))
    box = np.vstack([np.hstack([one, no_b, edge]), np.hstack([-one, no_b, edge])])
    free = np.full(n_features + 2, np.inf)
    answer = run_solver(
        np.r_[np.zeros(n_features + 1), 1.0],
        [LinearConstraint(csr_array(apart), 1.0, np.inf), LinearConstraint(csr_array(box), 0.0, np.inf)],
        Bounds(-free, free),
        is_whole=np.zeros(n_features + 2),
    )
    return None if answer.x is None else normalise(answer.x[:n_features])


def widen_in_box(points: Floats, sides: Floats) -> Floats:
    """maximise m   subject to   w.x + b >= m above,   w.x + b <= -m below,   -1 <= w_d <= 1,   m >= 0."""
    n, n_features = points.shape
    apart = np.hstack([-sides[:, None] * points, -sides[:, None], -np.ones((n, 1))])
    answer = run_solver(
        np.r_[np.zeros(n_features + 1), -1.0],
        [LinearConstraint(apart, 0.0, np.inf)],
        Bounds(np.r_[-np.ones(n_features), -np.inf, 0.0], np.r_[np.ones(n_features), np.inf, np.inf]),
        is_whole=np.zeros(n_features + 2),
    )
    return normalise(answer.x[:n_features])


def separate_general(
    rows: PairRows,
    max_terms: int | None,
    margin: float,
    *,
    may_narrow: bool = False,
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> PairHyperplane:
    """The hyperplane of least hinge error with max |w_d| = 1 and at most ``max_terms`` coefficients.

    Real coefficients separate clusters as closely as rounding allows, so no margin from the data suits all
    pairs: with ``may_narrow`` a pair found separable by less takes half of its gap for its margin, and no
    error.
    """
    n_features = rows.values.shape[1]
    max_terms = min(max_terms or n_features, n_features)
    if max_terms == 1:
        return enumerate_lattice(rows, list_directions(n_features, 1, 1), margin)
    found = _separate_by_lp(rows, margin, may_narrow) if max_terms == n_features else None
    if found is None or found.error > 0.0:
        found = guess_hyperplane(rows, max_terms, margin, may_narrow, time_limit)
    if found.error > 0.0:
        found = solve_general_program(rows, found, max_terms=max_terms, time_limit=time_limit, node_limit=node_limit)
    return narrow(rows, found) if may_narrow else found


def judge(rows: PairRows, w: Floats, margin: float, may_narrow: bool) -> PairHyperplane:
    """w with its best intercept; no error is a proof that nothing is better."""
    b, error = fit_intercept(rows, w, margin)
    status, gap = ("optimal", 0.0) if error == 0.0 else ("heuristic", 1.0)
    found = PairHyperplane(w, b, margin, error, status, gap, "lp")
    return narrow(rows, found) if may_narrow else found


def narrow(rows: PairRows, found: PairHyperplane) -> PairHyperplane:
    """The same w without error, at a margin of half its gap, if it separates the clusters at all."""
    if found.error == 0.0 or not separates(rows.upper, rows.lower, found.w):
        return found
    margin = 0.5 * float((rows.upper @ found.w).min() - (rows.lower @ found.w).max())
    b, error = fit_intercept(rows, found.w, margin)
    return replace(found, b=b, margin=margin, error=error, status="optimal", gap=0.0)


def guess_hyperplane(
    rows: PairRows, max_terms: int, margin: float, may_narrow: bool = False, time_limit: float | None = None
) -> PairHyperplane:
    """A good start: few terms of a cheap direction, their coefficients from one LP."""
    spread = rows.values.std(axis=0)
    guesses = []
    for direction in (walk_to_direction(rows.upper, rows.lower), rows.mean_difference()):
        chosen = np.sort(np.argsort(-np.abs(direction) * spread, kind="stable")[:max_terms])
        part = replace(rows, values=rows.values[:, chosen])
        candidates = [direction[chosen], solve_anchored(part, direction[chosen], margin, time_limit)]
        widest = find_direction(part.upper, part.lower, widest=True)
        for candidate in candidates if widest is None else [widest, *candidates]:
            w = np.zeros(len(direction))
            w[chosen] = normalise(candidate)
            guesses.append(judge(rows, w, margin, may_narrow))
    return min(guesses, key=lambda guess: guess.error)


def _separate_by_lp(rows: PairRows, margin: float, may_narrow: bool) -> PairHyperplane | None:
    """The widest gap with all features; None if there is no gap."""
    w = find_direction(rows.upper, rows.lower, widest=True)
    return None if w is None else judge(rows, w, margin, may_narrow)
