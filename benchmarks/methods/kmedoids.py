"""Medoid methods that optimise a silhouette (package kmedoids): FasterMSC, DynMSC and PAMSIL."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

import numpy as np

from benchmarks.methods.method import Method
from benchmarks.problem import MOST_CLUSTERS, Floats, Labels, Proposal, Task


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


def propose_pamsil(task: Task) -> Iterator[Proposal]:
    """The true silhouette, of cubic cost, in a process of its own that is ended when time is up."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_run_pamsil, args=(sender, task.matrix, list(task.cluster_counts)), daemon=True)
    child.start()
    sender.close()
    try:
        for k in task.cluster_counts:
            labels = _await_labels(receiver, task, k)
            if labels is None:
                return
            yield Proposal(labels)
    finally:
        child.terminate()
        child.join()
        receiver.close()


def _await_labels(receiver: Connection, task: Task, k: int) -> Labels | None:
    """The child's answer for k, its seconds charged to the task; None when there is no time left."""
    if task.clock.has_run_out():
        return None
    wait = None if task.clock.budget == float("inf") else task.clock.remaining
    if not receiver.poll(wait):
        task.clock.charge(task.clock.remaining)
        task.clock.has_run_out()
        return None
    try:
        labels, seconds = receiver.recv()
    except EOFError:
        raise RuntimeError(f"PAMSIL ended without an answer for k = {k}; see its message above.") from None
    task.clock.charge(seconds)
    return labels


def _run_pamsil(sender: Connection, matrix: Floats, cluster_counts: list[int]) -> None:
    import kmedoids
    from sklearn.metrics import pairwise_distances

    start = time.process_time()
    distances = pairwise_distances(matrix)
    for k in cluster_counts:
        result = kmedoids.pamsil(distances, k)
        sender.send((np.asarray(result.labels, dtype=np.int64), time.process_time() - start))
        start = time.process_time()


METHODS = (
    Method("fastermsc", "FasterMSC", "plain", propose_fastermsc, package="kmedoids"),
    Method("dynmsc", "DynMSC", "plain", propose_dynmsc, package="kmedoids"),
    Method("pamsil", "PAMSIL", "plain", propose_pamsil, package="kmedoids"),
)
