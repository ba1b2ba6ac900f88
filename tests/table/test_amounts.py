"""Numbers as people write them: read where all of a column can be, and never to another size."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from polyclust.cli.preparing import describe_columns, prepare_table
from polyclust.table.amounts import as_numbers, read_numbers
from polyclust.table.features import Column
from polyclust.table.kinds import Wishes, choose_columns, convert_columns, is_identifier
from polyclust.table.source import TableError, open_source
from polyclust.table.values import convert_to_column


@pytest.mark.parametrize(
    ("texts", "decimal", "numbers"),
    [
        (["$1,234.50", "$850.00", "-$3.25"], ".", [1234.5, 850.0, -3.25]),
        (["1.234,56 €", "850,00 €", "-3,25 €"], ",", [1234.56, 850.0, -3.25]),
        (["1.234,56 €", "850,00 €", "3,25 €"], ".", [1234.56, 850.0, 3.25]),  # one such column in a file of points
        (["1,234", "850", "12,500"], ".", [1234, 850, 12500]),
        (["1.234", "850", "12.500"], ",", [1234, 850, 12500]),
        (["1.234", "850.5", "?"], ".", [1.234, 850.5, None]),
        (["1,5", "2,25", "3"], ".", [1.5, 2.25, 3.0]),
        (["0,125", "2,250"], ".", [0.125, 2.25]),  # no group of thousands begins with 0
        (["12.5 %", "3 %"], ".", [12.5, 3.0]),
        (["1 234,5", "1\u202f234,5", "1'234,5"], ",", [1234.5] * 3),
        (["(300)", "200", "100-", "\u22125"], ".", [-300, 200, -100, -5]),
        (["1e-9", "2.5E3", ".5", "5."], ".", [1e-9, 2500.0, 0.5, 5.0]),
        (["EUR 5", "7 EUR"], ".", [5, 7]),
        (["0.0-", "-1.5"], ".", [0.0, -1.5]),
    ],
)
def test_numbers_are_read(texts: list[str], decimal: str, numbers: list[float | None]) -> None:
    reading = read_numbers(pd.Series(texts, dtype="string"), decimal)
    assert not reading.is_wrong.any()
    assert [None if pd.isna(v) else v for v in reading.values] == numbers
    assert "-0.0" not in [str(v) for v in reading.values]


@pytest.mark.parametrize("text", ["1,23,4", "12/5", "abc", "$5 €", "-(5)", "1.2.3", "030 123 456", "10.0.0.1", "5 kg"])
def test_other_texts_are_none(text: str) -> None:
    assert read_numbers(pd.Series([text]), ".").is_wrong.all()


@pytest.mark.parametrize(
    ("texts", "kind", "words"),
    [
        ([f"${i % 7 + 1},{i:03d}.50" for i in range(40)], "number", "written as '$1,000.50'"),
        ([f"{i % 9}%" for i in range(40)], "integer", "written as '0%'"),
        ([str(i % 9) for i in range(39)] + ["-"], "integer", "'-' read as missing"),
        (["$5", "€5"] * 20, "category", "2 values"),  # of two currencies no number can be made
        (["12.03.2024", "1.4.2023"] * 20, "date", ""),
        ([f"{i:03d} {i * 7 % 1000:03d}" for i in range(40)], "identifier", ""),
    ],
)
def test_a_column_is_a_number_if_all_its_texts_are(texts: list[str], kind: str, words: str) -> None:
    (found,) = choose_columns(pd.DataFrame({"x": texts}).convert_dtypes(), Wishes(), "t.csv", ".")
    assert found.kind == kind
    assert words in found.note


def test_a_file_of_amounts_is_fitted_and_assigned_by_the_same_numbers(tmp_path: Path) -> None:
    rows = [f"K{i};{i % 7 + 1}.{i * 37 % 1000:03d},50 €;{i % 5},5 %;{'-' if i == 3 else i % 4}" for i in range(40)]
    (tmp_path / "t.csv").write_text("Kunde;Umsatz;Rabatt;Kinder\n" + "\n".join(rows) + "\n")
    prepared = prepare_table(open_source(str(tmp_path / "t.csv")), Wishes(), "drop")
    expected = [1000 * (i % 7 + 1) + i * 37 % 1000 + 0.5 for i in range(40) if i != 3]
    assert prepared.complete.table["Umsatz"].tolist() == expected
    assert prepared.n_dropped == 1
    assert "written as '1.000,50 €'" in describe_columns(prepared)
    assert "'-' read as missing, 1 missing" in describe_columns(prepared)
    text = pd.Series(["1.234,50 €", "-", "7,00 €"])
    assert convert_to_column(text, Column("Umsatz", "number", "Umsatz"), "t", 0, ",").tolist()[::2] == [1234.5, 7.0]
    with pytest.raises(TableError, match="row 1"):
        convert_to_column(pd.Series(["much"]), Column("Umsatz", "number", "Umsatz"), "t")


def test_categories_that_are_asked_for_stay_as_they_are_written() -> None:
    table = pd.DataFrame({"grade": ["1", "2", "-", "3"] * 10}).convert_dtypes()
    found = choose_columns(table, Wishes(categorical=["grade"]), "t")
    assert set(convert_columns(table, found)["grade"]) == {"1", "2", "-", "3"}


def test_a_missing_truth_is_missing_in_both_commands() -> None:
    texts = pd.Series(["0", "1", "?"] * 5, dtype="string")
    (found,) = choose_columns(pd.DataFrame({"b": texts}), Wishes(), "t")
    assert found.kind == "boolean"
    assert convert_to_column(texts, Column("b", "boolean", "b"), "t").isna().sum() == 5


def test_numbers_stay_what_they_are() -> None:
    numbers = pd.Series([1.5, None, 3.0])
    assert as_numbers(numbers, ",") is numbers


@pytest.mark.parametrize(
    ("content", "wishes", "written"),
    [
        ("a;b\n" + "1,5;1\n2;2\n3,25;7\n" * 5, {}, {"a": "1,5", "b": ""}),
        ("a;b\n" + "1,5;1\n2;2\n3,25;7\n" * 5, {"numeric": ["a", "b"]}, {"a": "1,5", "b": ""}),
        ("a,b\n" + "$1.50,1\n$20,?\n$3.25,7\n" * 5, {}, {"a": "$1.50", "b": "?"}),
        ("a,b\n" + "$1.50,1\n$20,?\n$3.25,7\n" * 5, {"numeric": ["a", "b"]}, {"a": "$1.50", "b": "?"}),
        ("a,b\n" + "1.5,x\n20,y\n3.25,x\n" * 5, {}, {"a": "", "b": ""}),
    ],
)
def test_what_other_programs_do_not_read_as_numbers_is_remembered(
    content: str, wishes: dict[str, list[str]], written: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(content)
    prepared = prepare_table(open_source(str(tmp_path / "t.csv")), Wishes(**wishes), "drop")
    assert {c.name: c.written for c in prepared.found} == written


def test_numbers_that_a_spreadsheet_keeps_as_text_are_numbers_and_digits_may_be(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "cost": [f"{i * 7.25:.2f}" for i in range(120)],
            "pieces": [str(i * 3 % 70) for i in range(120)],
            "answer": [str(i % 5) for i in range(120)],
            "plz": [f"{i * 37 % 100:05d}" for i in range(120)],
            "order no": [str(1000 + i * 3) for i in range(120)],
        }
    )
    table.to_excel(tmp_path / "t.xlsx", index=False)
    prepared = prepare_table(open_source(str(tmp_path / "t.xlsx")), Wishes(), "drop")
    assert prepared.complete.table["cost"].tolist() == [i * 7.25 for i in range(120)]
    found = {c.name: (c.kind, c.advice) for c in prepared.found}
    assert found == {
        "cost": ("number", ""),
        "pieces": ("free text", "give --numeric pieces if these are numbers"),
        "answer": ("category", "give --numeric answer if these are numbers"),
        "plz": ("free text", ""),
        "order no": ("identifier", ""),
    }
    assert not is_identifier(table["cost"], "cost")
