"""A table in parts has the columns and spans of the whole, and is refused in the same words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polyclust.table.columns import describe_columns, open_table
from polyclust.table.encode import encode_rows, fit_encoder, list_features, measure_spans, scale_features
from polyclust.table.summary import join_tables, summarise_table
from strategies import frames, weights_for


def split(table, cuts):
    ends = [0, *sorted(cuts), len(table)]
    return [table[a:b] for a, b in pairwise(ends)]


def join(parts, weights=None, most_levels=10):
    weights = [np.ones(len(part)) for part in parts] if weights is None else weights
    summaries = [summarise_table(p, w, True, most_levels) for p, w in zip(parts, weights, strict=True)]
    return join_tables(summaries, most_levels)


@settings(max_examples=80)
@given(st.data(), frames(), st.sampled_from(["minmax", "standard", "none"]))
@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
def test_parts_say_what_the_whole_says(data, table, scale):
    cuts = data.draw(st.lists(st.integers(0, len(table)), max_size=4))
    weights = data.draw(weights_for(len(table)))
    weights[data.draw(st.integers(0, len(table) - 1))] = 0.0
    assume(len(table[weights > 0].drop_duplicates()) > 1)
    columns, encoded = fit_encoder(table, scale=scale, sample_weight=weights)
    joined, spans = join(split(table, cuts), split(weights, cuts))
    assert joined == columns
    features, _ = scale_features(list_features(joined), spans, scale, "round")
    raw = encode_rows(table, columns, list_features(columns))
    whole = measure_spans(raw, weights, with_moments=True)
    assert (spans.low.tolist(), spans.high.tolist()) == (whole.low.tolist(), whole.high.tolist())
    assert spans.mean == pytest.approx(whole.mean, abs=1e-9)
    assert spans.variance == pytest.approx(whole.variance, rel=1e-9, abs=1e-9)
    assert [(f.column, f.level, f.unit) for f in features] == [(f.column, f.level, f.unit) for f in encoded.features]
    if scale != "standard":
        assert features == encoded.features


def kinds_of(*parts):
    return [c.kind for c in join([pd.DataFrame({"c": pd.Series(p)}) for p in parts])[0]]


def test_kinds_of_parts_join():
    assert kinds_of([True, False], [3, 4]) == ["integer"]
    assert kinds_of([0, 1], [3, 4]) == ["integer"]
    assert kinds_of([0, 1], [1.0, 0.0]) == ["boolean"]
    assert kinds_of([True, False], [0.5]) == ["number"]
    assert kinds_of([3, 4], [0.5]) == ["number"]
    assert kinds_of([], [3, 4], pd.array([], dtype="datetime64[ns]")) == ["integer"]
    assert kinds_of(np.array([True, False], dtype=object), [True]) == ["boolean"]
    assert kinds_of(["a"], pd.Categorical(["b"])) == ["category"]


def test_levels_are_those_of_all_parts():
    def levels(*parts):
        return join([pd.DataFrame({"c": p}) for p in parts])[0][0].levels

    assert levels(["b", "b"], ["c", "a"]) == ("a", "b", "c")
    order = ["low", "middle", "high"]
    assert levels(pd.Categorical(["high"], order), pd.Categorical(["low"], order)) == ("low", "high")
    assert levels(pd.Categorical(["high"]), pd.Categorical(["low"])) == ("high", "low")
    assert levels(pd.Categorical([2]), pd.Categorical(["low"])) == (2, "low")


REFUSED = {
    "dates": [pd.to_datetime(["2020-01-01", "2020-01-02"])] * 2,
    "durations": [pd.to_timedelta([1, 2], unit="D")] * 2,
    "missing": [[1.5, np.nan], [np.nan, 2.0]],
    "missing text": [["a", None], ["b", "c"]],
    "infinite": [[1.5, np.inf], [2.0, -np.inf]],
    "huge": [[1, 2], [2**53 + 1, 5]],
    "lists": [[[1], [2]], [[3], [4]]],
    "complex": [np.array([1j, 2]), np.array([1j, 3])],
    "mixed": [np.array(["a", 1], dtype=object), np.array(["b", 2], dtype=object)],
}


@pytest.mark.parametrize("parts", REFUSED.values(), ids=REFUSED)
def test_parts_are_refused_in_the_words_for_the_whole(parts):
    tables = [pd.DataFrame({"c": pd.Series(p)}) for p in parts]
    with pytest.raises(ValueError, match="'c'") as whole:
        describe_columns(open_table(pd.concat(tables)))
    with pytest.raises(type(whole.value)) as parted:
        join(tables)
    assert str(parted.value) == str(whole.value)


def test_parts_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match="'c' mixes number and text values"):
        kinds_of([1.5], ["a"])
    with pytest.raises(ValueError, match="'c' mixes date and number values"):
        kinds_of([1.5], pd.to_datetime(["2020-01-01"]))
    with pytest.raises(ValueError, match="different columns: a and b"):
        join([pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]})])
    names = pd.DataFrame({"name": [f"n{i}" for i in range(12)]})
    for parts in ([names], [names[:8], names[8:]]):
        with pytest.raises(ValueError, match="'name' holds more than 10 different texts; leave it out"):
            join(parts)
