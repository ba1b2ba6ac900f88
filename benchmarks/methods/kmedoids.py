"""Methods that optimise the silhouette of medoids (package kmedoids): FasterMSC and DynMSC."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.methods.method import Method
from benchmarks.problem import MOST_CLUSTERS, Proposal, Task


def propose_fastermsc(task: Task) -> Iterator[Proposal]:
    """Random starts for every k; the medoid silhouette guides each."""
    import kmedoids

    for k in task.cluster_counts:
        for start in range(task.n_starts(20, 5)):
            if task.clock.has_run_out():
                return
            result = kmedoids.fastermsc(task.distances, k, random_state=task.seed + start)
            yield Proposal(np.asarray(result.labels, dtype=np.int64))


def propose_dynmsc(task: Task) -> Iterator[Proposal]:
    """Random starts; each chooses its own k by the medoid silhouette."""
    import kmedoids

    for start in range(task.n_starts(20, 5)):
        if task.clock.has_run_out():
            return
        result = kmedoids.dynmsc(task.distances, MOST_CLUSTERS, minimum_k=2, random_state=task.seed + start)
        yield Proposal(np.asarray(result.labels, dtype=np.int64))


METHODS = (
    Method("fastermsc", "FasterMSC", "plain", propose_fastermsc, package="kmedoids"),
    Method("dynmsc", "DynMSC", "plain", propose_dynmsc, package="kmedoids"),
)
