"""The half-space in which rows gain most, against trying every one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyclust.hyperplanes.lattice import list_directions
from polyclust.kernels.gains import N_BINS
from polyclust.kernels.separating import RELATIVE_GAP
from polyclust.search.candidates import find_half_spaces
from strategies import matrices


@settings(deadline=None, max_examples=150)
@given(matrices(n_columns=st.integers(2, 3)), st.data())
def test_half_spaces_are_the_best_of_all_between_bins(values, data):
    gains = data.draw(arrays(float, len(values), elements=st.integers(-9, 9)))
    rows = np.flatnonzero(data.draw(arrays(bool, len(values))))
    assume(len(rows) > 1)
    every = list_directions(values.shape[1], 2, 2)
    columns = np.ascontiguousarray(values.T)
    best, thresholds, is_low = find_half_spaces(columns, rows, gains[rows], every)
    for d, along in enumerate(every.project(values[rows])):
        width = float(along.max() - along.min())
        if not width > RELATIVE_GAP * np.abs(along).max():
            assert best[d] == -np.inf
            continue
        at = (along - along.min()) * ((N_BINS - 0.5) / width)
        assume((np.abs(at - np.round(at)) > 1e-6)[at > 0.5].all())  # else its bin is a matter of rounding
        bins = at.astype(int)
        below = [gains[rows][bins <= last].sum() for last in np.unique(bins)[:-1]]
        assert best[d] == pytest.approx(max(max(b, gains[rows].sum() - b) for b in below))
        is_inside = (along < thresholds[d]) == is_low[d]
        assert gains[rows][is_inside].sum() == pytest.approx(best[d])
        assert 0 < is_inside.sum() < len(rows)


def test_sums_that_differ_by_rounding_lie_together():
    """0.9 - 0.2 and -0.1 + 0.8 differ in the last digit, where no threshold is between them."""
    columns = np.array([[0.9, -0.1], [-0.1, 0.4]])
    every = list_directions(2, 2, 2)
    best, _, _ = find_half_spaces(columns, np.arange(2), np.ones(2), every)
    widths = np.ptp(every.project(columns.T), axis=1)
    assert ((widths > 0) & (widths < 1e-12)).any()
    assert (np.isinf(best) == (widths < 1e-12)).all()
