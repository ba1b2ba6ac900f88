"""``polyclust fit``: the five files agree with each other and with the table."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from polyclust import Explanation, PolytopeClustering

OUTPUTS = {"labels.csv", "report.html", "rules.md", "rules.sql", "model.json"}


def read_labels(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "labels.csv", dtype={"cluster": "Int64"})


def run_sql(sql: str, table: Path, name: str = "customers") -> list[int | None]:
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{table}', header = true)")
        return [row[-1] for row in database.execute(sql).fetchall()]


def test_five_files_and_nothing_else(fitted: Path) -> None:
    assert {p.name for p in fitted.iterdir()} == OUTPUTS
    assert [p.name for p in fitted.parent.iterdir() if p.name.startswith(".")] == []


def test_labels_carry_the_identifier_the_cluster_and_its_name(fitted: Path, customers: pd.DataFrame) -> None:
    labels = read_labels(fitted)
    assert labels.columns.tolist() == ["customer_id", "cluster", "name"]
    assert labels["customer_id"].tolist() == customers["customer_id"].tolist()
    assert labels.groupby("cluster")["name"].nunique().eq(1).all()
    sizes = labels["cluster"].value_counts().sort_index()
    assert sizes.index.tolist() == list(range(len(sizes)))
    assert sizes.is_monotonic_decreasing


def test_sql_and_model_give_the_labels(fitted: Path, customers: pd.DataFrame) -> None:
    labels = read_labels(fitted)["cluster"].tolist()
    assert run_sql((fitted / "rules.sql").read_text(), fitted.parent / "customers.csv") == labels
    data = json.loads((fitted / "model.json").read_text())
    explanation = Explanation.from_json(json.dumps(data["explanation"]))
    assert explanation.predict(customers).tolist() == labels


def test_planted_segments_are_found(fitted: Path) -> None:
    from sklearn.metrics import adjusted_rand_score

    from polyclust.demo_data import planted_segments

    found = read_labels(fitted)["cluster"].astype(int)
    assert adjusted_rand_score(planted_segments(), found) > 0.9


def test_summary_shows_kinds_rules_score_and_place(fitted: Path) -> None:
    printed = (fitted.parent / "printed.txt").read_text()
    assert "customer_id        identifier  left out" in printed
    assert "channel            category    3 values" in printed
    rules = Explanation.from_json(json.dumps(json.loads((fitted / "model.json").read_text())["explanation"]))
    for line in rules.to_text().splitlines():
        assert line in printed
    assert "silhouette 0." in printed
    assert "segments/report.html" in printed


def test_no_bars_and_no_colours_in_a_pipe(fitted: Path) -> None:
    for name in ("printed.txt", "complained.txt"):
        text = (fitted.parent / name).read_text()
        assert "\x1b" not in text
        assert "\r" not in text


def test_the_same_seed_gives_the_same_files(fitted: Path, tmp_path: Path, run) -> None:
    table = fitted.parent / "customers.csv"
    done = run("fit", table, "-o", "again", "--max-clusters", "5", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for name in ("labels.csv", "rules.md", "rules.sql", "model.json"):
        assert (tmp_path / "again" / name).read_text() == (fitted / name).read_text()


def test_rows_with_missing_values_stay_with_an_empty_cluster(tmp_path: Path, customers: pd.DataFrame, run) -> None:
    table = customers.astype({"age": "Int64"})
    table.loc[[4, 17], "age"] = pd.NA
    table.loc[9, "channel"] = None
    table.to_csv(tmp_path / "gaps.csv", index=False)
    done = run("fit", "gaps.csv", "-k", "3", cwd=tmp_path)
    assert done.returncode == 0
    assert "3 rows with missing values are left out" in done.stdout
    assert "give them a cluster all the same where the rules need no missing value" in done.stdout
    labels = read_labels(tmp_path / "gaps-clusters")
    assert labels["customer_id"].tolist() == customers["customer_id"].tolist()
    assert np.flatnonzero(labels["cluster"].isna()).tolist() == [4, 9, 17]
    assert labels["name"].isna().sum() == 3
    assert "all the same where the rules need no missing value" in (tmp_path / "gaps-clusters/report.html").read_text()


def test_the_model_file_says_how_it_was_searched(fitted: Path) -> None:
    saved = json.loads((fitted / "model.json").read_text(encoding="utf-8"))
    assert saved["search"] in ("exhaustive", "raced")
    assert PolytopeClustering.load(fitted / "model.json").search_ == saved["search"]


def test_filled_values_are_part_of_the_model_and_of_the_sql(tmp_path: Path, customers: pd.DataFrame, run) -> None:
    table = customers.astype({"average_basket": "Float64"})
    table.loc[::9, "average_basket"] = pd.NA
    table.loc[::7, "channel"] = None
    table.loc[::11, "discount_share"] = None
    table.to_csv(tmp_path / "gaps.csv", index=False)
    arguments = ("-o", "out", "-k", "4", "--missing", "category", "--terms", "2", "--coefficient", "3")
    done = run("fit", "gaps.csv", *arguments, "--force", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    labels = read_labels(tmp_path / "out")["cluster"].tolist()
    assert None not in labels
    assert run_sql((tmp_path / "out" / "rules.sql").read_text(), tmp_path / "gaps.csv", "gaps") == labels
    again = run("assign", "out/model.json", "gaps.csv", "-o", "labels.csv", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert pd.read_csv(tmp_path / "labels.csv")["cluster"].tolist() == labels
    columns = json.loads((tmp_path / "out" / "model.json").read_text())["explanation"]["columns"]
    fills = {c["name"]: c["fill"] for c in columns if c.get("fill") is not None}
    assert fills == {
        "average_basket": pytest.approx(table["average_basket"].median()),
        "channel": "missing",
        "discount_share": pytest.approx(table["discount_share"].median()),
    }


@pytest.mark.parametrize("ignored", [[], ["--ignore", "cluster"]])
def test_the_sql_of_a_table_with_a_column_named_cluster(ignored: list[str], tmp_path: Path, run) -> None:
    rows = [(i % 7 + 20 * (i % 2), i % 5) for i in range(60)]
    pd.DataFrame(rows, columns=["cluster", "size"]).assign(b=0.5).to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", "-o", "out", "-k", "2", *ignored, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the table has a column 'cluster': the SQL calls the new one 'cluster_2'" in done.stderr
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t AS SELECT * FROM read_csv('{tmp_path / 't.csv'}', header = true)")
        found = database.execute((tmp_path / "out" / "rules.sql").read_text()).df()
    assert found.columns.tolist() == ["cluster", "size", "b", "cluster_2"]
    assert found["cluster_2"].tolist() == read_labels(tmp_path / "out")["cluster"].tolist()


def test_numbers_read_from_text_are_named_wherever_the_rules_are_written(tmp_path: Path, run) -> None:
    prices = np.concatenate([np.linspace(100, 190, 20), np.linspace(4000, 4100, 20)]).round(2)
    texts = [f"{price:_.2f} €".replace(".", ",").replace("_", ".") for price in prices]
    table = pd.DataFrame({"price": texts, "weight": np.arange(40) % 3 + 0.5})
    table.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    done = run("fit", "t.csv", "-k", "2", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = "was read as a number from text such as '100,00 €': where the rules run, it must be a number."
    assert f"Column 'price' {said}" in done.stdout
    sql = (tmp_path / "out/rules.sql").read_text()
    assert sql.startswith(f"-- Column 'price' {said}\n")
    assert "was read as a number from text such as" in (tmp_path / "out/rules.md").read_text()
    assert "weight" not in sql  # which no rule reads
    again = run("assign", "out", "t.csv", cwd=tmp_path).stdout
    assert again == (tmp_path / "out/labels.csv").read_text()
    pd.DataFrame({"price": prices}).to_csv(tmp_path / "numbers.csv", index=False)
    assert run_sql(sql, tmp_path / "numbers.csv", "t") == read_labels(tmp_path / "out")["cluster"].tolist()


def test_where_no_sql_can_be_written_the_other_files_are(tmp_path: Path, run) -> None:
    """DuckDB has one column where the table has two; the one that is left out counts as well."""
    ends = np.repeat([0, 100], 20)
    table = pd.DataFrame({"Age": ends + np.arange(40) % 7, "age": ["same"] * 40})
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", "-k", "2", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = "The columns 'Age' and 'age' differ only in case and are one in the dialect 'duckdb'"
    assert f"note: rules.sql holds no statement: {said}" in done.stderr
    assert "another --sql-dialect, such as postgres" in done.stderr
    assert (tmp_path / "out/rules.sql").read_text().startswith(f"-- There is no statement: {said}")
    assert (tmp_path / "out/report.html").exists()
    assert read_labels(tmp_path / "out")["cluster"].value_counts().tolist() == [20, 20]
    done = run("fit", "t.csv", "-k", "2", "-o", "other", "--sql-dialect", "postgres", cwd=tmp_path)
    assert (tmp_path / "other/rules.sql").read_text().startswith("SELECT")


def test_the_user_overrules_what_is_found(tmp_path: Path, customers: pd.DataFrame, run) -> None:
    table = customers.assign(number=np.arange(1000, 1600), code=["007", "008", "009"] * 200)
    table.insert(0, "key", [f"{n:05d}" for n in range(len(table))])
    table.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    arguments = ["--id", "key", "--ignore", "newsletter", "--numeric", "number", "--categorical", "children"]
    arguments += ["--explain-with", "age", "--explain-with", "channel", "-k", "3"]
    done = run("fit", "-", "-o", "out", *arguments, cwd=tmp_path, stdin=(tmp_path / "t.csv").read_bytes())
    assert done.returncode == 0, done.stderr
    assert pd.read_csv(tmp_path / "out" / "labels.csv", dtype=str)["key"].tolist() == table["key"].tolist()
    explanation = json.loads((tmp_path / "out" / "model.json").read_text())["explanation"]
    kinds = {c["name"]: c["kind"] for c in explanation["columns"]}
    assert kinds["children"] == "category"
    assert kinds["number"] == "integer"
    assert not {"newsletter", "key", "customer_id"} & set(kinds)
    loaded = Explanation.from_json(json.dumps(explanation))
    used = {t.feature.column.name for r in loaded.rules for c in r.clauses for t in c.terms}
    assert used <= {"age", "channel"}


def test_force_replaces_its_own_files_and_keeps_others(fitted: Path, tmp_path: Path, run) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    (out / "labels.csv").write_text("old")
    table = fitted.parent / "customers.csv"
    refused = run("fit", table, "-o", out)
    assert refused.returncode == 1
    assert "--force" in refused.stderr
    assert (out / "labels.csv").read_text() == "old"
    done = run("fit", table, "-o", out, "-k", "2", "--force")
    assert done.returncode == 0
    assert {p.name for p in out.iterdir()} == OUTPUTS | {"notes.txt"}
    assert (out / "notes.txt").read_text() == "mine"
    assert read_labels(out)["cluster"].nunique() == 2


@pytest.mark.parametrize(
    "arguments",
    [["fit"], ["fit", "t.csv", "--nonsense"], ["fit", "t.csv", "-k", "many"], ["nothing"], ["explain"]],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], tmp_path: Path, run) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "Usage:" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["fit", "assign", "explain", "compare", "demo"])
def test_help_shows_an_example(command: str, run) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"Example: polyclust {command}" in done.stdout
