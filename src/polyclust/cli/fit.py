"""``polyclust fit``: read, fit, explain, write a folder, say what was found."""

from __future__ import annotations

import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import typer

from polyclust import __version__
from polyclust.caveats import LARGEST_TRIED
from polyclust.cli.bars import show_progress
from polyclust.cli.checking import speak_of_options
from polyclust.cli.guard import INTERRUPTED, collect_warnings, complain
from polyclust.cli.preparing import PreparedTable, describe_columns, head_ids, prepare_table, title_of
from polyclust.cli.terminal import fit_terminal
from polyclust.explain.evaluation import mark_written
from polyclust.explain.explanation import Explanation
from polyclust.explain.spelling import spell_count
from polyclust.explain.summary import format_share
from polyclust.files import refuse_input_as_output, replace_folder
from polyclust.table.kinds import Wishes
from polyclust.table.source import STANDARD_INPUT, TableError, TableSource

__all__ = ["FitRequest", "FitResult", "run_fit"]

OUTPUTS = ("labels.csv", "report.html", "rules.md", "rules.sql", "model.json")
SHOWN_VERSIONS = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "plotly")


@dataclass(frozen=True)
class FitRequest:
    """What the user asked for."""

    source: TableSource
    output: Path
    wishes: Wishes = field(default_factory=Wishes)
    missing: str = "drop"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    dialect: str = "duckdb"
    command: str = ""
    quiet: bool = False


@dataclass(frozen=True)
class FitResult:
    """A fitted model, its explanation with fills, and how the fit went."""

    model: Any
    explanation: Explanation
    seconds: float
    sql: str
    notes: tuple[str, ...] = ()
    was_interrupted: bool = False


def run_fit(request: FitRequest, more_files: Callable[[FitResult], Mapping[str, str]] | None = None) -> int:
    """The whole command, its options checked; the exit code."""
    prepared = prepare_table(request.source, request.wishes, request.missing)
    _refuse_explaining_columns(request, prepared)
    _say(request, describe_columns(prepared) + "\n")
    result = _fit(request, prepared)
    with collect_warnings():  # of libraries, about what the fit has already met
        files = _build_files(request, prepared, result)
    replace_folder(request.output, {**files, **(more_files(result) if more_files else {})})
    for note in () if request.quiet else result.notes:
        complain(f"note: {note}")
    _say(request, _summarise(request, result))
    return INTERRUPTED if result.was_interrupted else 0


def refuse_table_as_output(table: str, output: Path) -> None:
    """Raise OutputError if the table that is read is one of the files to write."""
    for name in OUTPUTS:
        refuse_input_as_output(output / name, table)


def default_output(table: str) -> Path:
    """Beside the current work: customers.csv gives customers-clusters."""
    return Path("polyclust-clusters" if table == STANDARD_INPUT else f"{Path(table).stem}-clusters")


def _say(request: FitRequest, text: str) -> None:
    if not request.quiet:
        typer.echo(text)


def _refuse_explaining_columns(request: FitRequest, prepared: PreparedTable) -> None:
    used = prepared.complete.table.columns
    for name in request.parameters.get("explain_with") or ():
        if name not in used:
            more = ", …" if len(used) > 8 else ""
            raise TableError(f"--explain-with {name}: not among the columns used ({', '.join(used[:8])}{more}).")


def _fit(request: FitRequest, prepared: PreparedTable) -> FitResult:
    from polyclust import PolytopeClustering

    model = PolytopeClustering(**request.parameters)
    started = time.monotonic()
    bars = show_progress(request.quiet, request.parameters.get("time_limit"))
    with collect_warnings() as notes, _note_interrupt() as interrupts, bars:
        try:
            model.fit(prepared.complete.table)
        except ValueError as error:
            raise ValueError(speak_of_options(str(error))) from error
    seconds = time.monotonic() - started
    explanation = mark_written(model.explanation_, {c.name: c.written for c in prepared.found})
    explanation = explanation.with_fills(prepared.complete.fills)
    sql, said_of_sql = _write_sql(request, prepared, explanation)
    said = *map(speak_of_options, notes), *said_of_sql
    return FitResult(model, explanation, seconds, sql, said, bool(interrupts))


def _write_sql(request: FitRequest, prepared: PreparedTable, explanation: Explanation) -> tuple[str, list[str]]:
    """The statement and what to know about it; where there can be none, a comment in its place that says why."""
    from polyclust.render.sql import refuse_alike

    try:
        refuse_alike(explanation, [c.name for c in prepared.found], request.dialect)
        sql = explanation.to_sql(title_of(request.source), dialect=request.dialect, column=_name_column(prepared))
    except ValueError as error:
        sentence = speak_of_options(" ".join(str(error).split()))
        return f"-- There is no statement: {sentence}\n", [f"rules.sql holds no statement: {sentence}"]
    return sql.rstrip("\n") + "\n", _note_column(prepared)


def _name_column(prepared: PreparedTable) -> str:
    """What the SQL calls the column of the clusters, whatever else the table holds."""
    from polyclust.render.sql import choose_column

    return choose_column(c.name for c in prepared.found)


