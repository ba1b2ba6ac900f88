"""``polyclust assign`` and ``polyclust explain``: new rows and other forms."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from polyclust import PolytopeClustering
from polyclust.cli import assign as assign_module
from polyclust.cli.assign import Tally
from polyclust.demo_data import make_customers
from polyclust.explain.clauses import list_rule_columns
from polyclust.explain.explanation import Explanation
from polyclust.table.source import TableError, open_source


def load(fitted: Path) -> Explanation:
    return Explanation.from_json(json.dumps(json.loads((fitted / "model.json").read_text())["explanation"]))


def test_order_identifier_drift_and_rows_outside(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(800, seed=9)
    new = pd.concat([new[new["age"] > 50], new[new["age"] <= 50]], ignore_index=True).iloc[:400]
    new.to_csv(tmp_path / "new.csv", index=False)
    done = run("assign", fitted / "model.json", "new.csv", "-o", "labels.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    labels = pd.read_csv(tmp_path / "labels.csv")
    assert labels["customer_id"].tolist() == new["customer_id"].tolist()
    explanation = load(fitted)
    assert labels["cluster"].tolist() == explanation.predict(new).tolist()
    n_outside = int((~explanation.contains(new).any(axis=1)).sum())
    assert f"outside every polytope: {n_outside} row" in done.stderr
    head, first = done.stderr.splitlines()[1:3]
    assert head.endswith("share now  at fit")
    assert first.index("%") == head.index("share now") + len("share now") - 1
    assert "drift: the share of" in done.stderr
    assert "differs by more than 5 percentage points from the fit" in done.stderr


def test_few_rows_are_no_drift_and_many_are(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(600, seed=9)
    new = new.iloc[np.flatnonzero(load(fitted).predict(new) == 0)]
    for n_rows, is_drift in ((1, False), (100, True)):
        new.head(n_rows).to_csv(tmp_path / "new.csv", index=False)
        said = run("assign", fitted, "new.csv", "-o", "labels.csv", cwd=tmp_path).stderr
        assert ("  changed" in said) is is_drift
        assert ("drift: the share of clusters 0, 1, 2" in said) is is_drift


def test_rows_are_counted_in_groups_of_three_as_everywhere(fitted: Path, tmp_path: Path, run) -> None:
    pd.concat([make_customers(600, seed=9)] * 60).to_csv(tmp_path / "new.csv", index=False)
    said = run("assign", fitted, "new.csv", "-o", "labels.csv", cwd=tmp_path).stderr
    assert said.startswith("36\u202f000 rows labelled")
    assert re.search(r"  0  .* 1\d\u202f\d{3}  ", said)


def test_a_lacking_column_may_have_another_name_now(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(5, seed=9).rename(columns={"average_basket": "Average Basket "})
    new.to_csv(tmp_path / "new.csv", index=False)
    said = run("assign", fitted, "new.csv", cwd=tmp_path).stderr.strip()
    assert said.endswith(
        "lacks 1 column that the rules use ('average_basket'): add or rename it ('Average Basket ' may be "
        "'average_basket')."
    )


def test_one_row_is_one_row(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(1, seed=5).astype(object)
    new.loc[0, [c.name for c in list_rule_columns(load(fitted))]] = None
    new.to_csv(tmp_path / "new.csv", index=False)
    said = run("assign", fitted, "new.csv", "-o", "labels.csv", cwd=tmp_path).stderr
    assert said.startswith("1 row labelled, written to")
    assert "missing a value that a rule uses: 1 row, left" in said


def test_standard_input_to_standard_output(fitted: Path, run) -> None:
    new = make_customers(30, seed=5)
    content = new.drop(columns="customer_id").to_csv(index=False).encode()
    done = run("assign", fitted, "-", "--quiet", stdin=content)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "row,cluster,name"
    assert [int(line.split(",")[0]) for line in lines[1:]] == list(range(1, 31))
    assert [int(line.split(",")[1]) for line in lines[1:]] == load(fitted).predict(new).tolist()


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_chunks_give_what_the_whole_gives(
    ending: str, fitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = make_customers(500, seed=4)
    path = tmp_path / f"new.{ending}"
    if ending == "csv":
        new.to_csv(path, index=False)
    elif ending == "parquet":
        new.to_parquet(path, row_group_size=90)
    else:
        new.to_excel(path, index=False)
    monkeypatch.setattr(assign_module, "CHUNK_ROWS", 70)
    explanation = load(fitted)
    tally = Tally(np.zeros(explanation.n_clusters, dtype=np.intp))
    pieces = list(assign_module._label_chunks(explanation, open_source(str(path)), None, tally))
    assert len(pieces) >= 7
    labels = pd.concat(pieces, ignore_index=True)
    assert labels["customer_id"].tolist() == new["customer_id"].tolist()
    assert labels["cluster"].tolist() == explanation.predict(new).tolist()
    assert tally.counts.tolist() == labels["cluster"].value_counts().sort_index().tolist()


def test_missing_values_leave_the_cluster_empty_only_where_a_rule_needs_them(fitted: Path, tmp_path: Path, run) -> None:
    explanation = load(fitted)
    used = {explanation.features[f].column.name for h in explanation.hyperplanes for f in h.features}
    unused = {c.name for c in explanation.columns} - used
    new = make_customers(20, seed=6).astype(object)
    needed, spare = sorted(used)[0], sorted(unused)[0]
    new.loc[3, needed] = None
    new.loc[5, spare] = None
    new.to_csv(tmp_path / "new.csv", index=False)
    done = run("assign", fitted, "new.csv", "-o", "l.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    labels = pd.read_csv(tmp_path / "l.csv")
    assert labels["cluster"].isna().to_numpy().nonzero()[0].tolist() == [3]
    assert "missing a value that a rule uses: 1 row, left" in done.stderr


def test_the_index_of_a_parquet_file_names_the_rows(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(40, seed=6)
    new.set_index("customer_id").to_parquet(tmp_path / "new.parquet")
    done = run("assign", fitted, "new.parquet", "--id", "customer_id", "-o", "l.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert pd.read_csv(tmp_path / "l.csv")["customer_id"].tolist() == new["customer_id"].tolist()


def test_columns_that_no_rule_uses_need_not_be_there(fitted: Path, tmp_path: Path, run) -> None:
    explanation = load(fitted)
    used = {explanation.features[f].column.name for h in explanation.hyperplanes for f in h.features}
    new = make_customers(40, seed=6)
    assert len(used) < len(explanation.columns)
    new[["customer_id", *sorted(used)]].to_csv(tmp_path / "new.csv", index=False)
    done = run("assign", fitted, "new.csv", "-o", "l.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert pd.read_csv(tmp_path / "l.csv")["cluster"].tolist() == explanation.predict(new).tolist()


def test_bad_tables(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(20, seed=6)
    new.drop(columns="age").to_csv(tmp_path / "lacking.csv", index=False)
    used = {load(fitted).features[f].column for h in load(fitted).hyperplanes for f in h.features}
    number = min(c.name for c in used if c.kind in ("number", "integer"))
    wrong_rows = new.astype(object)
    wrong_rows.loc[7, number] = "old"
    wrong_rows.to_csv(tmp_path / "wrong.csv", index=False)
    lacking = run("assign", fitted, "lacking.csv", "-o", "l.csv", cwd=tmp_path)
    assert lacking.returncode == 1
    assert "lacking.csv lacks 1 column" in lacking.stderr
    assert "'age'" in lacking.stderr
    wrong = run("assign", fitted, "wrong.csv", "-o", "l.csv", cwd=tmp_path)
    assert wrong.returncode == 1
    assert f"column '{number}' of wrong.csv holds 'old' in row 8" in wrong.stderr
    assert not (tmp_path / "l.csv").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lacking.csv", "wrong.csv"]


def test_nothing_is_printed_where_a_later_piece_is_wrong(
    fitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    explanation = load(fitted)
    number = min(c.name for c in explanation.columns if c.kind == "number" and c.name in str(explanation))
    new = make_customers(60, seed=6).astype(object)
    monkeypatch.setattr(assign_module, "CHUNK_ROWS", 10)
    new.to_csv(tmp_path / "right.csv", index=False)
    new.loc[55, number] = "old"
    new.to_csv(tmp_path / "wrong.csv", index=False)
    parts = assign_module.read_model(fitted)
    with pytest.raises(TableError, match="holds 'old' in row 56"):
        assign_module.run_assign(parts, open_source(str(tmp_path / "wrong.csv")), None, None, quiet=True)
    assert capfdbinary.readouterr().out == b""
    assert assign_module.run_assign(parts, open_source(str(tmp_path / "right.csv")), None, None, quiet=True) == 0
    assert len(capfdbinary.readouterr().out.splitlines()) == 61


def test_unseen_values_are_told_once_for_all_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = pd.DataFrame({"colour": ["red", "blue"] * 30, "size": [1, 2] * 30})
    PolytopeClustering(2, explain_with=["colour"], random_state=0).fit(known).save(tmp_path / "model.json")
    new = pd.DataFrame({"colour": ["red"] * 40, "size": 1})
    new.loc[[3, 33, 34], "colour"] = ["pink", "plum", "pink"]
    new.to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.setattr(assign_module, "CHUNK_ROWS", 10)
    parts, source = assign_module.read_model(tmp_path / "model.json"), open_source(str(tmp_path / "new.csv"))
    assert assign_module.run_assign(parts, source, tmp_path / "l.csv", None, quiet=False) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if "note:" in line]
    assert notes == [
        "polyclust: note: Column 'colour' holds values not seen at fit ('pink', 'plum') in 3 rows; "
        "they are placed by their other columns."
    ]


def test_unseen_values_are_told_once(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(20, seed=6)
    new.loc[:3, "channel"] = "fax"
    new.to_csv(tmp_path / "new.csv", index=False)
    done = run("assign", fitted, "new.csv", cwd=tmp_path)
    assert done.returncode == 0
    used = {load(fitted).features[f].column.name for h in load(fitted).hyperplanes for f in h.features}
    if "channel" in used:
        assert done.stderr.count("'fax'") == 1


@pytest.mark.parametrize("form", ["text", "markdown", "html", "latex", "json", "sql", "python"])
def test_forms(form: str, fitted: Path, run) -> None:
    done = run("explain", fitted / "model.json", "--format", form)
    assert done.returncode == 0, done.stderr
    explanation = load(fitted)
    wanted = explanation.to_sql("my_table") if form == "sql" else getattr(explanation, f"to_{form}")()
    assert done.stdout.strip() == wanted.strip()


def test_the_new_column_of_the_sql_may_be_named(tmp_path: Path, run) -> None:
    table = pd.DataFrame({"cluster": [1, 2, 11, 12] * 10, "b": range(40)})
    PolytopeClustering(2, random_state=0).fit(table).save(tmp_path / "model.json")
    refused = run("explain", "model.json", "--format", "sql", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("polyclust: --column must not be 'cluster', for the table has a column of that")
    done = run("explain", "model.json", "--format", "sql", "--column", "segment", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'AS "segment"' in done.stdout


def test_the_table_of_the_sql_may_be_in_a_schema(fitted: Path, run) -> None:
    new = make_customers(30, seed=5)
    with duckdb.connect() as database:
        database.register("new_customers", new)
        database.execute('CREATE SCHEMA "sales of.2024"; CREATE SCHEMA sales')
        database.execute("CREATE TABLE sales.customers AS SELECT * FROM new_customers")
        database.execute('CREATE TABLE "sales of.2024"."my ""customers""" AS SELECT * FROM new_customers')
        for name in ("sales.customers", "memory.sales.customers", '"sales of.2024"."my ""customers"""'):
            done = run("explain", fitted, "--format", "sql", "--table", name)
            assert done.returncode == 0, done.stderr
            clusters = [row[-1] for row in database.execute(done.stdout).fetchall()]
            assert clusters == load(fitted).predict(new).tolist()


