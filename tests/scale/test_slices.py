"""Tables that would grow when encoded are read slice by slice, with the result of all rows at once."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from many import assert_same_fit, blobs_with_noise, clusters_around_holes

from polyclust import PolyclustWarning, PolytopeClustering, fitting
from polyclust.table import slices
from polyclust.table.slices import is_narrow, is_wide


@pytest.fixture
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(fitting, "MANY_ROWS", 600)
    monkeypatch.setattr(fitting, "N_SAMPLED", 300)
    monkeypatch.setattr(fitting, "N_POLISHED", 600)
    monkeypatch.setattr(slices, "ROWS_AT_ONCE", 400)


def fit(X, sample_weight=None, **options):
    return PolytopeClustering(random_state=0, n_init=1, **options).fit(X, sample_weight=sample_weight)


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
@pytest.mark.parametrize(
    "options", [{}, {"explain_with": ["x0", "x2"]}, {"distance": "gower", "n_clusters": 4}], ids=str
)
@pytest.mark.usefixtures("few_rows_are_many")
def test_slices_do_not_change_the_fit(dtype, options):
    narrow = (blobs_with_noise(1500).drop(columns="colour").to_numpy() * 10).astype(dtype)
    weights = np.arange(1500) % 3
    assert is_narrow(narrow)
    model = fit(narrow, weights, **options)
    wide = fit(narrow.astype(np.float64), weights, **options)
    if dtype == np.int16:  # 3.0 may be followed by 3.5, 3 may not
        assert [f.kind for f in model._space.features] == ["integer"] * 3
        assert (model.predict(narrow) == model.labels_).all()
        assert (model.contains(narrow)[weights > 0].sum(axis=1) == 1).all()
    else:
        assert_same_fit(model, wide, model.labels_)
        assert (model.labels_ == wide.labels_).all()


@pytest.mark.usefixtures("few_rows_are_many")
@pytest.mark.parametrize("options", [{}, {"representation_weight": 0.1}], ids=str)
def test_rows_of_no_weight_that_lie_outside_are_predicted(options):
    table = clusters_around_holes(1500)
    weights = table.pop("weight").to_numpy()
    narrow = table.to_numpy(dtype=np.float32)
    model = fit(narrow, weights, n_clusters=3, explain_with=["x0", "x1", "x2"], outside="none", **options)
    assert (~model.contains(narrow).any(axis=1)).sum() > 200
    assert (model.labels_ == model.predict(narrow)).all()


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_file_mapped_into_memory(tmp_path):
    values = blobs_with_noise(1500).drop(columns="colour").to_numpy(dtype=np.float32)
    np.save(tmp_path / "rows.npy", values)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert_same_fit(fit(mapped), fit(values), fit(mapped).labels_)


@pytest.mark.usefixtures("few_rows_are_many")
def test_what_needs_all_rows_gets_them():
    narrow = blobs_with_noise(900).drop(columns="colour").to_numpy(dtype=np.float32)
    seen = set()

    def largest_gap(space, labels):
        seen.add(len(space))
        return float(np.linalg.norm(space[labels == 0].mean(axis=0) - space[labels == 1].mean(axis=0)))

    fit(narrow, criterion=largest_gap, n_clusters=2)
    assert seen == {300, 900}
    with pytest.raises(ValueError, match='distances were given; set distance="precomputed"'):
        PolytopeClustering().fit(narrow, distances=np.zeros((900, 900)))


@pytest.fixture
def small_is_wide(monkeypatch, few_rows_are_many):
    """Frames of more than 20 kB are read in slices of a thousand rows, the fewest there are."""
    monkeypatch.setattr(slices, "MOST_BYTES", 20e3)
    monkeypatch.setattr(slices, "BYTES_AT_ONCE", 1.0)


@pytest.mark.parametrize("as_category", [False, True])
@pytest.mark.parametrize("options", [{}, {"max_terms": 2}, {"explain_with": ["width", "colour"]}], ids=str)
@pytest.mark.usefixtures("small_is_wide")
def test_a_frame_of_many_levels_in_slices(as_category, options, monkeypatch):
    frame = blobs_with_noise(2500)
    if as_category:
        frame["colour"] = frame["colour"].astype("category")
    weights = np.arange(2500) % 3
    assert is_wide(frame)
    model = fit(frame, weights, **options)
    predicted, inside = model.predict(frame), model.contains(frame)
    monkeypatch.setattr(slices, "MOST_BYTES", np.inf)
    assert not is_wide(frame)
    whole = fit(frame, weights, **options)
    assert_same_fit(model, whole, model.labels_)
    assert (model.labels_ == whole.labels_).all()
    assert (predicted == whole.predict(frame)).all()
    assert (inside == whole.contains(frame)).all()


@pytest.mark.usefixtures("small_is_wide")
def test_values_not_seen_at_fit_are_told_once_for_all_slices():
    frame = blobs_with_noise(2500).assign(shape=np.resize(["round", "square"], 2500))
    model = fit(frame)
    new = frame.astype({"colour": object, "shape": object})
    new.loc[[0, 1], "colour"] = "pink"
    new.loc[2400, "colour"] = "plum"
    new.loc[1200, "shape"] = "oval"
    assert is_wide(new)
    told = (
        "Columns hold values not seen at fit: 'colour' ('pink', 'plum') in 3 rows, 'shape' ('oval') in 1 row; "
        "they are placed by their other columns."
    )
    ways = (model.predict, model.contains, model.violation, model.explanation_.predict, model.scaled)
    for find in ways:
        with pytest.warns(PolyclustWarning) as caught:
            find(new)
        assert [str(warning.message) for warning in caught] == [told]


@pytest.mark.usefixtures("small_is_wide")
def test_what_cannot_be_used_is_named_in_slices_too():
    frame = blobs_with_noise(1500)
    frame["colour"] = [f"{row} {colour}" for row, colour in enumerate(frame["colour"])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices.Slices, "MOST_LEVELS", 100)
        with pytest.raises(ValueError, match="Column 'colour' holds more than 100 different texts"):
            fit(frame)
    frame["colour"] = [[row] for row in range(1500)]
    with pytest.raises(ValueError, match="colour"):
        fit(frame)


def test_levels_are_never_encoded_all_at_once(monkeypatch):
    monkeypatch.setattr(fitting, "N_SAMPLED", 500)
    monkeypatch.setattr(slices, "MOST_BYTES", 100e6)
    monkeypatch.setattr(slices, "BYTES_AT_ONCE", 8e6)
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 40_000)
    town = np.array([f"town {t}" for t in range(600)])[rng.integers(0, 200, 40_000) + 200 * kind]
    frame = pd.DataFrame({"a": kind * 4 + rng.normal(size=40_000), "b": rng.normal(size=40_000), "town": town})
    assert is_wide(frame)
    tracemalloc.start()
    model = fit(frame, n_clusters=3, explain_with=["a", "b"])
    assert (model.predict(frame) == model.labels_).all()
    assert tracemalloc.get_traced_memory()[1] < 150e6  # all rows at once take 190 MB
    tracemalloc.stop()


def test_no_copy_of_all_rows_is_made(monkeypatch):
    monkeypatch.setattr(slices, "ROWS_AT_ONCE", 20_000)
    rng = np.random.default_rng(0)
    narrow = (rng.integers(0, 3, (200_000, 1)) * 4 + rng.normal(size=(200_000, 40))).astype(np.float32)
    fit(narrow[:25_000], n_clusters=3)
    tracemalloc.start()
    model = fit(narrow, n_clusters=3)
    assert (model.predict(narrow[:1000]) == model.labels_[:1000]).all()
    assert tracemalloc.get_traced_memory()[1] < 120e6  # distances of the sample 64 MB; the rows as float64 take 64 MB
    tracemalloc.stop()
