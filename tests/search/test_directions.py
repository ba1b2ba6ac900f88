"""Which directions are swept: what is left out, what is remembered, and that a last pass forgets."""

from __future__ import annotations

import numpy as np
import pytest

from polyclust.hyperplanes.lattice import list_directions
from polyclust.search import directions
from polyclust.search.directions import AxisDirections, LatticeDirections
from polyclust.search.distances import measure_distances
from polyclust.search.points import Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds

N_FEATURES = 12


@pytest.fixture(scope="module")
def scorer():
    """Two clouds that lie apart along features 3 and 7, in twelve features."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(120, N_FEATURES))
    values[60:, [3, 7]] += 6.0
    points = Points(measure_distances(values, "euclidean"), np.ones(120), values, values, values)
    return SilhouetteScorer(points, SizeBounds((1.0, np.inf)))


@pytest.fixture
def parted(scorer):
    return scorer.start(np.repeat([0, 1], 60).astype(np.intp), 2)


@pytest.fixture
def lattice(monkeypatch):
    """A lattice that always races; the races that were run are counted."""
    monkeypatch.setattr(LatticeDirections, "CELLS_TO_LIST", 0)
    monkeypatch.setattr(LatticeDirections, "FEW_DIRECTIONS", 0)
    monkeypatch.setattr(directions, "FEW_POINTS", 100)
    race, races = LatticeDirections.race, []
    monkeypatch.setattr(LatticeDirections, "race", lambda self, *trials: races.append(1) or race(self, *trials))
    return LatticeDirections(list_directions(N_FEATURES, 2, 2), 2, 2), races


def change(scorer, partition, n_rows):
    labels = partition.labels.copy()
    labels[:n_rows] = 1
    return scorer.start(labels, 2)


def test_all_axes_where_that_is_cheap(scorer, parted):
    axes = AxisDirections()
    assert len(axes.propose(scorer, parted, 0, 1).rows) == N_FEATURES
    assert not axes.has_raced


@pytest.mark.parametrize("pace", ["quick", "usual", "slow"])
def test_a_shift_takes_the_axes_that_tell_the_clusters_apart(scorer, parted, pace, monkeypatch):
    monkeypatch.setattr(AxisDirections, "CELLS_TO_LIST", 0)
    monkeypatch.setattr(AxisDirections, "N_RACED", 2)
    axes = AxisDirections(pace=pace)
    orders = axes.propose(scorer, parted, 0, 1)
    assert axes.has_raced
    expected = np.argsort(scorer.points.values[:, [3, 7]], axis=0, kind="stable").T
    assert np.array_equal(orders.rows, expected)


def test_on_groups_a_shift_never_takes_all_of_many_axes(scorer, parted):
    axes = AxisDirections(pace="quick")
    assert len(axes.propose(scorer, parted, 0, 1).rows) == AxisDirections.N_RACED
    assert len(axes.propose(scorer, parted, 0, None).rows) == N_FEATURES
    assert len(axes.afresh().propose(scorer, parted, 0, 1).rows) == N_FEATURES


def test_the_winners_of_a_race_are_kept_while_few_rows_change(scorer, parted, lattice):
    source, races = lattice
    first = source.propose(scorer, parted, 0, 1)
    again = source.propose(scorer, parted, 0, 1)
    assert len(races) == 1
    assert np.array_equal(first.rows, again.rows)
    source.propose(scorer, change(scorer, parted, 12), 0, 1)
    assert len(races) == 1
    source.propose(scorer, change(scorer, parted, 40), 0, 1)
    assert len(races) == 2
    source.propose(scorer, parted, 0, None)
    assert len(races) == 3


def test_with_few_points_every_race_is_run(scorer, parted, lattice, monkeypatch):
    source, races = lattice
    monkeypatch.setattr(directions, "FEW_POINTS", 1000)
    for _ in range(2):
        source.propose(scorer, parted, 0, 1)
    assert len(races) == 2


def test_a_last_pass_races_again(scorer, parted, lattice):
    source, races = lattice
    source.propose(scorer, parted, 0, 1)
    source.afresh().propose(scorer, parted, 0, 1)
    assert len(races) == 2
