"""The integer program of a pair, solved by HiGHS when the lattice is too large to enumerate.

Over w+, w- (whole numbers), y+, y- (0 or 1), b (real) and xi >= 0, with the weights u_t of the rows:

    minimise    sum_t u_t xi_t                                                                (1)
    subject to  w.x^t + b        >= -xi_t       rows that belong above                        (2)
                w.x^t + b + eps  <=  xi_t       rows that belong below                        (3)
                w = w+ - w-                     (substituted, not a constraint)               (4)
                sum_d (w+_d + w-_d) >= 1        w is not zero                                 (5)
                y+_d + y-_d <= 1                a coefficient has one sign                    (6)
                sum_d (y+_d + y-_d) <= beta     at most beta terms                            (7)
                w+_d <= M y+_d                                                                (8)
                w-_d <= M y-_d                                                                (9)
                w+, w- whole, xi >= 0, y in {0, 1}                                            (10)-(12)

The columns of the program are, in this order:  w+ (F), w- (F), y+ (F), y- (F), b (1), xi (n).

The rows are shifted by their mean (b takes it up) and divided by one number (xi and eps are divided too),
so that the solver's absolute tolerances mean the same for every table. Of its answer only w is kept: b and
the error come from the closed form.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_array, eye_array, hstack

from polyclust.hyperplanes.hinge import PairHyperplane, PairRows, fit_intercept

Floats = NDArray[np.float64]

__all__ = ["conclude", "error_objective", "run_solver", "scale_rows", "solve_integer_program"]

ENDINGS = {"time limit": "time limit", "solution limit": "node limit", "iteration limit": "node limit"}
"""What HiGHS says when it stops early, and what we say."""


def solve_integer_program(
    rows: PairRows,
    incumbent: PairHyperplane,
    *,
    max_terms: int | None,
    max_coefficient: int,
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> PairHyperplane:
    """(1)-(12) for one pair, with the incumbent's margin; the incumbent stays unless the solver beats it."""
    if node_limit == 0:
        return replace(incumbent, status="node limit", gap=1.0)
    points, scale = scale_rows(rows)
    n, n_features = points.shape
    answer = run_solver(
        error_objective(rows.weights, 4 * n_features + 1),
        [
            count_errors(points, rows.sides, incumbent.margin / scale),
            forbid_zero(n_features, n),
            allow_one_sign(n_features, n),
            limit_terms(n_features, n, max_terms),
            limit_coefficients(n_features, n, max_coefficient),
        ],
        limit_variables(n_features, n, max_coefficient),
        is_whole=np.r_[np.ones(4 * n_features), np.zeros(1 + n)],
        time_limit=time_limit,
        node_limit=node_limit,
    )
    w = None if answer.x is None else np.rint(answer.x[:n_features] - answer.x[n_features : 2 * n_features])
    return conclude(rows, incumbent, w, answer, scale)


def scale_rows(rows: PairRows) -> tuple[Floats, float]:
    """Rows around their mean, divided by the largest magnitude left; and that divisor."""
    centred = rows.values - rows.values.mean(axis=0)
    scale = float(np.abs(centred).max()) or 1.0
    return centred / scale, scale


def error_objective(weights: Floats, n_others: int) -> Floats:
    """(1): the errors xi, which come last, by the weights of their rows."""
    return np.concatenate([np.zeros(n_others), weights / weights.mean()])


def count_errors(points: Floats, sides: Floats, margin: float) -> LinearConstraint:
    """(2) and (3) in one: side * (w.x + b) - xi <= -margin below and <= 0 above."""
    n, n_features = points.shape
    slopes = sides[:, None] * points
    matrix = hstack(
        [
            csr_array(np.hstack([slopes, -slopes])),
            csr_array((n, 2 * n_features)),
            csr_array(sides[:, None]),
            -eye_array(n),
        ],
        format="csr",
    )
    return LinearConstraint(matrix, -np.inf, np.where(sides > 0.0, -margin, 0.0))


