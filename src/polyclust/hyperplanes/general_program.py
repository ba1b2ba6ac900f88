"""The pair's program with real coefficients, for clusters that no hyperplane of the family separates.

Over real w, b, xi >= 0 and binary p, q, y (u_t: weights of the rows, beta: the most terms):

    minimise    sum_t u_t xi_t
    subject to  w.x^t + b       >= -xi_t      rows that belong above
                w.x^t + b + eps <=  xi_t      rows that belong below
                sum_d (p_d + q_d) = 1         one coefficient has size 1, which fixes the scale:
                w_d >= 2 p_d - 1              p_d = 1 puts w_d at 1
                w_d <= 1 - 2 q_d              q_d = 1 puts w_d at -1
                -y_d <= w_d <= y_d            only chosen terms have coefficients
                sum_d y_d <= beta             at most beta terms

The columns of the program are, in this order:  w (F), b (1), p (F), q (F), y (F), xi (n).
With real w, sum |w_d| >= 1 as in (5) would fix no scale: a larger w makes the margin, and with it any
small error, as small as one likes in proportion.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import csr_array, eye_array, hstack, vstack

from polyclust.hyperplanes.hinge import PairHyperplane, PairRows
from polyclust.hyperplanes.integer_program import conclude, error_objective, run_solver, scale_rows

Floats = NDArray[np.float64]

__all__ = ["normalise", "solve_anchored", "solve_general_program"]


def solve_general_program(
    rows: PairRows,
    incumbent: PairHyperplane,
    *,
    max_terms: int,
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> PairHyperplane:
    """The mixed integer program in the head of this file."""
    if node_limit == 0:
        return replace(incumbent, status="node limit", gap=1.0)
    points, scale = scale_rows(rows)
    n, n_features = points.shape
    n_binaries = 3 * n_features
    answer = run_solver(
        error_objective(rows.weights, n_features + 1 + n_binaries),
        [
            count_errors(points, rows.sides, incumbent.margin / scale, n_between=n_binaries),
            fix_scale(n_features, n),
            put_at_bounds(n_features, n),
            choose_terms(n_features, n),
            limit_terms(n_features, n, max_terms),
        ],
        Bounds(
            np.r_[-np.ones(n_features), -np.inf, np.zeros(n_binaries + n)],
            np.r_[np.ones(n_features), np.inf, np.ones(n_binaries), np.full(n, np.inf)],
        ),
        is_whole=np.r_[np.zeros(n_features + 1), np.ones(n_binaries), np.zeros(n)],
        time_limit=time_limit,
        node_limit=node_limit,
    )
    w = None if answer.x is None else tidy(answer.x, n_features)
    return conclude(rows, incumbent, w, answer, scale)


def tidy(solution: Floats, n_features: int) -> Floats:
    """The solver's w without coefficients of terms not chosen, the largest at size 1."""
    is_chosen = solution[3 * n_features + 1 : 4 * n_features + 1] > 0.5
    return normalise(np.where(is_chosen, solution[:n_features], 0.0))


def count_errors(points: Floats, sides: Floats, margin: float, n_between: int) -> LinearConstraint:
    """side * (w.x + b) - xi <= -margin below and <= 0 above."""
    slopes = csr_array(sides[:, None] * np.column_stack([points, np.ones(len(points))]))
    matrix = hstack([slopes, csr_array((len(points), n_between)), -eye_array(len(points))], format="csr")
    return LinearConstraint(matrix, -np.inf, np.where(sides > 0.0, -margin, 0.0))


def fix_scale(n_features: int, n_rows: int) -> LinearConstraint:
    """sum (p + q) = 1."""
    return LinearConstraint(_blocks(n_features, n_rows, p=np.ones((1, n_features)), q=np.ones((1, n_features))), 1, 1)


def put_at_bounds(n_features: int, n_rows: int) -> LinearConstraint:
    """w - 2 p >= -1 and -w - 2 q >= -1."""
    one = np.eye(n_features)
    upwards = _blocks(n_features, n_rows, w=one, p=-2.0 * one)
    downwards = _blocks(n_features, n_rows, w=-one, q=-2.0 * one)
    return LinearConstraint(vstack([upwards, downwards], format="csr"), -1.0, np.inf)


def choose_terms(n_features: int, n_rows: int) -> LinearConstraint:
    """y - w >= 0 and y + w >= 0."""
    one = np.eye(n_features)
    matrices = [_blocks(n_features, n_rows, w=-one, y=one), _blocks(n_features, n_rows, w=one, y=one)]
    return LinearConstraint(vstack(matrices, format="csr"), 0.0, np.inf)


def limit_terms(n_features: int, n_rows: int, max_terms: int) -> LinearConstraint:
    """sum y <= beta."""
    return LinearConstraint(_blocks(n_features, n_rows, y=np.ones((1, n_features))), -np.inf, max_terms)


def _blocks(n_features: int, n_rows: int, **given: Floats) -> Any:
    """A constraint matrix over (w, b, p, q, y, xi) from the blocks that are not zero."""
    n_lines = next(iter(given.values())).shape[0]
    blocks = {name: given.get(name, np.zeros((n_lines, n_features))) for name in "wpqy"}
    left = np.hstack([blocks["w"], np.zeros((n_lines, 1)), blocks["p"], blocks["q"], blocks["y"]])
    return hstack([csr_array(left), csr_array((n_lines, n_rows))], format="csr")


def solve_anchored(rows: PairRows, direction: Floats, margin: float, time_limit: float | None = None) -> Floats:
    """The best w with the direction's largest coefficient at its bound (an LP); the direction if late."""
    points, scale = scale_rows(rows)
    n, n_features = points.shape
    largest = int(np.abs(direction).argmax())
    lowest = np.r_[-np.ones(n_features), -np.inf, np.zeros(n)]
    highest = np.r_[np.ones(n_features), np.full(1 + n, np.inf)]
    lowest[largest] = highest[largest] = -1.0 if direction[largest] < 0.0 else 1.0
    answer = run_solver(
        error_objective(rows.weights, n_features + 1),
        [count_errors(points, rows.sides, margin / scale, n_between=0)],
        Bounds(lowest, highest),
        is_whole=np.zeros(n_features + 1 + n),
        time_limit=time_limit,
    )
    return direction if answer.x is None else np.asarray(answer.x[:n_features], dtype=np.float64)


def normalise(w: Floats) -> Floats:
    """w with its largest coefficient of size 1 exactly; the first axis if w is zero."""
    largest = int(np.abs(w).argmax())
    if w[largest] == 0.0:
        w = np.eye(len(w))[0]
    return np.asarray(w / np.abs(w[largest]), dtype=np.float64)
