"""The whole search on one screen: coarse groups, lifted to all points, polished; or all points at once when few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from polyclust.clusters.starts import start_by_kmeans, start_by_linkage, start_by_medoids
from polyclust.search.descent import explore, shift_boundaries
from polyclust.search.family import AxisFamily, Family
from polyclust.search.grouping import group_points
from polyclust.search.journal import Journal
from polyclust.search.moves import Neighbourhood
from polyclust.search.partition import Ints, Partition
from polyclust.search.points import Points
from polyclust.search.repair import make_legal
from polyclust.search.sampled import SampledNeighbourhood
from polyclust.search.scoring import Scorer, SilhouetteScorer

__all__ = ["SearchPlan", "search_partitions"]

FEW_POINTS = 700
N_GROUPS = 500
N_POLISHED = 3
ScorerMaker = Callable[[Points], Scorer]


@dataclass(frozen=True)
class SearchPlan:
    """What to search for and how hard."""

    n_clusters: tuple[int, int]
    family: Family
    make_scorer: ScorerMaker
    n_init: int
    seed: int


def search_partitions(points: Points, plan: SearchPlan, journal: Journal) -> dict[int, Partition]:
    """The best partition found for every K of the range, on all points."""
    if len(points) <= FEW_POINTS:
        return _search_exhaustively(points, plan, journal)
    return _search_coarse_to_fine(points, plan, journal)


def _search_exhaustively(points: Points, plan: SearchPlan, journal: Journal) -> dict[int, Partition]:
    """Every move with every direction on all points; axes first, since they are cheap and good starts."""
    scorer = plan.make_scorer(points)
    best: dict[int, Partition] = {}
    journal.begin("axes")
    straight = Neighbourhood(scorer, AxisFamily().legality(points), AxisFamily().directions(points))
    if plan.family.oblique is not None or plan.family.is_complete:
        best = explore(_starts(scorer, straight, plan), straight, plan.n_clusters, journal)
    if isinstance(plan.family, AxisFamily):
        return best
    journal.begin("oblique")
    moves = Neighbourhood(scorer, plan.family.legality(points), plan.family.directions(points))
    starts = [*best.values(), *_starts(scorer, moves, plan)]
    return explore(starts, moves, plan.n_clusters, journal)


def _search_coarse_to_fine(points: Points, plan: SearchPlan, journal: Journal) -> dict[int, Partition]:
    """Search groups of points, lift the solutions, and polish the best few on all points."""
    journal.begin("coarse")
    groups = group_points(points, N_GROUPS, plan.seed)
    coarse_scorer = plan.make_scorer(groups.points)
    family = AxisFamily() if plan.family.oblique is not None else plan.family
    coarse = Neighbourhood(coarse_scorer, family.legality(groups.points), family.directions(groups.points))
    found = explore(_starts(coarse_scorer, coarse, plan), coarse, plan.n_clusters, journal)
    scorer = plan.make_scorer(points)
    kind = SampledNeighbourhood if isinstance(scorer, SilhouetteScorer) else Neighbourhood
    moves = kind(scorer, plan.family.legality(points), plan.family.directions(points))
    lifted = [make_legal(groups.spread(p.labels), scorer, moves.legality) for p in found.values()]
    ranked = sorted((p for p in lifted if p is not None), key=lambda p: -p.score)
    journal.begin("polish")
    best: dict[int, Partition] = {}
    for rank, partition in enumerate(ranked):
        polished = shift_boundaries(partition, moves, journal) if rank < N_POLISHED else partition
        if polished.n_clusters not in best or polished.score > best[polished.n_clusters].score:
            best[polished.n_clusters] = polished
    return best


def _starts(scorer: Scorer, moves: Neighbourhood, plan: SearchPlan) -> Iterator[Partition]:
    """One cluster; k-means (medoids without coordinates) and Ward for every K, made legal."""
    points = scorer.points
    yield scorer.start(np.zeros(len(points), dtype=np.intp), 1)
    for labels in _start_labels(points, plan):
        legal = make_legal(labels, scorer, moves.legality)
        if legal is not None:
            yield legal


def _start_labels(points: Points, plan: SearchPlan) -> Iterator[Ints]:
    most = min(plan.n_clusters[1], len(points))
    yield from start_by_linkage(points.distances, points.weights, most).values()
    for k in range(2, most + 1):
        for repeat in range(max(1, plan.n_init // 5)):
            seed = plan.seed + repeat
            if points.coordinates is None:
                yield start_by_medoids(points.distances, points.weights, k, seed)
            else:
                yield start_by_kmeans(points.coordinates, points.weights, k, seed)
