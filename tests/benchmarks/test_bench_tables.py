from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import typer
from benchmarks.aims import list_aims
from benchmarks.cell import Row
from benchmarks.comparison import (
    PUBLISHED,
    Study,
    list_beaten_by_shorter_trees,
    list_shortfalls,
    tally,
    tally_paper,
)
from benchmarks.lengths import ANY_TREE, compare_lengths
from benchmarks.results import has_row, read_all, store_row
from benchmarks.tables import (
    MARKERS,
    beside_table,
    explanation_table,
    headline_table,
    length_table,
    main,
    outlier_list,
    paper_table,
    render_page,
    seconds_table,
    silhouette_table,
    write_headline,
)
from benchmarks.verdicts import (
    atom_line,
    headline_lines,
    length_verdicts,
    remark_lines,
    summary,
)


def make_row(
    data: str, method: str, silhouette: float, sizes: str, clauses: float | None = None, **more: object
) -> Row:
    found = sorted((int(s) for s in sizes.split("/")), reverse=True)
    terms = more.pop("terms", clauses)
    lengths = {} if clauses is None else {"clauses_per_cluster": clauses, "terms_per_cluster": terms, "fidelity": 1.0}
    protocol = str(more.pop("protocol", "paper"))
    measured = (silhouette, len(found), found[-1], sizes, 0.5, 2.0, 4)
    return Row(protocol, data, method, "ok", *measured, **{**lengths, **more})  # type: ignore[arg-type]


def make_study(rows: list[Row]) -> Study:
    ceilings = pd.DataFrame({"dataset": ["spam", "bank"], "protocol": "paper", "silhouette": [0.75953, 0.1871]})
    return Study(pd.DataFrame([row.as_dict() for row in rows]), pd.read_csv(PUBLISHED), ceilings)


@pytest.fixture
def rows() -> list[Row]:
    return [
        make_row("iris", "kmeans", 0.6295, "100/50"),
        make_row("iris", "icot", 0.6295, "100/50", 1.0),
        make_row("iris", "mpc-1", 0.6295, "100/50", 1.0),
        make_row("spam", "kmeans", 0.677, "4568/33"),
        make_row("spam", "icot", 0.749, "4594/7", 1.0),
        make_row("spam", "mpc-1", 0.75953, "4595/6", 1.0, is_cut=True, budget=60.0),
        make_row("bank", "icot", 0.13, "3000/1521", 2.0),
        make_row("bank", "mpc-1", 0.12, "3000/1521", 2.5),
    ]


@pytest.fixture
def study(rows: list[Row]) -> Study:
    return make_study(rows)


def test_tally_against_the_best_rival(study: Study) -> None:
    result = tally(study, "paper", "mpc-1", ["icot", "kmeans"])
    assert (result.won, result.tied, result.lost) == (("spam",), ("iris",), ("bank",))


def test_tally_against_the_paper_is_to_three_decimals(study: Study) -> None:
    result = tally_paper(study, "mpc-1")  # the paper: iris .629, bank .125, spam .760
    assert result.lost == ("bank",)
    assert set(result.won) | set(result.tied) == {"iris", "spam"}


def test_summary_names_wins_losses_and_outlier_cuts(study: Study) -> None:
    lines = summary(study).splitlines()
    assert "| paper | MPC-1 | best tree | 1: spam | 1 | 1: bank | 1: spam (6 of 4601) |" in lines
    assert "| paper | MPC-1 | best method without explanation | 1: spam | 1 | 0 | 1: spam (6 of 4601) |" in lines


def test_shortfall_and_shorter_trees(study: Study) -> None:
    assert list_shortfalls(study, "paper", "mpc-1") == pytest.approx({"spam": 0.0, "bank": 0.0671})
    assert list_beaten_by_shorter_trees(study, "paper", "mpc-1") == [("bank", "icot", pytest.approx(0.01))]


def test_marks_of_the_table(study: Study) -> None:
    lines = silhouette_table(study, "paper").splitlines()
    assert lines[0] == "| data | k-means++ | ICOT | MPC-1 | ceiling |"
    spam = next(line for line in lines if line.startswith("| spam"))
    assert spam == "| spam | 0.6770\\* | 0.7490\\* | **0.7595**\\*~ | 0.7595 |"


