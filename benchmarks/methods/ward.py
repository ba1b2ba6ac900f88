"""Hierarchical clustering with Ward's linkage, cut at every k."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.cluster import AgglomerativeClustering

from benchmarks.methods.method import Method
from benchmarks.problem import Proposal, Task


def propose(task: Task) -> Iterator[Proposal]:
    """One proposal per k."""
    for k in task.cluster_counts:
        if task.clock.has_run_out():
            return
        yield Proposal(AgglomerativeClustering(k, linkage="ward").fit_predict(task.matrix))


METHODS = (Method("hclust", "HClust (Ward)", "plain", propose),)
