"""The hinge kernels against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyclust.kernels.hinge import find_threshold, select_weighted, sum_hinges

TIED = st.integers(-4, 4).map(float)


@st.composite
def weighted_keys(draw):
    n = draw(st.integers(1, 40))
    keys = draw(arrays(float, n, elements=TIED | st.floats(-5, 5, width=32)))
    return keys, draw(arrays(float, n, elements=st.integers(1, 3).map(float)))


@settings(deadline=None)  # the first call compiles
@given(weighted_keys(), st.floats(0.01, 1.0))
def test_selection_is_a_sort_and_a_cumulative_sum(drawn, share):
    keys, weights = drawn
    target = float(np.ceil(share * weights.sum()))
    order = np.argsort(keys)
    expected = keys[order][np.searchsorted(np.cumsum(weights[order]), target)]
    assert select_weighted(keys.copy(), weights.copy(), target) == expected


@settings(deadline=None)  # the first call compiles
@given(weighted_keys(), st.data())
def test_no_threshold_has_a_smaller_error(drawn, data):
    keys, weights = drawn
    sides = data.draw(arrays(float, len(keys), elements=st.sampled_from([-1.0, 1.0])))
    threshold, error = find_threshold(keys, sides, weights, np.empty((2, len(keys))))
    tried = [(weights * np.maximum(sides * (keys - key), 0.0)).sum() for key in keys]
    assert error == pytest.approx(min(tried), abs=1e-9)
    assert error == pytest.approx(sum_hinges(keys, sides, weights, threshold))
