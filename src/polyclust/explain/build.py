"""From hyperplanes and labels to an explanation. Called once the clusters are known."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyclust.explain.clauses import describe_possible_rows, list_halfspaces, order_clauses
from polyclust.explain.explanation import Clause, Explanation, Rule
from polyclust.explain.minimal import choose_fewest
from polyclust.explain.names import name_clusters
from polyclust.explain.profile import profile_clusters
from polyclust.explain.quality import RuleCounts, check_weights, count_rules, measure_fidelity
from polyclust.geometry.hyperplane import Hyperplane, find_members, place_rows
from polyclust.geometry.redundancy import drop_redundant
from polyclust.table.features import Column, Feature

Floats = NDArray[np.float64]

__all__ = ["build_explanation", "reduce_rule"]

MAX_WITNESSES = 2000


def build_explanation(
    columns: Sequence[Column],
    features: Sequence[Feature],
    hyperplanes: Sequence[Hyperplane],
    raw: Floats,
    labels: Any,
    *,
    weights: Any = None,
    counts: RuleCounts | None = None,
    minimum_size: float = 0.0,
    outside: Literal["nearest", "none"] = "nearest",
    minimal: bool = False,
    names: Sequence[str] | None = None,
    cluster_labels: Sequence[Hashable] = (),
    advice: Sequence[str] = (),
    why_not_exported: str = "",
) -> Explanation:
    """Rules for clusters that hyperplanes separate, with their quality on the training rows.

    Parameters
    ----------
    features, raw : what the hyperplanes index, and its value for every row, in the same order
    labels : 0..K-1; rows labelled -1 belong to no cluster and count against precision
    weights : a row of weight 2 is two rows
    counts : where raw is but a sample of the rows, placed by the hyperplanes: the rules on all of them
    minimum_size : clusters no larger than this are flagged
    minimal : the fewest clauses that hold the same training rows, for reading only
    names : one per cluster; None makes them from rules and profiles
    """
    raw = np.asarray(raw, dtype=np.float64)
    known = np.asarray(labels, dtype=np.intp)
    checked = check_weights(weights, len(raw))
    n_clusters = _count_clusters(known, hyperplanes)
    clauses = _list_clauses(features, hyperplanes, raw, n_clusters, minimal)
    members = find_members(raw, hyperplanes, n_clusters)
    qualities = (count_rules(members, known, checked) if counts is None else counts).qualities
    if names is None:
        profiles = profile_clusters(raw, features, known, checked, n_clusters=n_clusters, with_typical=False)
        names = name_clusters(clauses, profiles)
    fidelity = 1.0
    if counts is not None and outside == "none":
        fidelity = float(counts.right.sum() / counts.sizes.sum())
    elif not _is_exact(members, known):
        fidelity = measure_fidelity(place_rows(raw, hyperplanes, n_clusters, outside), known, checked)
    rules = tuple(
        Rule(
            cluster=quality.cluster,
            clauses=clauses[quality.cluster],
            size=quality.size,
            coverage=quality.coverage,
            precision=quality.precision,
            name=names[quality.cluster],
            is_at_minimum=quality.size <= minimum_size,
        )
        for quality in qualities
    )
    return Explanation(
        columns=tuple(columns),
        features=tuple(features),
        hyperplanes=tuple(hyperplanes),
        rules=rules,
        outside=outside,
        is_minimal=minimal,
        fidelity=fidelity,
        cluster_labels=tuple(cluster_labels),
        advice=tuple(advice),
        why_not_exported=why_not_exported,
    )


def reduce_rule(
    hyperplanes: Sequence[Hyperplane],
    cluster: int,
    features: Sequence[Feature],
    witnesses: Floats | None = None,
) -> tuple[Clause, ...]:
    """The clauses of a cluster without those that the others imply for every possible row."""
    halfspaces = list_halfspaces(hyperplanes, cluster)
    kept = drop_redundant(halfspaces, describe_possible_rows(features), witnesses)
    return order_clauses([halfspaces[p] for p in kept], features)


def _list_clauses(
    features: Sequence[Feature],
    hyperplanes: Sequence[Hyperplane],
    raw: Floats,
    n_clusters: int,
    minimal: bool,
) -> list[tuple[Clause, ...]]:
    if minimal:
        return [choose_fewest(hyperplanes, k, features, raw) for k in range(n_clusters)]
    witnesses = raw[:: max(1, len(raw) // MAX_WITNESSES)]
    return [reduce_rule(hyperplanes, k, features, witnesses) for k in range(n_clusters)]


def _is_exact(members: NDArray[np.bool_], labels: NDArray[np.intp]) -> bool:
    """Every row lies in the polytope of its own cluster and in no other."""
    is_own = members[np.arange(len(labels)), labels] & (labels >= 0)
    return bool(is_own.all()) and int(members.sum()) == len(labels)


def _count_clusters(labels: NDArray[np.intp], hyperplanes: Sequence[Hyperplane]) -> int:
    highest = max((max(h.above, h.below) for h in hyperplanes), default=0)
    return 1 + max(highest, int(labels.max(initial=0)))
