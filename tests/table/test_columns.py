"""What kind of column each one is."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from polyclust.table.columns import describe_columns, open_table


def kinds(table):
    return {c.name: c.kind for c in describe_columns(open_table(table))}


def test_the_kinds_of_a_frame():
    table = pd.DataFrame(
        {
            "number": [0.5, 1, 2],
            "whole floats": [1.0, 2.0, 3.0],
            "integer": [3, 4, 5],
            "nullable": pd.array([3, 4, 5], dtype="Int64"),
            "boolean": [True, False, True],
            "maybe": pd.array([True, False, True], dtype="boolean"),
            "zero one": [0, 1, 1],
            "zero one float": [0.0, 1.0, 1.0],
            "text": ["a", "b", "a"],
            "arrow text": pd.array(["a", "b", "a"], dtype="string"),
            "category": pd.Categorical(["a", "b", "a"]),
            "number as category": pd.Categorical([3, 1, 3]),
            "objects": np.array([1, 2.5, 3], dtype=object),
            "object booleans": np.array([True, False, True], dtype=object),
        }
    )
    assert kinds(table) == {
        "number": "number",
        "whole floats": "number",
        "integer": "integer",
        "nullable": "integer",
        "boolean": "boolean",
        "maybe": "boolean",
        "zero one": "boolean",
        "zero one float": "boolean",
        "text": "category",
        "arrow text": "category",
        "category": "category",
        "number as category": "category",
        "objects": "number",
        "object booleans": "boolean",
    }


def test_levels_are_those_that_occur():
    table = pd.DataFrame({"c": pd.Categorical(["b", "a"], categories=["c", "b", "a"]), "t": ["z", "y"]})
    category, text = describe_columns(open_table(table))
    assert category.levels == ("b", "a")  # in the order the user gave them
    assert text.levels == ("y", "z")


def test_arrays_and_polars():
    assert kinds(np.array([[1, 0], [2, 1]])) == {"x0": "integer", "x1": "boolean"}
    assert kinds(np.array([[1.5, 0], [2, 1]])) == {"x0": "number", "x1": "boolean"}
    assert kinds(np.array([["a", 1.5], ["b", 2.5]], dtype=object)) == {"x0": "category", "x1": "number"}
    frame = pl.DataFrame({"n": [1.5, 2.5], "c": ["a", "b"], "b": [True, False]})
    assert kinds(frame) == {"n": "number", "c": "category", "b": "boolean"}
    enums = pl.DataFrame({"c": pl.Series(["a", "b"], dtype=pl.Categorical)})
    assert kinds(enums) == {"c": "category"}


def test_values_of_a_list_keep_their_types_beside_text():
    assert kinds([[1, 2.5, True, "a"], [30, 7.5, False, "b"]]) == {
        "x0": "integer",
        "x1": "number",
        "x2": "boolean",
        "x3": "category",
    }
    assert kinds([["a", "1"], ["b", "2"]]) == {"x0": "category", "x1": "category"}


def test_labels_of_frames_may_be_anything_hashable():
    table = pd.DataFrame([[1.5, 2.5], [2.5, 3.5]], columns=[7, ("a", "b")])
    columns = describe_columns(open_table(table))
    assert [c.label for c in columns] == [7, ("a", "b")]
    assert columns[0].name == "7"


def test_the_largest_exact_integer():
    table = pd.DataFrame({"n": [2**53, 5]})
    assert kinds(table) == {"n": "integer"}
    with pytest.raises(ValueError, match="'n' holds integers beyond 2"):
        kinds(pd.DataFrame({"n": [-(2**53) - 1, 5]}))
    with pytest.raises(ValueError, match="'n' holds integers beyond 2"):
        kinds(pd.DataFrame({"n": np.array([2**63 + 7, 5], dtype=np.uint64)}))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**53 + 1, 5], object),
        ([-(2**70), 5], object),
        ([2**53 + 1, 5.5], object),
        ([10**400, 5], object),
        ([Decimal(2**53 + 1), Decimal(5)], object),
        ([Decimal(2**53 + 1), Decimal(5)], pd.ArrowDtype(pa.decimal128(30, 0))),
        ([2**53 + 1, 5], "Int64"),
        ([2**53 + 1, 5], "UInt64"),
        ([2**53 + 1, 5], pd.ArrowDtype(pa.int64())),
    ],
)
def test_integers_that_are_too_large_however_they_are_stored(values, dtype):
    with pytest.raises(ValueError, match="'n' holds integers beyond 2"):
        kinds(pd.DataFrame({"n": pd.Series(values, dtype=dtype)}))


def test_numbers_stored_as_objects():
    assert kinds(pd.DataFrame({"n": pd.Series([2**53, 5], dtype=object)})) == {"n": "integer"}
    assert kinds(pd.DataFrame({"n": pd.Series([1, 0], dtype=object)})) == {"n": "boolean"}
    assert kinds(pd.DataFrame({"n": pd.Series([2, 5.5], dtype=object)})) == {"n": "number"}
    decimals = pd.Series([Decimal("2.5"), Decimal("7.25")])
    assert kinds(pd.DataFrame({"n": decimals})) == {"n": "number"}
    assert kinds(pd.DataFrame({"n": decimals.astype(pd.ArrowDtype(pa.decimal128(9, 2)))})) == {"n": "number"}
