"""Tables from files: format, separator, decimal mark and encoding found; kinds of columns found."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polyclust.demo_data import make_customers
from polyclust.table.kinds import Wishes, choose_columns, convert_columns
from polyclust.table.missing import complete_table
from polyclust.table.read import iterate_chunks, read_table
from polyclust.table.read_text import find_decimal_mark, read_as_text
from polyclust.table.source import TableError, open_source


@pytest.fixture
def customers() -> pd.DataFrame:
    """Customers with an umlaut, a missing number, a missing truth and a missing text."""
    table = make_customers(60, seed=1).astype({"age": "Int64", "uses_app": "boolean"})
    table["channel"] = table["channel"].replace({"store": "Geschäft"})
    table.loc[2, "age"] = pd.NA
    table.loc[3, "uses_app"] = pd.NA
    table.loc[4, "channel"] = None
    return table


WRITERS = {
    "comma.csv": lambda t, p: t.to_csv(p, index=False),
    "semicolon.csv": lambda t, p: t.to_csv(p, index=False, sep=";", decimal=","),
    "pipe.txt": lambda t, p: t.to_csv(p, index=False, sep="|"),
    "tab.tsv": lambda t, p: t.to_csv(p, index=False, sep="\t", decimal=","),
    "windows.csv": lambda t, p: t.to_csv(p, index=False, sep=";", encoding="cp1252"),
    "mark.csv": lambda t, p: t.to_csv(p, index=False, encoding="utf-8-sig"),
    "wide.csv": lambda t, p: t.to_csv(p, index=False, encoding="utf-16"),
    "table.parquet": lambda t, p: t.to_parquet(p),
    "table.xlsx": lambda t, p: t.to_excel(p, index=False),
    "ending-that-lies.csv": lambda t, p: t.to_parquet(p),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_table(name: str, customers: pd.DataFrame, tmp_path: Path) -> None:
    WRITERS[name](customers, tmp_path / name)
    source = open_source(str(tmp_path / name))
    table = read_table(source)
    found = choose_columns(table, Wishes(), name)
    kinds = {c.name: c.kind for c in found}
    assert kinds == {
        "customer_id": "identifier",
        "age": "integer",
        "children": "integer",
        "years_as_customer": "number",
        "orders_per_year": "integer",
        "average_basket": "number",
        "discount_share": "number",
        "uses_app": "boolean",
        "newsletter": "boolean",
        "loyalty_card": "boolean",
        "channel": "category",
    }
    complete = complete_table(convert_columns(table, found), found, "drop", name)
    assert np.flatnonzero(~complete.is_kept).tolist() == [2, 3, 4]
    expected = customers[complete.is_kept].reset_index(drop=True)
    for column in complete.table:
        assert complete.table[column].tolist() == expected[column].tolist(), column
    assert complete.table["age"].dtype == np.int64
    assert complete.table["uses_app"].dtype == bool
    rows = pd.concat(list(iterate_chunks(source, 17)), ignore_index=True)
    assert rows["customer_id"].tolist() == customers["customer_id"].tolist()


def test_decimals_are_read_to_the_nearest_float(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random(2000) * 10.0 ** np.arange(-10, 10).repeat(100)
    pd.DataFrame({"x": values, "y": values[::-1]}).to_csv(tmp_path / "t.csv", index=False)
    assert (read_table(open_source(str(tmp_path / "t.csv")))["x"].to_numpy(dtype=float) == values).all()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a\n1.5\n2\n3\n", [1.5, 2, 3]),
        ("a\r\n1,5\r\n2\r\n3,25\r\n", [1.5, 2, 3.25]),
        ('"a"\n"1,5"\n"2"\n', [1.5, 2]),
        ("a\n1.234,56 €\n2,00 €\n", [1234.56, 2]),
        ("a\n1,234\n850\n1,234,567\n", [1234, 850, 1234567]),
        ("a\n1,5\n?\n3\n", [1.5, None, 3]),
        ('a\n1\n""\n3\n', [1, None, 3]),
        ('a\nx\n"p,q"\nx\n', ["x", "p,q", "x"]),
    ],
)
def test_a_text_table_may_have_one_column(text: str, values: list[object], tmp_path: Path) -> None:
    """A comma in lines under a header without one belongs to the numbers."""
    (tmp_path / "t.csv").write_text(text, newline="")
    source = open_source(str(tmp_path / "t.csv"))
    table = read_table(source)
    (found,) = choose_columns(table, Wishes(), "t.csv", decimal := find_decimal_mark(source))
    read = convert_columns(table, [found], decimal)["a"]
    assert [None if pd.isna(v) else v for v in read] == values


def test_one_column_with_spaces_is_read_where_the_separator_is_given(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("full name\nAnna Rot\nBert Blau\n")
    with pytest.raises(TableError, match="--sep"):
        read_table(open_source(str(tmp_path / "t.csv")))
    table = read_table(open_source(str(tmp_path / "t.csv"), separator=";"))
    assert table["full name"].tolist() == ["Anna Rot", "Bert Blau"]


def test_identifiers_keep_their_zeros(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,x\n" + "".join(f"{i:04d},{i % 3}\n" for i in range(20)))
    source = open_source(str(tmp_path / "t.csv"))
    assert read_as_text(source, "id").tolist() == [f"{i:04d}" for i in range(20)]


@pytest.mark.parametrize("text", ["self, x\nyes, a\nno, b\n", "self,x\nyes,a\n,b\n"])
def test_columns_may_have_any_name(text: str, tmp_path: Path) -> None:
    """Also where texts are trimmed, or looked at again for what is missing."""
    (tmp_path / "t.csv").write_text(text)
    table = read_table(open_source(str(tmp_path / "t.csv")))
    assert table.columns.tolist() == ["self", "x"]
    assert (table["self"].iloc[0], table["x"].tolist()) == ("yes", ["a", "b"])


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_none_is_a_word_among_words_only(ending: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"a": ["None", "Some", "NA"], "b": [1, "None", 2], "c": [True, False, "None"]}, dtype=object)
    path = tmp_path / f"t.{ending}"
    table.to_csv(path, index=False) if ending == "csv" else table.to_excel(path, index=False)
    read = read_table(open_source(str(path)))
    assert read["a"].fillna("gap").tolist() == ["None", "Some", "gap"]
    assert read["b"].isna().tolist() == [False, True, False]
    assert read["c"].isna().tolist() == [False, False, True]
    assert (str(read["b"].dtype), str(read["c"].dtype)) == ("Int64", "boolean")


N = 40


@pytest.mark.parametrize(
    ("values", "name", "kind"),
    [
        ([f"u-{i}" for i in range(N)], "who", "identifier"),
        (list(range(100, 100 + N)), "anything", "identifier"),
        ([i * 7919 % 100_003 for i in range(N)], "customer_id", "identifier"),
        ([i * 7919 % 100_003 for i in range(N)], "income", "integer"),
        ([i % 11 for i in range(N)], "id", "identifier"),  # of a person with several rows
        ([i % 11 for i in range(N)], "firmID", "identifier"),
        ([i % 11 for i in range(N)], "familyid", "identifier"),
        ([i % 11 for i in range(N)], "Subject", "identifier"),
        ([i % 11 for i in range(N)], "beds_per_patient", "integer"),
        ([i % 11 for i in range(N)], "acid", "integer"),
        ([i % 11 for i in range(N)], "number", "integer"),  # how many, not which
        ([i * 7919 % 100_003 for i in range(N)], "PID", "identifier"),
        ([2**60 + i % 3 for i in range(N)], "big", "identifier"),
        ([493_012_345_678 + i * 7919 % 100_003 for i in range(N - 1)] + [493_012_345_678], "Telefon", "identifier"),
        ([1_000_000 + i * 7919 % 100_003 for i in range(N)], "work_tel", "identifier"),
        ([1_000_000 + i * 7919 % 100_003 for i in range(N)], "hotel", "integer"),
        ([i * 7919 % 100_003 % 97 for i in range(N)], "mobile", "integer"),  # how many, not which
        ([200_000 + i % 5 for i in range(N)], "fax", "integer"),
        (["2024-01-02", "2024-03-04"] * (N // 2), "day", "date"),
        (["1.2.2024", "14.11.2023"] * (N // 2), "day", "date"),
        (["2024-01-02 10:11:12", "2024-03-04 00:00:00"] * (N // 2), "moment", "date"),
        ([20240101 + i % 28 + i % 12 * 100 for i in range(N)], "booked", "date"),
        ([20_240_101 + i * 7 % 97 for i in range(N)], "visitors", "integer"),
        ([20240131, 20240228] * (N // 2), "population", "integer"),
        ([f"{i % 24:02d}:{i:02d}" for i in range(N)], "start", "date"),
        ([f"{i % 12 + 1}:{i:02d}:00 PM" for i in range(N)], "start", "date"),
        (["08:00", "12:30"] * (N // 2), "opens", "category"),
        (["same"] * N, "c", "constant"),
        ([None] * N, "nothing", "constant"),
        ([0, 1] * (N // 2), "flag", "boolean"),
        ([True, False] * (N // 2), "flag", "boolean"),
        ([0.5, 1.25] * (N // 2), "x", "number"),
        (["red", "blue"] * (N // 2), "colour", "category"),
        (["yes", "no"] * (N // 2), "answer", "category"),
        ([f"the {i} quick brown foxes jumped" for i in range(N)], "remark", "free text"),
        ([f"town {i // 2}" for i in range(N)], "town", "category"),
        ([f"town{i % 60}" for i in range(200)], "town", "free text"),
    ],
)
def test_kinds(values: list[object], name: str, kind: str) -> None:
    table = pd.DataFrame({name: values}).convert_dtypes()
    (found,) = choose_columns(table, Wishes(), "t.csv")
    assert found.kind == kind
    assert found.is_used == (kind in ("number", "integer", "boolean", "category"))


@pytest.mark.parametrize("value", ["two\nlines", "one long value " * 20])
def test_notes_are_one_short_line_whatever_the_values(value: str) -> None:
    table = pd.DataFrame({"x": [value, "b"] * N, "y": [value] * 2 * N}).convert_dtypes()
    for column in choose_columns(table, Wishes(), "t.csv"):
        assert len(column.note.splitlines()) == 1
        assert len(column.note) < 80


def test_sentences_are_short_whatever_the_values() -> None:
    table = pd.DataFrame({"x": [*map(str, range(N)), "no number at all " * 20]}).convert_dtypes()
    with pytest.raises(TableError, match=r"first 'no number at all no number at all no nu…' in row") as told:
        choose_columns(table, Wishes(), "t.csv")
    assert len(str(told.value)) < 250


@pytest.mark.parametrize(
    "level", [Decimal("1.20"), date(2024, 1, 2), pd.Timestamp(2024, 1, 2, 3), pd.Timedelta(5), [1, 2]], ids=type
)
def test_what_no_export_can_write_is_refused_as_a_category_before_the_search(level: object) -> None:
    table = pd.DataFrame({"x": [level] * N, "y": range(N)})
    with pytest.raises(TableError, match=f"--categorical x: .* values of type {type(level).__name__}, such as"):
        choose_columns(table, Wishes(categorical=["x"]), "t.parquet")


def test_telephone_numbers_are_used_where_they_are_asked_for() -> None:
    table = pd.DataFrame({"tel": [1_000_000 + i * 7919 % 100_003 for i in range(N)]}).convert_dtypes()
    (found,) = choose_columns(table, Wishes(), "t.csv")
    assert (found.is_used, found.note) == (False, "numbers of telephones or accounts")
    (wished,) = choose_columns(table, Wishes(numeric=["tel"]), "t.csv")
    assert (wished.is_used, wished.kind) == (True, "integer")


def test_dates_and_lists_of_parquet_are_left_out(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=20),
            "list": [[1, 2]] * 20,
            "x": np.arange(20) % 7,
            "y": np.arange(20) / 3,
        }
    )
    table.to_parquet(tmp_path / "t.parquet")
    found = choose_columns(read_table(open_source(str(tmp_path / "t.parquet"))), Wishes(), "t")
    assert {c.name: c.kind for c in found if not c.is_used} == {"day": "date", "list": "other"}


def test_decimals_of_parquet_are_numbers(tmp_path: Path) -> None:
    prices = [Decimal(i * 7919 % 10_007) / 100 for i in range(60)]
    counts = [Decimal(i % 7) for i in range(60)]
    keys = [Decimal(10**18 + i) for i in range(60)]
    table = pd.DataFrame({"price": [*prices[:59], None], "count": counts, "key": keys})
    table.to_parquet(tmp_path / "t.parquet")
    source = open_source(str(tmp_path / "t.parquet"))
    found = choose_columns(read_table(source), Wishes(), "t")
    assert {c.name: c.kind for c in found} == {"price": "number", "count": "integer", "key": "identifier"}
    converted = convert_columns(read_table(source), found)
    assert converted["price"].tolist()[:59] == [float(p) for p in prices[:59]]
    assert converted["count"].tolist() == [i % 7 for i in range(60)]


ROW_NAMES = [f"row {i}" for i in range(20)]
INDEXES = {
    "named": (pd.Index(ROW_NAMES, name="who"), ["who", "x", "y"]),
    "named as a column is": (pd.Index(ROW_NAMES, name="x"), ["x", "y"]),
    "several": (
        pd.MultiIndex.from_arrays([["a", "b"] * 10, ROW_NAMES], names=["part", "who"]),
        ["part", "who", "x", "y"],
    ),
    "numbers that are left of more": (pd.Index([3 * i for i in range(20)]), ["index", "x", "y"]),
    "numbers that repeat": (pd.Index([*range(10), *range(10)]), ["x", "y"]),
    "row numbers": (pd.RangeIndex(20, name="who"), ["x", "y"]),
}


@pytest.mark.parametrize("case", INDEXES)
def test_the_index_of_a_parquet_file_is_a_column(case: str, tmp_path: Path) -> None:
    index, columns = INDEXES[case]
    table = pd.DataFrame({"x": np.arange(20) % 7, "y": np.arange(20) / 3}, index=index)
    table.to_parquet(tmp_path / "t.parquet")
    source = open_source(str(tmp_path / "t.parquet"))
    found = read_table(source)
    assert found.columns.tolist() == columns
    assert found["x"].tolist() == table["x"].tolist()
    pieces = pd.concat(iterate_chunks(source, 7), ignore_index=True)
    for name in set(columns) - {"x", "y"}:
        assert found[name].tolist() == pieces[name].tolist()
        assert found[name].tolist() == index.get_level_values(None if name == "index" else name).tolist()
    used = [c.name for c in choose_columns(found, Wishes(), "t") if c.is_used and c.name != "part"]
    assert used == ["x", "y"]


def test_text_with_decimal_commas_can_be_read_as_numbers() -> None:
    table = pd.DataFrame({"x": ["1,5", "2,25", "3"] * 5, "y": range(15)}).convert_dtypes()
    found = choose_columns(table, Wishes(numeric=["x"]), "t")
    assert convert_columns(table, found)["x"].tolist()[:3] == [1.5, 2.25, 3.0]


def test_fills_by_rule() -> None:
    table = pd.DataFrame(
        {"n": [1.0, 2.0, 6.0, None], "i": [1, 2, 2, None], "t": ["a", "b", "b", None], "b": [True, True, False, None]}
    ).convert_dtypes()
    table["n"] = table["n"].astype("Float64") + 0.5
    table = pd.concat([table, table.iloc[:3]], ignore_index=True)
    found = choose_columns(table, Wishes(), "t")
    converted = convert_columns(table, found)
    assert complete_table(converted, found, "median", "t").fills == {"n": 2.5, "i": 2, "t": "b", "b": True}
    assert complete_table(converted, found, "category", "t").fills["t"] == "missing"
    assert complete_table(converted, found, "most-frequent", "t").fills["i"] == 2
    assert complete_table(converted, found, "drop", "t").fills == {}


def test_spaces_around_separators_are_no_part_of_names_and_values(tmp_path: Path) -> None:
    lines = [f'{i}, {i / 4} , "wide, open {i % 2}"' for i in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["n, x , where", *lines]) + "\n")
    source = open_source(str(tmp_path / "t.csv"))
    for table in (read_table(source), pd.concat(list(iterate_chunks(source, 7, ["where"])))):
        assert table.columns.tolist() == ["n", "x", "where"]
        assert table["x"].tolist() == [i / 4 for i in range(20)]
        assert set(table["where"]) == {"wide, open 0", "wide, open 1"}
    assert read_as_text(source, "x").tolist()[:2] == ["0.0", "0.25"]


def test_a_space_at_one_name_belongs_to_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a, b,c\n" + "1, x,2\n" * 5)
    table = read_table(open_source(str(tmp_path / "t.csv")))
    assert table.columns.tolist() == ["a", " b", "c"]
    assert set(table[" b"]) == {" x"}


def test_columns_without_name_and_values_are_no_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b;;\n" + "1;2;;\n" * 5)
    assert read_table(open_source(str(tmp_path / "t.csv"))).columns.tolist() == ["a", "b"]
    (tmp_path / "i.csv").write_text(",a,b\n" + "".join(f"{i},1,2\n" for i in range(5)))
    assert read_table(open_source(str(tmp_path / "i.csv"))).columns.tolist() == ["Unnamed: 0", "a", "b"]


def test_empty_rows_may_stand_above_the_header_of_a_sheet(tmp_path: Path, customers: pd.DataFrame) -> None:
    customers.to_excel(tmp_path / "t.xlsx", index=False, startrow=3, startcol=2)
    table = read_table(open_source(str(tmp_path / "t.xlsx")))
    assert table.columns.tolist() == customers.columns.tolist()
    assert len(table) == len(customers)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_title_above_the_header_is_told(ending: str, tmp_path: Path) -> None:
    rows = pd.DataFrame([["Report", None, None], ["a", "b", "c"], *[[i, 2, 3] for i in range(5)]])
    path = tmp_path / f"t.{ending}"
    (rows.to_csv if ending == "csv" else rows.to_excel)(path, index=False, header=False)  # type: ignore[operator]
    with pytest.raises(TableError, match=r"2 columns without a name.*delete the rows above the header"):
        read_table(open_source(str(path)))
