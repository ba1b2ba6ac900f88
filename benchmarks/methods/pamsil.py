"""PAMSIL (package kmedoids): medoids are swapped by the true silhouette. One swap is of cubic cost in the rows.

A small table is solved for every k from the medoids of PAM's BUILD, as published. A large one is first solved for
every k on samples of its rows, all rows joining their nearest medoid (as CLARA does for PAM); the time that is left
goes to swaps on all rows, one after the other, from the best of these medoids on. So there is a solution within any
budget, and its note says how far it came.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import numpy as np
from sklearn.metrics import pairwise_distances

from benchmarks.measures import silhouette_of_distances
from benchmarks.methods.method import Method
from benchmarks.problem import Floats, Labels, Problem, Proposal, Task

SMALL = 500  # rows up to which the whole table is solved for every k
SAMPLE = 300  # rows of a sample of a larger one
N_SAMPLES = 2
DEFAULT_BUDGET = 120.0  # processor seconds of a cell that was given no budget: without one it would run for days
OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL)  # how the system ends a process that used up its seconds


@dataclass(frozen=True)
class Step:
    """A clustering on the way; `is_run_end` when nothing more can be gained from this start."""

    labels: Labels
    is_run_end: bool = True
    note: str = ""
    seconds: float = 0.0


def propose(task: Task) -> Iterator[Proposal]:
    """Every clustering on the way, from a process of its own that may use so many processor seconds."""
    if task.clock.budget == float("inf"):
        task.clock.budget = DEFAULT_BUDGET
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    arguments = (sender, task.problem, list(task.cluster_counts), task.seed, task.clock.remaining)
    child = context.Process(target=_send_steps, args=arguments, daemon=True)
    child.start()
    sender.close()
    try:
        while (step := _await_step(receiver, child, task)) is not None:
            yield Proposal(step.labels, int(step.is_run_end), note=step.note)
    finally:
        child.terminate()
        child.join()
        receiver.close()


def _await_step(receiver: Connection, child: BaseProcess, task: Task) -> Step | None:
    """The child's next step, its seconds charged to the task; None when it is done or its time was up."""
    if task.clock.has_run_out():
        return None
    try:
        step: Step | None = receiver.recv()
    except EOFError:
        child.join()
        if child.exitcode not in OUT_OF_TIME:
            raise RuntimeError("PAMSIL ended without an answer; see its message above.") from None
        task.clock.charge(task.clock.remaining)
        task.clock.has_run_out()
        return None
    if step is not None:
        task.clock.charge(step.seconds)
    return step


def _send_steps(sender: Connection, problem: Problem, cluster_counts: list[int], seed: int, seconds: float) -> None:
    """What the child does: every step with its processor seconds, then None."""
    start = time.process_time()
    limit = math.ceil(start + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    for step in solve(problem, cluster_counts, seed):
        now = time.process_time()
        sender.send(Step(step.labels, step.is_run_end, step.note, now - start))
        start = now
    sender.send(None)


def solve(problem: Problem, cluster_counts: list[int], seed: int = 0) -> Iterator[Step]:
    """The clusterings of a small table, or those of a large one as they get better."""
    distances = pairwise_distances(problem.matrix)
    if problem.n_rows <= SMALL:
        yield from _solve_whole(distances, cluster_counts)
        return
    starts: list[tuple[bool, float, Labels]] = []
    for medoids in _solve_samples(distances, cluster_counts, seed):
        labels = distances[:, medoids].argmin(axis=1)
        yield Step(labels, note=f"medoids of {SAMPLE} sampled rows")
        starts.append((problem.allows(labels), silhouette_of_distances(distances, labels), medoids))
    for _, _, medoids in sorted(starts, key=lambda start: start[:2], reverse=True):
        yield from _swap_medoids(distances, medoids)


def _solve_whole(distances: Floats, cluster_counts: list[int]) -> Iterator[Step]:
    import kmedoids

    for k in cluster_counts:
        yield Step(np.asarray(kmedoids.pamsil(distances, k).labels, dtype=np.int64))


def _solve_samples(distances: Floats, cluster_counts: list[int], seed: int) -> Iterator[Labels]:
    """Medoids, as rows of the table, for every sample and every k."""
    import kmedoids

    random = np.random.default_rng(seed)
    for _ in range(N_SAMPLES):
        rows = np.sort(random.choice(len(distances), SAMPLE, replace=False))
        within = np.ascontiguousarray(distances[np.ix_(rows, rows)])
        for k in cluster_counts:
            yield rows[np.asarray(kmedoids.pamsil(within, k).medoids, dtype=np.int64)]


def _swap_medoids(distances: Floats, medoids: Labels) -> Iterator[Step]:
    """Swaps on all rows, one at a time, until none improves."""
    import kmedoids

    n_swaps, is_end = 0, False
    while not is_end:
        result = kmedoids.pamsil(distances, np.asarray(medoids, dtype=np.uintp), max_iter=1)
        medoids, is_end = result.medoids, result.n_swap == 0
        n_swaps += result.n_swap
        words = "swap" if n_swaps == 1 else "swaps"
        note = f"medoids of {SAMPLE} sampled rows, then {n_swaps} {words} on all rows"
        yield Step(np.asarray(result.labels, dtype=np.int64), is_end, note)


METHODS = (Method("pamsil", "PAMSIL", "plain", propose, package="kmedoids"),)
