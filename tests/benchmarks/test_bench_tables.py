from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from benchmarks.cell import Row
from benchmarks.comparison import (
    PUBLISHED,
    Study,
    list_beaten_by_shorter_trees,
    list_shortfalls,
    tally,
    tally_paper,
)
from benchmarks.figures import place_method, save_quality
from benchmarks.results import has_row, read_all, store_row
from benchmarks.tables import (
    headline_table,
    length_table,
    paper_table,
    render_page,
    silhouette_table,
    sizes_list,
)


def make_row(
    data: str, method: str, silhouette: float, sizes: str, clauses: float | None = None, **more: object
) -> Row:
    found = sorted((int(s) for s in sizes.split("/")), reverse=True)
    lengths = {} if clauses is None else {"clauses_per_cluster": clauses, "terms_per_cluster": clauses, "fidelity": 1.0}
    return Row("paper", data, method, "ok", silhouette, len(found), found[-1], sizes, 0.5, 2.0, 4, **lengths, **more)  # type: ignore[arg-type]


@pytest.fixture
def study() -> Study:
    rows = [
        make_row("iris", "kmeans", 0.6295, "100/50"),
        make_row("iris", "icot", 0.6295, "100/50", 1.0),
        make_row("iris", "mpc-1", 0.6295, "100/50", 1.0),
        make_row("spam", "kmeans", 0.677, "4568/33"),
        make_row("spam", "icot", 0.749, "4594/7", 1.0),
        make_row("spam", "mpc-1", 0.75953, "4595/6", 1.0, is_cut=True),
        make_row("bank", "icot", 0.13, "3000/1521", 2.0),
        make_row("bank", "mpc-1", 0.12, "3000/1521", 2.5),
    ]
    ceilings = pd.DataFrame({"dataset": ["spam", "bank"], "protocol": "paper", "silhouette": [0.75953, 0.1871]})
    return Study(pd.DataFrame([row.as_dict() for row in rows]), pd.read_csv(PUBLISHED), ceilings)


def test_tally_against_the_best_rival(study: Study) -> None:
    result = tally(study, "paper", "mpc-1", ["icot", "kmeans"])
    assert (result.won, result.tied, result.lost) == (("spam",), ("iris",), ("bank",))


def test_tally_against_the_paper_is_to_three_decimals(study: Study) -> None:
    result = tally_paper(study, "mpc-1")  # the paper: iris .629, bank .125, spam .760
    assert result.lost == ("bank",)
    assert set(result.won) | set(result.tied) == {"iris", "spam"}


def test_shortfall_and_shorter_trees(study: Study) -> None:
    assert list_shortfalls(study, "paper", "mpc-1") == pytest.approx({"spam": 0.0, "bank": 0.0671})
    assert list_beaten_by_shorter_trees(study, "paper", "mpc-1") == [("bank", "icot", pytest.approx(0.01))]


def test_marks_of_the_table(study: Study) -> None:
    lines = silhouette_table(study, "paper").splitlines()
    assert lines[0] == "| data | k-means++ | ICOT | MPC-1 | ceiling |"
    spam = next(line for line in lines if line.startswith("| spam"))
    assert spam == "| spam | 0.6770\\* | 0.7490\\* | **0.7595**\\*~ | 0.7595 |"


def test_headline_names_the_best_of_each_kind(study: Study) -> None:
    lines = headline_table(study, "paper").splitlines()
    assert lines[0] == "| data | best without explanation | best tree | MPC-1 | ceiling |"
    assert "| spam | 0.6770 (k-means++) | 0.7490 (ICOT) | 0.7595 | 0.7595 |" in lines


def test_lengths_are_means_over_common_sets(study: Study) -> None:
    lines = length_table(study, "paper").splitlines()
    assert lines[0].startswith("| 3 data sets |")
    assert "| MPC-1 | 0.5030 | 1.50 | 1.00 | 1.000 |" in lines


def test_paper_value_and_difference(study: Study) -> None:
    assert "0.749 / 0.760 (-0.011)" in paper_table(study)


def test_sizes_of_outlier_cuts_are_shown(study: Study) -> None:
    text = sizes_list(study, "paper")
    assert "spam, MPC-1: 0.7595 with sizes 4595/6" in text
    assert "iris" not in text


def test_page_has_its_sections(study: Study) -> None:
    page = render_page(study)
    for heading in (
        "Won, tied, lost",
        "Protocol *paper*",
        "Protocol *practical*",
        "Where the paper is not reproduced",
    ):
        assert f"## {heading}" in page


def test_results_are_kept_and_replaced(tmp_path: Path) -> None:
    store_row(tmp_path, make_row("iris", "kmeans", 0.5, "100/50"))
    store_row(tmp_path, make_row("wine", "kmeans", 0.3, "100/78"))
    store_row(tmp_path, make_row("iris", "kmeans", 0.6, "100/50"))
    store_row(tmp_path, Row("paper", "iris", "kauri", "skipped", note="the package gemclus is not installed"))
    rows = read_all(tmp_path)
    assert rows.query("method == 'kmeans'").set_index("data")["silhouette"].to_dict() == {
        "iris": 0.6,
        "wine": 0.3,
    }
    assert has_row(tmp_path, "paper", "iris", "kmeans")
    assert not has_row(tmp_path, "paper", "iris", "kauri")
    assert not list(tmp_path.glob("*.tmp"))


def test_methods_are_placed_by_their_gap_to_the_best_known(study: Study) -> None:
    seconds, gap, n_sets = place_method(study, "paper", "icot")
    assert seconds == pytest.approx(2.0)
    assert gap == pytest.approx((0.0 + (0.749 - 0.75953) + (0.13 - 0.1871)) / 3)
    assert n_sets == 3


def test_figure_is_drawn(study: Study, tmp_path: Path) -> None:
    save_quality(study, tmp_path)
    assert (tmp_path / "quality_seconds.png").stat().st_size > 10_000
