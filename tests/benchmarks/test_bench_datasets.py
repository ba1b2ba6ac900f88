from __future__ import annotations

from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from benchmarks.datasets import NAMES, DataNotFoundError, find_folder, load, source, uci
from benchmarks.datasets.scaling import scale_columns
from sklearn.utils import Bunch


@pytest.mark.parametrize("name", NAMES)
def test_both_protocols(name: str, data_folder: Path) -> None:
    paper, practical = load(name, "paper", data_folder), load(name, "practical", data_folder)
    assert len(paper.matrix) == len(practical.matrix) == len(paper.X) == len(practical.X)
    assert paper.min_size == 1
    assert practical.min_size == int(np.ceil(0.02 * len(practical.matrix)))
    assert (practical.matrix.min(), practical.matrix.max()) == (0.0, 1.0)
    assert np.isfinite(paper.matrix).all()
    assert not any("label" in str(column) for column in [*paper.X.columns, *practical.X.columns])
    assert not any("leaked" in str(column) for column in practical.X.columns)


@pytest.mark.parametrize("name", ["wine", "zoo", "bank", "iris", "seeds", "libras", "spam"])
def test_paper_numbers_are_those_of_the_calibrated_copies(name: str, data_folder: Path) -> None:
    copy = scale_columns(pd.read_csv(data_folder / f"{name}.csv").drop(columns="label"))
    ours = load(name, "paper", data_folder).X
    assert sorted(ours.columns) == sorted(copy.columns)
    np.testing.assert_allclose(ours[copy.columns.tolist()], copy, atol=1e-14)


def test_framingham_is_scaled_by_all_its_rows(data_folder: Path) -> None:
    paper = load("framingham", "paper", data_folder).X["totChol"]
    raw = load("framingham", "practical", data_folder).X["totChol"]
    np.testing.assert_allclose(paper, (raw - 107) / (696 - 107), atol=1e-14)
    assert len(paper) == 3658


def test_wine_needs_no_folder(tmp_path: Path) -> None:
    assert load("wine", "practical", tmp_path).matrix.shape == (178, 13)
    assert load("wine", "paper", tmp_path).X.columns[0] == "class_leaked"


def test_absent_data_are_explained_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"No data for 'atom': .*--data or POLYCLUST_DATA\.$"):
        load("atom", "paper", tmp_path)
    with pytest.raises(DataNotFoundError, match=r"No data for 'framingham'"):
        load("framingham", "paper", tmp_path)


def test_folder_is_the_one_given_then_the_environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYCLUST_DATA", str(tmp_path))
    assert find_folder() == tmp_path
    other = tmp_path / "other"
    other.mkdir()
    assert find_folder(other) == other
    with pytest.raises(DataNotFoundError, match="does not exist"):
        find_folder(tmp_path / "nowhere")


def test_another_version_of_a_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    pd.DataFrame({"a": [1.0], "label": [1]}).to_csv(tmp_path / "full" / "iris.csv", index=False)
    with pytest.raises(DataNotFoundError, match="1 rows and 2 columns, not 150 and 5"):
        load("iris", "paper", tmp_path)


def test_fetched_tables_become_plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fetched = pd.DataFrame(
        {
            "animal": pd.Categorical(["bear", "carp"] * 50 + ["crab"]),
            **{f"f{i}": pd.Categorical(["true", "false"] * 50 + ["true"]) for i in range(15)},
            "legs": [4, 0] * 50 + [6],
            "label": pd.Categorical(["mammal", "fish"] * 50 + ["other"]),
        }
    )
    monkeypatch.setattr(uci, "fetch", lambda name, data_id: fetched)
    practical = load("zoo", "practical", tmp_path)
    assert practical.X["f0"].tolist()[:3] == [1, 0, 1]
    assert practical.matrix.shape == (101, 16)
    assert load("zoo", "paper", tmp_path).X["type_leaked"].tolist()[:2] == [0.5, 0.0]


def test_a_table_without_a_declared_class_has_it_last(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pd.DataFrame({"x1": [0.5, 0.7], "class": [1, 2]})
    monkeypatch.setattr(source, "fetch_openml", lambda **options: Bunch(data=data, target=None))
    assert source.fetch("libras", 299).columns.tolist() == ["x1", "label"]


@pytest.mark.parametrize(
    ("error", "words"),
    [(URLError("no route"), "could not be fetched"), (ValueError("deactivated"), "could not be read")],
)
def test_failed_downloads_are_explained_in_a_sentence(
    error: Exception, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(**options: object) -> None:
        raise error

    monkeypatch.setattr(source, "fetch_openml", fail)
    with pytest.raises(DataNotFoundError, match=rf"No data for 'seeds': OpenML's table 1499 {words} .*full/seeds\.csv"):
        load("seeds", "practical", tmp_path)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no data set 'irsi'"):
        load("irsi", "paper")
    with pytest.raises(ValueError, match="no protocol 'plain'"):
        load("iris", "plain")
