"""Two clusters: every direction of the lattice and every intercept, which is a proof."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.family import Family
from polyclust.search.journal import Journal
from polyclust.search.partition import Partition
from polyclust.search.points import SubsetOrders, order_projections
from polyclust.search.scoring import SilhouetteScorer

__all__ = ["search_two"]

Floats = NDArray[np.float64]

MOST_CELLS = 4e9
DIRECTIONS_AT_ONCE = 256
CELLS_BETWEEN_LOOKS = 3e8  # at the clock


def search_two(
    scorer: SilhouetteScorer, family: Family, journal: Journal, most_cells: float = MOST_CELLS
) -> Partition | None:
    """The best two clusters of the family, or of what time allowed; None where that is too costly or not provable."""
    points = scorer.points
    n_oblique = 0 if family.oblique is None else len(family.oblique)
    n_cells = (points.n_features + n_oblique) * float(len(points)) ** 2
    if not family.is_complete or n_cells > most_cells or len(points) < 2:
        return None
    whole = scorer.start(np.zeros(len(points), dtype=np.intp), 1)
    best = _best_cut(scorer, whole, points.order_along_axes(np.ones(len(points), dtype=bool)), None, journal)
    rows = np.arange(len(points), dtype=np.int32)
    for start in range(0, n_oblique, DIRECTIONS_AT_ONCE):
        if journal.is_over():
            break
        assert family.oblique is not None
        some = family.oblique.take(np.arange(start, min(start + DIRECTIONS_AT_ONCE, n_oblique)))
        best = _best_cut(scorer, whole, order_projections(rows, some.project(points.values)), best, journal)
    if best is not None:
        journal.accept("split", best)
    return best


def _best_cut(
    scorer: SilhouetteScorer, whole: Partition, orders: SubsetOrders, best: Partition | None, journal: Journal
) -> Partition | None:
    scores = _scan_in_time(scorer, whole, orders, journal)
    d, p = np.unravel_index(np.argmax(scores), scores.shape)
    if scores[d, p] == IMPOSSIBLE or (best is not None and scores[d, p] <= best.score + 1e-9):
        return best
    labels = np.zeros(len(scorer.points), dtype=np.intp)
    labels[orders.rows[d, p + 1 :]] = 1
    return scorer.start(labels, 2)


def _scan_in_time(scorer: SilhouetteScorer, whole: Partition, orders: SubsetOrders, journal: Journal) -> Floats:
    """The score of every cut; IMPOSSIBLE along directions, after the first, that there is no time for."""
    scores = np.full(orders.rows.shape, IMPOSSIBLE)
    step = max(int(CELLS_BETWEEN_LOOKS / len(scorer.points) ** 2), scorer.n_threads)
    for start in range(0, len(scores), step):
        if start and journal.is_over():
            break
        some = slice(start, start + step)
        scores[some] = scorer.scan(whole, 0, None, SubsetOrders(orders.rows[some], orders.is_end[some]))
    return scores
