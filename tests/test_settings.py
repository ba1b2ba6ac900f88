"""Sizes and numbers of clusters as they are resolved for one table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyclust import PolytopeClustering
from polyclust.hyperplanes.lattice import count_directions
from polyclust.search.scoring import SizeBounds
from polyclust.settings import resolve_clusters, resolve_settings, resolve_sizes


@pytest.mark.parametrize(
    ("least", "total", "rows"),
    [(0.02, 150, 3), (0.02, 151, 4), (0.1, 30, 3), (0.07, 100, 7), (0.29, 100, 29), (5, 10, 5), (0.001, 10, 1)],
)
def test_a_share_is_rounded_up_and_rounding_errors_are_not(least, total, rows):
    assert resolve_sizes(least, None, total) == (rows, total)


def test_the_greatest_share_is_rounded_down():
    assert resolve_sizes(1, 0.35, 150) == (1, 52)
    assert resolve_sizes(1, 0.29, 100) == (1, 29)


@given(st.integers(2, 60), st.integers(1, 20), st.one_of(st.none(), st.integers(1, 60)), st.integers(2, 12))
def test_the_range_of_clusters_is_what_the_sizes_allow(total, least, most, max_clusters):
    high = math.inf if most is None else float(most)
    bounds = SizeBounds((float(least), high))
    possible = [k for k in range(2, max_clusters + 1) if k * least <= total <= k * high]
    if possible:
        assert resolve_clusters("auto", max_clusters, bounds, total, total) == (possible[0], possible[-1])
    elif least <= high:
        is_refused = 2 * least > total or max_clusters * high < total
        if is_refused:
            with pytest.raises(ValueError, match=r"clusters"):
                resolve_clusters("auto", max_clusters, bounds, total, total)


def test_an_exact_number_of_clusters_is_the_whole_range():
    assert resolve_clusters(3, 10, SizeBounds((1.0, math.inf)), 50, 50) == (3, 3)
    assert resolve_clusters(1, 10, SizeBounds((1.0, math.inf)), 50, 50) == (1, 1)


def test_sizes_between_which_no_number_of_clusters_fits_are_refused():
    """Clusters of 6 rows exactly cannot make up 10 rows, whatever their number."""
    with pytest.raises(ValueError, match="clusters"):
        resolve_clusters("auto", 10, SizeBounds((6.0, 6.0)), 10, 10)
    with pytest.raises(ValueError, match="clusters"):
        resolve_clusters("auto", 10, SizeBounds((4.0, 4.0)), 10, 10)


def test_directions_are_counted_without_overflow():
    """Grids hand over numpy's integers."""
    params = PolytopeClustering(max_terms=np.int64(24), max_coefficient=np.int64(3)).get_params()
    settings = resolve_settings(params, 100.0, 100)
    assert count_directions(24, settings.max_terms, settings.max_coefficient) == count_directions(24, 24, 3) > 2**64