@pytest.mark.parametrize("name", ["", "a..b", ".a", "a.", 'a"b', "a.b.c.d", '""'])
def test_a_table_needs_names(name: str, fitted: Path, run) -> None:
    done = run("explain", fitted, "--format", "sql", "--table", name)
    assert done.returncode == 2
    assert "Invalid value for '--table': give a name or schema.name" in done.stderr.splitlines()[-1]


def test_pair(fitted: Path, run) -> None:
    done = run("explain", fitted / "model.json", "--pair", "1", "0")
    assert done.stdout.strip() == str(load(fitted).pairwise(1, 0))
    wrong = run("explain", fitted / "model.json", "--pair", "1", "77")
    assert wrong.returncode == 1
    assert "no cluster 77" in wrong.stderr


def test_a_tab_may_be_given_as_people_write_it(fitted: Path, tmp_path: Path, run) -> None:
    make_customers(20, seed=6).to_csv(tmp_path / "new.txt", index=False, sep="\t")
    done = run("assign", fitted, "new.txt", "--sep", r"\t", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 21


@pytest.mark.parametrize("name", ["flag", "share", "code"])
def test_categories_are_found_however_they_are_written(name: str, tmp_path: Path, run) -> None:
    """What looks like truths or numbers and is asked for as a category."""
    levels = {"flag": ["TRUE", "FALSE"], "share": ["1.50", "2.00"], "code": ["01067", "99423"]}[name]
    rows = [f"{levels[i % 2]},{20 * (i % 2) + i % 7},{i % 5}\n" for i in range(120)]
    (tmp_path / "t.csv").write_text(f"{name},a,b\n" + "".join(rows))
    fit = run("fit", "t.csv", "-o", "out", "-k", "2", "--categorical", name, "--explain-with", name, cwd=tmp_path)
    assert fit.returncode == 0, fit.stderr
    done = run("assign", "out", "t.csv", "-o", "new.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "not seen" not in done.stderr
    at_fit = pd.read_csv(tmp_path / "out" / "labels.csv")["cluster"].tolist()
    assert pd.read_csv(tmp_path / "new.csv")["cluster"].tolist() == at_fit
    assert set(at_fit) == {0, 1}


def test_a_column_that_the_model_does_not_know_is_none_of_its_business(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(20, seed=6)
    new.insert(0, "extra", ["broken", *(f"{i}.25" for i in range(1, 20))])
    new.insert(1, "paid", [f"${i},100" for i in range(1, 21)])
    new.to_csv(tmp_path / "new.csv", index=False)
    done = run("assign", fitted, "new.csv", "-o", "l.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert pd.read_csv(tmp_path / "l.csv")["customer_id"].tolist() == new["customer_id"].tolist()


def test_digits_that_are_text_may_name_rows(fitted: Path, tmp_path: Path, run) -> None:
    new = make_customers(20, seed=6).drop(columns="customer_id")
    new.insert(0, "key", [f"{i:06d}" for i in range(20)])
    new.to_parquet(tmp_path / "new.parquet")
    assert run("assign", fitted, "new.parquet", "-o", "l.csv", cwd=tmp_path).returncode == 0
    assert pd.read_csv(tmp_path / "l.csv", dtype=str)["key"].tolist() == new["key"].tolist()


def test_none_among_words_is_one_of_them(tmp_path: Path, run) -> None:
    """For the rules, for new rows and for a database; among numbers it says that there is none."""
    rows = [f"{['None', 'Some', 'Often', 'NA'][i % 4]},{i % 3 if i % 9 else 'None'},{i % 5}\n" for i in range(120)]
    (tmp_path / "t.csv").write_text("exercise,group,b\n" + "".join(rows))
    options = ("-k", "3", "--missing", "category", "--explain-with", "exercise", "--categorical", "group")
    fit = run("fit", "t.csv", "-o", "out", *options, cwd=tmp_path)
    assert "3 values: None, Some, Often, 'NA' read as missing, 30 missing" in fit.stdout
    assert "3 values: 1, 2, 0, 'None' read as missing, 14 missing" in fit.stdout
    done = run("assign", "out", "t.csv", "-o", "new.csv", cwd=tmp_path)
    assert "not seen" not in done.stderr
    at_fit = pd.read_csv(tmp_path / "out" / "labels.csv")["cluster"].tolist()
    assert pd.read_csv(tmp_path / "new.csv")["cluster"].tolist() == at_fit
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t AS SELECT * FROM read_csv(?, nullstr = 'NA')", [str(tmp_path / "t.csv")])
        found = database.execute((tmp_path / "out" / "rules.sql").read_text()).fetchall()
    assert [row[-1] for row in found] == at_fit
