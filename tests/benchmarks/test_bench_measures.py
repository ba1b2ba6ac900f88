from __future__ import annotations

import numpy as np
import pytest
from benchmarks.cell import show_sizes
from benchmarks.measures import list_sizes, silhouette_of_distances
from benchmarks.problem import Clock
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances, silhouette_score


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_silhouette_is_scikit_learns_with_duplicates_and_singletons(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, size=(20, 2)).astype(float)
    labels = random.integers(0, k, size=20)
    labels[:k] = np.arange(k)
    ours = silhouette_of_distances(pairwise_distances(X), labels)
    assert ours == pytest.approx(silhouette_score(X, labels), abs=1e-9)


def test_labels_need_not_be_consecutive() -> None:
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    labels = np.array([7, 7, 2, 2])
    assert silhouette_of_distances(pairwise_distances(X), labels) == pytest.approx(silhouette_score(X, labels))


def test_sizes_are_largest_first() -> None:
    labels = np.array([1, 0, 0, 2, 0, 2])
    assert list_sizes(labels) == [3, 2, 1]
    assert show_sizes(labels) == "3/2/1"


def test_clock_records_a_cut_only_when_time_is_up() -> None:
    clock = Clock(1000.0)
    assert not clock.has_run_out()
    clock.charge(1001.0)
    assert clock.has_run_out()
    assert clock.was_cut
    assert not Clock().has_run_out()
