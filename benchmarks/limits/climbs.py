"""Partitions without rules: single rows move, from many starts, as long as the silhouette rises. Evidence, no proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numba
import numpy as np
from sklearn.cluster import KMeans

from benchmarks.limits.best import NOTHING, Array, Best, merge, score
from benchmarks.measures import number_labels
from benchmarks.methods import METHODS, mpc
from benchmarks.methods.icot_kernel import move_row, sum_distances
from benchmarks.problem import Floats, Labels, Problem, Task

Start = Callable[[Problem, int], Iterator[Labels]]

N_KMEANS = 10  # starts for each k
N_FASTERMSC = 3
MOST_PASSES = 200  # of one climb
FEW = 0.1  # share of the rows that a climb tries first: those of the lowest silhouette
LEAST_GAIN = 1e-10


@numba.njit(cache=True, error_model="numpy")
def try_moves(distances: Array, rows: Array, sums: Array, sizes: Array, labels: Array, least: int, best: float) -> Any:
    """Moves each of the rows to the nearest other cluster if the silhouette rises; (score, partitions scored)."""
    own, nearest = np.empty(labels.size), np.empty(labels.size)
    n_scored = 0
    for row in rows:
        source = labels[row]
        if sizes[source] <= least:
            continue
        target, nearest_mean = -1, np.inf
        for c in range(sizes.size):
            if c != source and sums[c, row] / sizes[c] < nearest_mean:
                target, nearest_mean = c, sums[c, row] / sizes[c]
        move_row(distances, sums, sizes, labels, row, target)
        n_scored += 1
        value = score(sums, sizes, labels, own, nearest)
        if value > best + LEAST_GAIN:
            best = value
        else:
            move_row(distances, sums, sizes, labels, row, source)
    return best, n_scored


def climb(distances: Floats, start: Labels, least: int) -> Best:
    """Single rows move as long as the silhouette rises and no cluster falls below the least size.

    A pass tries the rows of the lowest silhouette. When that changes nothing it tries all, and when that changes
    nothing the climb is over.
    """
    labels = number_labels(start).astype(np.int64)
    own, nearest = np.empty(len(labels)), np.empty(len(labels))
    best, n_scored, n_few = NOTHING, 0, int(FEW * len(labels))
    n_tried = n_few
    for _ in range(MOST_PASSES):
        sums, sizes = sum_distances(distances, labels, labels.max() + 1)
        before = score(sums, sizes, labels, own, nearest)
        rows = np.argsort((nearest - own) / np.maximum(np.maximum(nearest, own), 1e-300), kind="stable")
        best, n_more = try_moves(distances, rows[:n_tried], sums, sizes, labels, least, before)
        n_scored += n_more
        if best == before and n_tried == len(labels):
            break
        n_tried = len(labels) if best == before else n_few
    return Best(best, labels, n_scored)


def start_kmeans(problem: Problem, k: int) -> Iterator[Labels]:
    for seed in range(N_KMEANS):
        yield KMeans(k, n_init=1, random_state=seed).fit_predict(problem.matrix)


def start_fastermsc(problem: Problem, k: int) -> Iterator[Labels]:
    """None where the package is absent; main says so."""
    if METHODS["fastermsc"].reason_to_skip:
        return
    import kmedoids

    distances = Task(problem).distances
    for seed in range(N_FASTERMSC):
        yield np.asarray(kmedoids.fastermsc(distances, k, random_state=seed).labels, dtype=np.int64)


def start_outliers(problem: Problem, k: int) -> Iterator[Labels]:
    """Some small clusters of the rows that are farthest from all others, dealt out at random; k-means parts the rest.

    Such clusters surround the others, so hardly any row is near them: what a silhouette without rules likes.
    """
    order = np.argsort(-Task(problem).distances.mean(axis=1), kind="stable")
    for n_large in sorted({1, min(2, k - 1), k - 1}):
        for size in (max(problem.min_size, 2), 3 * max(problem.min_size, 2)):
            n_far = size * (k - n_large)
            labels = np.empty(problem.n_rows, dtype=np.int64)
            labels[order[:n_far]] = n_large + np.random.default_rng(0).permutation(n_far) % (k - n_large)
            labels[order[n_far:]] = KMeans(n_large, n_init=1, random_state=0).fit_predict(problem.matrix[order[n_far:]])
            yield labels


def start_polyclust(problem: Problem, k: int, family: Mapping[str, Any]) -> Iterator[Labels]:
    for proposal in mpc.propose(Task(problem), family, n_clusters=k):
        yield proposal.labels


def list_starts(family: Mapping[str, Any]) -> dict[str, Start]:
    """By their names in the table."""
    return {
        "k-means": start_kmeans,
        "FasterMSC": start_fastermsc,
        "outliers": start_outliers,
        "polyclust": partial(start_polyclust, family=family),
    }


def climb_from_all(problem: Problem, distances: Floats, k: int, starts: Mapping[str, Start]) -> tuple[str, Best]:
    """The best climb that ended in clusters of the least size, and the name of its start."""
    allowed = {}
    for name, start in starts.items():
        climbed = [climb(distances, labels, problem.min_size) for labels in start(problem, k)]
        climbed = [best for best in climbed if problem.allows(best.labels)]
        if climbed:
            allowed[name] = merge(climbed)
    return max(allowed, key=lambda name: allowed[name].score), merge(list(allowed.values()))
