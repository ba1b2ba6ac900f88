"""What the commands say about a table before and after they cluster it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polyclust.cli.preparing import describe_columns, prepare_table
from polyclust.table.kinds import Wishes, choose_columns, convert_columns
from polyclust.table.missing import complete_table
from polyclust.table.source import TableError, open_source
from polyclust.table.unseen import UnseenLevels


def describe(content: str, folder: Path, **wishes: list[str]) -> str:
    (folder / "t.csv").write_text(content)
    return describe_columns(prepare_table(open_source(str(folder / "t.csv")), Wishes(**wishes), "drop"))


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ([10**9 + i / 100 for i in range(3)], "1000000000 to 1000000000.02"),
        ([1_018_572_614, 9_985_176_433, 5], "5 to 9985176433"),
        ([1e-9, 3.5e-9, 2e-9], "1e-09 to 3.5e-09"),
        ([8.28, 138.08, 5.5], "5.5 to 138.08"),
        ([0, 23335512.34, 9.5], "0 to 23335512"),
        ([-9e20, 2.5, 9e20], "-9e+20 to 9e+20"),
    ],
)
def test_both_ends_of_a_column_can_be_told_apart(values: list[float], note: str) -> None:
    table = pd.DataFrame({"x": values * 5}).convert_dtypes()
    assert choose_columns(table, Wishes(), "t")[0].note == note


def test_a_rare_truth_is_not_said_to_be_none() -> None:
    table = pd.DataFrame({"error": [1] + [0] * 999, "works": [False] + [True] * 999})
    assert [c.note for c in choose_columns(table, Wishes(), "t")] == ["1 in 0.1%", "true in 99.9%"]


def test_values_that_differ_in_case_or_spaces_are_told(tmp_path: Path) -> None:
    content = "sex,town,x\n" + "M,Ulm,1\nf,Bonn,2\nm,New  York,3\nF,New York,4\n" * 9
    said = describe(content, tmp_path)
    assert "4 values: M, f, m, …: 'M' and 'm' differ in case or spaces only" in said
    assert "'New  York' and 'New York' differ in case or spaces only" in said
    assert "spaces only" not in describe(content.lower().replace("  ", " "), tmp_path)


def test_values_so_far_out_that_all_others_are_alike_are_told() -> None:
    rng = np.random.default_rng(0)
    pressure, skewed = rng.uniform(20, 90, 1000).round(1), np.exp(rng.normal(0, 2, 1000))
    rare, level = np.zeros(1000), rng.integers(1, 6, 1000)
    pressure[:3], rare[:4], level[0] = 1e9, [5, 7, 900, 4], 99
    table = pd.DataFrame({"pressure": pressure, "skewed": skewed, "rare": rare, "level": level})
    advice = [c.advice for c in choose_columns(table, Wishes(), "t")]
    assert advice[0].startswith("98% of them are 20.")
    assert advice[0].endswith(", correct the others if they are mistakes")
    assert advice[1:] == ["", "", ""]


def test_all_columns_of_mixed_values_are_told_at_once() -> None:
    answers = ["refused", *["1", "2", "3"] * 9]
    table = pd.DataFrame({f"q{i}": answers for i in range(1, 8)} | {"age": [*range(28)]})
    with pytest.raises(TableError) as raised:
        choose_columns(table, Wishes(), "t.csv")
    assert str(raised.value) == (
        "column 'q1' of t.csv mixes numbers (27 rows) and other values (1, first 'refused' in row 1), and so do 'q2', "
        "'q3', 'q4', 'q5', 'q6', …: correct or empty them, or give --categorical q1 or --ignore q1."
    )


def test_a_first_line_of_values_is_told(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7}.5,{i}\n" for i in range(20))
    assert "taken for names (2.5, 7)" in describe("2.5,7\n" + rows, tmp_path)
    for names in ("0,1", "2023,2024", "a,1"):  # of a frame without names, of years, of words
        assert "taken for names" not in describe(f"{names}\n{rows}", tmp_path)


def test_codes_are_told_and_stay_as_they_are_written_if_asked_for(tmp_path: Path) -> None:
    content = "zip,month,x\n" + "".join(f"{['01067', '80331'][i % 2]},{i % 9 + 1:02d},{i % 5}\n" for i in range(30))
    said = describe(content, tmp_path)
    assert "1067 to 80331, written with leading zeros: give --categorical zip if it is a code" in said
    assert said.count("leading zeros") == 1  # a month is a number
    postal = describe(content.replace("01067", "11067").replace("zip", "PLZ"), tmp_path)
    assert "PLZ    integer     11067 to 80331: give --categorical PLZ if it is a code" in postal
    assert "2 values: 01067, 80331" in describe(content, tmp_path, categorical=["zip"])


def test_what_may_be_a_category_is_told(tmp_path: Path) -> None:
    """Codes of two values, numbers that name, texts that are often the same; after what is missing."""
    rows = [f"{i % 2 + 1 if i % 5 else 'NA'},{i % 9},town {i % 60},note {i}" for i in range(700)]
    said = describe("sex,id,town,remark\n" + "\n".join(rows), tmp_path)
    assert "1 to 2, 'NA' read as missing, 140 missing: give --categorical sex if these are codes\n" in said
    assert "left out: numbers that name something: give --categorical id to use it\n" in said
    assert "left out: 60 different values, too many for a category: give --categorical town to use it\n" in said
    assert "left out: a different text in each row\n" in said


def test_numbers_without_gaps_may_be_ranks(tmp_path: Path) -> None:
    said = describe("nr,wealth,x\n" + "\n".join(f"{i},{i * 7 % 30 + 1},{i % 4}" for i in range(30)), tmp_path)
    assert "wealth  identifier  left out: a number for each row: give --numeric wealth if it is a rank or time" in said
    few = describe(",x\n" + "\n".join(f"{i},{i}" for i in range(5)), tmp_path)
    assert "Unnamed: 0  identifier  left out: a number for each row\n  x           integer     0 to 4" in few
    assert "nr      identifier  left out: a number for each row\n" in said


def test_amounts_in_several_currencies_are_pointed_out() -> None:
    table = pd.DataFrame(
        {"price": ["$1.50", "€ 2.50", "$3.00"] * 20, "size": ["1 %", "2 %", "5 %"] * 20, "c": list("abc") * 20}
    )
    found = {c.name: c for c in choose_columns(table, Wishes(), "t")}
    assert found["price"].advice == "convert them to one currency or unit to use them as numbers"
    assert found["size"].kind == "integer"
    assert (found["size"].advice, found["c"].advice) == ("", "")


def test_advice_can_be_typed_whatever_a_column_is_called(tmp_path: Path) -> None:
    assert "give --categorical 'my sex' if" in describe("my sex\n" + "1\n2\n2\n" * 5, tmp_path)
    with pytest.raises(TableError, match=r"give --categorical 'no\. \(old\)' or --ignore 'no\. \(old\)'\.$"):
        describe("no. (old),x\n" + "".join(f"{i % 9},{i}\n" for i in range(40)) + "12a,3\n", tmp_path)
    with pytest.raises(TableError, match="give --ignore 'last visit', or --missing median"):
        describe("last visit,x\n" + ",1\n,2\n5,1\n,3\n6,2\n", tmp_path)


def test_columns_that_cost_most_rows_are_told(tmp_path: Path) -> None:
    rows = [f"{i},{'' if i % 5 else i % 4},{'' if i % 3 == 0 else i % 7},{i % 6}" for i in range(60)]
    said = describe("row,rare,often,full\n" + "\n".join(rows), tmp_path)
    assert "most are missing in rare (48), often (20): --ignore a column to keep the rows that lack only it" in said
    few = describe("often,full\n" + "\n".join(f"{'' if i % 3 == 0 else i % 7},{i % 6}" for i in range(60)), tmp_path)
    assert "most are missing" not in few


def make_longer(content: str) -> str:
    """A table with its rows four times."""
    head, *rows = content.splitlines(keepends=True)
    return head + "".join(rows) * 4


def test_a_column_without_numbers_cannot_be_one_of_numbers(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"--numeric b: the column of .* holds no number, first 'x' in row 1; turn"):
        describe(make_longer("a,b\n1,x\n2,y\n"), tmp_path, numeric=["b"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\n1,234\n2,345\n9,100\n", "1.234 to 9.1, written as '1,234': give --decimal . if the comma marks thousands"),
        ("a;b\n1.234;x\n2.345;y\n9.100;x\n", "1.234 to 9.1: give --decimal , if the point marks thousands"),
        ("a;b\n1,234;x\n2,3;y\n9,1;x\n", "1.234 to 9.1, written as '1,234'\n"),
        ("a;b\n1.234;x\n2.3;y\n9.1;x\n", "1.234 to 9.1\n"),
        ("a;b\n1.234;0,5\n2.345;1,5\n9.100;2,5\n", "1234 to 9100, written as '1.234'\n"),
        ("a;b\n1,234;x\n2,345;y\n9.5;x\n", "9.5 to 2345, written as '1,234'\n"),
        ('a,b\n"1,234",x\n"2,345",y\n"9,100",x\n', "1234 to 9100, written as '1,234'\n"),
    ],
)
def test_how_marks_in_numbers_are_read_is_told(content: str, said: str, tmp_path: Path) -> None:
    assert said in describe(make_longer(content), tmp_path) + "\n"


@pytest.mark.parametrize(
    ("content", "decimal"), [("a\n1,234\n2,345\n9,100\n", "."), ("a;b\n1.234;x\n2.345;y\n9.100;x\n", ",")]
)
def test_marks_of_thousands_are_read_as_such_where_the_decimal_mark_is_given(
    content: str, decimal: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(make_longer(content))
    prepared = prepare_table(open_source(str(tmp_path / "t.csv"), decimal=decimal), Wishes(), "drop")
    assert prepared.complete.table["a"].tolist() == [1234, 2345, 9100] * 4
    assert "give --decimal" not in describe_columns(prepared)


def test_texts_that_are_read_as_missing_are_told(tmp_path: Path) -> None:
    content = "country, answer, note\n" + "DE, 1, a\nNA, n/a, b\nPT, 3, \nNA, 2, c\nDE, 5, a\n" * 4
    said = describe(content, tmp_path)
    assert "2 values: DE, PT, 'NA' read as missing, 8 missing" in said
    assert "1 to 5, 'n/a' read as missing, 4 missing" in said
    assert "3 values: a, b, c, 4 missing" in said  # nothing stands there


def test_one_is_one(tmp_path: Path) -> None:
    pd.DataFrame({"x": [*range(9), *range(50, 59), None]}).to_parquet(tmp_path / "t.parquet")
    said = describe_columns(prepare_table(open_source(str(tmp_path / "t.parquet")), Wishes(), "drop"))
    assert "19 rows, 1 column\n" in said
    assert "1 row with missing values is left out (--missing median would fill it)" in said
    assert "values not seen at fit ('new') in 1 row;" in UnseenLevels({"x": 1}, {"x": ["new"]}).sentence


def test_notes_speak_of_options_and_of_one_row(tmp_path: Path, run) -> None:
    table = pd.DataFrame({"x": [*range(20), 900], "y": [*range(20), 800]})
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", "-k", "2", cwd=tmp_path)
    assert "No larger than --min-size allows" in done.stderr
    assert "(1 row)" in done.stderr
    assert "min_cluster_size" not in (tmp_path / "t-clusters" / "report.html").read_text().split("<table")[0]


def test_text_and_report_say_the_same(tmp_path: Path, run) -> None:
    """Clauses, percentages, missing values, and that the best number of clusters is the largest that was tried."""
    towns = ["Bonn", "Graz", "Linz", "Wien", "Ulm"]
    rows = [(towns[4 if i % 8 == 7 else i % 4], i % 4 + i % 3 / 10, i % 2) for i in range(60)] + [(None, 9.0, 0)]
    pd.DataFrame(rows, columns=["town", "x", "vip"]).to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", "t.csv", "--max-clusters", "4", "--explain-with", "town", cwd=tmp_path)
    page = (tmp_path / "t-clusters" / "report.html").read_text()
    head = page.split("<section")[0]
    assert "4 clusters, 60 rows, 6 clauses" in done.stdout
    assert "∉ {" in done.stdout
    assert "<dt>Clauses</dt><dd>6 <span>in all rules: a range is two, ∉ one per value" in head
    assert "K = 4 is the largest that was tried: a higher --max-clusters may find a better one" in done.stdout
    assert "It is the largest that was tried: a higher --max-clusters may find a better one." in page
    assert "1 in 49%" in done.stdout
    assert "15 rows, 25%" in done.stdout
    assert "· 25% ·" in page
    assert "5 values: Bonn, Graz, Linz, …, 1 missing" in done.stdout
    assert "5 values: Bonn, Graz, Linz, …, 1 missing" in page
    asked = run("fit", "t.csv", "-k", "4", "--max-clusters", "4", "-o", "asked", cwd=tmp_path)
    assert "largest that was tried" not in asked.stdout


def test_rules_fit_a_narrow_terminal(fitted: Path, command: list[str], environment: dict[str, str]) -> None:
    model = [*command, "explain", str(fitted / "model.json")]
    for columns, width in ((60, 60), (200, 88)):
        printed = read_from_terminal(model, {**environment, "COLUMNS": "", "PYTHONUTF8": "1"}, columns)
        assert {line for line in printed.split() if set(line) == {"─"}} == {"─" * width}


def read_from_terminal(command: list[str], environment: dict[str, str], columns: int) -> str:
    """What a command prints on a terminal of that many columns."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(command, stdout=terminal, env=environment) as process:
        os.close(terminal)
        printed = b""
        with contextlib.suppress(OSError):  # a terminal that nobody writes to any more
            while piece := os.read(reader, 65536):
                printed += piece
    os.close(reader)
    assert process.returncode == 0
    return printed.decode()


