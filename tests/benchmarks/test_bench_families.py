from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.speed import families
from benchmarks.speed.__main__ import choose
from benchmarks.speed.cases import Case, make_noisy_blobs
from benchmarks.speed.child import choose_runs
from benchmarks.speed.contestants import AXIS, BEST, SPARSE
from benchmarks.speed.families import ENTRANTS, FEW, GENERAL, MANY, TERMS, THREE, name_entrant
from benchmarks.speed.family_verdict import MISSING, Standing, compare_families, judge_limit, render_families
from benchmarks.speed.figures import Figures
from benchmarks.speed.jobs import TABLES, list_batches, run_child
from benchmarks.speed.page import render_page
from benchmarks.speed.rows import Row

Scores = Mapping[str, list[float]]  # of a family or contestant, one for every table

BESTS = [0.5, 0.5, 0.6]
LEVEL, LOW = [0.0, 0.001, -0.001], [-0.02, -0.01, -0.03]
FAMILY_WORDS = "speaks for the family as the limit"


def make_rows(few: Scores, many: Scores) -> list[Row]:
    """Made up: silhouettes given as differences to k-means' best, which has another score on every table."""
    gains = {BEST: [0.0] * 3}
    gains |= {name_entrant(family, FEW): few[family] for family in TERMS}
    gains |= {name_entrant(family, MANY): many[family] for family in TERMS}
    return [
        Row("families", case.name, who, 0, "b", seconds=1.0 + n, silhouette=BESTS[n] + gain[n], k=8 + n, smallest=20,
            n_rows=1000)
        for who, gain in gains.items() for n, case in enumerate(TABLES)
    ]  # fmt: skip


def make_standings(sparse: tuple[list[float], list[float]], general: list[float] = LEVEL) -> dict[str, Standing]:
    few, many = (np.array(gains) for gains in sparse)
    low, high = np.array(LOW), np.array(general)
    return {
        AXIS: Standing(low, low),
        SPARSE: Standing(few, many),
        THREE: Standing(low, low),
        GENERAL: Standing(high, high),
    }


# --- what is run


def test_seed_of_a_case_makes_its_table() -> None:
    case = Case("blobs", 300, 4)
    tables = [replace(case, seed=seed).make().raw for seed in range(3)]
    assert (tables[0] == case.make().raw).all()
    assert (tables[2] == make_noisy_blobs(case, 2)).all()
    assert not np.isclose(tables[0], tables[1]).any()


def test_study_is_part_of_every_run_and_can_be_asked_for_alone() -> None:
    batches = choose(list_batches(3, with_races=False), "families/*")
    assert [batch.case.seed for batch in batches] == [0, 1, 2]
    assert {batch.case.n_rows for batch in batches} == {1000}
    assert len({batch.case.name for batch in batches}) == 3
    assert [batch.n_jobs for batch in batches] == [1 + 4 * 2] * 3


def test_entrants_differ_in_terms_and_starts_and_warm_up_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict] = []
    monkeypatch.setattr(families, "run_polyclust", lambda given, **settings: seen.append(settings))
    given = Case("blobs", 50).make()
    for who in ENTRANTS:
        for run in choose_runs(who, []):
            run(given)
    timed, warm = seen[::2], seen[1::2]
    assert [settings["n_init"] for settings in timed] == [10, 100] * 4
    assert [settings.get("max_terms", 1) for settings in timed] == [1, 1, 2, 2, 3, 3, None, None]
    assert warm == [{**settings, "n_init": 10} for settings in timed]


def test_entrant_runs_in_a_process_of_its_own() -> None:
    (row,) = run_child("families", Case("blobs", 200, 3, 3, max_clusters=4, seed=1), name_entrant(GENERAL, FEW))
    assert (row.study, row.contestant, row.n_rows) == ("families", "MPC general, n_init=10", 200)
    assert 0.2 < row.silhouette < 1


# --- what is said


