"""The rules in Spark SQL, where pyspark and Java are installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


def reason_to_skip() -> str:
    """Why Spark cannot run here; empty if it can."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed"
    return "" if shutil.which("java") else "Java is not installed"


@contextmanager
def open_table(files: Path, name: str, condition: str) -> Iterator[Any]:
    """A session on this machine with some rows of the Parquet files as a table."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]").appName("warehouse")
    for option, value in OPTIONS.items():
        builder = builder.config(option, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        session.read.parquet(str(files)).where(condition).createOrReplaceTempView(name)
        yield session
    finally:
        session.stop()


def count_labels(session: Any, labelled: str) -> dict[int, int]:
    """Rows of every cluster."""
    rows = session.sql(
        f"SELECT cluster, count(*) AS size FROM ({labelled}) GROUP BY cluster ORDER BY cluster"
    ).collect()
    return {row["cluster"]: row["size"] for row in rows}


def read_slice(session: Any, labelled: str, condition: str) -> dict[int, int]:
    """The cluster of each id of the slice, by id."""
    rows = session.sql(f"SELECT id, cluster FROM ({labelled}) WHERE {condition} ORDER BY id").collect()
    return {row["id"]: row["cluster"] for row in rows}
