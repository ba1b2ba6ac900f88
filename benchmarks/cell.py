"""One cell of the benchmark: one method on one data set under one protocol."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, fields

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.measures import list_sizes, silhouette_of_distances, silhouette_reported
from benchmarks.methods.method import Method
from benchmarks.problem import COUNTS, Clock, Labels, Problem, Proposal, Task


@dataclass(frozen=True)
class Row:
    """What is stored of a cell. Seconds are processor seconds of one thread.

    status : "ok", "none" (no allowed solution within the budget) or "skipped" (a package is absent)
    seconds_per_run : of the method alone; seconds_total : with distances and the choice of k
    """

    protocol: str
    data: str
    method: str
    status: str
    silhouette: float | None = None
    k: int | None = None
    smallest: int | None = None
    sizes: str = ""
    seconds_per_run: float | None = None
    seconds_total: float | None = None
    n_runs: int | None = None
    is_cut: bool = False
    budget: float | None = None
    fidelity: float | None = None
    clauses_per_cluster: float | None = None
    terms_per_cluster: float | None = None
    note: str = ""

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def show_sizes(labels: Labels) -> str:
    """As 41/21/4."""
    return "/".join(map(str, list_sizes(labels)))


COLUMNS = tuple(field.name for field in fields(Row))


@dataclass
class Choice:
    """The best allowed proposal so far and what the search for it cost."""

    best: Proposal | None = None
    score: float = -np.inf
    n_runs: int = 0
    passed_over: str = ""
    seconds_scoring: float = 0.0

    def consider(self, proposal: Proposal, task: Task, counts: range = COUNTS) -> None:
        """Keep the proposal if it is allowed and better."""
        self.n_runs += proposal.n_runs
        if not task.problem.allows(proposal.labels, counts):
            self.passed_over = show_sizes(proposal.labels)
            return
        before = time.process_time()
        score = silhouette_of_distances(task.distances, proposal.labels)
        self.seconds_scoring += time.process_time() - before
        if score > self.score:
            self.best, self.score = proposal, score


def run_cell(
    problem: Problem,
    method: Method,
    seed: int = 0,
    budget: float | None = None,
    max_starts: int | None = None,
) -> Row:
    """Solve and measure, on one thread."""
    reason = method.reason_to_skip
    if reason:
        return Row(problem.protocol, problem.name, method.name, "skipped", note=reason)
    with threadpool_limits(1):
        task = Task(problem, seed, Clock(budget), max_starts, method.counts)
        choice = Choice()
        for proposal in method.propose(task):
            choice.consider(proposal, task, method.counts)
        return _fill_row(task, method, choice, task.clock.elapsed)


def _fill_row(task: Task, method: Method, choice: Choice, seconds: float) -> Row:
    common = {
        "n_runs": choice.n_runs,
        "seconds_total": seconds,
        "seconds_per_run": (seconds - choice.seconds_scoring) / max(choice.n_runs, 1),
        "is_cut": task.clock.was_cut,
        "budget": None if np.isinf(task.clock.budget) else task.clock.budget,
    }
    problem, best = task.problem, choice.best
    if best is None:
        note = f"no allowed solution; passed over: {choice.passed_over or 'none'}"
        return Row(problem.protocol, problem.name, method.name, "none", note=note, **common)
    sizes = list_sizes(best.labels)
    described = asdict(best.describe()) if best.describe else {}
    silhouette = silhouette_reported(problem.matrix, best.labels)
    return Row(
        problem.protocol, problem.name, method.name, "ok", silhouette, len(sizes), sizes[-1],
        show_sizes(best.labels), note=best.note, **common, **described,
    )  # fmt: skip


def warm_up(method: Method) -> None:
    """Run once on a tiny table, so that imports and compilation are not measured."""
    random = np.random.default_rng(0)
    matrix = random.normal(size=(40, 3)) + 4 * random.integers(0, 2, size=(40, 1))
    for is_scaled in (True, False):
        problem = Problem("warm-up", "none", pd.DataFrame(matrix, columns=list("abc")), matrix, is_scaled, 1)
        run_cell(problem, method, max_starts=1)
