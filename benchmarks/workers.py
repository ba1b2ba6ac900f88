"""More rows than a process should hold: a fit on worker processes, its time and memory, and whether labels agree.

``python -m benchmarks.workers --rows 10000000`` makes blobs with noise partition by partition (nothing is stored), fits
them on a LocalCluster of 1 and of 2 workers with a memory limit each, labels all rows on the workers, and compares a
smaller table with the fit of one process.
"""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import dask.array as da
import numpy as np
import pandas as pd
import typer
from distributed import Client, LocalCluster

from benchmarks.markdown import render_table
from polyclust import PolytopeClustering

N_COLUMNS = 20
N_BLOBS = 8
NOISE = 0.05
PARTITION = 250_000
OUT = Path(__file__).parent / "results" / "distributed.csv"
PAGE = Path(__file__).parent / "pages" / "distributed.md"


def make_part(seed: int, n_rows: int) -> np.ndarray:
    """Rows of eight blobs, one in twenty of them anywhere."""
    centers = np.random.default_rng(0).uniform(-8, 8, (N_BLOBS, N_COLUMNS))
    rng = np.random.default_rng([1, seed])
    rows = centers[rng.integers(0, N_BLOBS, n_rows)] + rng.normal(0, 1.5, (n_rows, N_COLUMNS))
    is_noise = rng.random(n_rows) < NOISE
    rows[is_noise] = rng.uniform(-12, 12, (int(is_noise.sum()), N_COLUMNS))
    return rows


def make_rows(n_rows: int) -> Any:
    """The same rows every time they are read, in partitions that exist only while they are."""
    sizes = [min(PARTITION, n_rows - start) for start in range(0, n_rows, PARTITION)]

    def make(block_info: Any = None) -> np.ndarray:
        where = block_info[None]
        return make_part(where["chunk-location"][0], where["chunk-shape"][0])

    return da.map_blocks(make, chunks=(tuple(sizes), (N_COLUMNS,)), dtype=float, meta=np.empty((0, 0)))


def peak_megabytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(n_rows: int, n_workers: int, memory: str, n_compared: int) -> dict[str, Any]:
    """One row of the table: a fit on so many workers, in a client that has done nothing else."""
    before = peak_megabytes()
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, memory_limit=memory, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        rows = make_rows(n_rows)
        start = time.perf_counter()
        model = PolytopeClustering(random_state=0).fit(rows)
        fitted = time.perf_counter()
        sizes = da.bincount(model.labels_, minlength=model.n_clusters_).compute()
        labelled = time.perf_counter()
        found = {
            "day": date.today().isoformat(),
            "rows": n_rows,
            "columns": N_COLUMNS,
            "workers": n_workers,
            "memory limit of a worker": memory,
            "seconds to fit": round(fitted - start, 1),
            "seconds to label": round(labelled - fitted, 1),
            "client's peak MB": round(peak_megabytes()),
            "client's MB before": round(before),
            "largest worker's peak MB": round(max(client.run(peak_megabytes).values())),
            "clusters": model.n_clusters_,
            "silhouette": round(model.score_, 5),
            "low": round(model.score_interval_[0], 5),
            "high": round(model.score_interval_[1], 5),
            "smallest cluster": int(sizes.min()),
            "sizes agree": sizes.tolist() == [rule.size for rule in model.explanation_.rules],
        }
        found[f"same labels as one process ({n_compared} rows)"] = compare(n_compared)
    return found


def compare(n_rows: int) -> bool:
    """Whether a fit on the workers gives every row the label that a fit in this process gives."""
    rows = make_rows(n_rows)
    lazy = PolytopeClustering(random_state=0).fit(rows)
    model = PolytopeClustering(random_state=0).fit(rows.compute())
    return lazy.hyperplanes_ == model.hyperplanes_ and bool((lazy.labels_.compute() == model.labels_).all())


def render_page(table: pd.DataFrame) -> str:
    """The section of SPEED.md."""
    rows = []
    for _, run in table.iterrows():
        agreed = [name for name in table.columns if name.startswith("same labels")]
        rows.append(
            [
                f"{run['rows']:,}".replace(",", " "),
                str(run["workers"]),
                f"{run['seconds to fit']:.0f}",
                f"{run['seconds to label']:.0f}",
                "{:.0f} ({:.0f})".format(run["client's peak MB"], run["client's MB before"]),
                "{:.0f}".format(run["largest worker's peak MB"]),
                f"{run['silhouette']:.4f} [{run['low']:.4f}, {run['high']:.4f}]",
                "yes" if run["sizes agree"] and all(run[agreed]) else "**no**",
                str(run["day"]),
            ]
        )
    header = ["rows", "workers", "fit, s", "label, s", "client's peak (before), MB", "worker's peak, MB", "silhouette"]
    limit = table["memory limit of a worker"].iloc[0]
    words = (
        "## Worker processes of Dask",
        "",
        f"Made by `python -m benchmarks.workers`: MPC-1, {N_COLUMNS} features, {N_BLOBS} blobs (not those of the",
        f"tables above), {NOISE:.0%} noise, one thread and {limit} per worker; seconds on the clock. *Same*: the sizes",
        "equal the labels counted on the workers, and a smaller table of the same kind gets the same labels and",
        "hyperplanes as in one process. Figures are those of the search on the day of the run.",
        "",
    )
    return "\n".join(words) + "\n" + render_table([*header, "same", "day"], rows)


def main(
    rows: Annotated[int, typer.Option(help="How many rows to make.")] = 1_000_000,
    workers: Annotated[list[int] | None, typer.Option(help="Worker processes; more than one run if repeated.")] = None,
    memory: Annotated[str, typer.Option(help="Memory limit of a worker.")] = "2GB",
    compared: Annotated[int, typer.Option(help="Rows of the table that one process fits too.")] = 200_000,
    out: Annotated[Path, typer.Option(help="The file that gets a line per run.")] = OUT,
) -> None:
    """Fit on one and on two worker processes."""
    for n_workers in workers or [1, 2]:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:  # so that peaks are of one run
            found = fresh.submit(measure, rows, n_workers, memory, compared).result()
        print("\n".join(f"{name:>45}  {value}" for name, value in found.items()), end="\n\n")
        known = pd.read_csv(out) if out.exists() else pd.DataFrame()
        if len(known):
            known = known[(known["rows"] != rows) | (known["workers"] != n_workers)]
        table = pd.concat([known, pd.DataFrame([found])]).sort_values(["rows", "workers"])
        table.to_csv(out, index=False)
        if out == OUT:
            PAGE.write_text(render_page(table), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
