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
from benchmarks.speed.families import ENTRANTS, run_entrant, warm_entrant
from benchmarks.speed.races import MOST_CELLS, RACED, count_cells, run_search
from benchmarks.speed.rows import Row

Run = Callable[[Input], Any]
WARM_UPS = (300, 1500)  # rows: few points, and points in groups
WARM_UP_OF_MANY = 20_500  # more rows than one distance matrix is made for


def time_call(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result, processor seconds and seconds on the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    result = run()
    return result, time.process_time() - processor, time.perf_counter() - clock


def warm_up(run: Run, n_rows: int) -> None:
    """Imports and compilation, on tables of another kind that take every way through the code."""
    for n_warm in WARM_UPS if n_rows <= WARM_UP_OF_MANY else (*WARM_UPS, WARM_UP_OF_MANY):
        run(make_warm_up(n_warm))


def choose_runs(contestant: str, notes: list[str]) -> tuple[Run, Run]:
    """What is timed, and what warms up for it: the same, or a quicker fit that takes the same ways."""
    if contestant in CONTESTANTS:
        return CONTESTANTS[contestant], CONTESTANTS[contestant]
    if contestant in ENTRANTS:
        return (lambda given: run_entrant(given, contestant)), (lambda given: warm_entrant(given, contestant))
    return (lambda given: run_search(given, contestant, notes)), CONTESTANTS[SPARSE]


def measure_contestant(study: str, case: Case, contestant: str) -> list[Row]:
    """Time one run after warm-ups on tables of another kind."""
    given = case.make()
    if study == "races" and contestant != RACED and count_cells(given) > MOST_CELLS:
        return [Row(study, case.name, contestant, 0, note=f"not run: {count_cells(given):.0e} cells in one sweep")]
    notes: list[str] = []
    run, warm = choose_runs(contestant, notes)
    warm_up(warm, case.n_rows)
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
