"""Gaussian mixtures with full covariances; of the starts of one k the one of highest likelihood bound."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks.methods.method import Method
from benchmarks.problem import Labels, Proposal, Task


def propose(task: Task) -> Iterator[Proposal]:
    """One proposal per k."""
    for k in task.cluster_counts:
        fitted = list(_fit_starts(task, k))
        allowed = [(bound, labels) for bound, labels in fitted if task.problem.allows(labels)]
        if allowed:
            yield Proposal(max(allowed, key=lambda pair: pair[0])[1], len(fitted))


def _fit_starts(task: Task, k: int) -> Iterator[tuple[float, Labels]]:
    for start in range(task.n_starts(30, 3)):
        if task.clock.has_run_out():
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = GaussianMixture(k, covariance_type="full", random_state=task.seed + start)
            labels = model.fit_predict(task.matrix)
        yield float(model.lower_bound_), labels


METHODS = (Method("gmm", "GMM", "plain", propose),)
