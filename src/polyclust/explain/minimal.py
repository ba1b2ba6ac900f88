"""The fewest clauses that still hold exactly the same rows of a table: a covering problem.

    minimise   sum of z_c                  (fewer terms decide between equal numbers of clauses)
    such that  sum of z_c over the clauses that exclude row t  >= 1     for every row t outside the polytope
               z_c is 0 or 1                                            for every clause c

Such rules are shorter and say less: they may let in rows that were not in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from polyclust.explain.clauses import list_halfspaces, order_clauses
from polyclust.explain.quality import check_weights, count_rules, number_labels
from polyclust.geometry.hyperplane import Hyperplane, find_members
from polyclust.table.features import Feature

if TYPE_CHECKING:
    from polyclust.explain.explanation import Clause, Explanation

__all__ = ["choose_fewest", "minimise"]


def minimise(explanation: Explanation, X: Any, labels: Any = None) -> Explanation:
    """The same explanation with the fewest clauses for the rows of X."""
    raw = explanation._read(X)
    rules = [
        replace(rule, clauses=choose_fewest(explanation.hyperplanes, rule.cluster, explanation.features, raw))
        for rule in explanation.rules
    ]
    if labels is not None:
        known = number_labels(labels, explanation.cluster_labels, explanation.n_clusters, len(raw))
        members = find_members(raw, explanation.hyperplanes, explanation.n_clusters)
        qualities = count_rules(members, known, check_weights(None, len(raw))).qualities
        rules = [
            replace(rule, size=q.size, coverage=q.coverage, precision=q.precision)
            for rule, q in zip(rules, qualities, strict=True)
        ]
    return replace(explanation, rules=tuple(rules), is_minimal=True)


def choose_fewest(
    hyperplanes: Sequence[Hyperplane], cluster: int, features: Sequence[Feature], raw: NDArray[np.float64]
) -> tuple[Clause, ...]:
    """The fewest of a cluster's clauses that exclude every row which all of them together exclude."""
    halfspaces = list_halfspaces(hyperplanes, cluster)
    if not halfspaces:
        return ()
    excludes = np.column_stack([~h.contains(raw) for h in halfspaces])
    needs = np.unique(excludes[excludes.any(axis=1)], axis=0)
    if not len(needs):
        return ()
    n_terms = np.array([len(h.plane.features) for h in halfspaces], dtype=np.float64)
    result = milp(
        1.0 + n_terms / (1.0 + n_terms.sum()),
        integrality=np.ones(len(halfspaces), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(needs.astype(np.float64), 1, np.inf),
    )
    chosen = np.asarray(result.x) > 0.5
    return order_clauses([h for h, is_chosen in zip(halfspaces, chosen, strict=True) if is_chosen], features)
