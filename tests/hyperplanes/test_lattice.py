"""The lattice of directions against the plain enumeration of all integer vectors."""

from __future__ import annotations

import numpy as np
import pytest

from naive import lattice
from polyclust.hyperplanes.lattice import Directions, count_directions, list_along, list_directions

LIMITS = [(1, 1), (2, 1), (2, 3), (3, 2), (None, 1)]


def dense(directions, n_features):
    rows = np.zeros((len(directions), n_features))
    for d in range(len(directions)):
        features, coefficients = directions.terms(d)
        rows[d, list(features)] = coefficients
    return rows


@pytest.mark.parametrize("n_features", [1, 2, 4])
@pytest.mark.parametrize(("max_terms", "max_coefficient"), LIMITS)
def test_every_direction_is_listed_once(n_features, max_terms, max_coefficient):
    found = dense(list_directions(n_features, max_terms, max_coefficient), n_features)
    expected = lattice(n_features, max_terms or n_features, max_coefficient)
    assert len(np.unique(found, axis=0)) == len(found)
    assert sorted(map(tuple, found)) == sorted(map(tuple, expected))
    n_terms = (found != 0).sum(axis=1)
    assert (np.diff(n_terms) >= 0).all()  # axes first


@pytest.mark.parametrize("n_features", [1, 3, 5])
@pytest.mark.parametrize(("max_terms", "max_coefficient"), LIMITS)
def test_the_count_is_that_of_all_vectors_up_to_sign(n_features, max_terms, max_coefficient):
    every = list_directions(n_features, max_terms, max_coefficient, primitive=False)
    assert count_directions(n_features, max_terms, max_coefficient) == len(every)
    rows = dense(every, n_features)
    first = rows[np.arange(len(rows)), (rows != 0).argmax(axis=1)]
    assert (first > 0).all()
    assert np.abs(rows).max() == max_coefficient
    assert len(np.unique(rows, axis=0)) == len(rows)


@pytest.mark.parametrize("max_terms", [1, 2])
def test_directions_along_some_features_are_those_that_use_no_other(max_terms):
    some = np.array([1, 4, 5])
    every = list_directions(7, max_terms, 3)
    uses_others = ~np.isin(every.features, [*some, -1]).all(axis=1)
    expected = {every.terms(d) for d in np.flatnonzero(~uses_others)}
    along = list_along(some, max_terms, 3)
    assert {along.terms(d) for d in range(len(along))} == expected
    assert len(along) == len(expected)


def test_projections_are_sums_term_by_term():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(7, 4))
    directions = list_directions(4, 3, 2)
    assert directions.project(values) == pytest.approx(dense(directions, 4) @ values.T)
    one = directions.take(np.array([len(directions) - 1]))
    features, coefficients = one.terms(0)
    total = coefficients[0] * values[:, features[0]]
    for f, c in zip(features[1:], coefficients[1:], strict=True):
        total = total + c * values[:, f]
    assert one.project(values)[0].tolist() == total.tolist()  # to the bit


def test_directions_of_different_width_join():
    axes, pairs = list_directions(3, 1, 1), list_directions(3, 2, 1)
    both = axes.join(pairs)
    assert len(both) == len(axes) + len(pairs)
    assert [both.terms(d) for d in range(len(axes))] == [axes.terms(d) for d in range(len(axes))]
    assert isinstance(both, Directions)
    assert both.terms(len(axes) + 4) == pairs.terms(4)
