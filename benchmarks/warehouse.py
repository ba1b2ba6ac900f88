"""Rules as the way into a warehouse: 10⁸ rows labelled by SQL, out of core: python -m benchmarks.warehouse

DuckDB generates a table as Parquet files under a memory limit, polyclust is fitted to a sample that DuckDB draws, and
the SQL of its rules labels all rows. The labels of a slice are compared with `predict` row by row. The same rules go
through Spark where pyspark and Java are installed.
Writes results/warehouse.csv and pages/warehouse.md, which SPEED.md includes.
"""

from __future__ import annotations

import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import duckdb
import numpy as np
import pandas as pd
import typer

from benchmarks import warehouse_spark
from benchmarks.markdown import NOTHING, render_table, show_seconds
from benchmarks.memory import read_peak_bytes

FOLDER = Path(__file__).resolve().parent
TABLE = "customers"
GENERATED, LABELLED = "generate", "label"
BYTES_PER_ROW = 60  # on disk, with room for what DuckDB spills
FILE_BYTES = "256MB"
SEED = 7
N_CLUSTERS = 9  # more than the table suggests, so that rules need sums and leave gaps

# Six kinds of customers, two for each channel, which numbers tell apart. Every value follows from the row's number, so
# that neither threads nor the order of the rows matter.
GENERATE = """
COPY (
    WITH drawn AS (
        SELECT range AS id, CAST(1 + hash(range, {seed}) % 6 AS BIGINT) AS kind, {draws} FROM range({n_rows})
    )
    SELECT
        id,
        CAST([26, 61, 33, 66, 30, 58][kind] + 16 * (u1 + u2 + u3 - 1.5) AS INTEGER) AS age,
        round([21000, 74000, 69000, 26000, 30000, 81000][kind] * (0.55 + 0.3 * (u2 + u4 + u5)), 2) AS income,
        CAST([22, 4, 17, 5, 4, 19][kind] * (0.4 + u1 * u6 + u4) AS INTEGER) AS visits,
        [0.2, 0.7, 0.3, 0.75, 0.8, 0.25][kind] + 0.3 * (u3 + u5 + u6 - 1.5) AS discount,
        u7 < 0.04 AS has_complained,
        (u8 < 0.03) != (kind <= 4) AS has_app,
        ['web', 'web', 'shop', 'shop', 'phone', 'phone'][kind] AS channel
    FROM drawn
) TO '{folder}' (FORMAT parquet, FILE_SIZE_BYTES '{file_bytes}', OVERWRITE_OR_IGNORE)
"""
N_DRAWS = 8


@dataclass(frozen=True)
class Step:
    """What is stored of one step: how long, and the most memory the process had held by then."""

    engine: str
    step: str
    rows: int
    seconds: float
    peak_bytes: int
    bytes_on_disk: int = 0
    differing: int = -1
    note: str = ""
    day: str = ""


@dataclass(frozen=True)
class Setting:
    """How much, and within what."""

    rows: int
    sample: int = 50_000
    compared: int = 200_000
    memory_limit: str = "2GB"
    spark_rows: int = 10_000_000


def open_database(folder: Path, memory_limit: str) -> duckdb.DuckDBPyConnection:
    """An empty database that may hold so much in memory and spills the rest."""
    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{memory_limit}'")
    connection.execute(f"SET temp_directory = '{folder / 'spill'}'")
    connection.execute("SET preserve_insertion_order = false")
    connection.execute("SET enable_progress_bar = false")
    return connection


def generate(connection: duckdb.DuckDBPyConnection, folder: Path, n_rows: int) -> None:
    """Write the table as Parquet files and name it."""
    draw = "(hash(range, {}) % 1000003) / 1000003.0 AS u{}"
    draws = ", ".join(draw.format(SEED + 100 * i, i) for i in range(1, N_DRAWS + 1))
    folder.mkdir(parents=True, exist_ok=True)
    connection.execute(GENERATE.format(seed=SEED, n_rows=n_rows, draws=draws, folder=folder, file_bytes=FILE_BYTES))
    connection.execute(f"CREATE VIEW {TABLE} AS SELECT * FROM read_parquet('{folder}/*.parquet')")