def test_a_cluster_as_small_as_allowed_is_an_outlier_cut() -> None:
    # 2% of 404 rows, rounded up, are 9
    study = make_study([make_row("lsun", "mpc-2", 0.5, "200/195/9"), make_row("lsun", "mpc-1", 0.4, "200/194/10")])
    assert study.is_outlier_cut("paper", "lsun", "mpc-2")
    assert not study.is_outlier_cut("paper", "lsun", "mpc-1")


@pytest.mark.parametrize(
    ("row", "mark"),
    [
        (None, "–⁶"),
        (Row("paper", "spam", "dbscan", "skipped", note="no package"), "–⁴"),
        (Row("paper", "spam", "dbscan", "failed", note="ValueError: no"), "–⁵"),
        (Row("paper", "spam", "dbscan", "none", note="no allowed solution; passed over: 4600/1", n_runs=9), "–¹"),
        (Row("paper", "spam", "dbscan", "none", note="no allowed solution; passed over: none", n_runs=9), "–²"),
        (
            Row(
                "paper", "spam", "dbscan", "none", note="no allowed solution; passed over: none", n_runs=0, is_cut=True
            ),
            "–³",
        ),
    ],
)
def test_empty_cells_give_their_reason(rows: list[Row], row: Row | None, mark: str) -> None:
    rows = [*rows, make_row("iris", "dbscan", 0.6, "100/50"), *([row] if row else [])]
    lines = silhouette_table(make_study(rows), "paper").splitlines()
    spam = next(line for line in lines if line.startswith("| spam"))
    assert f"| {mark} |" in spam


def test_headline_names_the_best_of_each_kind(study: Study) -> None:
    lines = headline_table(study, "paper").splitlines()
    assert lines[0] == "| data | best without explanation | best tree | MPC-1 | ceiling |"
    assert "| spam | 0.6770\\* k-means++ | 0.7490\\* ICOT | **0.7595**\\*~ | 0.7595 |" in lines
    assert "| bank | – | **0.1300** ICOT | 0.1200 | 0.1871 |" in lines


def test_headline_sentences_are_computed(study: Study) -> None:
    text = headline_lines(study, "paper")
    assert "**MPC-1**: 1 won, 1 tied, 1 lost (bank) against the best tree" in text
    assert "of the 1 trees that are better 0 need more clauses" in text
    assert "**Clauses per cluster**, mean of 3 sets: ICOT 1.33, MPC-1 1.50." in text


def test_lengths_are_means_over_common_sets(study: Study) -> None:
    lines = length_table(study, "paper").splitlines()
    assert lines[0].startswith("| means of 3 sets |")
    assert "| MPC-1 | 0.5030 | 2.0 | 1.50 | 1.00 | 1.000 |" in lines


def test_ours_is_longer_than_a_shorter_tree(study: Study) -> None:
    contest = compare_lengths(study, "paper", "mpc-1", "icot")
    assert contest is not None
    assert contest.no_longer == ("iris", "spam")
    assert "| MPC-1 | ICOT | 1.50 / 1.33 | 1.00 / 1.00 | 1.50 / 1.33 | 2 of 3 | no |" in length_verdicts(study, "paper")


def test_more_terms_are_longer_even_with_fewer_clauses() -> None:
    pair = [
        make_row("bank", "icot", 0.13, "3000/1521", 2.0),
        make_row("bank", "mpc-2", 0.14, "3000/1521", 1.5, terms=3),
    ]
    contest = compare_lengths(make_study(pair), "paper", "mpc-2", ANY_TREE)
    assert contest is not None
    assert contest.no_longer == ()
    assert not contest.ours.is_within(contest.theirs)


def test_best_tree_of_a_set_is_the_shorter_of_equals() -> None:
    trees = [make_row("iris", "icot", 0.6, "100/50", 3.0), make_row("iris", "cart", 0.6, "100/50", 1.0)]
    assert make_study(trees).best("paper", "iris", ["icot", "cart"]) == "cart"


def test_fidelity_is_shown_where_it_is_not_one(rows: list[Row]) -> None:
    doubtful = make_row("iris", "cart", 0.6, "100/50", 1.0, fidelity=0.9)
    lines = explanation_table(make_study([*rows, doubtful]), "paper").splitlines()
    assert "| iris | 1.0 × 1.0 | 1.0 × 1.0 (0.900) | 1.0 × 1.0 |" in lines


