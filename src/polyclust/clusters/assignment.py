"""Rows to clusters at least cost, with clusters neither too small nor too large.

    minimise    sum_t u_t sum_k cost_tk z_tk
    subject to  sum_k z_tk = 1                              every row in one cluster
                minimum <= sum_t u_t z_tk <= maximum        every cluster of an allowed size
                z in {0, 1}

Where the cheapest cluster of every row already gives allowed sizes, that is the answer. Otherwise it is a
transportation problem, solved as an LP over the few rows that may have to move: the LP prices a place in
each cluster, and a row outside joins it if another cluster is cheaper for it at these prices. When none is,
duality proves the assignment of all rows optimal.

With equal weights the matrix is totally unimodular, so the vertex that the simplex method finds is whole.
Rows of unequal weights are not divided either (copies of a row stay together): the LP divides at most one
row per bound, and an integer program over the rows nearest to indifference makes them whole. That is the
optimum unless a row far from indifference would fit better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, eye_array, kron, vstack

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

__all__ = ["assign_rows", "meets_bounds"]

ROUNDING = 1e-9
"""Share of the total weight by which a sum of weights may miss a bound."""

NEAR_ROWS = 20
"""Rows per cluster that the integer program for unequal weights may move."""

NODE_LIMIT = 500
"""Its branches: a count, so that speed does not change the answer."""


def assign_rows(
    cost: Floats, weights: Floats | None = None, minimum: float = 0.0, maximum: float | None = None
) -> Labels:
    """The label of every row: least total cost with every cluster's weight in [minimum, maximum].

    Rows of weight 0 fill no cluster and go where they are cheapest; ties go to the lowest label. Raises
    ValueError if no assignment meets the bounds.
    """
    cost = np.asarray(cost, dtype=np.float64)
    weights = np.ones(len(cost)) if weights is None else np.asarray(weights, dtype=np.float64)
    labels: Labels = cost.argmin(axis=1)
    if not meets_bounds(labels, weights, cost.shape[1], minimum, maximum):
        counted = weights > 0.0
        highest = float(weights.sum()) if maximum is None else maximum
        labels[counted] = _transport(cost[counted], weights[counted], minimum, highest)
    return labels


def meets_bounds(
    labels: Labels, weights: Floats, n_clusters: int, minimum: float = 0.0, maximum: float | None = None
) -> bool:
    """Whether every cluster has an allowed weight."""
    sizes = _measure_sizes(labels, weights, n_clusters)
    slack = ROUNDING * float(weights.sum())
    return bool(sizes.min() >= minimum - slack and (maximum is None or sizes.max() <= maximum + slack))


def _measure_sizes(labels: Labels, weights: Floats, n_clusters: int) -> Floats:
    return np.bincount(labels, weights=weights, minlength=n_clusters).astype(np.float64)


def _transport(cost: Floats, weights: Floats, minimum: float, maximum: float) -> Labels:
    """The program above, for rows of positive weight."""
    n, n_clusters = cost.shape
    labels = None
    if n_clusters * minimum <= float(weights.sum()) * (1.0 + ROUNDING) and n_clusters > 1:
        extra = cost - cost.min(axis=1, keepdims=True)
        unit = float(weights.mean())
        solve = _assign_whole if np.ptp(weights) == 0.0 else _assign_weighted
        labels = solve(extra / (extra.max() or 1.0), weights / unit, minimum / unit, maximum / unit)
    if labels is None or not meets_bounds(labels, weights, n_clusters, minimum, maximum):
        raise ValueError(
            f"No assignment of {n} rows to {n_clusters} clusters keeps every size between "
            f"{minimum:g} and {maximum:g}; relax these bounds or ask for another number of clusters."
        )
    return labels


def _assign_whole(cost: Floats, weights: Floats, minimum: float, maximum: float) -> Labels | None:
    """Rows of weight 1: whole bounds make the LP's vertex whole."""
    slack = ROUNDING * len(cost)
    labels, _ = _solve_by_prices(cost, weights, np.ceil(minimum - slack), np.floor(maximum + slack))
    return labels