def _note_column(prepared: PreparedTable) -> list[str]:
    name = _name_column(prepared)
    return [] if name == "cluster" else [f"the table has a column 'cluster': the SQL calls the new one {name!r}."]


@contextmanager
def _note_interrupt() -> Iterator[list[int]]:
    """Ctrl-C reaches the search, which ends with the best so far; here it is seen too, for the exit code."""
    seen: list[int] = []
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield seen
    finally:
        signal.set_wakeup_fd(before)
        with suppress(BlockingIOError):
            seen.extend(n for n in os.read(reader, 4096) if n == signal.SIGINT)
        os.close(reader)
        os.close(writer)


def _build_files(request: FitRequest, prepared: PreparedTable, result: FitResult) -> dict[str, str]:
    """Every output of a fit by its name."""
    from polyclust.model_file import render_model

    title = title_of(request.source)
    return {
        "labels.csv": _render_labels(prepared, result),
        "report.html": _render_report(request, prepared, result),
        "rules.md": f"# Clusters of {title}\n\n{result.explanation.to_markdown()}",
        "rules.sql": result.sql,
        "model.json": render_model(result.model, result.explanation),
    }


def _render_labels(prepared: PreparedTable, result: FitResult) -> str:
    names = np.array([rule.name for rule in result.explanation.rules], dtype=object)
    clusters = pd.Series(pd.NA, index=range(prepared.n_rows), dtype="Int64")
    clusters[prepared.complete.is_kept] = result.model.labels_
    cluster_names = clusters.map(lambda k: names[int(k)] if k >= 0 else "", na_action="ignore")
    ids = np.arange(1, prepared.n_rows + 1) if prepared.ids is None else prepared.ids.to_numpy()
    columns = {head_ids(prepared.id_name): ids, "cluster": clusters, "name": cluster_names}
    return pd.DataFrame(columns).to_csv(index=False)


def _render_report(request: FitRequest, prepared: PreparedTable, result: FitResult) -> str:
    from polyclust.report import ReportSubject, render_report

    model = result.model
    scaled, metric = model._locate(prepared.complete.table)
    subject = ReportSubject(
        title=f"Clusters of {title_of(request.source)}",
        source=Path(request.source.name).name,
        table=prepared.complete.table,
        labels=np.asarray(model.labels_),
        scaled=scaled,
        explanation=result.explanation,
        score=float(model.score_),
        scores=model.scores_,
        sql=result.sql,
        python=result.explanation.to_python(),
        ids=prepared.kept_ids,
        row_numbers=prepared.kept_numbers,
        criterion=str(model.criterion),
        found=prepared.found,
        n_dropped=prepared.n_dropped,
        fills=prepared.complete.fills,
        is_number_chosen=model.n_clusters == "auto",
        settings={key: str(value) for key, value in model.get_params(deep=False).items()},
        versions=_list_versions(),
        command=request.command,
        notes=result.notes,
        date=date.today().isoformat(),
        metric=metric,
        seed=int(model.random_state or 0),
        interval=getattr(model, "score_interval_", None),
    )
    return render_report(subject)


def _list_versions() -> dict[str, str]:
    versions = {"polyclust": __version__, "Python": platform.python_version()}
    for name in SHOWN_VERSIONS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _summarise(request: FitRequest, result: FitResult) -> str:
    model = result.model
    return (
        f"{result.explanation.to_text(fit_terminal())}\n"
        f"{_say_score(model)}, found in {result.seconds:.1f} s\n"
        f"{_say_number(model)}"
        f"{_say_check(result.explanation)}\n"
        f"written to {request.output}: open {request.output / 'report.html'}"
    )


def _say_score(model: Any) -> str:
    if model.n_clusters_ == 1:
        return f"one cluster has no {model.criterion}"
    proved = ", proved best" if model.is_optimal_ else ""
    interval = getattr(model, "score_interval_", None)
    if interval is not None:
        proved = f" (estimated; 95% interval {interval[0]:.4f} to {interval[1]:.4f})"
    return f"{model.criterion} {model.score_:.4f}{proved}"


def _say_number(model: Any) -> str:
    """A line where more clusters might be better still, else nothing."""
    is_at_end = model.n_clusters == "auto" and model.n_clusters_ == model.max_clusters
    return f"K = {model.n_clusters_} {LARGEST_TRIED}\n" if is_at_end else ""


def _say_check(explanation: Explanation) -> str:
    """Whether the rules, applied to the table, give the labels."""
    rows = spell_count(sum(rule.size for rule in explanation.rules), "row")
    if explanation.fidelity == 1.0:
        return f"checked: the rules give back the cluster of all {rows}"
    return f"checked: the rules give back the cluster of {format_share(explanation.fidelity)} of {rows}"


def spell_command(arguments: list[str] | None = None) -> str:
    """The command as it was typed, to repeat it."""
    import shlex

    return shlex.join(["polyclust", *(sys.argv[1:] if arguments is None else arguments)])
