"""The options that commands share, each spelled once."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Criterion",
    "MissingRule",
    "Outside",
    "Scale",
    "Units",
    "parse_clusters",
    "parse_none",
    "parse_size",
    "parse_table",
]


ONE_NAME = re.compile(r'"((?:[^"]|"")+)"|([^."]+)')
QUALIFIED_NAME = re.compile(rf"(?:{ONE_NAME.pattern})(?:\.(?:{ONE_NAME.pattern})){{0,2}}")


class MissingRule(StrEnum):
    """What to do about missing values."""

    drop = "drop"
    median = "median"
    most_frequent = "most-frequent"
    category = "category"


class Units(StrEnum):
    """What one unit of a coefficient is."""

    round = "round"
    range = "range"
    none = "none"


class Scale(StrEnum):
    """How numbers are scaled for distances."""

    minmax = "minmax"
    standard = "standard"
    none = "none"


class Criterion(StrEnum):
    """What makes a clustering good."""

    silhouette = "silhouette"
    dunn = "dunn"
    calinski_harabasz = "calinski_harabasz"
    davies_bouldin = "davies_bouldin"


class Outside(StrEnum):
    """Where rows in no polytope go."""

    nearest = "nearest"
    none = "none"


def parse_clusters(text: str) -> int | str:
    """A whole number, or auto."""
    return "auto" if text == "auto" else _parse_whole("--clusters", text, "auto")


def parse_none(option: str, text: str) -> int | None:
    """A whole number, or none for no limit."""
    return None if text == "none" else _parse_whole(option, text, "none")


def parse_size(option: str, text: str) -> float:
    """Rows (5) or a share (0.02)."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError:
        wanted = "give a number of rows (5) or a share (0.02)"
        raise typer.BadParameter(f"{wanted}; got {text!r}.", param_hint=f"'{option}'") from None


def parse_table(text: str) -> tuple[str, ...]:
    """The names in customers, sales.customers or lake.sales.customers; one in double quotes keeps its dots."""
    if not QUALIFIED_NAME.fullmatch(text):
        wanted = 'give a name or schema.name, and a name that has dots or quotes in it as "a.b" or "a""b"'
        raise typer.BadParameter(f"{wanted}; got {text!r}.", param_hint="'--table'")
    return tuple(plain or quoted.replace('""', '"') for quoted, plain in ONE_NAME.findall(text))


def _parse_whole(option: str, text: str, other: str) -> int:
    try:
        return int(text)
    except ValueError:
        wanted = f'give a whole number or "{other}"'
        raise typer.BadParameter(f"{wanted}; got {text!r}.", param_hint=f"'{option}'") from None


def _check_separator(text: str | None) -> str | None:
    """One character; a tab may be written as people write it."""
    if text is None or len(text) == 1:
        return text
    if text == r"\t":
        return "\t"
    raise typer.BadParameter(rf"give one character, such as ; or \t for a tab; got {text!r}.")


def _check_decimal(text: str | None) -> str | None:
    if text in (None, ".", ","):
        return text
    raise typer.BadParameter(f"give . or , as the decimal mark; got {text!r}.")


def _check_distance(text: str) -> str:
    if text == "precomputed":
        raise typer.BadParameter("a table holds no matrix of distances; give a metric such as cityblock, or gower.")
    return text


Table = Annotated[str, typer.Argument(help="csv, tsv, parquet or Excel; - reads standard input.", metavar="TABLE")]
TableName = Annotated[
    str,
    typer.Option(
        "--table", help="Table that the SQL selects from, as customers or sales.customers.", metavar="[SCHEMA.]NAME"
    ),
]
Model = Annotated[Path, typer.Argument(help="The model.json that fit wrote.", metavar="MODEL")]

Separator = Annotated[
    str | None,
    typer.Option("--sep", help="Separator of a text table; found if not given.", callback=_check_separator),
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", help="Decimal mark: . or ,; found if not given.", callback=_check_decimal)
]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Encoding of a text table; found if not given.")]
Sheet = Annotated[str | None, typer.Option("--sheet", help="Sheet of an Excel file; the first if not given.")]

Ignore = Annotated[list[str] | None, typer.Option("--ignore", help="Leave this column out. Repeatable.", metavar="COL")]
Id = Annotated[str | None, typer.Option("--id", help="Column that names the rows.", metavar="COL")]
Categorical = Annotated[
    list[str] | None,
    typer.Option("--categorical", help="Read this column as a category. Repeatable.", metavar="COL"),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option("--numeric", help="Read this column as a number. Repeatable.", metavar="COL"),
]
Missing = Annotated[
    MissingRule,
    typer.Option(
        "--missing",
        help="Rows with missing values: drop them; or fill numbers with the median and the rest with the "
        "most frequent value (median); all with the most frequent value; or as median with a category of "
        "their own for text (category).",
    ),
]

Clusters = Annotated[
    str,
    typer.Option("--clusters", "-k", help="How many clusters, or auto: the best number.", metavar="K|auto"),
]
MaxClusters = Annotated[int, typer.Option("--max-clusters", help="Most clusters to try.")]
Terms = Annotated[
    str, typer.Option("--terms", help="Most features in one condition, or none: no limit.", metavar="N|none")
]
Coefficient = Annotated[
    str,
    typer.Option("--coefficient", help="Largest whole coefficient, or none: real coefficients.", metavar="N|none"),
]
ExplainWith = Annotated[
    list[str] | None,
    typer.Option("--explain-with", help="Rules may use this column only. Repeatable.", metavar="COL"),
]
MinSize = Annotated[
    str, typer.Option("--min-size", help="Smallest cluster: rows (5) or a share (0.02).", metavar="ROWS|SHARE")
]
MaxSize = Annotated[
    str | None, typer.Option("--max-size", help="Largest cluster: rows or a share.", metavar="ROWS|SHARE")
]
UnitsOption = Annotated[Units, typer.Option("--units", help="What one unit of a coefficient is.")]
ScaleOption = Annotated[Scale, typer.Option("--scale", help="How numbers are scaled for distances.")]
Distance = Annotated[
    str,
    typer.Option("--distance", help="A metric of scikit-learn or SciPy, or gower.", callback=_check_distance),
]
CriterionOption = Annotated[Criterion, typer.Option("--criterion", help="What makes a clustering good.")]
OutsideOption = Annotated[Outside, typer.Option("--outside", help="Where rows in no polytope go.")]
Seed = Annotated[int, typer.Option("--seed", help="Same seed, same clusters.")]
Starts = Annotated[int, typer.Option("--starts", help="Starting points; more take longer and may find better.")]
Jobs = Annotated[int | None, typer.Option("--jobs", help="Cores to use; -1: all.")]
TimeLimit = Annotated[float | None, typer.Option("--time-limit", help="Seconds after which the best so far is taken.")]
Dialect = Annotated[str, typer.Option("--sql-dialect", help="Dialect of the SQL: duckdb, postgres, bigquery, …")]

Force = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
