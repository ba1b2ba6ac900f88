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
    """The true silhouette, of cubic cost: each k in a process of its own that ends when time is up."""
    for k in task.cluster_counts:
        if task.clock.has_run_out():
            return
        answer = run_limited(task.matrix, k, task.clock.remaining)
        if answer is None:
            task.clock.charge(max(task.clock.remaining, 0.0))
            task.clock.has_run_out()
            return
        labels, seconds = answer
        task.clock.charge(seconds)
        yield Proposal(labels)


def run_limited(matrix: Floats, k: int, seconds: float) -> tuple[Labels, float] | None:
    """PAMSIL's labels and processor seconds, or None when it takes longer."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_run_pamsil, args=(sender, matrix, k), daemon=True)
    child.start()
    sender.close()
    wait = None if seconds == float("inf") else seconds
    try:
        return receiver.recv() if receiver.poll(wait) else None
    except EOFError as error:
        raise RuntimeError(f"PAMSIL ended without an answer for k = {k}.") from error
    finally:
        if child.is_alive():
            child.terminate()
        child.join()
        receiver.close()


def _run_pamsil(sender: Connection, matrix: Floats, k: int) -> None:
    import kmedoids
    from sklearn.metrics import pairwise_distances

    start = time.process_time()
    result = kmedoids.pamsil(pairwise_distances(matrix), k)
    sender.send((np.asarray(result.labels, dtype=np.int64), time.process_time() - start))


METHODS = (
    Method("fastermsc", "FasterMSC", "plain", propose_fastermsc, package="kmedoids"),
    Method("dynmsc", "DynMSC", "plain", propose_dynmsc, package="kmedoids"),
    Method("pamsil", "PAMSIL", "plain", propose_pamsil, package="kmedoids"),
)
