"""Arrays that float64 would double are read slice by slice, with the result of all rows at once."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from many import assert_same_fit, blobs_with_noise

from polyclust import PolytopeClustering, fitting
from polyclust.table import slices
from polyclust.table.slices import is_narrow


@pytest.fixture
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(fitting, "MANY_ROWS", 600)
    monkeypatch.setattr(fitting, "N_SAMPLED", 300)
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
        assert [f.kind for f in model._encoded_features] == ["integer"] * 3
        assert (model.predict(narrow) == model.labels_).all()
        assert (model.contains(narrow)[weights > 0].sum(axis=1) == 1).all()
    else:
        assert_same_fit(model, wide, model.labels_)
        assert (model.labels_ == wide.labels_).all()


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