def _assign_weighted(cost: Floats, weights: Floats, minimum: float, maximum: float) -> Labels | None:
    """Rows of unequal weights, undivided: the rows nearest to indifference move, all rows if that fails."""
    divided, reduced = _solve_by_prices(cost, weights, minimum, maximum)
    if divided is None:
        return None
    labels: Labels = reduced.argmin(axis=1)
    order = np.argsort(np.partition(reduced, 1, axis=1)[:, 1] - reduced.min(axis=1), kind="stable")
    for near in (order[: NEAR_ROWS * cost.shape[1]], order):
        rest = np.setdiff1d(order, near)
        taken = _measure_sizes(labels[rest], weights[rest], cost.shape[1])
        shares = _solve_whole(cost[near], weights[near], minimum - taken, maximum - taken)
        if shares is not None:
            labels[near] = shares.argmax(axis=1)
            return labels
    return None


def _solve_by_prices(cost: Floats, weights: Floats, minimum: float, maximum: float) -> tuple[Labels | None, Floats]:
    """Labels by the LP (a divided row by its largest share), and the costs less the prices of a place."""
    labels: Labels = cost.argmin(axis=1)
    is_free = _choose_free_rows(cost, labels, weights, minimum, maximum)
    while True:
        taken = _measure_sizes(labels[~is_free], weights[~is_free], cost.shape[1])
        shares, prices = _solve_flow(cost[is_free], weights[is_free], minimum - taken, maximum - taken)
        if shares is None:
            if is_free.all():
                return None, cost
            is_free[:] = True
            continue
        reduced = cost - prices
        stray = ~is_free & (reduced[np.arange(len(cost)), labels] > reduced.min(axis=1) + ROUNDING)
        if not stray.any():
            labels[is_free] = shares.argmax(axis=1)
            return labels, reduced
        is_free |= stray


def _choose_free_rows(
    cost: Floats, labels: Labels, weights: Floats, minimum: float, maximum: float
) -> NDArray[np.bool_]:
    """Rows cheapest to bring into a cluster that is too small, or to take out of one that is too large."""
    sizes = _measure_sizes(labels, weights, cost.shape[1])
    next_best = np.partition(cost, 1, axis=1)[:, 1]
    is_free = np.zeros(len(cost), dtype=bool)
    for k in range(cost.shape[1]):
        regret = np.where(labels == k, np.where(sizes[k] > maximum, next_best, np.inf), cost[:, k])
        missing = max(minimum - sizes[k], sizes[k] - maximum, 0.0)
        is_free[np.argsort(regret, kind="stable")[: NEAR_ROWS + 2 * int(np.ceil(missing))]] = True
    return is_free


def _solve_flow(cost: Floats, weights: Floats, lowest: Floats, highest: Floats) -> tuple[Floats | None, Floats]:
    """A vertex of the LP: the share of each row in each cluster, and the price of a place in each cluster."""
    n, n_clusters = cost.shape
    sizes = _sum_per_cluster(weights, n_clusters)
    answer = linprog(
        (weights[:, None] * cost).ravel(),
        A_ub=vstack([sizes, -sizes], format="csr"),
        b_ub=np.r_[highest, -lowest],
        A_eq=_sum_per_row(n, n_clusters),
        b_eq=np.ones(n),
        method="highs-ds",
    )
    if answer.x is None:
        return None, np.zeros(n_clusters)
    too_large, too_small = answer.ineqlin.marginals.reshape(2, n_clusters)
    return answer.x.reshape(n, n_clusters), too_large - too_small


def _solve_whole(cost: Floats, weights: Floats, lowest: Floats, highest: Floats) -> Floats | None:
    """The integer program; None if it has no solution."""
    n, n_clusters = cost.shape
    answer = milp(
        (weights[:, None] * cost).ravel(),
        constraints=[
            LinearConstraint(_sum_per_row(n, n_clusters), 1.0, 1.0),
            LinearConstraint(_sum_per_cluster(weights, n_clusters), lowest, highest),
        ],
        bounds=Bounds(0.0, 1.0),
        integrality=np.ones(cost.size, dtype=np.int64),
        options={"mip_rel_gap": 0.0, "node_limit": NODE_LIMIT},
    )
    return None if answer.x is None else answer.x.reshape(n, n_clusters)


def _sum_per_row(n_rows: int, n_clusters: int) -> Any:
    """Matrix of sum_k z_tk; z is stored row by row."""
    return csr_array(kron(eye_array(n_rows), np.ones((1, n_clusters))))


def _sum_per_cluster(weights: Floats, n_clusters: int) -> Any:
    """Matrix of sum_t u_t z_tk."""
    return csr_array(kron(weights[None, :], eye_array(n_clusters)))
