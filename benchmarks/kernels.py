"""Nanoseconds per cell of the sweep kernel on one core: python -m benchmarks.kernels

A cell is one row at one step of a sweep. The share of memory bandwidth counts the one row of the float32
distance matrix that a step must read, against the sum of a large array measured in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numba
import numpy as np
import typer
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

PAGE = Path(__file__).resolve().parent / "KERNELS.md"
ROWS = (500, 1000, 2000, 4600)
N_CLUSTERS = 5
REPEATS = 7

Sweep = Callable[[], object]  # its result is looked at by the tests only


def prepare_sweep(distances: np.ndarray, labels: np.ndarray, projection: np.ndarray) -> Sweep:
    """THE place that knows the kernel's arguments: one whole sweep of clusters 0 and 1 along a direction."""
    from polyclust.kernels.silhouette import sweep_direction

    n_rows = len(labels)
    members = np.eye(labels.max() + 1)[labels]
    counts = members.sum(axis=0)
    sums = distances.astype(np.float64) @ members
    own = sums[np.arange(n_rows), labels] / np.maximum(counts[labels] - 1, 1)
    others = np.where(members > 0, np.inf, sums / counts)[:, 2:].min(axis=1)
    rows = np.flatnonzero(labels <= 1)
    order = rows[np.argsort(projection[rows], kind="stable")].astype(np.int32)
    is_end, weights = np.ones(len(order), dtype=bool), np.ones(n_rows)
    columns, scores = np.arange(n_rows, dtype=np.int32), np.empty(len(order))
    own, others, total = (a.astype(np.float32) for a in (own, others, sums[:, :2].sum(axis=1)))
    start_side = np.where(labels <= 1, 2.0, 0.0).astype(np.float32)

    def sweep() -> np.ndarray:
        low = np.zeros(n_rows, dtype=np.float32)
        sweep_direction(
            distances, order, is_end, columns, weights, weights.astype(np.float32), own, others, total, low,
            start_side.copy(), 0.0, float(len(order)), 1.0, float(n_rows), scores,
        )  # fmt: skip
        return scores

    return sweep


def make_case(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances of blobs, labels in which clusters 0 and 1 hold most rows, and a direction."""
    random = np.random.default_rng(seed)
    labels = random.choice(N_CLUSTERS, size=n_rows, p=[0.4, 0.3, 0.1, 0.1, 0.1])
    X = random.normal(size=(n_rows, 10)) + 2.0 * labels[:, None]
    return pairwise_distances(X).astype(np.float32), labels.astype(np.int64), X[:, 0]


def best_seconds(run: Sweep, repeats: int = REPEATS) -> float:
    """The fastest of some calls, after one that compiles."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def measure_bandwidth(n_bytes: int = 2**28) -> float:
    """Bytes read per second by one core summing a large array."""
    array = np.ones(n_bytes // 8)
    return n_bytes / best_seconds(array.sum)


def measure(n_rows: int) -> tuple[int, float, float]:
    """Steps, nanoseconds per cell and bytes of the distance matrix read per second."""
    distances, labels, projection = make_case(n_rows)
    seconds = best_seconds(prepare_sweep(distances, labels, projection))
    n_steps = int((labels <= 1).sum())
    return n_steps, 1e9 * seconds / (n_steps * n_rows), 4.0 * n_steps * n_rows / seconds


def render(bandwidth: float) -> str:
    """The page: a row per size."""
    lines = [
        "# The sweep kernel on one core",
        "",
        "Best of several calls; a cell is one row at one step of a sweep.",
        f"One core of this machine reads {bandwidth / 1e9:.1f} GB/s from a large array.",
        "",
        "| rows | steps | ns per cell | distances read, GB/s | share of the bandwidth |",
        "|---|---|---|---|---|",
    ]
    for n_rows in ROWS:
        n_steps, nanoseconds, rate = measure(n_rows)
        lines.append(f"| {n_rows} | {n_steps} | {nanoseconds:.2f} | {rate / 1e9:.1f} | {rate / bandwidth:.0%} |")
    return "\n".join(lines) + "\n"


def main(out: Annotated[Path, typer.Option(help="page to write")] = PAGE) -> None:
    """Measure and write."""
    numba.set_num_threads(1)
    with threadpool_limits(1):
        out.write_text(render(measure_bandwidth()), encoding="utf-8")
    typer.echo(f"Wrote {out}.")


if __name__ == "__main__":
    typer.run(main)
