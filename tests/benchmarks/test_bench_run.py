"""The smoke check: the quick benchmark from the command line, its tables, and going on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import typer
from benchmarks.results import read_all
from typer.testing import CliRunner

from benchmarks import run, tables


def invoke(function: object, *arguments: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(function)  # type: ignore[type-var]
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_quick_benchmark(tmp_path: Path, data_folder: Path) -> None:
    out = str(tmp_path / "results")
    code, text = invoke(run.main, "--quick", "--out", out, "--data", str(data_folder))
    assert code == 0, text
    rows = read_all(Path(out))
    assert len(rows) == 2 * len(run.QUICK_SETS) * len(run.QUICK_METHODS)
    assert set(rows["status"]) <= {"ok", "skipped"}
    polytopes = rows[rows["method"].str.startswith("mpc")]
    assert (polytopes["fidelity"] == 1.0).all()
    assert polytopes["note"].isna().all()

    code, text = invoke(run.main, "--quick", "--out", out, "--data", str(data_folder))
    n_skipped = int((rows["status"] == "skipped").sum())  # an absent package may have been installed since
    assert text.startswith(f"{n_skipped} cells measured")

    page = tmp_path / "RESULTS.md"
    invoke(tables.main, "--results", out, "--out", str(page))
    assert "| iris | " in page.read_text(encoding="utf-8")


def test_interrupted_run_goes_on(tmp_path: Path) -> None:
    arguments = ("--sets", "wine", "--protocol", "practical", "--out", str(tmp_path), "--data", str(tmp_path))
    invoke(run.main, *arguments, "--methods", "hclust")
    before = pd.read_csv(tmp_path / "practical-hclust.csv")
    code, text = invoke(run.main, *arguments, "--methods", "hclust,dbscan")
    assert code == 0
    assert text.startswith("1 cells measured, 1 were there already")
    assert pd.read_csv(tmp_path / "practical-hclust.csv").equals(before)


def test_numbers_of_clusters_come_from_the_trees_of_the_same_run(tmp_path: Path) -> None:
    folders = ("--out", str(tmp_path), "--data", str(tmp_path))
    arguments = ("--quick", "--sets", "wine", "--protocol", "practical", *folders)
    code, text = invoke(run.main, *arguments, "--methods", "mpc-1-at-*,cart")
    assert code == 0
    assert text.startswith("2 cells measured, 0 were there already")
    rows = read_all(tmp_path).set_index("method")
    k = int(rows.loc["cart", "k"])
    assert rows.loc[f"mpc-1-at-{k}", "k"] == k
    _, text = invoke(run.main, *arguments, "--methods", "mpc-1-at-*")
    assert text.startswith("0 cells measured, 1 were there already")


def test_absent_data_end_with_one_sentence(tmp_path: Path) -> None:
    code, text = invoke(
        run.main, "--sets", "atom", "--methods", "hclust", "--out", str(tmp_path), "--data", str(tmp_path)
    )
    assert code == 1
    assert text.startswith("Error: No data for 'atom'")


def test_unknown_method_is_refused(tmp_path: Path) -> None:
    code, text = invoke(run.main, "--methods", "kmaens", "--out", str(tmp_path))
    assert code == 2
    assert "kmaens" in text


def test_failing_method_is_recorded_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ArithmeticError("no luck")

    monkeypatch.setattr(run, "run_cell", fail)
    monkeypatch.setattr(run, "warm_up", lambda method: None)
    arguments = ("--sets", "wine", "--protocol", "practical", "--out", str(tmp_path), "--data", str(tmp_path))
    code, text = invoke(run.main, *arguments, "--methods", "hclust,dbscan")
    assert code == 1
    assert "2 of them failed" in text
    rows = read_all(tmp_path)
    assert rows["note"].tolist() == ["ArithmeticError: no luck"] * 2
