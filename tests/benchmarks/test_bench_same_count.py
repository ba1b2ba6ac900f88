"""Ours with as many clusters as a tree has: which cells are run, where their rows are kept, what the page says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks.cell import Row, run_cell
from benchmarks.comparison import Study
from benchmarks.lengths import ANY_TREE, Length
from benchmarks.methods import METHODS
from benchmarks.problem import Problem
from benchmarks.results import has_row, read_all, store_row
from benchmarks.run import list_cells, pick, split_stages
from benchmarks.same_count import Match, Solution, find_match, list_matches, list_unmatched
from benchmarks.same_count_tables import same_count_lines, same_count_section, same_count_table, same_count_verdicts
from benchmarks.tables import render_page
from benchmarks.verdicts import remark_lines


def make_row(data: str, method: str, silhouette: float, k: int, clauses: float, terms: float | None = None) -> Row:
    sizes = "/".join(["20"] * k)
    lengths = {"fidelity": 1.0, "clauses_per_cluster": clauses, "terms_per_cluster": terms or clauses}
    return Row("practical", data, method, "ok", silhouette, k, 20, sizes, 0.5, 2.0, 4, **lengths)  # type: ignore[arg-type]


def make_empty_row(data: str, method: str) -> Row:
    return Row("practical", data, method, "none", n_runs=1, note="no allowed solution; passed over: 90/60")


def make_study(rows: list[Row]) -> Study:
    published = pd.DataFrame(columns=["data", "method", "silhouette", "k"])
    return Study(pd.DataFrame([row.as_dict() for row in rows]), published, None)


@pytest.fixture
def rows() -> list[Row]:
    """Two trees: on iris of 2 and 3 clusters, on wine both of 3; ours by default has 5 everywhere."""
    return [
        make_row("iris", "icot", 0.60, 2, 1.0),
        make_row("iris", "cart", 0.50, 3, 2.0),
        make_row("wine", "icot", 0.30, 3, 2.0),
        make_row("wine", "cart", 0.40, 3, 9.0),
        make_row("iris", "mpc-1", 0.70, 5, 4.0),
        make_row("wine", "mpc-1", 0.70, 5, 4.0),
        make_row("iris", "mpc-1-at-2", 0.6004, 2, 1.0),
        make_row("iris", "mpc-1-at-3", 0.54, 3, 3.0),
        make_row("wine", "mpc-1-at-3", 0.38, 3, 2.0),
    ]


def make_match(gain: float, clauses: tuple[float, float], terms: tuple[float, float] | None = None) -> Match:
    ours, theirs = (Length(*both) for both in zip(clauses, terms or clauses, strict=True))
    return Match("iris", "icot", 3, Solution(0.5 + gain, ours), Solution(0.5, theirs))


@pytest.mark.parametrize(
    ("match", "outcome", "verdict"),
    [
        (make_match(0.01, (2, 2)), "higher", "ours"),
        (make_match(0.0004, (1, 2)), "equal", "ours"),
        (make_match(0.0004, (2, 2)), "equal", "both"),
        (make_match(0.0004, (3, 2)), "equal", "theirs"),
        (make_match(-0.01, (2, 2)), "lower", "theirs"),
        (make_match(0.01, (3, 2)), "higher", "neither"),
        (make_match(-0.01, (1, 2)), "lower", "neither"),
        (make_match(0.0, (1, 2), (3, 2)), "equal", "neither"),  # fewer clauses, more terms
    ],
)
def test_verdict_needs_both_silhouette_and_length(match: Match, outcome: str, verdict: str) -> None:
    assert (match.outcome, match.verdict) == (outcome, verdict)


def test_ours_is_taken_at_the_number_of_clusters_of_each_tree(rows: list[Row]) -> None:
    study = make_study(rows)
    found = {m.data: (m.k, m.ours.silhouette) for m in list_matches(study, "practical", "mpc-1", "icot")}
    assert found == {"iris": (2, 0.6004), "wine": (3, 0.38)}
    found = {m.data: (m.k, m.ours.silhouette) for m in list_matches(study, "practical", "mpc-1", "cart")}
    assert found == {"iris": (3, 0.54), "wine": (3, 0.38)}


def test_best_tree_brings_its_own_number_of_clusters(rows: list[Row]) -> None:
    matches = list_matches(make_study(rows), "practical", "mpc-1", ANY_TREE)
    assert {m.data: (m.tree, m.k) for m in matches} == {"iris": ("icot", 2), "wine": ("cart", 3)}


def test_no_match_without_a_row_of_ours_or_of_the_tree(rows: list[Row]) -> None:
    study = make_study(rows)
    assert find_match(study, "practical", "iris", "mpc-2", "icot") is None
    assert find_match(study, "practical", "iris", "mpc-1", "kauri") is None
    assert find_match(study, "paper", "iris", "mpc-1", "icot") is None


def test_means_and_counts_of_a_line(rows: list[Row]) -> None:
    lines = same_count_verdicts(make_study(rows), "practical").splitlines()
    assert "| MPC-1 | ICOT | 2.5 | 0.4902 / 0.4500 | 1 / 1 / 0 | 1.50 / 1.50 | 1.50 / 1.50 | 2 of 2 | 1 / 0 |" in lines
    cart = (
        "| MPC-1 | CART on k-means | 3.0 | 0.4600 / 0.4500 | 1 / 0 / 1 | 2.50 / 5.50 | 2.50 / 5.50 | 1 of 2 | 0 / 0 |"
    )
    assert cart in lines
    assert len(lines) == 2 + 3  # two trees and the best of each set; nothing of MPC-2, which has no rows


def test_sentences_say_where_ours_falls_short(rows: list[Row]) -> None:
    text = same_count_lines(make_study(rows), "practical")
    assert "**MPC-1**, 4 pairs of a set and a tree" in text
    assert (
        "higher on 2, equal on 1, lower on 1 (CART on k-means 1; at most by 0.0200, wine against CART on k-means)."
        in text
    )
    assert "longer on 1: there it has +1.00 clauses and +1.00 terms per cluster and a silhouette of +0.0400" in text
    assert "ours on 1, the tree on 0; alike on 1; each is better at something on 2." in text


def test_trees_that_are_better_all_round_are_named(rows: list[Row]) -> None:
    worse = [replace(row, silhouette=0.2) if row.method == "mpc-1-at-3" else row for row in rows]
    assert "the tree on 2 (wine against ICOT, iris against CART on k-means)" in same_count_lines(
        make_study(worse), "practical"
    )
    assert "nowhere longer" in same_count_lines(make_study(rows[:1] + rows[6:7]), "practical")


def test_every_set_and_number_has_a_row(rows: list[Row]) -> None:
    two_terms = make_row("iris", "mpc-2-at-2", 0.65, 2, 1.0, 1.5)
    lines = same_count_table(make_study([*rows, two_terms]), "practical").splitlines()
    assert lines[0] == "| data | K | ICOT | CART on k-means | MPC-1 | MPC-2 |"
    assert "| iris | 2 | 0.6000, 1.0 |  | 0.6004, 1.0 | **0.6500**, 1.0 × 1.5 |" in lines
    assert "| iris | 3 |  | 0.5000, 2.0 | **0.5400**, 3.0 | –⁶ |" in lines
    assert "| wine | 3 | 0.3000, 2.0 | **0.4000**, 9.0 | 0.3800, 2.0 | –⁶ |" in lines
    assert len(lines) == 2 + 3


def test_number_that_cannot_be_had_is_said(rows: list[Row]) -> None:
    study = make_study([*rows[:-1], make_empty_row("wine", "mpc-1-at-3")])
    assert list_unmatched(study, "practical", "mpc-1") == [("wine", 3)]
    assert "| wine | 3 | 0.3000, 2.0 | **0.4000**, 9.0 | –⁷ | –⁶ |" in same_count_table(study, "practical")
    assert "MPC-1 found no clustering with the tree's number of clusters on wine (K = 3).\n" in same_count_section(
        study, "practical"
    )
    assert "* MPC-1, K = 3, no solution; passed over: 90/60: wine (practical)\n" in remark_lines(study)


def test_page_says_when_the_study_is_not_measured(rows: list[Row]) -> None:
    assert "Not measured yet" in same_count_section(make_study(rows[:6]), "practical")


def test_given_numbers_are_no_rivals_in_other_tables(rows: list[Row]) -> None:
    study = make_study(rows)
    assert study.methods("practical") == ["icot", "cart", "mpc-1"]
    page = render_page(study)
    assert "MPC-1, K = " not in page
    assert "#### *practical*, ours with the tree's number of clusters" in page


def test_cells_are_those_where_a_tree_has_the_number(tmp_path: Path, rows: list[Row]) -> None:
    methods = pick("mpc-1-at-*", tuple(METHODS), "method")
    assert len(methods) == 9
    assert list_cells(["practical"], ["iris", "wine"], methods, tmp_path) == []
    for row in rows[:6]:
        store_row(tmp_path, row)
    assert list_cells(["paper", "practical"], ["iris", "wine"], methods, tmp_path) == [
        ("practical", "iris", "mpc-1-at-2"),
        ("practical", "iris", "mpc-1-at-3"),
        ("practical", "wine", "mpc-1-at-3"),
    ]


def test_trees_are_measured_before_the_numbers_they_give() -> None:
    assert split_stages(["mpc-1-at-2", "icot", "mpc-1"]) == [["icot", "mpc-1"], ["mpc-1-at-2"]]


def test_numbers_share_a_file_and_keep_their_rows(tmp_path: Path, rows: list[Row]) -> None:
    for row in rows[4:]:
        store_row(tmp_path, row)
    store_row(tmp_path, make_row("iris", "mpc-1-at-3", 0.55, 3, 3.0))
    assert {path.name for path in tmp_path.iterdir()} == {"practical-mpc-1.csv", "practical-mpc-1-at-k.csv"}
    stored = read_all(tmp_path).query("data == 'iris'").set_index("method")["silhouette"].to_dict()
    assert stored == {"mpc-1": 0.70, "mpc-1-at-2": 0.6004, "mpc-1-at-3": 0.55}
    assert has_row(tmp_path, "practical", "iris", "mpc-1-at-3")
    assert not has_row(tmp_path, "practical", "wine", "mpc-1-at-2")


@pytest.fixture(scope="module")
def three_heaps() -> Problem:
    random = np.random.default_rng(1)
    X = np.concatenate([random.normal(loc=8 * heap, size=(20, 2)) for heap in range(3)])
    return Problem("heaps", "practical", pd.DataFrame(X, columns=["a", "b"]), X, True, 5)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_row_has_the_number_of_clusters_asked_for(k: int, three_heaps: Problem) -> None:
    row = run_cell(three_heaps, METHODS[f"mpc-1-at-{k}"])
    assert (row.status, row.k, row.method) == ("ok", k, f"mpc-1-at-{k}")
    assert row.fidelity == 1.0


def test_fewer_clusters_than_asked_for_are_no_solution(three_heaps: Problem) -> None:
    values = pd.DataFrame({"a": [0.0] * 20 + [1.0] * 20 + [2.0] * 20})  # three different rows: never four clusters
    problem = replace(three_heaps, X=values, matrix=values.to_numpy())
    row = run_cell(problem, METHODS["mpc-1-at-4"])
    assert row.status == "none"
    assert row.note == "no allowed solution; passed over: 20/20/20"
