"""Measure what is missing, then write SPEED.md and its chart: python -m benchmarks.speed --help

Goes on where it stopped: rows that are in results/speed.csv are not run again unless --force is given.
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import kernels
from benchmarks.speed.chart import CHART, draw_chart
from benchmarks.speed.figures import Figures
from benchmarks.speed.jobs import Batch, JobError, list_batches, run_batch
from benchmarks.speed.page import render_page
from benchmarks.speed.rows import Results

FOLDER = Path(__file__).resolve().parents[1]


def choose(batches: list[Batch], only: str | None) -> list[Batch]:
    """Those whose "study/case" the pattern fits; all when there is none."""
    if not only:
        return batches
    chosen = [batch for batch in batches if fnmatch(f"{batch.study}/{batch.case.name}", only)]
    if not chosen:
        names = ", ".join(f"{batch.study}/{batch.case.name}" for batch in batches)
        raise typer.BadParameter(f"{only!r} fits none of the cases; there are {names}.")
    return chosen


def run_batches(batches: list[Batch], results: Results, force: bool) -> int:
    """One case after the other, with a bar on a terminal; how many failed."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    n_failed, n_done = 0, 0
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("starting", total=sum(batch.n_jobs for batch in batches))
        for batch in batches:
            name = f"{batch.study}: {batch.case.name}"
            progress.update(bar, completed=n_done, description=name)
            try:
                for contestant in run_batch(batch, results, force):
                    progress.update(bar, advance=1, description=f"{name}, after {contestant}")
            except JobError as error:  # the others go on
                console.print(str(error), markup=False)
                n_failed += 1
            n_done += batch.n_jobs
        progress.update(bar, completed=n_done, description="done")
    return n_failed


def main(
    repeats: Annotated[int, typer.Option(min=1, help="rounds on the data sets and sizes, the best counts")] = 3,
    only: Annotated[str | None, typer.Option(help='a pattern for "study/case", as "sizes/*" or "*/spam"')] = None,
    races: Annotated[bool, typer.Option("--races", help="also the raced search beside the exhaustive one")] = False,
    force: Annotated[bool, typer.Option("--force", help="run again what is there already")] = False,
    page_only: Annotated[bool, typer.Option("--page", help="write the page and the chart, measure nothing")] = False,
    out: Annotated[Path, typer.Option(help="folder of SPEED.md, results/ and figures/")] = FOLDER,
) -> None:
    """Measure, write and draw."""
    n_failed = 0
    results = Results(out / "results" / "speed.csv")
    if not page_only:
        n_failed = run_batches(choose(list_batches(repeats, races or bool(only)), only), results, force)
        if not only:
            kernels.measure_if_missing(out, force)
    figures = Figures(results.rows)
    draw_chart(figures, out / CHART)
    (out / "SPEED.md").write_text(render_page(figures, out), encoding="utf-8")
    typer.echo(f"Wrote {out / 'SPEED.md'}.")
    if n_failed:
        typer.echo(f"{n_failed} cases failed; what they said is above.", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