def fit_sample(connection: duckdb.DuckDBPyConnection, n_sampled: int) -> Any:
    """The model of a sample that the database draws."""
    from polyclust import PolytopeClustering

    query = f"SELECT * EXCLUDE (id) FROM {TABLE} USING SAMPLE reservoir({n_sampled} ROWS) REPEATABLE ({SEED})"
    sample = connection.execute(query).df()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PolytopeClustering(N_CLUSTERS, max_terms=2, max_coefficient=3, random_state=0).fit(sample)


def count_labels(connection: duckdb.DuckDBPyConnection, labelled: str) -> dict[int, int]:
    """Rows of every cluster, over the whole table."""
    query = f"SELECT cluster, count(*) FROM ({labelled}) GROUP BY cluster ORDER BY cluster"
    return dict(connection.execute(query).fetchall())


def choose_slice(n_rows: int, n_compared: int) -> str:
    """A condition that about so many rows meet; values do not depend on the order of ids, so it is a random slice."""
    step = max(n_rows // n_compared, 1)
    return f"id % {step} = {SEED % step}"


def read_slice(connection: duckdb.DuckDBPyConnection, labelled: str, condition: str) -> pd.DataFrame:
    """The labelled rows of the slice, by id."""
    return connection.execute(f"SELECT * FROM ({labelled}) WHERE {condition} ORDER BY id").df()


def count_differing(model: Any, rows: pd.DataFrame, clusters: np.ndarray) -> int:
    """Rows of which the database and `predict` say different things."""
    predicted = model.predict(rows.drop(columns=["id", "cluster"]))
    return int((predicted != np.asarray(clusters)).sum())


class Clock:
    """Times steps, one after the other."""

    def __init__(self, engine: str) -> None:
        self.engine = engine

    def run(self, step: str, n_rows: int, work: Callable[[], Any]) -> tuple[Any, Step]:
        """The result of the work and what it took."""
        start = time.perf_counter()
        result = work()
        seconds, day = time.perf_counter() - start, date.today().isoformat()
        return result, Step(self.engine, step, n_rows, seconds, read_peak_bytes(), day=day)


def run_duckdb(setting: Setting, folder: Path) -> Iterator[Step]:
    """Generate, fit, label and compare; then the same rules in Spark."""
    clock, files = Clock("DuckDB"), folder / "parquet"
    connection = open_database(folder, setting.memory_limit)
    _, step = clock.run(GENERATED, setting.rows, lambda: generate(connection, files, setting.rows))
    yield replace(step, bytes_on_disk=sum(path.stat().st_size for path in files.glob("*.parquet")))
    model, step = clock.run("sample and fit", setting.sample, lambda: fit_sample(connection, setting.sample))
    yield replace(step, note=f"{model.n_clusters_} clusters")
    labelled = model.explanation_.to_sql(TABLE, dialect="duckdb")
    counts, step = clock.run(LABELLED, setting.rows, lambda: count_labels(connection, labelled))
    if sum(counts.values()) != setting.rows:
        raise RuntimeError(f"{sum(counts.values())} rows came back where {setting.rows} were written.")
    yield replace(step, note="rows per cluster: " + ", ".join(f"{n}" for n in counts.values()))
    condition = choose_slice(setting.rows, setting.compared)
    rows, step = clock.run("read a slice", 0, lambda: read_slice(connection, labelled, condition))
    yield replace(step, rows=len(rows), differing=count_differing(model, rows, rows["cluster"].to_numpy()))
    yield from run_spark(setting, model, files, rows)


def run_spark(setting: Setting, model: Any, files: Path, rows: pd.DataFrame) -> Iterator[Step]:
    """The first rows through Spark; one line that says why, where it is not installed."""
    reason = warehouse_spark.reason_to_skip() if setting.spark_rows else "no rows asked for"
    if reason:
        yield Step("Spark", "skipped", 0, 0.0, 0, note=reason)
        return
    clock, n_rows = Clock("Spark"), min(setting.spark_rows, setting.rows)
    expected = rows[rows["id"] < n_rows]
    with warehouse_spark.open_table(files, TABLE, f"id < {n_rows}") as session:
        labelled = model.explanation_.to_sql(TABLE, dialect="spark")
        counts, step = clock.run(LABELLED, n_rows, lambda: warehouse_spark.count_labels(session, labelled))
        yield replace(step, rows=sum(counts.values()), peak_bytes=0)
        condition = choose_slice(setting.rows, setting.compared)
        read = lambda: warehouse_spark.read_slice(session, labelled, condition)  # noqa: E731
        clusters, step = clock.run("read a slice", len(expected), read)
    if list(clusters) != expected["id"].tolist():
        raise RuntimeError("Spark read other rows than DuckDB.")
    differing = count_differing(model, expected, np.array(list(clusters.values())))
    yield replace(step, peak_bytes=0, differing=differing)


def render(steps: list[Step], setting: Setting) -> str:
    """The section of SPEED.md."""
    rows = [[s.engine, s.step, _space(s.rows), *_show_numbers(s), _describe(s)] for s in steps]
    limit = setting.memory_limit
    disk = max(step.bytes_on_disk for step in steps)
    return f"""## A warehouse: rules as SQL, out of core

Made by `python -m benchmarks.warehouse`; measured on {max(step.day for step in steps)}, with the search of that day. {_space(setting.rows)} generated rows ({disk / 1e9:.2f} GB of Parquet: whole numbers, floats, booleans and a category), DuckDB held to {limit} of memory. polyclust
saw {_space(setting.sample)} of them; the SQL of its rules (`explanation_.to_sql`) labels them all. To read a slice is to label all rows again and keep some; differing: rows
of it where the database and `predict` do not agree.

{render_table(["engine", "step", "rows", "seconds", "rows per second", "peak memory, MB", ""], rows)}"""  # noqa: E501


def _space(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _show_numbers(step: Step) -> list[str]:
    is_whole = step.step in (GENERATED, LABELLED)
    speed = f"{step.rows / step.seconds / 1e6:.2f} million" if is_whole else NOTHING
    peak = f"{step.peak_bytes / 1e6:.0f}" if step.peak_bytes else NOTHING
    return [show_seconds(step.seconds) if step.seconds else NOTHING, speed, peak]


def _describe(step: Step) -> str:
    words = [step.note] if step.note else []
    if step.differing >= 0:
        words.append(f"{step.differing} differing")
    return "; ".join(words)


def check_disk(folder: Path, n_rows: int) -> None:
    """Refuse before hours are spent."""
    free, needed = shutil.disk_usage(folder).free, BYTES_PER_ROW * n_rows
    if free < needed:
        message = (
            f"{n_rows} rows need {needed / 1e9:.0f} GB in {folder}, which has {free / 1e9:.0f} GB free; lower --rows."
        )
        raise typer.BadParameter(message)


def measure(setting: Setting, folder: Path | None = None) -> list[Step]:
    """All steps; the files are deleted at the end, also after a failure."""
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        check_disk(Path(temporary), setting.rows)
        steps = []
        for step in run_duckdb(setting, Path(temporary)):
            typer.echo(f"{step.engine}: {step.step}, {show_seconds(step.seconds)} s {_describe(step)}", err=True)
            steps.append(step)
        return steps


def main(
    rows: Annotated[int, typer.Option(min=1000, help="rows to generate")] = 10**8,
    sample: Annotated[int, typer.Option(min=100, help="rows to fit on")] = 50_000,
    compared: Annotated[int, typer.Option(min=100, help="rows to compare with predict")] = 200_000,
    memory_limit: Annotated[str, typer.Option(help="of DuckDB")] = "2GB",
    spark_rows: Annotated[int, typer.Option(min=0, help="rows to label through Spark; 0: none")] = 10_000_000,
    folder: Annotated[Path | None, typer.Option(help="where the files go for the time of the run")] = None,
    out: Annotated[Path, typer.Option(help="folder of results/ and pages/")] = FOLDER,
) -> None:
    """Generate, fit, label, compare, and write the section."""
    setting = Setting(rows, min(sample, rows), min(compared, rows), memory_limit, spark_rows)
    steps = measure(setting, folder)
    for name in ("results", "pages"):
        (out / name).mkdir(parents=True, exist_ok=True)
    pd.DataFrame([asdict(step) for step in steps]).to_csv(out / "results" / "warehouse.csv", index=False)
    (out / "pages" / "warehouse.md").write_text(render(steps, setting), encoding="utf-8")
    if any(step.differing > 0 for step in steps):
        typer.echo("Error: a database and predict do not agree; see the column differing.", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
