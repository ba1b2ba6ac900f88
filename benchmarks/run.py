"""Measure every method on every data set under both protocols: python -m benchmarks.run --help

Resumable: cells that are in the results already are not run again unless --force is given.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.cell import Row, run_cell, warm_up
from benchmarks.comparison import Study, open_study
from benchmarks.datasets import NAMES, PROTOCOLS, DataNotFoundError, load
from benchmarks.methods import METHODS
from benchmarks.results import FOLDER, has_row, read_all, store_row
from benchmarks.same_count import list_tree_counts

Cell = tuple[str, str, str]  # protocol, data set, method

# the small sets and fast methods of `--quick`: under two minutes, used as a smoke check
QUICK_SETS = ("hepta", "iris", "zoo")
QUICK_METHODS = ("kmeans", "hclust", "icot", "exkmc-1", "cart", "kauri", "mpc-1", "mpc-2")
QUICK_STARTS = 10
# rows that belong to one remark only: the paper's Atom value needs an eleventh cluster
ONLY_FOR = {"mpc-2-k11": (("paper", "atom"),)}


def list_cells(protocols: list[str], names: list[str], methods: list[str], folder: Path = FOLDER) -> list[Cell]:
    """Small sets first within a method, so that tables fill early."""
    study = open_study(read_all(folder))
    return [
        (protocol, name, method)
        for method in methods
        for protocol in protocols
        for name in names
        if is_wanted((protocol, name, method), study)
    ]


def is_wanted(cell: Cell, study: Study) -> bool:
    """Some methods belong to a few data sets only; a given number of clusters to those where a tree has it."""
    protocol, name, method = cell
    if METHODS[method].has_fixed_count:
        return METHODS[method].counts[0] in list_tree_counts(study, protocol, name)
    return method not in ONLY_FOR or (protocol, name) in ONLY_FOR[method]


def split_stages(methods: list[str]) -> list[list[str]]:
    """Methods with a given number of clusters come last: the rows of the trees say which numbers."""
    return [[name for name in methods if METHODS[name].has_fixed_count is is_last] for is_last in (False, True)]


def pick(given: str | None, known: tuple[str, ...], what: str) -> list[str]:
    """The names or patterns on the command line, separated by commas; all when none is given."""
    if not given:
        return list(known)
    chosen = []
    for each in (part.strip() for part in given.split(",") if part.strip()):
        fitting = [name for name in known if fnmatch(name, each)]
        if not fitting:
            raise typer.BadParameter(f"there is no {what} {each!r}; choose from {', '.join(known)}")
        chosen += [name for name in fitting if name not in chosen]
    return chosen


@dataclass(frozen=True)
class Effort:
    """What every cell is run with."""

    seed: int = 0
    budget: float | None = None
    max_starts: int | None = None


def run_one(cell: Cell, data: Path | None, effort: Effort) -> Row:
    """A row, also when the method fails: one broken method does not stop the others."""
    protocol, name, method = cell
    problem = load(name, protocol, data)
    try:
        return run_cell(problem, METHODS[method], effort.seed, effort.budget, effort.max_starts)
    except Exception as error:  # noqa: BLE001 - recorded in the row and printed
        traceback.print_exc()
        return Row(protocol, name, method, "failed", note=f"{type(error).__name__}: {error}")


def run_cells(cells: list[Cell], folder: Path, data: Path | None, effort: Effort) -> int:
    """Measure the cells in order and store each row at once; how many failed."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    warmed: set[str] = set()
    n_failed = 0
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("starting", total=len(cells))
        for cell in cells:
            protocol, name, method = cell
            progress.update(bar, description=f"{method} on {name} ({protocol})")
            if method not in warmed and METHODS[method].reason_to_skip is None:
                warmed.add(method)
                warm_up(METHODS[method])
            row = run_one(cell, data, effort)
            n_failed += row.status == "failed"
            store_row(folder, row)
            progress.advance(bar)
    return n_failed


def main(
    protocol: Annotated[str | None, typer.Option(help="paper, practical, or both when left out")] = None,
    sets: Annotated[str | None, typer.Option(help="data sets, separated by commas; all when left out")] = None,
    methods: Annotated[str | None, typer.Option(help="methods or patterns, with commas; all when left out")] = None,
    data: Annotated[Path | None, typer.Option(help="folder of the data; else POLYCLUST_DATA")] = None,
    seed: Annotated[int, typer.Option(help="seed of every method")] = 0,
    budget: Annotated[float | None, typer.Option(help="processor seconds per cell; none when left out")] = None,
    out: Annotated[Path, typer.Option(help="folder of the results")] = FOLDER,
    force: Annotated[bool, typer.Option("--force", help="run cells again that are there already")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="a few small sets and fast methods")] = False,
) -> None:
    """Measure what is missing."""
    names = pick(sets, NAMES, "data set") if sets or not quick else list(QUICK_SETS)
    chosen = pick(methods, tuple(METHODS), "method") if methods or not quick else list(QUICK_METHODS)
    protocols = pick(protocol, PROTOCOLS, "protocol")
    effort = Effort(seed, budget, QUICK_STARTS if quick else None)
    n_measured = n_kept = n_failed = 0
    try:
        for stage in split_stages(chosen):
            cells = list_cells(protocols, names, stage, out)
            wanted = [cell for cell in cells if force or not has_row(out, *cell)]
            n_failed += run_cells(wanted, out, data, effort)
            n_measured, n_kept = n_measured + len(wanted), n_kept + len(cells) - len(wanted)
    except DataNotFoundError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{n_measured} cells measured, {n_kept} were there already: {out}")
    if n_failed:
        typer.echo(f"{n_failed} of them failed; their notes say why.", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
