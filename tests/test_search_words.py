"""What a fitted model says of how it was searched."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

from polyclust import PolytopeClustering


def search_of(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PolytopeClustering(random_state=0, **options).fit(X).search_


def test_few_rows_and_columns_are_searched_exhaustively():
    assert search_of(load_iris().data, max_clusters=4) == "exhaustive"


def test_a_wide_table_is_raced_unless_more_is_asked_for():
    X = make_blobs(150, 30, centers=3, random_state=0)[0]
    options = {"max_terms": 2, "max_coefficient": 2, "max_clusters": 3}
    assert search_of(X, **options) == "raced"
    assert search_of(X, n_init=400, time_limit=1.0, **options) == "exhaustive"


@pytest.mark.parametrize("options", [{"max_terms": None, "max_coefficient": None}, {"criterion": "calinski_harabasz"}])
def test_what_cannot_be_listed_is_not_exhaustive(options):
    assert search_of(load_iris().data[::3], max_clusters=3, **options) == "raced"


def test_many_rows_are_sampled():
    assert search_of(np.random.default_rng(0).normal(size=(21_000, 2)), max_clusters=3, n_init=1) == "sampled"
