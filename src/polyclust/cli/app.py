"""The commands: their arguments, their help, and which function does the work.

Work is imported when a command runs, so that ``--help`` is quick.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from polyclust import __version__
from polyclust.cli import options
from polyclust.cli.explain_form import Form
from polyclust.cli.guard import INTERRUPTED, guard

__all__ = ["app", "main"]

app = typer.Typer(
    name="polyclust",
    help="Clusters you can read: groups of rows and, at the same time, the rules that describe them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


def main() -> None:
    """The command ``polyclust``."""
    try:
        app(prog_name="polyclust")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"polyclust {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Clusters you can read: groups of rows and, at the same time, the rules that describe them."""


@app.command(
    short_help="Find clusters in a table; write labels, rules and a report.",
    epilog="Example: polyclust fit customers.csv -o segments --clusters auto --ignore notes",
)
@guard
def fit(
    table: options.Table,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder to write; if not given, the table's name with -clusters."),
    ] = None,
    clusters: options.Clusters = "auto",
    max_clusters: options.MaxClusters = 10,
    terms: options.Terms = "1",
    coefficient: options.Coefficient = "1",
    ignore: options.Ignore = None,
    id: options.Id = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    missing: options.Missing = options.MissingRule.drop,
    explain_with: options.ExplainWith = None,
    min_size: options.MinSize = "0.02",
    max_size: options.MaxSize = None,
    units: options.UnitsOption = options.Units.round,
    scale: options.ScaleOption = options.Scale.minmax,
    distance: options.Distance = "euclidean",
    criterion: options.CriterionOption = options.Criterion.silhouette,
    outside: options.OutsideOption = options.Outside.nearest,
    seed: options.Seed = 0,
    starts: options.Starts = 10,
    jobs: options.Jobs = None,
    time_limit: options.TimeLimit = None,
    sql_dialect: options.Dialect = "duckdb",
    sep: options.Separator = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by guard
) -> int:
    """Find clusters in a table and write labels.csv, report.html, rules.md, rules.sql and model.json."""
    parameters = {
        "n_clusters": options.parse_clusters(clusters),
        "max_clusters": max_clusters,
        "max_terms": options.parse_none("--terms", terms),
        "max_coefficient": options.parse_none("--coefficient", coefficient),
        "explain_with": explain_with or None,
        "min_cluster_size": options.parse_size("--min-size", min_size),
        "max_cluster_size": None if max_size is None else options.parse_size("--max-size", max_size),
        "units": units.value,
        "scale": scale.value,
        "distance": distance,
        "criterion": criterion.value,
        "outside": outside.value,
        "random_state": seed,
        "n_init": starts,
        "n_jobs": jobs,
        "time_limit": time_limit,
    }
    from polyclust.cli.checking import check_options
    from polyclust.cli.fit import FitRequest, default_output, refuse_table_as_output, run_fit, spell_command
    from polyclust.table.kinds import Wishes
    from polyclust.table.source import open_source, refuse_unreadable

    refuse_unreadable(table)
    output = output or default_output(table)
    check_options(parameters, output, force, sql_dialect)
    refuse_table_as_output(table, output)
    source = open_source(table, separator=sep, decimal=decimal, encoding=encoding, sheet=sheet)
    return run_fit(
        FitRequest(
            source=source,
            output=output,
            wishes=Wishes(ignore or (), categorical or (), numeric or (), id),
            missing=missing.value,
            parameters=parameters,
            dialect=sql_dialect,
            command=spell_command(),
            quiet=quiet,
        )
    )


@app.command(
    short_help="Label new rows by the rules of a model.",
    epilog="Example: polyclust assign segments/model.json new_customers.csv -o new_labels.csv",
)
@guard
def assign(
    model: options.Model,
    table: options.Table,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File to write (csv); if not given, standard output."),
    ] = None,
    id: options.Id = None,
    sep: options.Separator = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by guard
) -> int:
    """Label new rows by the rules of a model. Files larger than memory are read in pieces."""
    from polyclust.cli.assign import read_model, refuse_output, run_assign
    from polyclust.table.source import open_source

    parts = read_model(model)
    refuse_output(output, table, model, model / "model.json")
    source = open_source(table, separator=sep, decimal=decimal, encoding=encoding, sheet=sheet)
    return run_assign(parts, source, output, id, quiet)


@app.command(
    short_help="Print the rules of a model as text, SQL, Python, …",
    epilog="Example: polyclust explain segments/model.json --format sql --table customers",
)
@guard
def explain(
    model: options.Model,
    form: Annotated[Form, typer.Option("--format", help="How to print the rules.")] = Form.text,
    pair: Annotated[
        tuple[int, int] | None,
        typer.Option("--pair", help="Only what tells cluster I from cluster J, as text.", metavar="I J"),
    ] = None,
    table: options.TableName = "my_table",
    sql_dialect: options.Dialect = "duckdb",
    column: Annotated[str, typer.Option("--column", help="What the SQL calls the new column.")] = "cluster",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; if not given, standard output.")
    ] = None,
    debug: options.Debug = False,  # noqa: ARG001 - read by guard
) -> int:
    """Print the rules of a model as text, Markdown, HTML, LaTeX, JSON, SQL or Python."""
    from polyclust.cli.explain import run_explain

    return run_explain(model, form, pair, options.parse_table(table), sql_dialect, column, output)


@app.command(
    short_help="Show this method beside the usual ones.",
    epilog="Example: polyclust compare customers.csv --max-clusters 8 -o comparison",
)
@guard
def compare(
    table: options.Table,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for comparison.csv, scores.csv and comparison.html."),
    ] = None,
    max_clusters: options.MaxClusters = 10,
    rows: Annotated[int, typer.Option("--rows", help="Rows to compare on, drawn at random.")] = 5_000,
    ignore: options.Ignore = None,
    id: options.Id = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    missing: options.Missing = options.MissingRule.drop,
    min_size: options.MinSize = "0.02",
    scale: options.ScaleOption = options.Scale.minmax,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    sep: options.Separator = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by guard
) -> int:
    """Show this method beside the usual ones: quality, sizes, length of the explanation, time."""
    from polyclust.cli.checking import check_options
    from polyclust.cli.compare import CompareRequest, refuse_few_rows, run_compare
    from polyclust.table.kinds import Wishes
    from polyclust.table.source import open_source, refuse_unreadable

    refuse_unreadable(table)
    refuse_few_rows(rows)
    least = options.parse_size("--min-size", min_size)
    parameters = {"max_clusters": max_clusters, "min_cluster_size": least, "random_state": seed, "n_jobs": jobs}
    check_options(parameters, output, force)
    return run_compare(
        CompareRequest(
            source=open_source(table, separator=sep, decimal=decimal, encoding=encoding, sheet=sheet),
            output=output,
            wishes=Wishes(ignore or (), categorical or (), numeric or (), id),
            missing=missing.value,
            max_clusters=max_clusters,
            most_rows=rows,
            min_size=least,
            scale=scale.value,
            seed=seed,
            jobs=jobs,
            quiet=quiet,
        )
    )


@app.command(
    short_help="Run an example, from a table to its report.",
    epilog="Example: polyclust demo -o my-demo",
)
@guard
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write.")] = Path("polyclust-demo"),
    seed: options.Seed = 0,
    force: options.Force = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by guard
) -> int:
    """Run an example on customers that ship with polyclust, from the table to the report."""
    from polyclust.cli.demo import run_demo

    return run_demo(output, seed, force, quiet)
