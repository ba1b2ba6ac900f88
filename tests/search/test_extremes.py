"""The few rows at the ends of every direction, against trying them all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import silhouette_of_repeats
from polyclust.hyperplanes.lattice import list_directions
from polyclust.search.distances import measure_distances
from polyclust.search.extremes import MOST_OUTLIERS, cut_extremes
from polyclust.search.journal import Journal
from polyclust.search.points import Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from strategies import points


def try_all(some, directions, least):
    """The best silhouette of up to MOST_OUTLIERS rows at an end against the others."""
    best = -np.inf
    for along in directions.project(some.values):
        for values in (along, -along):
            order = np.argsort(values, kind="stable")
            for n_off in range(1, MOST_OUTLIERS + 1):
                off, rest = order[:n_off], order[n_off:]
                if values[off].max() < values[rest].min() - 1e-6 and some.weights[off].sum() >= least:
                    labels = np.isin(np.arange(len(some)), off).astype(np.intp)
                    best = max(best, silhouette_of_repeats(some.distances, labels, some.weights))
    return best


@settings(deadline=None, max_examples=40)
@given(points(n_rows=st.integers(2 * MOST_OUTLIERS + 1, 24), n_columns=st.integers(2, 3)), st.sampled_from([1.0, 3.0]))
def test_the_best_few_rows_at_an_end(some, least):
    directions = list_directions(some.n_features, 2, 2)
    found = cut_extremes(SilhouetteScorer(some, SizeBounds((least, np.inf))), directions, Journal())
    expected = try_all(some, directions, least)
    if found is None:
        assert expected == -np.inf
    else:
        assert found.score == pytest.approx(expected, abs=1e-6)


def test_where_small_clusters_are_forbidden_nothing_is_tried():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 2))
    some = Points(measure_distances(values, "euclidean"), np.ones(40), values, values, values)
    scorer = SilhouetteScorer(some, SizeBounds((MOST_OUTLIERS + 1.0, np.inf)))
    assert cut_extremes(scorer, list_directions(2, 2, 1), Journal()) is None
