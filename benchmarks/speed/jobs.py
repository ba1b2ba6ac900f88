"""The measured jobs: which there are, and how one is run in a process of its own with one thread."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.datasets import NAMES
from benchmarks.speed.cases import Case
from benchmarks.speed.contestants import BEST, FAMILIES, GRID, MINIBATCH
from benchmarks.speed.families import ENTRANTS
from benchmarks.speed.races import SEARCHES
from benchmarks.speed.rows import Results, Row, now
from benchmarks.speed.start import FRESH, measure_start

REPOSITORY = Path(__file__).resolve().parents[2]
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMBA", "NUMEXPR", "VECLIB_MAXIMUM", "BLIS")
}

SETS = [Case(name) for name in ("framingham", "spam", "bank", "engytime")]
SETS.append(Case("blobs 5000 × 20", 5000, noise=0.0))
SIZES = [Case(f"{n:,} rows".replace(",", " "), n) for n in (10**3, 10**4, 10**5, 10**6)]
WIDTHS = [Case(f"{d} features", 5000, d) for d in (10, 50, 100)]
COUNTS = [Case(f"up to {k} clusters", 5000, n_blobs=k, max_clusters=k) for k in (5, 10, 20)]
TABLES = [Case(f"table {seed}", 1000, seed=seed) for seed in range(3)]  # blobs with noise, to compare families
RACES = [Case(name) for name in NAMES]


class JobError(Exception):
    """A job ended without an answer."""


@dataclass(frozen=True)
class Batch:
    """A case with everyone who runs on it, one directly after the other, as often as `repeats` says."""

    study: str
    case: Case
    contestants: tuple[str, ...]
    repeats: int = 1

    @property
    def n_jobs(self) -> int:
        return len(list(self.list_missing([])))

    def list_missing(self, rows: list[Row]) -> Iterator[tuple[str, int]]:
        """Contestant and repeat of every run that is not among the rows, interleaved over the repeats."""
        present = {(row.contestant, row.repeat) for row in rows}
        for repeat in range(self.repeats):
            for contestant in self.contestants:
                is_once = contestant == BEST and repeat > 0
                if not is_once and (contestant, repeat) not in present:
                    yield contestant, repeat


def list_batches(repeats: int, with_races: bool) -> list[Batch]:
    """Everything that `make bench-speed` measures, in order; races when asked for."""
    batches = [Batch("sets", case, (GRID, *FAMILIES), repeats) for case in SETS]
    batches += [Batch("sizes", case, (MINIBATCH, *FAMILIES, BEST), repeats) for case in SIZES]
    batches += [Batch("widths", case, (GRID, *FAMILIES)) for case in WIDTHS]
    batches += [Batch("counts", case, (GRID, *FAMILIES)) for case in COUNTS]
    batches += [Batch("families", case, (BEST, *ENTRANTS)) for case in TABLES]
    batches += [Batch("start", Case(family), (FRESH,)) for family in FAMILIES]
    if with_races:
        batches += [Batch("races", case, tuple(SEARCHES)) for case in RACES]
    return batches


def run_batch(batch: Batch, results: Results, force: bool) -> Iterator[str]:
    """Run what is missing; after each run its rows are stored and its contestant is yielded."""
    present = results.of_case(batch.study, batch.case.name)
    if not force and not list(batch.list_missing(present)):
        return
    label = results.begin(batch.study, batch.case.name, force)
    for contestant, repeat in list(batch.list_missing(results.of_case(batch.study, batch.case.name))):
        rows = run_job(batch.study, batch.case, contestant)
        results.add(replace(row, repeat=repeat, batch=label, ended=now()) for row in rows)
        yield contestant


def run_job(study: str, case: Case, contestant: str) -> list[Row]:
    """The rows of one job."""
    return measure_start(case.name, ONE_THREAD) if study == "start" else run_child(study, case, contestant)


def run_child(study: str, case: Case, contestant: str) -> list[Row]:
    """One job in a process of its own, so that threads, caches and peak memory are its own."""
    order = json.dumps({"study": study, "case": asdict(case), "contestant": contestant})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.speed.child", order],
        env={**os.environ, **ONE_THREAD},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise JobError(f"{contestant} on {case.name} failed; run it again with --only. It said:\n{done.stderr}")
    return [Row(**record) for record in json.loads(done.stdout.splitlines()[-1])]
