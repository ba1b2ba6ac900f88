"""Hypothesis strategies: small tables with everything that goes wrong: ties, duplicates, constants, singletons."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyclust.search.distances import measure_distances
from polyclust.search.points import Points

TIED = st.integers(-4, 4).map(float)
TENTHS = st.integers(-30, 30).map(lambda k: k / 10)
WIDE = st.integers(-200, 200).map(lambda k: k / 10)  # float32 sums still tell neighbours apart
ANY = st.floats(-100, 100, allow_nan=False, width=32)
LEVELS = ["red", "green", "blue", "it's"]


@st.composite
def matrices(draw, n_rows=st.integers(4, 20), n_columns=st.integers(1, 3)):
    """Rows with ties and duplicates, sometimes with a constant column."""
    shape = (draw(n_rows), draw(n_columns))
    values = draw(arrays(float, shape, elements=draw(st.sampled_from([TIED, TENTHS, WIDE]))))
    if shape[1] > 1 and draw(st.integers(0, 4)) == 0:
        values[:, 0] = 3.5
    return values


@st.composite
def weights_for(draw, n_rows):
    """Ones, or whole numbers up to three."""
    if draw(st.booleans()):
        return np.ones(n_rows)
    return draw(arrays(float, n_rows, elements=st.integers(1, 3).map(float)))


@st.composite
def labels_for(draw, n_rows, n_clusters):
    """Labels that use every cluster, singletons included."""
    rest = draw(arrays(np.intp, n_rows - n_clusters, elements=st.integers(0, n_clusters - 1)))
    labels = np.concatenate([np.arange(n_clusters), rest]).astype(np.intp)
    return labels[np.array(draw(st.permutations(range(n_rows))), dtype=np.intp)]


@st.composite
def points(draw, n_rows=st.integers(4, 20), n_columns=st.integers(1, 3)):
    """Weighted points with their distances."""
    values = draw(matrices(n_rows, n_columns))
    return Points(measure_distances(values, "euclidean"), draw(weights_for(len(values))), values, values.copy(), values)


@st.composite
def partitioned_points(draw, n_rows=st.integers(6, 20), n_columns=st.integers(1, 3), most=4):
    """Points, labels and how many clusters there are."""
    some = draw(points(n_rows, n_columns))
    n_clusters = draw(st.integers(2, min(most, len(some))))
    return some, draw(labels_for(len(some), n_clusters)), n_clusters


COLUMNS = {
    "number": lambda n: arrays(float, n, elements=TENTHS | ANY),
    "tied": lambda n: arrays(float, n, elements=TIED),
    "integer": lambda n: arrays(np.int64, n, elements=st.integers(-5, 40)),
    "boolean": lambda n: arrays(bool, n),
    "zero_one": lambda n: arrays(np.int64, n, elements=st.integers(0, 1)),
    "text": lambda n: st.lists(st.sampled_from(LEVELS), min_size=n, max_size=n).map(
        lambda v: np.array(v, dtype=object)
    ),
    "category": lambda n: st.lists(st.sampled_from(LEVELS[:3]), min_size=n, max_size=n).map(pd.Categorical),
}


@st.composite
def frames(draw, n_rows=st.integers(10, 40), kinds=tuple(COLUMNS)):
    """Mixed tables with at least two different rows."""
    n = draw(n_rows)
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    table = pd.DataFrame({f"{kind} {p}": draw(COLUMNS[kind](n)) for p, kind in enumerate(chosen)})
    assume(len(table.drop_duplicates()) >= 3)
    return table
