"""The study of noise: what a row is worth in the noise, and a polytope around the rows that gain there."""

from __future__ import annotations

import numpy as np
from benchmarks.limits.noise import Table, find_polytope, list_directions, weigh_rows
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_score


def make_table(rows):
    return Table(rows, cdist(rows, rows), list_directions(rows.shape[1]) @ rows.T)


def test_directions_are_all_of_one_and_two_terms():
    found = list_directions(3)
    assert len(found) == 3 + 3 * 2 * 7  # seven coprime pairs of 1 to 3, with both signs
    assert len({tuple(d) for d in found.tolist()}) == len(found)
    assert (np.count_nonzero(found, axis=1) <= 2).all()


def test_a_row_is_worth_about_what_moving_it_changes():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [400, 400, 60])
    rows = np.vstack([rng.normal(0, 1, (400, 2)), rng.normal(9, 1, (400, 2)), rng.uniform(-30, 30, (60, 2))])
    table = make_table(rows)
    gains = weigh_rows(table, labels, noise=2)
    before = silhouette_score(rows, labels)
    for row in (800, 805, 810, 815):
        moved = [np.where(np.arange(len(rows)) == row, k, labels) for k in (0, 1)]
        lost = len(rows) * (before - max(silhouette_score(rows, one) for one in moved))
        assert abs(gains[row] - lost) < 0.15 * abs(lost)
    assert (gains[:800] < 0).mean() > 0.95


def test_a_polytope_is_found_where_rows_gain():
    """A square on its corner: four faces of two terms hold the rows inside, and no others."""
    rows = np.random.default_rng(1).uniform(-2, 2, (400, 2))
    is_inside = np.abs(rows).sum(axis=1) < 1.3
    found = find_polytope(make_table(rows), np.where(is_inside, 9.0, -1.0), 4, np.random.default_rng(0))
    assert (found == is_inside).all()
    assert not find_polytope(make_table(rows), np.full(400, -1.0), 4, np.random.default_rng(0)).any()
