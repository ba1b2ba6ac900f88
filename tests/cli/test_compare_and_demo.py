"""``polyclust compare`` and ``polyclust demo``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from polyclust.cli.compare import _tabulate
from polyclust.comparison import Trial
from polyclust.report.comparison import render_comparison

METHODS = [
    "k-means",
    "Ward",
    "Gaussian mixture",
    "tree on k-means",
    "polyclust, 1 term",
    "polyclust, 2 terms",
]


def test_compare_prints_one_table_and_writes_it(workplace: Path, tmp_path: Path, run) -> None:
    done = run("compare", workplace / "customers.csv", "--max-clusters", "3", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "out" / "comparison.csv")
    assert table["method"].tolist() == METHODS
    for row in table.itertuples():
        line = next(text for text in done.stdout.splitlines() if text.startswith(row.method))
        assert f"{row.score:.4f}" in line
        assert f"{row.fidelity:.1%}" in line
    shown, exact = table["score"].round(4), table[table["fidelity"] == 1]
    highest = "; ".join(table["method"][shown == shown.max()])
    shortest = "; ".join(exact["method"][exact["clauses"] == exact["clauses"].min()])
    assert f"Highest score: {highest}. Fewest clauses at full fidelity: {shortest}. " in done.stdout
    own = table[table["method"].str.startswith("polyclust")]
    assert (own["fidelity"] == 1).all()
    assert (table["smallest"] >= 1).all()
    scores = pd.read_csv(tmp_path / "out" / "scores.csv")
    assert len(scores) == len(METHODS) * 2
    best = scores.groupby("method")["score"].max()
    assert best.loc[table["method"]].tolist() == table["score"].tolist()
    page = (tmp_path / "out" / "comparison.html").read_text()
    assert page.count("<tr>") == 1 + len(METHODS)


def test_compare_stops_where_the_least_size_does(workplace: Path, tmp_path: Path, run) -> None:
    done = run(
        "compare", workplace / "customers.csv", "--min-size", "0.4", "--max-clusters", "4", "--quiet", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_demo_leaves_its_folder(tmp_path: Path, run) -> None:
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "polyclust-demo"
    assert {p.name for p in folder.iterdir()} == {
        "customers.csv",
        "labels.csv",
        "model.json",
        "new_customers.csv",
        "new_labels.csv",
        "report.html",
        "rules.md",
        "rules.sql",
    }
    assert "polyclust-demo/report.html" in done.stdout
    again = run("assign", folder, folder / "new_customers.csv", "--quiet")
    assert again.stdout == (folder / "new_labels.csv").read_text()
    refused = run("demo", cwd=tmp_path)
    assert refused.returncode == 1
    assert "--force" in refused.stderr


def test_no_command_is_cut_short_in_the_help(run) -> None:
    done = run("--help")
    assert done.returncode == 0
    listed = done.stdout.split("Commands:")[1].strip().splitlines()
    assert [line.split()[0] for line in listed] == ["fit", "assign", "explain", "compare", "demo"]
    assert not [line for line in listed if line.endswith("...")]


@pytest.mark.parametrize(
    ("fidelity", "text"), [(1.0, "100.0%"), (0.9998, "> 99.9%"), (0.9371, "93.7%"), (0.0002, "< 0.1%"), (0.0, "0.0%")]
)
def test_rules_that_err_are_not_said_to_be_right_for_all(fidelity: float, text: str) -> None:
    trial = Trial("k-means", 3, 0.5, 10, 6, fidelity, 0.01)
    assert f" {text} " in _tabulate([trial])
    page = render_comparison("Methods", [trial], [trial], "").replace("&gt;", ">").replace("&lt;", "<")
    assert f'<td class="num">{text}</td>' in page


def test_compare_does_not_speak_of_files_that_it_does_not_write(tmp_path: Path, run) -> None:
    rows = "".join(f"{i % 2 * 9 + i % 3},{i % 5}\n" for i in range(30))
    (tmp_path / "gaps.csv").write_text(f"a,b\n{rows}1,\n")
    said = run("compare", "gaps.csv", "--max-clusters", "2", cwd=tmp_path).stdout
    assert "1 row with missing values is left out" in said
    assert "SQL" not in said
