"""Run all studies and print their table: python -m benchmarks.limits"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from threadpoolctl import threadpool_limits

from benchmarks.limits.studies import HEADER, study_engytime, study_wingnut
from benchmarks.markdown import render_table
from benchmarks.methods import METHODS


def main(data: Annotated[Path | None, typer.Option(help="folder of the data sets")] = None) -> None:
    """Run all studies on one thread and print a row for each."""
    start = time.perf_counter()
    if reason := METHODS["fastermsc"].reason_to_skip:
        print(f"No starts from FasterMSC: {reason}.\n")
    print(render_table(HEADER, []), end="")
    with threadpool_limits(1):
        for study in (study_wingnut, study_engytime):
            for row in study(data):
                print(row, flush=True)
    print(f"\n{(time.perf_counter() - start) / 60:.1f} minutes")


if __name__ == "__main__":
    typer.run(main)