def test_standings_are_differences_on_the_same_table() -> None:
    few, many = dict.fromkeys(TERMS, LOW), dict.fromkeys(TERMS, LOW) | {SPARSE: [-0.01, -0.03, -0.03]}
    standings = compare_families(Figures(make_rows(few, many)))
    assert standings is not None
    assert standings[SPARSE].by_starts == pytest.approx([0.01, -0.02, 0.0])
    assert standings[SPARSE].better == pytest.approx([-0.01, -0.01, -0.03])


def test_nothing_is_said_before_every_run_is_there() -> None:
    rows = make_rows(dict.fromkeys(TERMS, LOW), dict.fromkeys(TERMS, LOW))
    assert render_families(Figures(rows)) != MISSING
    for missing in (rows[0], rows[5], rows[-1]):
        assert render_families(Figures(row for row in rows if row is not missing)) == MISSING
    too_small = [replace(row, smallest=3) if row is rows[0] else row for row in rows]  # k-means' best is no yardstick
    assert render_families(Figures(too_small)) == MISSING


def test_table_and_sentences_follow_the_rows(tmp_path: Path) -> None:
    few = {AXIS: LOW, SPARSE: [-0.01, -0.01, -0.01], THREE: [-0.005] * 3, GENERAL: [0.004] * 3}
    many = few | {SPARSE: [-0.01, -0.009, -0.012], GENERAL: [0.003, 0.004, 0.005]}
    page = render_page(Figures(make_rows(few, many)), tmp_path)
    assert "## Family or search?\n" in page
    assert "3 tables of 1000 rows, each by a seed of its own: 20 features, 8 blobs, 5% noise." in page
    assert "| k-means' best | 0.5333 | – | – | 8, 9, 10 | 2.0 |" in page
    assert "| MPC-2, n_init=10 | 0.5233 | -0.0100 | – | 8, 9, 10 | 2.0 |" in page
    assert "| MPC-2, n_init=100 | 0.5230 | -0.0103 | -0.0003 (-0.0020 to +0.0010) | 8, 9, 10 | 2.0 |" in page
    assert "by +0.0000 (MPC-1), -0.0003 (MPC-2), +0.0000 (MPC-3), +0.0000 (MPC general)" in page
    assert "on a single table by -0.0020 to +0.0010." in page
    assert "by +0.0103 (MPC-1 to MPC-2), +0.0047 (MPC-2 to MPC-3), +0.0093 (MPC-3 to MPC general)." in page
    assert "MPC-2 with `n_init=10` ends 0.0100 below k-means' best, by the better of both 0.0097 below" in page
    assert "(below on all 3 tables); MPC general ends 0.0043 above." in page
    assert FAMILY_WORDS in page


@pytest.mark.parametrize(
    ("sparse", "general", "words"),
    [
        ((LEVEL, LOW), LEVEL, "no gap to explain"),
        ((LOW, LEVEL), LEVEL, "speaks for the search as the limit"),
        ((LOW, LOW), LOW, "the figures do not tell"),
        ((LOW, [-0.04, -0.01, -0.03]), LEVEL, "too much to tell"),
        ((LOW, [-0.01, -0.01, -0.03]), LEVEL, "The search has a share, since more starts close 0.0033"),
        ((LOW, [-0.02, -0.012, -0.029]), LEVEL, FAMILY_WORDS),
    ],
)
def test_verdict_follows_from_the_figures(
    sparse: tuple[list[float], list[float]], general: list[float], words: str
) -> None:
    said = judge_limit(make_standings(sparse, general))
    assert words in said
    assert (FAMILY_WORDS in said) == (words == FAMILY_WORDS)
    assert ("evidence, not proof" in said) == ("speaks for the family" in said)


def test_family_is_not_the_limit_where_it_was_seen_to_reach() -> None:
    said = judge_limit(make_standings(([-0.02, -0.001, -0.03], [-0.021, 0.0, -0.03])))
    assert "(not below on 1 of 3 tables, where the family is not the limit)" in said
