"""One measurement, inside the process that is measured: python -m benchmarks.speed.child ORDER

The order is JSON (study, case, contestant); the last line printed is a JSON list of rows.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from benchmarks.measures import list_sizes
from benchmarks.memory import read_peak_bytes
from benchmarks.speed.cases import Case, Input, make_warm_up
from benchmarks.speed.contestants import CONTESTANTS, SPARSE, score_labels
from benchmarks.speed.races import MOST_CELLS, RACED, count_cells, run_search
from benchmarks.speed.rows import Row

WARM_UPS = (300, 1500)  # rows: few points, and points in groups
WARM_UP_OF_MANY = 20_500  # more rows than one distance matrix is made for


def time_call(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result, processor seconds and seconds on the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    result = run()
    return result, time.process_time() - processor, time.perf_counter() - clock


def warm_up(run: Callable[[Input], Any], n_rows: int) -> None:
    """Imports and compilation, on tables of another kind that take every way through the code."""
    for n_warm in WARM_UPS if n_rows <= WARM_UP_OF_MANY else (*WARM_UPS, WARM_UP_OF_MANY):
        run(make_warm_up(n_warm))


def measure_contestant(study: str, case: Case, contestant: str) -> list[Row]:
    """Time one run after warm-ups on tables of another kind."""
    given = case.make()
    if study == "races" and contestant != RACED and count_cells(given) > MOST_CELLS:
        return [Row(study, case.name, contestant, 0, note=f"not run: {count_cells(given):.0e} cells in one sweep")]
    notes: list[str] = []
    run = CONTESTANTS.get(contestant) or (lambda given: run_search(given, contestant, notes))
    warm_up(CONTESTANTS.get(contestant, CONTESTANTS[SPARSE]), case.n_rows)
    labels, seconds, wall = time_call(lambda: run(given))
    peak = read_peak_bytes()
    sizes = list_sizes(labels)
    row = Row(
        study, case.name, contestant, 0, seconds=seconds, wall=wall, silhouette=score_labels(given.scaled, labels),
        k=len(sizes), smallest=sizes[-1], n_rows=len(labels), input_bytes=given.n_bytes, peak_bytes=peak,
        note="; ".join(notes),
    )  # fmt: skip
    return [row]


def main(order: str) -> None:
    """Carry out an order."""
    wanted = json.loads(order)
    rows = measure_contestant(wanted["study"], Case(**wanted["case"]), wanted["contestant"])
    print(json.dumps([asdict(row) for row in rows]))


if __name__ == "__main__":
    main(sys.argv[1])
