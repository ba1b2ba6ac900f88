"""Who runs in the speed benchmark: grids of k-means, and polyclust, each from a raw table to labels."""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.metrics import silhouette_score
from threadpoolctl import threadpool_limits

from benchmarks.datasets import PRACTICAL_SHARE, load
from benchmarks.datasets.scaling import scale_columns
from benchmarks.measures import list_sizes

SAMPLE = 10_000  # rows of a sampled silhouette
MOST_EXACT = 20_000  # rows up to which the reported silhouette is exact
NOISE_SHARE = 0.05
PIECE = 50_000  # rows generated at once


@dataclass(frozen=True)
class Case:
    """A table to be clustered: a data set of the benchmark, or blobs with uniform noise."""

    name: str
    n_rows: int = 0
    n_features: int = 20
    n_blobs: int = 8
    noise: float = NOISE_SHARE
    max_clusters: int = 10

    def make(self) -> Input:
        """The table itself."""
        if self.n_rows:
            return Input(self, make_noisy_blobs(self))
        return Input(self, load(self.name, "practical").X)


@dataclass(frozen=True)
class Input:
    """What a contestant is given: polyclust the raw table, the grids its scaled numbers."""

    case: Case
    raw: Any

    @cached_property
    def scaled(self) -> np.ndarray:
        """Made when asked for, so that it is not in the memory of a contestant that does without."""
        return scale_columns(self.raw).to_numpy() if self.case.n_rows == 0 else _scale(self.raw)


def _scale(X: np.ndarray) -> np.ndarray:
    low = X.min(axis=0)
    scaled = X - low
    scaled /= X.max(axis=0) - low
    return scaled


def make_noisy_blobs(case: Case, seed: int = 0) -> np.ndarray:
    """Round clouds and a share of rows spread evenly over their box, in pieces: no second copy is made."""
    random = np.random.default_rng(seed)
    centres = random.uniform(-10, 10, size=(case.n_blobs, case.n_features))
    X = np.empty((case.n_rows, case.n_features))
    for start in range(0, case.n_rows, PIECE):
        part = X[start : start + PIECE]
        part[:] = centres[random.integers(case.n_blobs, size=len(part))]
        part += random.normal(scale=2.0, size=part.shape)
        is_noise = random.random(len(part)) < case.noise
        part[is_noise] = random.uniform(-15, 15, size=(int(is_noise.sum()), case.n_features))
    return X


def run_kmeans_grid(given: Input) -> np.ndarray:
    """KMeans(n_init=10) and the exact silhouette for every k."""
    return _run_grid(given, lambda k: KMeans(k, n_init=10, random_state=0), None)


def run_minibatch_grid(given: Input) -> np.ndarray:
    """MiniBatchKMeans(n_init=10) and a sampled silhouette for every k."""
    return _run_grid(given, lambda k: MiniBatchKMeans(k, n_init=10, random_state=0), SAMPLE)


def _run_grid(given: Input, make: Callable[[int], Any], sample: int | None) -> np.ndarray:
    """The labels of best silhouette among those with no cluster under the minimum; else the best of all."""
    matrix = given.scaled
    sample = None if sample is None or sample >= len(matrix) else sample
    found = []
    for k in range(2, given.case.max_clusters + 1):
        labels = make(k).fit_predict(matrix)
        is_allowed = np.bincount(labels).min() >= PRACTICAL_SHARE * len(labels)
        found.append((is_allowed, silhouette_score(matrix, labels, sample_size=sample, random_state=0), labels))
    return max(found, key=lambda each: each[:2])[2]


def run_polyclust(given: Input, **family: Any) -> np.ndarray:
    """The estimator with its defaults."""
    from polyclust import PolytopeClustering

    model = PolytopeClustering(max_clusters=given.case.max_clusters, random_state=0, n_jobs=1, units="range", **family)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(given.raw)
    return np.asarray(model.labels_)


def run_axis(given: Input) -> np.ndarray:
    return run_polyclust(given)


def run_sparse(given: Input) -> np.ndarray:
    return run_polyclust(given, max_terms=2, max_coefficient=3)


CONTESTANTS: dict[str, Callable[[Input], np.ndarray]] = {
    "k-means grid": run_kmeans_grid,
    "MiniBatchKMeans grid": run_minibatch_grid,
    "MPC-1": run_axis,
    "MPC-2": run_sparse,
}


@dataclass(frozen=True)
class Timing:
    """The best of some repeats, in processor seconds of one thread."""

    case: Case
    contestant: str
    seconds: float
    silhouette: float
    k: int
    smallest: int
    input_bytes: int
    peak_bytes: int


def measure(case: Case, contestant: str, repeats: int) -> Timing:
    """Measure in a process of its own, so that peak memory is the contestant's."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_measure_here, args=(sender, case, contestant, repeats))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        raise RuntimeError(f"{contestant} on {case.name} ended without an answer; see its message above.") from None
    finally:
        child.join()
        receiver.close()


def _measure_here(sender: Connection, case: Case, contestant: str, repeats: int) -> None:
    run = CONTESTANTS[contestant]
    with threadpool_limits(1):
        warm = Case("warm-up", 300, 4, 3, max_clusters=4)
        run(warm.make())
        given = case.make()
        times = []
        for _ in range(repeats):
            start = time.process_time()
            labels = run(given)
            times.append(time.process_time() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        sizes = list_sizes(labels)
        score = score_labels(given.scaled, labels)
    sender.send(Timing(case, contestant, min(times), score, len(sizes), sizes[-1], given.scaled.nbytes, peak))


def score_labels(matrix: np.ndarray, labels: np.ndarray) -> float:
    """The silhouette, of the same random rows for every contestant where there are too many."""
    if len(matrix) <= MOST_EXACT:
        return float(silhouette_score(matrix, labels))
    rows = np.random.default_rng(1).choice(len(matrix), MOST_EXACT, replace=False)
    return float(silhouette_score(matrix[rows], labels[rows]))