def forbid_zero(n_features: int, n_rows: int) -> LinearConstraint:
    """(5): the coefficients are not all zero."""
    return LinearConstraint(_row(n_features, n_rows, [1.0, 1.0, 0.0, 0.0]), 1.0, np.inf)


def allow_one_sign(n_features: int, n_rows: int) -> LinearConstraint:
    """(6): not both signs of one coefficient."""
    one = eye_array(n_features)
    matrix = hstack([csr_array((n_features, 2 * n_features)), one, one, csr_array((n_features, 1 + n_rows))])
    return LinearConstraint(csr_array(matrix), -np.inf, 1.0)


def limit_terms(n_features: int, n_rows: int, max_terms: int | None) -> LinearConstraint:
    """(7): at most beta terms."""
    beta = n_features if max_terms is None else max_terms
    return LinearConstraint(_row(n_features, n_rows, [0.0, 0.0, 1.0, 1.0]), -np.inf, beta)


def limit_coefficients(n_features: int, n_rows: int, max_coefficient: int) -> LinearConstraint:
    """(8) and (9): only chosen terms have coefficients, at most M."""
    one = eye_array(2 * n_features)
    matrix = hstack([one, -max_coefficient * one, csr_array((2 * n_features, 1 + n_rows))])
    return LinearConstraint(csr_array(matrix), -np.inf, 0.0)


def limit_variables(n_features: int, n_rows: int, max_coefficient: int) -> Bounds:
    """(10)-(12): 0 <= w <= M, y in {0, 1}, b free, xi >= 0."""
    lowest = np.r_[np.zeros(4 * n_features), -np.inf, np.zeros(n_rows)]
    highest = np.r_[
        np.full(2 * n_features, float(max_coefficient)), np.ones(2 * n_features), np.full(1 + n_rows, np.inf)
    ]
    return Bounds(lowest, highest)


def _row(n_features: int, n_rows: int, blocks: list[float]) -> Any:
    """One constraint with the same coefficient for all of w+, of w-, of y+ and of y-."""
    return csr_array(np.r_[np.repeat(blocks, n_features), np.zeros(1 + n_rows)][None, :])


def run_solver(
    objective: Floats,
    constraints: list[LinearConstraint],
    bounds: Bounds,
    *,
    is_whole: Floats,
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> OptimizeResult:
    """HiGHS through SciPy, to proved optimality unless a limit ends it."""
    limits = {"time_limit": time_limit, "node_limit": node_limit}
    options: Any = {"mip_rel_gap": 0.0} | {name: limit for name, limit in limits.items() if limit is not None}
    return milp(
        objective,
        constraints=constraints,
        bounds=bounds,
        integrality=is_whole.astype(np.int64),
        options=options,
    )


def conclude(
    rows: PairRows, incumbent: PairHyperplane, w: Floats | None, answer: OptimizeResult, scale: float
) -> PairHyperplane:
    """The better of the solver's w and the incumbent, with the solver's verdict."""
    best = incumbent
    if w is not None:
        b, error = fit_intercept(rows, w, incumbent.margin)
        if error <= incumbent.error:
            best = replace(incumbent, w=w, b=b, error=error)
    gap = measure_unproved(best.error, answer, scale * float(rows.weights.mean()))
    return replace(best, status=describe_outcome(answer), gap=gap, method="milp")


def describe_outcome(answer: OptimizeResult) -> str:
    """The solver's end in our words."""
    if answer.status == 0:
        return "optimal"
    message = answer.message.lower()
    return next((end for name, end in ENDINGS.items() if name in message), "heuristic")


def measure_unproved(error: float, answer: OptimizeResult, unit: float) -> float:
    """The share of the error above the solver's lower bound, given in ``unit``: 0 proved, 1 nothing known."""
    if answer.status == 0 or error == 0.0:
        return 0.0
    bound = answer.mip_dual_bound
    proved = 0.0 if bound is None or not np.isfinite(bound) else max(float(bound) * unit, 0.0)
    return min(max((error - proved) / error, 0.0), 1.0)
