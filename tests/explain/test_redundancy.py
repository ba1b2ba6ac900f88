"""Reduced rules hold exactly the rows that all half-spaces hold, for every possible row."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain.strategies import (
    grow_tree,
    make_cut_values,
    make_cuts,
    make_possible_rows,
    make_table,
    pick_plane,
)
from naive import hold_clauses
from polyclust.explain.build import reduce_rule
from polyclust.explain.clauses import describe_possible_rows, list_halfspaces
from polyclust.geometry.bounds import HalfSpace
from polyclust.geometry.hyperplane import Hyperplane, build_polytopes
from polyclust.geometry.redundancy import drop_redundant, is_implied
from polyclust.table.encode import fit_encoder
from polyclust.table.features import Column, Feature

HAIR, EGGS, MILK = (Feature(Column(n, "boolean", n), "boolean") for n in ("hair", "eggs", "milk"))
COLOUR = Column("colour", "category", "colour", ("red", "blue", "green"))
RED, BLUE, GREEN = (Feature(COLOUR, "level", level) for level in COLOUR.levels)
LEGS = Feature(Column("legs", "integer", "legs"), "integer")
AGE = Feature(Column("age", "number", "age"), "number", unit=50.0)
PAY = Feature(Column("pay", "number", "pay"), "number")
OLD, OLDER = (Feature(AGE.column, "cut", v) for v in (40.0, 60.0))
FEATURES = (HAIR, EGGS, MILK, RED, BLUE, GREEN, LEGS, AGE, PAY, OLD, OLDER)


def side(terms: dict[Feature, float], threshold: float, is_upper: bool) -> HalfSpace:
    features = tuple(FEATURES.index(f) for f in terms)
    units = (1.0,) if len(terms) == 1 else tuple(f.unit for f in terms)
    return HalfSpace(Hyperplane(features, tuple(terms.values()), units, threshold, 1.0, 0, 1), is_upper)


def at_least(threshold: float, **terms: float) -> HalfSpace:
    return side({globals()[n]: c for n, c in terms.items()}, threshold, True)


def below(threshold: float, **terms: float) -> HalfSpace:
    return side({globals()[n]: c for n, c in terms.items()}, threshold, False)


@pytest.mark.parametrize(
    ("others", "candidate", "expected"),
    [
        ([at_least(5, AGE=1)], at_least(3, AGE=1), True),
        ([at_least(3, AGE=1)], at_least(5, AGE=1), False),
        ([at_least(3, AGE=1)], at_least(3, AGE=1), True),
        ([below(3, AGE=1)], below(3, AGE=1), True),
        ([below(3, AGE=1)], below(np.nextafter(3, 0), AGE=1), False),
        # whole numbers
        ([at_least(0.5, LEGS=1)], at_least(1, LEGS=1), True),
        ([at_least(1, LEGS=1)], at_least(1.5, LEGS=1), False),
        ([below(4, LEGS=1)], below(3.5, LEGS=1), True),
        ([below(4, LEGS=1)], below(3, LEGS=1), False),
        ([at_least(0.5, AGE=1)], at_least(1, AGE=1), False),
        # categories: at most one value, none is possible
        ([at_least(1, RED=1)], below(1, BLUE=1), True),
        ([below(1, RED=1)], below(1, BLUE=1), False),
        ([below(1, RED=1), below(1, BLUE=1)], at_least(1, GREEN=1), False),
        ([at_least(1, RED=1, BLUE=1)], below(1, GREEN=1), True),
        ([at_least(1, RED=1)], at_least(1, RED=1, BLUE=1), True),
        ([at_least(1, RED=1, BLUE=1), below(1, BLUE=1)], at_least(1, RED=1), True),
        # types alone
        ([], below(2, RED=1, BLUE=1), True),
        ([], at_least(0, HAIR=1), True),
        ([], below(3, HAIR=1, EGGS=1), True),
        ([], below(2, HAIR=1, EGGS=1), False),
        # scorecards
        ([at_least(2, HAIR=1, EGGS=1)], at_least(1, HAIR=1), True),
        ([at_least(3, HAIR=1, EGGS=1, MILK=1)], at_least(2, HAIR=1, EGGS=1), True),
        ([at_least(2, HAIR=1, EGGS=1, MILK=1)], at_least(2, HAIR=1, EGGS=1), False),
        ([at_least(2, HAIR=1, EGGS=1, MILK=1)], at_least(1, HAIR=1, EGGS=1), True),
        ([at_least(3, HAIR=2, EGGS=1, MILK=1)], at_least(1, HAIR=1), True),
        # cuts of one column
        ([at_least(1, OLDER=1)], at_least(1, OLD=1), True),
        ([at_least(1, OLD=1)], at_least(1, OLDER=1), False),
        ([below(1, OLD=1)], below(1, OLDER=1), True),
        ([at_least(45, AGE=1)], at_least(1, OLD=1), True),
        ([at_least(1, OLD=1)], at_least(40, AGE=1), True),
        ([at_least(1, OLD=1)], at_least(41, AGE=1), False),
        ([below(1, OLDER=1)], below(60, AGE=1), True),
        ([below(60, AGE=1)], below(1, OLDER=1), True),
        ([below(61, AGE=1)], below(1, OLDER=1), False),
        # sums of numbers
        ([at_least(50, AGE=1), at_least(2, PAY=1)], at_least(3, AGE=1, PAY=1), True),
        ([at_least(50, AGE=1), at_least(2, PAY=1)], at_least(3.001, AGE=1, PAY=1), False),
        ([at_least(3, AGE=1, PAY=1)], at_least(2, AGE=1, PAY=1), True),
        ([at_least(3, AGE=1, PAY=1)], at_least(4, AGE=2, PAY=2), True),
        ([at_least(3, AGE=1, PAY=1)], at_least(6, AGE=2, PAY=2), False),  # true, but without a margin
        ([at_least(3, AGE=1, PAY=1), at_least(1, AGE=1, PAY=-1)], at_least(99, AGE=1), True),
        ([at_least(3, AGE=1, PAY=1), at_least(1, AGE=1, PAY=-1)], at_least(101, AGE=1), False),
        ([at_least(3, AGE=1, PAY=1)], at_least(2, AGE=1, PAY=1.0000001), False),
        ([below(3, AGE=1, PAY=1), below(1, AGE=1, PAY=-1)], below(5, AGE=3, PAY=1), False),
        ([below(3, AGE=1, PAY=1), below(1, AGE=1, PAY=-1)], below(7.5, AGE=3, PAY=1), True),
    ],
)
def test_implication(others, candidate, expected):
    assert is_implied(candidate, others, describe_possible_rows(FEATURES)) is expected


def contains(halfspaces, raw):
    inside = np.ones(len(raw), dtype=bool)
    for halfspace in halfspaces:
        inside &= halfspace.contains(raw)
    return inside


def make_features(rng, cuts):
    _, table = fit_encoder(make_table(rng))
    features, raw = table.features, table.raw
    if cuts:
        made = make_cuts(features, rng)
        raw = np.column_stack([raw, make_cut_values(made, features, raw)])
        features = (*features, *made)
    return features, raw


def near_thresholds(halfspaces, raw, rng):
    """Copies of the rows with single features moved onto thresholds, where strictness shows."""
    near = raw.copy()
    for halfspace in halfspaces:
        if halfspace.is_plain:
            feature, rows = halfspace.plane.features[0], rng.integers(0, len(raw), size=20)
            near[rows, feature] = halfspace.plane.threshold
            near[rows[:10], feature] = np.nextafter(halfspace.plane.threshold, -np.inf)
    return near


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 3), st.booleans())
def test_any_half_spaces_keep_their_rows(seed, n_halfspaces, max_terms, cuts):
    rng = np.random.default_rng(seed)
    features, raw = make_features(rng, cuts)
    planes = [pick_plane(features, raw, np.arange(len(raw)), rng, max_terms) for _ in range(n_halfspaces)]
    halfspaces = [HalfSpace(p, bool(rng.integers(2))) for p in planes if p is not None]
    kept = [halfspaces[p] for p in drop_redundant(halfspaces, describe_possible_rows(features))]
    rows = make_possible_rows(features, rng, 2000)
    np.testing.assert_array_equal(contains(kept, rows), contains(halfspaces, rows))
    if all(f.kind == "number" for f in features):
        rows = near_thresholds(halfspaces, rows, rng)
        np.testing.assert_array_equal(contains(kept, rows), contains(halfspaces, rows))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 3), st.booleans())
def test_rules_and_polytopes_agree_everywhere(seed, n_clusters, max_terms, cuts):
    rng = np.random.default_rng(seed)
    features, raw = make_features(rng, cuts)
    labels, hyperplanes = grow_tree(features, raw, rng, n_clusters, max_terms)
    rows = np.vstack([raw, make_possible_rows(features, rng, 1000)])
    for polytope in build_polytopes(hyperplanes, labels.max() + 1):
        for witnesses in (None, raw):
            clauses = reduce_rule(hyperplanes, polytope.cluster, features, witnesses)
            np.testing.assert_array_equal(hold_clauses(clauses, rows, features), polytope.contains(rows))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_booleans_are_decided_completely(seed, n_halfspaces):
    """All 0/1 rows: what is dropped is not needed and, where any row is inside, what is kept is."""
    rng = np.random.default_rng(seed)
    features = (HAIR, EGGS, MILK, RED, BLUE, GREEN)
    grid = np.array(list(np.ndindex(2, 2, 2, 4)), dtype=float)
    levels = (grid[:, 3:] == np.arange(3)).astype(float)
    rows = np.column_stack([grid[:, :3], levels])
    planes = [pick_plane(features, rows, np.arange(len(rows)), rng, 3) for _ in range(n_halfspaces)]
    planes = [dataclasses.replace(p, coefficients=tuple(round(c) or 1.0 for c in p.coefficients)) for p in planes if p]
    halfspaces = [HalfSpace(p, bool(rng.integers(2))) for p in planes]
    kept = drop_redundant(halfspaces, describe_possible_rows(features))
    inside = contains(halfspaces, rows)
    np.testing.assert_array_equal(contains([halfspaces[p] for p in kept], rows), inside)
    for p in kept if inside.any() else ():
        rest = [halfspaces[q] for q in kept if q != p]
        assert not np.array_equal(contains(rest, rows), inside)


def test_equal_half_spaces_are_listed_once():
    plane = Hyperplane((0,), (1.0,), (1.0,), 1.0, 1.0, 0, 1)
    twin = dataclasses.replace(plane, below=2)
    assert len(list_halfspaces([plane, twin], 0)) == 1