def test_where_all_numbers_differ_no_end_of_them_is_filled_in() -> None:
    table = pd.DataFrame({"x": [*np.linspace(1.5, 9.5, 9), None], "c": [*"bbaac", *[None] * 5]}).convert_dtypes()
    found = choose_columns(table, Wishes(), "t")
    fills = complete_table(convert_columns(table, found), found, "most-frequent", "t").fills
    assert fills == {"x": 5.5, "c": "a"}


def test_one_cluster_has_no_score(tmp_path: Path, run) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i},{i % 7}\n" for i in range(40)))
    done = run("fit", "t.csv", "-k", "1", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "one cluster has no silhouette, found in" in done.stdout
    assert "-1.0000" not in done.stdout


def test_of_a_wide_table_some_columns_are_listed_and_the_others_counted(tmp_path: Path, run) -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(30, 100)), columns=[f"gene {g}" for g in range(100)])
    table.insert(50, "sample", [f"S{row}" for row in range(30)])
    table["same"] = 1
    table.loc[3, "gene 70"] = np.nan
    table.to_csv(tmp_path / "genes.csv", index=False)
    said = run("fit", "genes.csv", "-o", "out", "--clusters", "2", cwd=tmp_path).stdout
    listed = [line for line in said.splitlines() if line.startswith("  ") and "  number" in line]
    assert [line.split("  ")[1] for line in listed] == [*(f"gene {g}" for g in range(12)), "gene 70"]
    assert "left out: a different text in each row" in said
    assert "\n  same " in said
    assert "\n  … and 87 more columns clustered (87 number)\n" in said
