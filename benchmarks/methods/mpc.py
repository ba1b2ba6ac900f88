"""polyclust itself, through its public interface, in the families of the paper.

Paper protocol: the numbers are the paper's own, so nothing is scaled and one unit of a coefficient is one of
theirs.
Practical protocol: the raw table with the defaults; a coefficient's unit is the feature's range.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measures import silhouette_reported
from benchmarks.methods.method import Method
from benchmarks.problem import COUNTS, LEAST_CLUSTERS, Description, Problem, Proposal, Task

AXIS: Mapping[str, Any] = {}
SPARSE: Mapping[str, Any] = {"max_terms": 2, "max_coefficient": 3}
GENERAL: Mapping[str, Any] = {"max_terms": None, "max_coefficient": None}


def choose_settings(problem: Problem) -> dict[str, Any]:
    """What a protocol fixes: it knows whether the numbers are scaled, never which data set they are."""
    if problem.is_scaled:
        return {"scale": "none", "units": "none", "min_cluster_size": problem.min_size}
    return {"units": "range"}


def propose(task: Task, family: Mapping[str, Any], **more: Any) -> Iterator[Proposal]:
    """One fit; k is the estimator's choice unless `more` says it."""
    from polyclust import PolytopeClustering

    model = PolytopeClustering(**choose_settings(task.problem), **family, **more, random_state=task.seed, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small clusters are reported by their sizes
        model.fit(task.problem.X)
    yield Proposal(
        np.asarray(model.labels_),
        1,
        partial(_describe, model, task.problem),
        _compare_scores(model, task.problem),
    )


def _describe(model: Any, problem: Problem) -> Description:
    clauses = [clause for rule in model.explanation_.rules for clause in rule.clauses]
    n_clusters = len(model.explanation_.rules)
    fidelity = float((model.predict(problem.X) == model.labels_).mean())
    n_terms = sum(len(clause.terms) for clause in clauses)
    return Description(fidelity, len(clauses) / n_clusters, n_terms / n_clusters)


def _compare_scores(model: Any, problem: Problem) -> str:
    """Empty when the model's score is scikit-learn's, else a sentence for the results."""
    expected = silhouette_reported(problem.matrix, model.labels_)
    if abs(model.score_ - expected) <= 1e-5:
        return ""
    return f"score_ is {float(model.score_)!r}, scikit-learn's is {expected!r}"


METHODS = (
    Method("mpc-1", "MPC-1", "polytopes", partial(propose, family=AXIS)),
    Method("mpc-2", "MPC-2", "polytopes", partial(propose, family=SPARSE)),
    Method("mpc-general", "MPC general", "polytopes", partial(propose, family=GENERAL)),
    Method("mpc-1-100", "MPC-1, n_init=100", "polytopes", partial(propose, family=AXIS, n_init=100)),
    Method("mpc-2-100", "MPC-2, n_init=100", "polytopes", partial(propose, family=SPARSE, n_init=100)),
    Method(
        "mpc-2-k11",
        "MPC-2, K ≤ 11",
        "polytopes",
        partial(propose, family=SPARSE, max_clusters=11),
        counts=range(LEAST_CLUSTERS, 12),
    ),
    *(
        Method(base, title, "polytopes", partial(propose, family=family, n_clusters=k)).at(k)
        for base, title, family in (("mpc-1", "MPC-1", AXIS), ("mpc-2", "MPC-2", SPARSE))
        for k in COUNTS
    ),
)  # fmt: skip
