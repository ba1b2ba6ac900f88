"""Two clusters: every direction of the lattice and every intercept, which is a proof; or the best cut that is cheap."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions
from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.extremes import cut_extremes
from polyclust.search.family import AxisFamily, Family
from polyclust.search.journal import Journal
from polyclust.search.moves import Neighbourhood
from polyclust.search.partition import Partition
from polyclust.search.plan import SearchPlan
from polyclust.search.points import Points, SubsetOrders, order_projections
from polyclust.search.scoring import SilhouetteScorer

__all__ = ["CELLS_OF_A_CUT", "cut_once", "race_two", "search_two"]

Floats = NDArray[np.float64]

MOST_CELLS = 4e9
CELLS_OF_A_CUT = 3e8  # where two clusters are one number among others
DIRECTIONS_AT_ONCE = 256
CELLS_BETWEEN_LOOKS = 3e8  # at the clock
CELLS_OF_A_RACE, FEWEST_ROWS = 1e8, 100
FEWEST_WINNERS, MOST_WINNERS = 4, 100


def cut_once(moves: Neighbourhood, plan: SearchPlan, journal: Journal) -> list[Partition]:
    """One cluster and, in time, the best single cut of all points."""
    one = moves.scorer.start(np.zeros(len(moves.scorer.points), dtype=np.intp), 1)
    in_two = None if journal.is_over() else _cut_in_two(one, moves, plan, journal)
    return [one] if in_two is None else [one, in_two]


def _cut_in_two(one: Partition, moves: Neighbourhood, plan: SearchPlan, journal: Journal) -> Partition | None:
    """The best single cut of all points, which groups may hide: of the family or, if that costs much, of the axes."""
    scorer, found = moves.scorer, []
    if isinstance(scorer, SilhouetteScorer):
        best = search_two(scorer, plan.family, journal, most_cells=CELLS_OF_A_CUT)
        if best is not None:
            return best
        if plan.family.oblique is not None:
            found.append(cut_extremes(scorer, plan.family.oblique, journal))
            if not plan.is_sample:
                found.append(search_two(scorer, AxisFamily(), journal, most_cells=CELLS_OF_A_CUT))
                found.append(race_two(scorer, plan.family.oblique, journal))
    found.append(moves.split(one, 0))
    return max((p for p in found if p is not None), key=lambda p: p.score, default=None)


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
    for some in [] if family.oblique is None else _in_parts(family.oblique, journal):
        best = _best_cut(scorer, whole, _order_all(points, some), best, journal)
    if best is not None:
        journal.accept("split", best)
    return best


def race_two(scorer: SilhouetteScorer, directions: Directions, journal: Journal) -> Partition | None:
    """The best two clusters along the directions whose best cuts of a sample score most; None without time or a cut."""
    points = scorer.points
    n_rows = int(np.clip(math.sqrt(CELLS_OF_A_RACE / len(directions)), min(FEWEST_ROWS, len(points)), len(points)))
    rows = np.sort(np.random.default_rng(0).permutation(len(points))[:n_rows])
    few = points.take(rows, points.weights[rows] * (points.total_weight / points.weights[rows].sum()))
    on_few = SilhouetteScorer(few, scorer.bounds, scorer.n_threads)
    whole = on_few.start(np.zeros(n_rows, dtype=np.intp), 1)
    parts = _in_parts(directions, journal)
    scores = [on_few.scan(whole, 0, None, _order_all(few, some)).max(axis=1) for some in parts]
    if not scores or journal.is_over():
        return None
    n_winners = int(np.clip(CELLS_OF_A_RACE / len(points) ** 2, FEWEST_WINNERS, MOST_WINNERS))
    winners = directions.take(np.argsort(-np.concatenate(scores), kind="stable")[:n_winners])
    whole = scorer.start(np.zeros(len(points), dtype=np.intp), 1)
    return _best_cut(scorer, whole, _order_all(points, winners), None, journal)


def _in_parts(directions: Directions, journal: Journal) -> Iterator[Directions]:
    """Some directions after the other, as long as there is time."""
    for start in range(0, len(directions), DIRECTIONS_AT_ONCE):
        if journal.is_over():
            break
        yield directions.take(np.arange(start, min(start + DIRECTIONS_AT_ONCE, len(directions))))


def _order_all(points: Points, directions: Directions) -> SubsetOrders:
    return order_projections(np.arange(len(points), dtype=np.int32), directions.project(points.values))


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
