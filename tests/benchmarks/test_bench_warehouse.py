from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from benchmarks.speed import page
from benchmarks.warehouse import Setting, count_differing, fit_sample, generate, main, open_database, read_slice
from typer import BadParameter

from benchmarks import warehouse_spark

SMALL = Setting(rows=20_000, sample=2_000, compared=2_000)


def test_all_rows_are_labelled_as_predict_does(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    main(200_000, 5_000, 20_000, "500MB", 0, tmp_path / "work", tmp_path)
    steps = pd.read_csv(tmp_path / "results" / "warehouse.csv").set_index("step")
    assert steps.loc["label", "rows"] == 200_000
    assert steps.loc["read a slice", "rows"] == 20_000
    assert steps.loc["read a slice", "differing"] == 0
    assert steps.loc["generate", "bytes_on_disk"] > 1e6
    assert list((tmp_path / "work").iterdir()) == []  # nothing is left behind
    text = (tmp_path / "pages" / "warehouse.md").read_text(encoding="utf-8")
    assert "| DuckDB | label | 200 000 |" in text
    assert f"measured on {steps.loc['label', 'day']}, with the search of that day" in text
    assert "no rows asked for" in text


def test_rules_use_numbers_and_categories_and_a_difference_is_seen(tmp_path: Path) -> None:
    connection = open_database(tmp_path, "500MB")
    generate(connection, tmp_path / "parquet", SMALL.rows)
    assert connection.execute("SELECT count(*), count(DISTINCT id) FROM customers").fetchone() == (20_000, 20_000)
    model = fit_sample(connection, SMALL.sample)
    kinds = {term.feature.kind for rule in model.explanation_.rules for c in rule.clauses for term in c.terms}
    assert {"number", "level"} <= kinds
    labelled = model.explanation_.to_sql("customers", dialect="duckdb")
    rows = read_slice(connection, labelled, "id % 10 = 0")
    clusters = rows["cluster"].to_numpy().copy()
    assert count_differing(model, rows, clusters) == 0
    clusters[:3] = (clusters[:3] + 1) % model.n_clusters_
    assert count_differing(model, rows, clusters) == 3


def test_generated_rows_do_not_depend_on_threads(tmp_path: Path) -> None:
    sums = []
    for n_threads in (1, 2):
        connection = open_database(tmp_path, "500MB")
        connection.execute(f"SET threads = {n_threads}")
        generate(connection, tmp_path / f"parquet{n_threads}", 5_000)
        query = "SELECT sum(hash(id, age, income, visits, discount, has_app, has_complained, channel)) FROM customers"
        sums.append(connection.execute(query).fetchone())
    assert sums[0] == sums[1]


def test_too_little_disk_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="lower --rows"):
        main(10**15, folder=tmp_path, out=tmp_path)


def test_section_is_part_of_the_speed_page() -> None:
    assert "warehouse.md" in page.SECTIONS


@pytest.mark.skipif(bool(warehouse_spark.reason_to_skip()), reason="pyspark or Java is not installed")
def test_spark_labels_as_predict_does(tmp_path: Path) -> None:
    connection = open_database(tmp_path, "500MB")
    generate(connection, tmp_path / "parquet", SMALL.rows)
    model = fit_sample(connection, SMALL.sample)
    rows = read_slice(connection, model.explanation_.to_sql("customers", dialect="duckdb"), "id < 1000")
    labelled = model.explanation_.to_sql("customers", dialect="spark")
    with warehouse_spark.open_table(tmp_path / "parquet", "customers", "id < 1000") as session:
        assert sum(warehouse_spark.count_labels(session, labelled).values()) == 1000
        found = warehouse_spark.read_slice(session, labelled, "id < 1000")
    assert found == dict(zip(rows["id"], rows["cluster"], strict=True))
