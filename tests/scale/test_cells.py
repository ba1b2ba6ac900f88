"""Cells of linear scores: they cover space, hold to bounds, and make general rules of many rows better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from blockwise import axis_plane, in_blocks, numbers, plain_space
from hypothesis import given, settings
from hypothesis import strategies as st
from many import blobs_with_noise
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from test_polishing import make_noisy

from polyclust import PolytopeClustering
from polyclust.geometry.hyperplane import find_members
from polyclust.scale.blocks import Placing
from polyclust.scale.cells import fit_cells, grow_cells
from polyclust.scale.polishing import Limits, score_some
from polyclust.search.scoring import SizeBounds

ANY_SIZE = SizeBounds((0.0, 1.0))
GENERAL = {"max_terms": None, "max_coefficient": None, "random_state": 0}


def clusters_of(raw, n_clusters):
    return KMeans(n_clusters, n_init=3, random_state=0).fit(raw)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 6), st.booleans())
def test_every_place_is_in_one_cell(seed, n_features, n_clusters, is_far):
    random = np.random.default_rng(seed)
    scales = 10.0 ** random.integers(-3, 4, size=n_features)
    shift = scales * (20.0 if is_far else 0.0)
    features = tuple(
        replace(f, offset=o, scale=s, unit=2.0 * s) for f, o, s in zip(numbers(n_features), shift, scales, strict=True)
    )
    raw = random.uniform(size=(80, n_features)) * scales + shift
    labels = clusters_of(raw / scales, n_clusters).labels_.astype(int)
    cells = fit_cells(raw, labels, np.ones(80), features, 1e-6)
    assert cells.n_clusters == n_clusters
    anywhere = random.uniform(-3, 4, size=(500, n_features)) * scales + shift
    assert (find_members(anywhere, cells.hyperplanes, n_clusters).sum(axis=1) == 1).all()
    assert all(h.coefficients[0] > 0 for h in cells.hyperplanes)
    assert all(h.units == (1.0,) and h.coefficients == (1.0,) for h in cells.hyperplanes if len(h.features) == 1)
    assert (cells.label(raw) == labels).mean() > 0.9


def test_the_cells_of_k_means_are_found_again():
    raw, fresh = np.split(make_noisy(5000, 0), [3000])
    means = clusters_of(raw, 4)
    cells = fit_cells(raw, means.labels_.astype(int), np.ones(3000), numbers(6), 1e-6)
    nearest = cdist(fresh, means.cluster_centers_).argmin(axis=1)
    assert (cells.label(fresh) == nearest).mean() > 0.99


def test_one_cluster_and_clusters_that_are_alike_have_no_cells():
    raw = np.zeros((10, 2))
    assert fit_cells(raw, np.zeros(10, dtype=int), np.ones(10), numbers(2), 1e-3) is None
    assert fit_cells(raw, np.arange(10) % 3, np.ones(10), numbers(2), 1e-3) is None


@pytest.mark.parametrize("seed", range(3))
def test_cells_are_better_than_what_they_replace(seed):
    raw = make_noisy(3000, seed)
    rows, features, space = in_blocks(raw).blocks[0], numbers(6), plain_space(6)
    found = Placing((axis_plane(0, float(np.median(raw[:, 0])), above=1, below=0),), 2)
    bounds = SizeBounds((0.02, 0.9))
    several = list(grow_cells(rows, found, features, space, Limits(2, 3, bounds, counts=(4,))))
    best = max(several, key=lambda each: each.gain)
    assert best.is_better
    labels, before = best.placing.label(raw), found.label(raw)
    assert bounds.hold_for(np.bincount(labels) / len(raw))
    assert silhouette_score(raw, labels) > silhouette_score(raw, before)
    now = score_some(rows, before, space, 2)
    assert best.gain == pytest.approx(score_some(rows, labels, space, best.placing.n_clusters) - now)


def test_cells_out_of_bounds_are_not_offered():
    raw = make_noisy(3000, 0)
    rows = in_blocks(raw).blocks[0]
    found = Placing((axis_plane(0, 0.0, above=1, below=0),), 2)
    tight = SizeBounds((0.4999, 0.5001))
    assert list(grow_cells(rows, found, numbers(6), plain_space(6), Limits(2, 3, tight, counts=(4,)))) == []


@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
@pytest.mark.parametrize("seed", range(2))
def test_general_rules_of_many_rows_score_about_as_k_means_or_more(seed):
    X = make_noisy(21_000, seed, n_features=8, n_clusters=6)
    model = PolytopeClustering(6, n_init=1, scale="none", **GENERAL).fit(X)
    assert (model.contains(X).sum(axis=1) == 1).all()
    assert (model.predict(X) == model.labels_).all()
    assert np.bincount(model.labels_).min() >= 420
    some = np.random.default_rng(0).permutation(len(X))[:4000]
    best = silhouette_score(X[some], clusters_of(X, 6).labels_[some])
    assert silhouette_score(X[some], model.labels_[some]) > best - 0.005


def test_general_rules_of_many_rows_are_those_of_two_terms_where_these_score_more():
    table = blobs_with_noise(21_000)
    two = PolytopeClustering(max_terms=2, max_coefficient=3, n_init=1, random_state=0).fit(table)
    general = PolytopeClustering(n_init=1, **GENERAL).fit(table)
    assert general.score_ > two.score_ - 0.01
    assert (general.predict(table) == general.labels_).all()
