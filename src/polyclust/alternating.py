"""Algorithm 1: clusters and their hyperplanes in turn.

    J = sum_t u_t ( |x_t - c_k|^2  +  lambda * sum of the errors of t at every hyperplane of k ),  k its label

(a) With the hyperplanes fixed, assign the rows and move the centres until neither changes.
(b) With the clusters fixed, find the best hyperplane of every pair.

Either step can only lower J once there are hyperplanes, and there are finitely many clusterings; so J never
rises from the second round on and the rounds end (Theorem 2). Solvers that stop at a limit, and rounding,
could break this; so a step that does not lower its own part of J is not taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from polyclust.clusters.assignment import assign_rows, meets_bounds
from polyclust.hyperplanes.hinge import PairHyperplane, PairRows, choose_margin
from polyclust.hyperplanes.pair import separate_rows

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Members = NDArray[np.bool_]
Hyperplanes = dict[tuple[int, int], PairHyperplane]

__all__ = ["AlternatingResult", "alternate"]

LEAST_GAIN = 1e-12
"""A step must lower the objective by more than this share of it: less is rounding."""


@dataclass(frozen=True)
class AlternatingResult:
    """Where Algorithm 1 ended.

    labels : 0..K-1 for every row
    hyperplanes : for every pair i < j, with i above
    objective_history : J after each round; it falls from round to round
    """

    labels: Labels
    hyperplanes: Hyperplanes
    objective_history: tuple[float, ...]


@dataclass(frozen=True)
class _Problem:
    """What stays the same from round to round."""

    X: Floats
    values: Floats
    weights: Floats
    n_clusters: int
    slack_weight: float
    minimum: float
    maximum: float | None
    max_terms: int | None
    max_coefficient: int | None
    margin: float
    may_narrow: bool
    node_limit: int | None
    seconds_left: Callable[[], float | None]

    def find_centres(self, labels: Labels) -> Floats:
        """Weighted means of the clusters."""
        member = (labels[:, None] == np.arange(self.n_clusters)) * self.weights[:, None]
        return np.asarray((member.T @ self.X) / member.sum(axis=0)[:, None], dtype=np.float64)

    def price_rows(self, labels: Labels, hyperplanes: Hyperplanes) -> Floats:
        """What each row would cost in each cluster (n x K), with the centres of these labels."""
        centres = self.find_centres(labels)
        cost = np.asarray(cdist(self.X, centres, "sqeuclidean"), dtype=np.float64)
        for (i, j), hyperplane in hyperplanes.items():
            cost[:, i] += self.slack_weight * hyperplane.errors_above(self.values)
            cost[:, j] += self.slack_weight * hyperplane.errors_below(self.values)
        return cost

    def measure(self, labels: Labels, hyperplanes: Hyperplanes) -> float:
        """J of these clusters (with their own centres) and hyperplanes."""
        return self.sum_prices(labels, self.price_rows(labels, hyperplanes))

    def sum_prices(self, labels: Labels, cost: Floats) -> float:
        """What all rows cost in their clusters."""
        return float(self.weights @ cost[np.arange(len(labels)), labels])

    @cached_property
    def sorted_rows(self) -> Labels | None:
        """The rows in lexical order, if no two are equal and all count, so that there is nothing to collapse."""
        distinct, first = np.unique(self.values, axis=0, return_index=True)
        return first if len(distinct) == len(self.values) and self.weights.min() > 0.0 else None


def alternate(
    X: Floats,
    values: Floats,
    n_clusters: int,
    *,
    labels0: Labels,
    slack_weight: float,
    max_terms: int | None,
    max_coefficient: int | None,
    margin: float | None = None,
    minimum: float = 0.0,
    maximum: float | None = None,
    weights: Floats | None = None,
    max_rounds: int = 100,
    node_limit: int | None = 0,
    seconds_left: Callable[[], float | None] = lambda: None,
) -> AlternatingResult:
    """Algorithm 1 from the clustering ``labels0`` (of k-means, say).

    Parameters
    ----------
    X : rows in the clustering space, where the centres are
    values : the same rows in the space of the hyperplanes
    slack_weight : lambda, the price of a unit of error
    minimum, maximum : bounds on a cluster's weight; no cluster is ever empty
    max_rounds : the most rounds
    node_limit : for pairs that need a solver, its nodes; 0: its start, as a start of a search needs no
        proof; None: until proved. Pairs that enumeration or an LP settles are exact in any case.
    seconds_left : how long there is; rounds end at 0 with what is found. None: until nothing changes
    """
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    minimum = max(minimum, float(weights[weights > 0.0].min()))
    problem = _Problem(
        X=np.asarray(X, dtype=np.float64),
        values=np.asarray(values, dtype=np.float64),
        weights=weights,
        n_clusters=n_clusters,
        slack_weight=slack_weight,
        minimum=minimum,
        maximum=maximum,
        max_terms=max_terms,
        max_coefficient=max_coefficient,
        margin=choose_margin(values[weights > 0.0]) if margin is None else margin,
        may_narrow=margin is None,
        node_limit=node_limit,
        seconds_left=seconds_left,
    )
    return _run_rounds(problem, np.asarray(labels0, dtype=np.intp), max_rounds)


def _run_rounds(problem: _Problem, labels0: Labels, max_rounds: int) -> AlternatingResult:
    """The rounds of Algorithm 1, until nothing changes."""
    labels = _settle_clusters(problem, _meet_bounds(problem, labels0), {})
    hyperplanes = _separate_pairs(problem, labels)
    history = [problem.measure(labels, hyperplanes)]
    while len(history) < max_rounds and problem.seconds_left() != 0.0:
        next_labels = _settle_clusters(problem, labels, hyperplanes)
        next_hyperplanes = _improve_pairs(problem, next_labels, hyperplanes)
        objective = problem.measure(next_labels, next_hyperplanes)
        if not _is_lower(objective, history[-1]):
            break
        labels, hyperplanes = next_labels, next_hyperplanes
        history.append(objective)
    return AlternatingResult(labels, hyperplanes, tuple(history))


def _meet_bounds(problem: _Problem, labels: Labels) -> Labels:
    """The starting labels, re-assigned around their own centres if a cluster has no allowed size."""
    sizes = np.bincount(labels, weights=problem.weights, minlength=problem.n_clusters)
    if len(sizes) > problem.n_clusters or sizes.min() <= 0.0:
        raise ValueError(f"labels0 must use each of the labels 0 to {problem.n_clusters - 1}.")
    if meets_bounds(labels, problem.weights, problem.n_clusters, problem.minimum, problem.maximum):
        return labels
    return assign_rows(problem.price_rows(labels, {}), problem.weights, problem.minimum, problem.maximum)


def _settle_clusters(problem: _Problem, labels: Labels, hyperplanes: Hyperplanes) -> Labels:
    """Step (a): assign and move the centres until the objective stays."""
    cost = problem.price_rows(labels, hyperplanes)
    objective = problem.sum_prices(labels, cost)
    while True:
        moved = assign_rows(cost, problem.weights, problem.minimum, problem.maximum)
        cost = problem.price_rows(moved, hyperplanes)
        moved_objective = problem.sum_prices(moved, cost)
        if not _is_lower(moved_objective, objective):
            return labels
        labels, objective = moved, moved_objective


def _separate_pairs(problem: _Problem, labels: Labels) -> Hyperplanes:
    """Step (b): the best hyperplane of every pair."""
    pairs = combinations(range(problem.n_clusters), 2)
    return {(i, j): _separate(problem, labels == i, labels == j) for i, j in pairs}


def _improve_pairs(problem: _Problem, labels: Labels, hyperplanes: Hyperplanes) -> Hyperplanes:
    """Step (b) with hyperplanes at hand: each is replaced only by a better one."""
    return {
        (i, j): _improve(problem, labels == i, labels == j, hyperplane) for (i, j), hyperplane in hyperplanes.items()
    }


def _improve(problem: _Problem, is_upper: Members, is_lower: Members, hyperplane: PairHyperplane) -> PairHyperplane:
    """The better of the old hyperplane, on the new members, and the one found for them."""
    upper_error = problem.weights[is_upper] @ hyperplane.errors_above(problem.values[is_upper])
    lower_error = problem.weights[is_lower] @ hyperplane.errors_below(problem.values[is_lower])
    error = float(upper_error + lower_error)
    if error == 0.0:
        return replace(hyperplane, error=0.0, status="optimal", gap=0.0)
    found = _separate(problem, is_upper, is_lower)
    if _is_lower(found.error, error):
        return found
    proved = found.error * (1.0 - found.gap)
    return replace(hyperplane, error=error, status=found.status, gap=max(1.0 - proved / error, 0.0))


def _separate(problem: _Problem, is_upper: Members, is_lower: Members) -> PairHyperplane:
    return separate_rows(
        _collect_pair(problem, is_upper, is_lower),
        max_terms=problem.max_terms,
        max_coefficient=problem.max_coefficient,
        margin=problem.margin,
        may_narrow=problem.may_narrow,
        time_limit=problem.seconds_left(),
        node_limit=problem.node_limit,
    )


def _collect_pair(problem: _Problem, is_upper: Members, is_lower: Members) -> PairRows:
    values, weights, order = problem.values, problem.weights, problem.sorted_rows
    if order is None:
        return PairRows.collect(values[is_upper], values[is_lower], weights[is_upper], weights[is_lower])
    upper, lower = order[is_upper[order]], order[is_lower[order]]
    rows = np.concatenate([upper, lower])
    return PairRows(values[rows], weights[rows], len(upper))


def _is_lower(objective: float, than: float) -> bool:
    return objective < than - LEAST_GAIN * abs(than)
