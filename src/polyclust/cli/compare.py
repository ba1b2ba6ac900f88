"""``polyclust compare``: one table, and if asked its files and a chart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd
import typer

from polyclust.cli.bars import show_progress
from polyclust.cli.preparing import describe_columns, prepare_table, title_of
from polyclust.comparison import METHODS, Trial, choose_best, compare_methods, find_most_clusters
from polyclust.explain.spelling import format_count, spell_count
from polyclust.explain.summary import format_tenths
from polyclust.files import replace_folder
from polyclust.progress import report_progress
from polyclust.table.kinds import Wishes
from polyclust.table.source import TableSource

__all__ = ["CompareRequest", "refuse_few_rows", "run_compare"]

FEWEST_ROWS = 3  # of which two clusters have a silhouette


@dataclass(frozen=True)
class CompareRequest:
    """What the user asked for."""

    source: TableSource
    output: Path | None
    wishes: Wishes
    missing: str
    max_clusters: int
    most_rows: int
    min_size: float
    scale: str
    seed: int
    jobs: int | None
    quiet: bool


def refuse_few_rows(most_rows: int) -> None:
    """Raise ValueError if there is nothing to compare on."""
    if most_rows < FEWEST_ROWS:
        raise ValueError(f"--rows must be an integer >= {FEWEST_ROWS}; got {most_rows}.")


def run_compare(request: CompareRequest) -> int:
    """The whole command, its options checked; the exit code."""
    prepared = prepare_table(request.source, request.wishes, request.missing)
    table = prepared.complete.table
    if not request.quiet:
        typer.echo(describe_columns(prepared, has_rules=False) + "\n")
    if len(table) > request.most_rows:
        table = table.sample(request.most_rows, random_state=request.seed).sort_index().reset_index(drop=True)
    trials = _run_trials(request, table)
    best = choose_best(trials)
    note = f"{_say_winners(best)} {_say_rows(len(table), len(prepared.complete.table))}"
    typer.echo(_tabulate(best))
    typer.echo(note)
    if request.output is not None:
        replace_folder(request.output, _build_files(request, trials, best, note))
        if not request.quiet:
            typer.echo(f"written to {request.output}: open {request.output / 'comparison.html'}")
    return 0


def _run_trials(request: CompareRequest, table: pd.DataFrame) -> list[Trial]:
    total = len(METHODS) * (find_most_clusters(len(table), request.max_clusters, request.min_size) - 1)
    trials: list[Trial] = []
    with show_progress(request.quiet):
        for trial in compare_methods(
            table,
            request.max_clusters,
            min_size=request.min_size,
            scale=request.scale,
            seed=request.seed,
            jobs=request.jobs,
        ):
            trials.append(trial)
            report_progress("comparing", len(trials), total, max(t.score for t in trials))
    return trials


def _tabulate(best: list[Trial]) -> str:
    head = f"{'method':<20} {'score':>7} {'K':>3} {'smallest':>9} {'clauses':>8} {'fidelity':>9} {'seconds':>8}"
    lines = [
        f"{t.method:<20} {t.score:>7.4f} {t.n_clusters:>3} {t.smallest:>9} {t.clauses:>8} "
        f"{format_tenths(t.fidelity):>9} {t.seconds:>8.2f}"
        for t in best
    ]
    return "\n".join([head, "-" * len(head), *lines])


def _say_winners(best: list[Trial]) -> str:
    """Which methods are best, as the table shows them, and which rules that always hold are shortest."""
    highest = max(round(t.score, 4) for t in best)
    text = f"Highest score: {_list_methods(t for t in best if round(t.score, 4) == highest)}."
    exact = [t for t in best if t.fidelity == 1]
    if exact:
        fewest = min(t.clauses for t in exact)
        text += f" Fewest clauses at full fidelity: {_list_methods(t for t in exact if t.clauses == fewest)}."
    return text


def _list_methods(trials: Iterable[Trial]) -> str:
    return "; ".join(t.method for t in trials)


def _say_rows(n_used: int, n_rows: int) -> str:
    drawn = "" if n_used == n_rows else f" drawn at random from {format_count(n_rows)}"
    return (
        f"Each method at its best number of clusters K (silhouette), on {spell_count(n_used, 'row')}{drawn}. Smallest: "
        "the rows of the smallest cluster. Clauses: how long the rules are that describe the clusters. Fidelity: the "
        "share of rows that they place as the method did. K-means, Ward and the mixture have no rules of their own; "
        "they are explained afterwards."
    )


def _build_files(request: CompareRequest, trials: list[Trial], best: list[Trial], note: str) -> dict[str, str]:
    from polyclust.report.comparison import render_comparison

    return {
        "comparison.csv": pd.DataFrame([asdict(t) for t in best]).to_csv(index=False),
        "scores.csv": pd.DataFrame([asdict(t) for t in trials]).to_csv(index=False),
        "comparison.html": render_comparison(f"Methods compared on {title_of(request.source)}", trials, best, note),
    }
