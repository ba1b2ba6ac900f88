"""Least errors without hyperplanes: the same numbers as those of the hyperplanes, whatever was asked before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclust.hyperplanes import pricing
from polyclust.hyperplanes.hinge import PairRows
from polyclust.hyperplanes.pair import separate_rows
from polyclust.hyperplanes.pricing import ErrorFinder

LIMITS = [(1, 1), (1, 3), (2, 1), (2, 3), (3, 2), (None, 1)]


def draw_pair(random, n_rows):
    """Two clusters that overlap more or less, on a grid or not, with weights."""
    X = random.normal(size=(n_rows, 3))
    X = np.round(2 * X) / 2 if random.random() < 0.5 else X
    is_upper = X @ random.normal(size=3) + random.choice([0.0, 0.5, 3.0]) * random.normal(size=n_rows) > 0
    is_upper[:2] = True, False
    order = np.argsort(~is_upper, kind="stable")
    return PairRows(X[order], random.integers(1, 4, n_rows).astype(float), int(is_upper.sum()))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(LIMITS), st.sampled_from([None, 0.01, 0.3]))
def test_errors_are_those_of_the_hyperplanes(seed, limits, margin):
    random = np.random.default_rng(seed)
    finder = ErrorFinder(3, *limits, margin)
    for _ in range(6):
        rows = draw_pair(random, int(random.integers(4, 150)))
        least = separate_rows(rows, max_terms=limits[0], max_coefficient=limits[1], margin=margin).error
        assert finder.find(rows) == pytest.approx(least, rel=1e-9, abs=1e-9)
        most = least * random.choice([0.5, 1.5]) + random.choice([0.0, 0.1])
        assert finder.find(rows, most) == pytest.approx(min(least, most), rel=1e-9, abs=1e-9)


def test_a_direction_that_won_is_tried_first(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 4))
    X = X[np.argsort(X[:, 3] - X[:, 1])]
    rows = PairRows(X, np.ones(80), 40)
    finder = ErrorFinder(4, 2, 3, 1e-9)
    find, tried = pricing.find_least_error, []
    monkeypatch.setattr(pricing, "find_least_error", lambda *given: tried.append(len(given[1])) or find(*given))
    assert finder.find(rows) == finder.find(rows) == 0.0
    assert tried == [len(finder.lattice), 1]