def test_aims_are_met_or_not_by_the_rows(study: Study) -> None:
    aims = {aim.words: aim for aim in list_aims(study)}
    paper = aims["*paper*: MPC-1 at least the paper's on every set"]
    assert (paper.measured, paper.is_met) == ("2 of 3; below: bank 0.1200 against 0.125", False)
    length = aims["*paper*: MPC-1 explains no longer than any tree, on average"]
    assert (length.measured, length.is_met) == ("longer than the best tree of each set, ICOT", False)
    exact = aims["both: the rules of polyclust give every row its own cluster (fidelity 1)"]
    assert (exact.measured, exact.is_met) == ("3 of 3 cells", True)


def test_more_starts_stand_beside_the_defaults(rows: list[Row]) -> None:
    more = replace(make_row("bank", "mpc-1-100", 0.125, "3000/1521", 2.5), seconds_total=20.0)
    lines = beside_table(make_study([*rows, more]), "paper").splitlines()
    assert "| bank | 0.1200, 2.0 s | 0.1250 (+0.0050), 20.0 s | –⁶ | –⁶ | –⁶ |" in lines
    assert "n_init=100" not in silhouette_table(make_study([*rows, more]), "paper")


def test_eleven_clusters_stand_beside_ten(rows: list[Row]) -> None:
    assert "not measured" in atom_line(make_study(rows))
    atom = [make_row("atom", "mpc-2", 0.6158, "700/100"), make_row("atom", "mpc-2-k11", 0.624, "700/60/40")]
    study = make_study([*rows, *atom])
    assert "0.6158 with K ≤ 10, 0.6240 with K ≤ 11 (K = 3). The paper prints 0.617 at K = 9." in atom_line(study)
    assert "mpc-2-k11" not in study.methods("paper")  # more clusters than allowed: no rival of anybody
    assert tally(study, "paper", "mpc-2", study.methods("paper", ("polytopes",))).lost == ()


def test_paper_value_and_difference(study: Study) -> None:
    assert "0.749 / 0.760 (-0.011)" in paper_table(study)


def test_seconds_are_summed(study: Study) -> None:
    assert "| **all** | 4.0 (2 sets) | 6.0 | 6.0 |" in seconds_table(study, "paper").splitlines()


def test_sizes_of_outlier_cuts_are_shown(study: Study) -> None:
    text = outlier_list(study, "paper")
    assert "0.7595 with sizes 4595/6 (MPC-1)" in text
    assert "iris" not in text


def test_remarks_say_what_was_stopped_and_passed_over(rows: list[Row]) -> None:
    rows.append(Row("paper", "bank", "dbscan", "none", note="no allowed solution; passed over: 4513/8", n_runs=9))
    text = remark_lines(make_study(rows))
    assert "* MPC-1, stopped after 60 s: spam (paper)\n" in text
    assert "* DBSCAN, no solution; passed over: 4513/8: bank (paper)\n" in text


def test_rows_read_from_files_without_any_note_have_no_remarks(tmp_path: Path) -> None:
    store_row(tmp_path, make_row("iris", "kmeans", 0.6, "100/50"))
    assert remark_lines(Study(read_all(tmp_path), pd.read_csv(PUBLISHED), None)) == "None.\n"


def test_page_has_its_sections(study: Study) -> None:
    page = render_page(study)
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings[0].startswith("## In short")
    for heading in (
        "Won, tied, lost",
        "What was aimed at",
        "Length of the explanations",
        "Protocol *practical*: all tables",
        "Protocol *paper*: all tables",
        "Where the paper is not reproduced",
    ):
        assert f"## {heading}" in headings


def test_page_without_rows_of_polyclust_says_so() -> None:
    assert "No row of polyclust has been measured yet" in render_page(
        make_study([make_row("iris", "kmeans", 0.6, "9/9")])
    )


def test_headline_is_renewed_between_its_markers(study: Study, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{MARKERS[0]}\nold\n{MARKERS[1]}\nafter\n", encoding="utf-8")
    assert write_headline(study, page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert headline_table(study, "practical") in text


def test_page_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("nothing to renew\n", encoding="utf-8")
    with pytest.raises(typer.Exit):
        main(results=tmp_path, data=tmp_path, out=tmp_path / "RESULTS.md", readme=page)
    assert page.read_text(encoding="utf-8") == "nothing to renew\n"


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
