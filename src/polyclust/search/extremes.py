"""Outliers: where clusters may be tiny, the few rows at either end of every direction of a lattice are tried as one."""

from __future__ import annotations

import numpy as np

from polyclust.hyperplanes.lattice import Directions
from polyclust.kernels.separating import RELATIVE_GAP
from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.journal import Journal
from polyclust.search.partition import Partition
from polyclust.search.points import Points, SubsetOrders
from polyclust.search.scoring import SilhouetteScorer

__all__ = ["cut_extremes"]

MOST_OUTLIERS = 8
DIRECTIONS_AT_ONCE = 256
MOST_VALUES = 4e8


def cut_extremes(scorer: SilhouetteScorer, directions: Directions, journal: Journal) -> Partition | None:
    """The best cut of all points that takes off a few rows at an end; None where the sizes or the cost forbid it."""
    points = scorer.points
    is_cheap = len(directions) * len(points) <= MOST_VALUES
    if scorer.bounds.least > MOST_OUTLIERS or len(points) <= 2 * MOST_OUTLIERS or not is_cheap:
        return None
    whole = scorer.start(np.zeros(len(points), dtype=np.intp), 1)
    best = None
    for start in range(0, len(directions), DIRECTIONS_AT_ONCE):
        if journal.is_over():
            break
        some = directions.take(np.arange(start, min(start + DIRECTIONS_AT_ONCE, len(directions))))
        for orders in _order_ends(points, some):
            scores = scorer.scan(whole, 0, None, orders)
            d, p = np.unravel_index(np.argmax(scores), scores.shape)
            if scores[d, p] > IMPOSSIBLE and (best is None or scores[d, p] > best.score + 1e-9):
                labels = np.zeros(len(points), dtype=np.intp)
                labels[orders.rows[d, : p + 1]] = 1
                best = scorer.start(labels, 2)
    return best


def _order_ends(points: Points, directions: Directions) -> list[SubsetOrders]:
    """The lowest rows along every direction, ascending, and the highest, descending."""
    projections = directions.project(points.values)
    scale = RELATIVE_GAP * np.abs(projections).max(axis=1, keepdims=True)
    ends = []
    for values in (projections, -projections):
        few = np.argpartition(values, MOST_OUTLIERS, axis=1)[:, : MOST_OUTLIERS + 1]
        order = np.take_along_axis(few, np.argsort(np.take_along_axis(values, few, axis=1), axis=1), axis=1)
        is_end = np.diff(np.take_along_axis(values, order, axis=1), axis=1) > scale
        ends.append(SubsetOrders(np.ascontiguousarray(order[:, :-1], dtype=np.int32), is_end))
    return ends
