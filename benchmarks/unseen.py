"""Tables of R packages, beside trees and k-means: python -m benchmarks.unseen --help

Resumable, as `benchmarks.run` is; writes UNSEEN.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from rich.progress import track

from benchmarks.cell import run_cell, warm_up
from benchmarks.datasets.source import DataNotFoundError
from benchmarks.datasets.unseen import PROTOCOL, find_archive, list_problems
from benchmarks.markdown import render_table, show, title
from benchmarks.methods import METHODS
from benchmarks.methods.method import Method, name_at
from benchmarks.problem import Problem
from benchmarks.results import FOLDER, has_row, read_all, store_row

OURS = ("mpc-1", "mpc-2")
OTHERS = ("icot", "exkmc-1", "kauri", "kmeans-best")
GIVEN = (4, 6)  # numbers of clusters that are asked for
OTHERS_TOLD = ("exkmc-1", "kauri", "kmeans-best")  # how many clusters to find
PAGE = Path(__file__).resolve().parent / "UNSEEN.md"
SEED = 0
ALIKE = 0.0005  # of a silhouette: neither won nor lost
HEADER = (
    *("ours", "theirs", "tables", "higher", "alike", "lower"),
    *("mean difference", "most below", "clauses per cluster"),
)


def choose(problems: list[Problem], n_most: int) -> list[Problem]:
    """So many of the tables, at random but always the same, in the order in which they are run."""
    order = np.random.default_rng(SEED).permutation(len(problems))
    return [problems[at] for at in order[:n_most]]


def list_methods() -> list[Method]:
    """All that is run: with K chosen, and with K given."""
    told = [METHODS.get(name_at(name, k)) or METHODS[name].at(k) for k in GIVEN for name in (*OURS, *OTHERS_TOLD)]
    return [*(METHODS[name] for name in (*OURS, *OTHERS)), *told]


def measure(problems: list[Problem], folder: Path, budget: float) -> None:
    """Every method on every table that has no row yet."""
    able = [method for method in list_methods() if method.reason_to_skip is None]
    for method in able:
        warm_up(method)
    for problem in track(problems, description="tables"):
        for method in able:
            if not has_row(folder, PROTOCOL, problem.name, method.name):
                store_row(folder, run_cell(problem, method, SEED, budget))


def render(rows: pd.DataFrame) -> str:
    """The page's tables: each of ours beside each of the others, with K given too, and where a tree is above ours."""
    scores = rows.pivot_table(index="data", columns="method", values="silhouette")
    clauses = rows.pivot_table(index="data", columns="method", values="clauses_per_cluster")
    beside = render_table(HEADER, _compare_all(scores, clauses, OTHERS))
    lost = render_table(("table", *map(title, (*OURS, *OTHERS))), _list_lost(scores))
    exact = rows[rows["method"].str.startswith(OURS)]["fidelity"]
    told = (
        f"The rules of polyclust give every row its own cluster on {int((exact == 1.0).sum())} of {len(exact)} fits.\n"
    )
    given = (line for k in GIVEN for line in _compare_all(scores, clauses, OTHERS_TOLD, k))
    return "\n".join(
        [
            *(beside, told),
            *(_read_page("unseen_given.md"), render_table(("K", *HEADER), given)),
            *("## Tables on which a tree scores higher than MPC-2, or ICOT than MPC-1\n", lost),
        ]
    )


def _read_page(name: str) -> str:
    return (PAGE.parent / "pages" / name).read_text(encoding="utf-8")


def _compare_all(
    scores: pd.DataFrame, clauses: pd.DataFrame, others: tuple[str, ...], k: int | None = None
) -> Iterator[list[str]]:
    for ours, theirs in itertools.product(OURS, others):
        names = [name if k is None else name_at(name, k) for name in (ours, theirs)]
        if set(names) <= set(scores):
            counted = [] if k is None else [str(k)]
            yield [*counted, title(ours), title(theirs), *_compare(scores, clauses, *names)]


def _compare(scores: pd.DataFrame, clauses: pd.DataFrame, ours: str, theirs: str) -> list[str]:
    both = scores[[ours, theirs]].dropna()
    gains = both[ours] - both[theirs]
    won, lost = int((gains > ALIKE).sum()), int((gains < -ALIKE).sum())
    worst = f"{gains.min():+.4f} ({gains.idxmin()})" if gains.min() < -ALIKE else "–"
    lengths = [clauses[m].reindex(both.index).mean() if m in clauses else None for m in (ours, theirs)]
    told = " / ".join(show(length, "{:.2f}") for length in lengths)
    counts = [str(n) for n in (len(both), won, len(both) - won - lost, lost)]
    return [*counts, f"{gains.mean():+.4f}", worst, told]


def _list_lost(scores: pd.DataFrame) -> Iterator[list[str]]:
    shown = scores.reindex(columns=[*OURS, *OTHERS])
    trees = shown[["icot", "exkmc-1", "kauri"]].max(axis=1)
    is_lost = (trees > shown["mpc-2"] + ALIKE) | (shown["icot"] > shown["mpc-1"] + ALIKE)
    for name, row in shown[is_lost].sort_index().iterrows():
        yield [str(name), *(show(None if np.isnan(score) else score) for score in row)]


def main(
    tables: Annotated[int, typer.Option(help="how many tables, at random")] = 100,
    budget: Annotated[float, typer.Option(help="processor seconds per cell, for methods that can be stopped")] = 15.0,
    out: Annotated[Path, typer.Option(help="folder of the results")] = FOLDER / "unseen",
    page: Annotated[Path, typer.Option(help="the page that is written")] = PAGE,
) -> None:
    """Measure what is missing and write the page."""
    try:
        problems = list(list_problems(find_archive()))
    except DataNotFoundError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(1) from None
    chosen = choose(problems, tables)
    measure(chosen, out, budget)
    rows = read_all(out)
    rows = rows[rows["data"].isin([problem.name for problem in chosen])]
    intro = _read_page("unseen.md").format(n_chosen=len(chosen), n_fit=len(problems), budget=f"{budget:g}", alike=ALIKE)
    page.write_text(intro + "\n" + render(rows), encoding="utf-8")
    typer.echo(f"{len(chosen)} tables: {page}")


if __name__ == "__main__":
    typer.run(main)
