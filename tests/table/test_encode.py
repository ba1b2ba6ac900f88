"""The encoder: raw values as the user has them, scaled ones beside them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import minmax_scale, scale

from polyclust import PolyclustWarning
from polyclust.table.encode import encode_rows, fit_encoder, round_number_near
from strategies import frames

TABLE = pd.DataFrame(
    {
        "age": [20, 35, 50, 65, 70],
        "income": [1.5, 2.25, 8.0, 4.0, 3.5],
        "member": [True, False, True, True, False],
        "colour": ["red", "blue", "red", "red", "blue"],
    }
)


def test_one_feature_per_number_and_boolean_and_one_per_level():
    columns, encoded = fit_encoder(TABLE)
    assert [f.name for f in encoded.features] == [
        "age", "income", "member", 'colour = "blue"', 'colour = "red"',
    ]  # fmt: skip
    assert [c.kind for c in columns] == ["integer", "number", "boolean", "category"]
    assert encoded.raw[:, 0].tolist() == [20, 35, 50, 65, 70]
    assert encoded.raw[:, 3].tolist() == [0, 1, 0, 0, 1]
    assert encoded.raw[:, 4].tolist() == [1, 0, 1, 1, 0]
    assert encoded.raw.dtype == np.float64


def test_scales_are_those_of_scikit_learn_and_leave_booleans_alone():
    for name, expected in (("minmax", minmax_scale), ("standard", scale), ("none", np.asarray)):
        _, encoded = fit_encoder(TABLE, scale=name)
        numbers = expected(TABLE[["age", "income"]].to_numpy())
        assert encoded.scaled[:, :2] == pytest.approx(numbers)
        assert encoded.scaled[:, 2:].tolist() == encoded.raw[:, 2:].tolist()


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_standard_scale_does_not_hang_on_how_far_from_zero_a_column_lies(is_weighted):
    near = np.random.default_rng(0).integers(0, 8, (20_000, 1)).astype(np.float64)
    weights = np.ones(len(near)) if is_weighted else None
    _, encoded = fit_encoder(near + 2.0**52, scale="standard", sample_weight=weights)
    assert encoded.features[0].scale == pytest.approx(near.std(), rel=1e-9)
    assert encoded.features[0].offset - 2.0**52 == pytest.approx(near.mean(), abs=1)  # the least step there is 1


def test_weights_are_repetitions_in_the_scaling():
    weights = np.array([2.0, 1.0, 0.0, 3.0, 1.0])
    repeated = TABLE.iloc[np.repeat(np.arange(5), weights.astype(int))]
    for name in ("minmax", "standard"):
        _, weighted = fit_encoder(TABLE, scale=name, sample_weight=weights)
        _, plain = fit_encoder(repeated, scale=name)
        assert [f.offset for f in weighted.features] == pytest.approx([f.offset for f in plain.features])
        assert [f.scale for f in weighted.features] == pytest.approx([f.scale for f in plain.features])


def test_units():
    spans = {"round": [50.0, 5.0], "range": [50.0, 6.5], "none": [1.0, 1.0]}
    for units, expected in spans.items():
        _, encoded = fit_encoder(TABLE, units=units)
        assert [f.unit for f in encoded.features] == [*expected, 1.0, 1.0, 1.0]


@given(st.floats(1e-200, 1e200))
def test_a_round_number_is_the_nearest_of_1_2_5_on_the_log_scale(value):
    found = round_number_near(value)
    digits = f"{found:e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in ("1", "2", "5")
    assert max(found / value, value / found) <= np.sqrt(2.5) * (1 + 1e-9)


@settings(deadline=None, max_examples=60)
@given(frames())
@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
def test_other_rows_are_encoded_as_the_first_ones_were(table):
    columns, encoded = fit_encoder(table)
    again = encode_rows(table, columns, encoded.features)
    assert again.tolist() == encoded.raw.tolist()
    backwards = table[table.columns[::-1]]
    assert encode_rows(backwards, columns, encoded.features).tolist() == encoded.raw.tolist()
    some = encode_rows(table, columns, encoded.features[::-1])
    assert some.tolist() == encoded.raw[:, ::-1].tolist()
    for column in columns:
        levels = [i for i, f in enumerate(encoded.features) if f.column == column and f.kind == "level"]
        if levels:
            assert (encoded.raw[:, levels].sum(axis=1) == 1).all()


def test_constant_columns_are_left_out_by_name():
    with pytest.warns(PolyclustWarning, match="ignored: still, sole"):
        _, encoded = fit_encoder(TABLE.assign(still=3, sole="x"))
    assert {f.column.name for f in encoded.features} == set(TABLE.columns)


def test_what_varies_only_among_rows_of_no_weight_is_constant():
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    with pytest.warns(PolyclustWarning, match="ignored: late"):
        fit_encoder(TABLE.assign(late=[0, 0, 0, 0, 5]), sample_weight=weights)


def test_a_level_not_seen_gives_zeros_and_a_warning():
    columns, encoded = fit_encoder(TABLE)
    with pytest.warns(PolyclustWarning, match=r"'colour' holds values not seen at fit \('pink'\) in 1 row;"):
        raw = encode_rows(TABLE.head(2).assign(colour=["pink", "red"]), columns, encoded.features)
    assert raw[:, 3:].tolist() == [[0, 0], [0, 1]]


def test_categories_are_compared_as_values_not_as_codes():
    table = TABLE.assign(colour=pd.Categorical(TABLE["colour"]))
    columns, encoded = fit_encoder(table)
    other = table.assign(colour=pd.Categorical(table["colour"], categories=["red", "green", "blue"]))
    assert encode_rows(other, columns, encoded.features).tolist() == encoded.raw.tolist()


def test_a_table_that_lacks_a_column():
    columns, encoded = fit_encoder(TABLE)
    with pytest.raises(ValueError, match="lacks columns that the clusters were made from: age"):
        encode_rows(TABLE.drop(columns="age"), columns, encoded.features)
    with pytest.raises(ValueError, match="X has 3 features, but the clusters were made from 4"):
        encode_rows(TABLE.to_numpy(dtype=object)[:, :3], columns, encoded.features)
