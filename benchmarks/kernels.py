"""Nanoseconds per cell of the sweep kernel on one core: python -m benchmarks.kernels

A cell is one row at one step of a sweep. The share of memory bandwidth counts the one row of the float32
distance matrix that a step must read, against the sum of a large array measured in the same run.
Writes KERNELS.md and results/kernels.csv, which SPEED.md quotes.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numba
import numpy as np
import pandas as pd
import typer
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

FOLDER = Path(__file__).resolve().parent
RESULTS = Path("results") / "kernels.csv"
ROWS = (500, 1000, 2000, 4600)
N_CLUSTERS = 5
N_DIRECTIONS = 10
REPEATS = 25
BYTES_PER_CELL = 4

Sweep = Callable[[], object]  # its result is looked at by the tests only


def prepare_scan(distances: np.ndarray, labels: np.ndarray, projections: np.ndarray) -> Sweep:
    """THE place that knows the kernel's arguments: whole sweeps of clusters 0 and 1 along some directions."""
    from polyclust.kernels.silhouette import IMPOSSIBLE, scan_pair

    n_rows, n_clusters = len(labels), int(labels.max()) + 1
    members = np.eye(n_clusters)[labels]
    sums = np.ascontiguousarray(members.T @ distances.astype(np.float64))
    rows = np.flatnonzero(labels <= 1)
    orders = rows[np.argsort(projections[rows], axis=0, kind="stable")].T.astype(np.int32, order="C")
    is_end, weights = np.ones(orders.shape, dtype=bool), np.ones(n_rows)
    scores = np.empty(orders.shape)

    def scan() -> np.ndarray:
        scan_pair(
            distances, sums, members.sum(axis=0), labels, weights, 0, 1, 1e30, orders, is_end, 1.0, float(n_rows),
            IMPOSSIBLE, scores,
        )  # fmt: skip
        return scores

    return scan


def make_case(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances of blobs, labels in which clusters 0 and 1 hold most rows, and directions."""
    random = np.random.default_rng(seed)
    labels = random.choice(N_CLUSTERS, size=n_rows, p=[0.4, 0.3, 0.1, 0.1, 0.1])
    X = random.normal(size=(n_rows, N_DIRECTIONS)) + 2.0 * labels[:, None]
    return pairwise_distances(X).astype(np.float32), labels.astype(np.int64), X


def best_seconds(run: Sweep, repeats: int = REPEATS) -> float:
    """The fastest of some calls, after one that compiles."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


@numba.njit(fastmath=True)
def _add_up(array: np.ndarray) -> float:
    total = np.float32(0.0)
    for i in range(array.size):
        total += array[i]
    return total


def measure_bandwidth(n_bytes: int = 2**28) -> float:
    """Bytes that one core reads per second from an array far larger than the caches, adding up its floats."""
    array = np.ones(n_bytes // 4, dtype=np.float32)
    return n_bytes / best_seconds(lambda: _add_up(array))


def measure(n_rows: int) -> dict[str, float]:
    """One scan: its steps, nanoseconds per cell and bytes of the distance matrix read per second."""
    distances, labels, projections = make_case(n_rows)
    seconds = best_seconds(prepare_scan(distances, labels, projections))
    n_steps = int((labels <= 1).sum()) * N_DIRECTIONS
    n_cells = n_steps * n_rows
    return {
        "rows": n_rows,
        "steps": n_steps,
        "nanoseconds_per_cell": 1e9 * seconds / n_cells,
        "bytes_per_second": BYTES_PER_CELL * n_cells / seconds,
    }


def measure_all() -> pd.DataFrame:
    """Every size, and the bandwidth of the same run beside it, on one thread."""
    numba.set_num_threads(1)
    with threadpool_limits(1):
        table = pd.DataFrame([measure(n_rows) for n_rows in ROWS])
        return table.assign(bandwidth=measure_bandwidth(), processor=name_processor())


def name_processor() -> str:
    """As the machine calls its processor."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8").splitlines() if described.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def render_table(table: pd.DataFrame) -> str:
    """A row per size, and the bandwidth below."""
    lines = ["| rows | steps | ns per cell | distances read, GB/s | share of the bandwidth |", "|---|---|---|---|---|"]
    for row in table.itertuples():
        speed, share = row.bytes_per_second / 1e9, row.bytes_per_second / row.bandwidth
        lines.append(f"| {row.rows} | {row.steps} | {row.nanoseconds_per_cell:.2f} | {speed:.1f} | {share:.0%} |")
    bandwidth = table["bandwidth"].iloc[0] / 1e9
    lines.append(f"\nOne core reads {bandwidth:.1f} GB/s from an array of 256 MB ({table['processor'].iloc[0]}).")
    return "\n".join(lines) + "\n"


def render(table: pd.DataFrame) -> str:
    """The page."""
    words = (
        f"Best of {REPEATS} calls, each a scan of two clusters along {N_DIRECTIONS} directions.",
        "A cell is one row at one step of a sweep. A step must read one row of the float32 distance matrix,",
        f"{BYTES_PER_CELL} bytes per cell; other arrays stay in caches. The share is that rate over",
        "what one core reads from memory in the same run. A matrix of few rows stays in the caches itself.",
    )
    return "# The sweep kernel on one core\n\n" + "\n".join(words) + f"\n\n{render_table(table)}"


def quote(folder: Path) -> str:
    """The table for another page."""
    path = folder / RESULTS
    if not path.is_file():
        return "Not measured: `make bench-kernels`.\n"
    return render_table(pd.read_csv(path)) + "\nWhat is counted: [KERNELS.md](KERNELS.md).\n"


def measure_if_missing(folder: Path, force: bool = False) -> None:
    """In a process of its own."""
    if force or not (folder / RESULTS).is_file():
        command = [sys.executable, "-m", "benchmarks.kernels", "--out", str(folder.resolve())]
        subprocess.run(command, check=True, cwd=FOLDER.parent, capture_output=True)


def main(out: Annotated[Path, typer.Option(help="folder of KERNELS.md and results/")] = FOLDER) -> None:
    """Measure and write."""
    table = measure_all()
    (out / RESULTS).parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(out / RESULTS, index=False)
    (out / "KERNELS.md").write_text(render(table), encoding="utf-8")
    typer.echo(f"Wrote {out / 'KERNELS.md'}.")


if __name__ == "__main__":
    typer.run(main)
