"""k-means++: random starts for every k.

The published values fit "of the starts of one k the one of lowest inertia". The second row takes the best
silhouette of any start, which is more than a user gets and harder to beat.
"""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.cluster import KMeans

from benchmarks.methods.method import Method
from benchmarks.problem import Proposal, Task

STARTS = 100, 10  # for each k, on small tables and on large ones


def run_starts(task: Task, k: int) -> Iterator[KMeans]:
    """One fitted k-means per start, while there is time."""
    for start in range(count_starts(task)):
        if task.clock.has_run_out():
            return
        yield KMeans(k, n_init=1, random_state=task.seed + start).fit(task.matrix)


def count_starts(task: Task) -> int:
    """How many starts for each k."""
    return task.n_starts(*STARTS)


def fit_lowest_inertia(task: Task, k: int) -> KMeans | None:
    """The start of lowest inertia among those whose clusters are large enough."""
    allowed = [m for m in run_starts(task, k) if task.problem.allows(m.labels_)]
    return min(allowed, key=lambda model: model.inertia_, default=None)


def propose_lowest_inertia(task: Task) -> Iterator[Proposal]:
    """One proposal per k."""
    for k in task.cluster_counts:
        model = fit_lowest_inertia(task, k)
        if model is not None:
            yield Proposal(model.labels_, count_starts(task))


def propose_every_start(task: Task) -> Iterator[Proposal]:
    """Every different partition that a start ended in."""
    for k in task.cluster_counts:
        seen: set[float] = set()
        n_runs = 0
        for model in run_starts(task, k):
            n_runs += 1
            if model.inertia_ not in seen:
                seen.add(model.inertia_)
                yield Proposal(model.labels_, n_runs)
                n_runs = 0


METHODS = (
    Method("kmeans", "k-means++", "plain", propose_lowest_inertia),
    Method("kmeans-best", "k-means++ by silhouette", "plain", propose_every_start),
)
