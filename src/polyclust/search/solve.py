"""The whole search on one screen.

1. Axes: greedy splitting, k-means and Ward starts, shifts, splits and merges along the axes, for every K; on groups
   of points when there are many.
2. Pool: those solutions, and the starts that the family can tell apart as they are, on all points.
3. Polish: the best few of the pool are improved with every direction of the family, carried to K + 1 and K - 1, and the
   winner gets a last pass over all pairs.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from polyclust.alternating import alternate
from polyclust.clusters.starts import start_by_kmeans, start_by_linkage, start_by_medoids
from polyclust.search.descent import explore, offer, shift_boundaries
from polyclust.search.directions import AxisDirections
from polyclust.search.even import grow_even_tree
from polyclust.search.extremes import cut_extremes
from polyclust.search.family import AxisFamily, Family, LatticeFamily
from polyclust.search.grouping import group_points
from polyclust.search.journal import Journal
from polyclust.search.moves import DirectionSource, Neighbourhood
from polyclust.search.partition import Ints, Partition
from polyclust.search.points import FEW_POINTS, Points
from polyclust.search.repair import make_legal
from polyclust.search.sampled import SampledNeighbourhood
from polyclust.search.scoring import Scorer, SilhouetteScorer, SizeBounds
from polyclust.search.two import search_two

__all__ = ["SearchPlan", "SearchResult", "search_partitions"]

FEWEST_GROUPS, MOST_GROUPS = 400, 500
CELLS_OF_GROUPS = 8e6
SLACK_WEIGHT_OF_STARTS = 2.0
ROUNDS_OF_STARTS = 4
SMALL_GAIN, SMALLEST_GAIN = 2e-5, 1e-7
SAMPLED_GAIN = 1e-4
ANY_LEANING, LITTLE_LEANING, SOME_LEANING = 0.0, 0.005, 0.02
STARTS_OF_A_GROUPING = 10
CELLS_OF_A_START = 6e5
CELLS_OF_A_CUT = 3e8
CELLS_OF_A_LATTICE = 1e9
CELLS_OF_ALL_AXES = 3.5e6
VALUES_TO_ALTERNATE = 3000
ScorerMaker = Callable[[Points], Scorer]


@dataclass(frozen=True)
class SearchPlan:
    """What to search for and how hard."""

    n_clusters: tuple[int, int]
    family: Family
    make_scorer: ScorerMaker
    n_init: int
    seed: int
    bounds: SizeBounds
    is_called: bool = False  # the criterion is a function, called for every candidate
    alternates: bool = True  # whether Algorithm 1 makes starts too
    n_jobs: int = 1  # of the starts
    is_sample: bool = False  # the points stand for many more rows
    by_loss: bool = True  # whether rows count by what they would lose when starts are made legal

    def n_starts(self, points: Points) -> int:
        """Random starts for every K: the fewer, the more a sweep of all axes costs."""
        n_cells = points.n_features * len(points) ** 2
        if self.is_called:
            return 1
        return max(1, math.ceil(self.n_init * min(1.0, CELLS_OF_A_START / n_cells)))

    @property
    def effort(self) -> float:
        """How much more than usual a sweep of all directions may cost."""
        return max(1.0, self.n_init / 10)

    @property
    def patience(self) -> int:
        """After how many starts of a K in vain its other starts, which score less, are left out."""
        return max(3, math.ceil(self.n_init / 2))

    def share_out(self) -> list[SearchPlan]:
        """Plans for several groupings of the points with a share of the starts each."""
        n_plans = max(1, self.n_init // STARTS_OF_A_GROUPING)
        n_each = min(self.n_init, STARTS_OF_A_GROUPING)
        return [replace(self, n_init=n_each, seed=self.seed + n, alternates=False) for n in range(n_plans)]

    def both_ways(self, points: Points) -> list[SearchPlan]:
        """Rows that count by their losses, and rows that count alike; only the first where starts cost much.

        To a criterion that is called all losses are alike.
        """
        is_dear = len(points) > FEW_POINTS and _is_costly(points, self.family)
        return [self] if is_dear or self.is_called else [self, replace(self, by_loss=False)]

    @property
    def n_polished(self) -> int:
        """How many of the pool are improved with the whole family."""
        return 2 + math.ceil(self.n_init / 10)


@dataclass(frozen=True)
class SearchResult:
    """The best partition for every K.

    is_exhaustive : every step tried all directions and intercepts on all points; is_optimal : it is proved
    """

    partitions: dict[int, Partition]
    is_exhaustive: bool
    is_optimal: bool = False


def search_partitions(points: Points, plan: SearchPlan, journal: Journal) -> SearchResult:
    """The best partition found for every K of the range, on all points."""
    scorer = plan.make_scorer(points)
    if plan.n_clusters == (2, 2) and isinstance(scorer, SilhouetteScorer):
        journal.begin("all cuts")
        proved = search_two(scorer, plan.family, journal)
        if proved is not None:
            return SearchResult({2: proved}, is_exhaustive=True, is_optimal=True)
    return _search_heuristically(scorer, plan, journal)


def _search_heuristically(scorer: Scorer, plan: SearchPlan, journal: Journal) -> SearchResult:
    points = scorer.points
    is_few = len(points) <= FEW_POINTS
    kind = Neighbourhood if is_few or not isinstance(scorer, SilhouetteScorer) else SampledNeighbourhood
    gain = SAMPLED_GAIN if _is_costly(points, plan.family) else SMALL_GAIN
    leaning = SOME_LEANING if _is_costly(points, plan.family) and not is_few else LITTLE_LEANING
    moves = kind(scorer, plan.family.legality(points), plan.family.directions(points, plan.effort), gain, leaning)
    journal.begin("axes")
    axes = AxisDirections(plan.effort)
    ways = plan.both_ways(points)
    if is_few:
        pool = [p for way in ways for p in _search_axes(scorer, axes, way, journal, leaning)]
    else:
        pool = _search_groups(scorer, moves, plan, journal)
    if is_few and isinstance(plan.family, AxisFamily):
        best = _finish(_keep_best(pool, plan), moves, plan, journal)
        return SearchResult(best, is_exhaustive=not (axes.has_raced or plan.is_called))
    journal.begin("polish")
    if not isinstance(plan.family, AxisFamily):
        counts = None if is_few else _choose_counts(pool, plan)
        several = itertools.chain.from_iterable(_starts(scorer, moves, way, counts) for way in ways)
        starts = itertools.takewhile(lambda _: not journal.is_over(), several)
        pool += [p for p in starts if p.n_clusters >= plan.n_clusters[0]]
    best = _polish(pool, moves, plan, journal)
    has_raced = axes.has_raced or moves.directions.has_raced
    return SearchResult(best, is_exhaustive=is_few and not (has_raced or plan.is_called))


def _search_axes(
    scorer: Scorer, axes: DirectionSource, plan: SearchPlan, journal: Journal, leaning: float
) -> list[Partition]:
    """Every move along the axes on the points as they are."""
    moves = Neighbourhood(scorer, AxisFamily().legality(scorer.points), axes, SMALL_GAIN, leaning)
    n_swapped = 0 if plan.is_called else 3
    starts: Iterable[Partition] = _starts(scorer, moves, plan)
    if plan.is_sample:  # the best first, so that what lies too far behind shows early
        starts = sorted(starts, key=lambda p: -p.score)
    found = explore(
        starts,
        moves,
        plan.n_clusters,
        journal,
        n_swapped=n_swapped,
        improve_all=not plan.is_sample,
        patience=plan.patience,
    )
    return list(found.values())


def _search_groups(scorer: Scorer, moves: Neighbourhood, plan: SearchPlan, journal: Journal) -> list[Partition]:
    """The same on groups of points, lifted to all points and made legal there; many starts share several groupings."""
    n_groups = int(np.clip(math.sqrt(CELLS_OF_GROUPS / scorer.points.n_features), FEWEST_GROUPS, MOST_GROUPS))
    found = [scorer.start(np.zeros(len(scorer.points), dtype=np.intp), 1), _cut_in_two(scorer, moves, plan, journal)]
    for part in plan.share_out():
        groups = group_points(scorer.points, n_groups, part.seed)
        coarse_scorer = plan.make_scorer(groups.points)
        for way in part.both_ways(scorer.points):
            axes = AxisDirections(part.effort, "quick")
            coarse = _search_axes(coarse_scorer, axes, way, journal, moves.least_leaning)
            found += [make_legal(groups.spread(p.labels), scorer, moves.legality, way.by_loss) for p in coarse]
        if journal.is_over():
            break
    return [p for p in found if p is not None]


def _cut_in_two(scorer: Scorer, moves: Neighbourhood, plan: SearchPlan, journal: Journal) -> Partition | None:
    """The best single cut of all points, which groups may hide: all of them where that is cheap."""
    found = []
    if isinstance(scorer, SilhouetteScorer):
        proved = search_two(scorer, plan.family, journal, most_cells=CELLS_OF_A_CUT)
        if proved is not None:
            return proved
        if plan.family.oblique is not None:
            found.append(cut_extremes(scorer, plan.family.oblique, journal))
    found.append(moves.split(scorer.start(np.zeros(len(scorer.points), dtype=np.intp), 1), 0))
    return max((p for p in found if p is not None), key=lambda p: p.score, default=None)


def _polish(pool: list[Partition], moves: Neighbourhood, plan: SearchPlan, journal: Journal) -> dict[int, Partition]:
    """Improve the best of the pool, carry them across K, and give the winner a last pass over all pairs."""
    pool = _with_even_parts(pool, moves, plan)
    best = _keep_best(pool, plan)
    is_slow = not isinstance(moves.scorer, SilhouetteScorer)
    if is_slow and len(moves.scorer.points) > FEW_POINTS:  # a criterion that is called for every cut: no more than this
        winner = max(best.values(), key=lambda p: p.score)
        offer(best, shift_boundaries(winner, moves, journal))
        return best
    chosen = _choose_for_polish(pool, plan)
    is_cheap = not _is_costly(moves.scorer.points, plan.family)
    carry_all = is_cheap or len(moves.scorer.points) <= FEW_POINTS
    found = explore(chosen, moves, plan.n_clusters, journal, best, n_swapped=int(is_cheap), carry_all=carry_all)
    if max(found) < plan.n_clusters[0]:  # splits of the best clusters lead nowhere
        found = _keep_best(_with_even_parts([*found.values()], moves, plan, is_needed=True), plan)
    if plan.is_sample and isinstance(plan.family, LatticeFamily):
        return found  # a last pass costs much, and on more rows the cuts are improved anyway
    return _finish(found, moves, plan, journal)


def _with_even_parts(
    pool: list[Partition], moves: Neighbourhood, plan: SearchPlan, is_needed: bool = False
) -> list[Partition]:
    """The pool and, where the sizes of all in it are wrong, trees of parts of about equal weight."""
    if not is_needed and any(plan.bounds.hold_for(p.sizes) for p in pool):
        return pool
    points = moves.scorer.points
    least, most = max(plan.n_clusters[0], 2), min(plan.n_clusters[1], len(points))
    even = (make_legal(grow_even_tree(points, k), moves.scorer, moves.legality) for k in range(least, most + 1))
    return [*pool, *(p for p in even if p is not None)]


def _is_costly(points: Points, family: Family) -> bool:
    """Whether every sweep counts: many points, or a lattice far too large to sweep whole."""
    n_oblique = 0 if family.oblique is None else len(family.oblique)
    n_pairs = float(len(points)) ** 2
    return points.n_features * n_pairs > CELLS_OF_ALL_AXES or n_oblique * n_pairs > CELLS_OF_A_LATTICE


def _finish(
    best: dict[int, Partition], moves: Neighbourhood, plan: SearchPlan, journal: Journal
) -> dict[int, Partition]:
    """A last pass for the winner, over more pairs and down to smaller gains.

    On a sample its noise exceeds what pairs that hardly lean on each other could gain.
    """
    winner = max(best.values(), key=lambda p: p.score)
    is_many = len(moves.scorer.points) > FEW_POINTS
    gain, leaning = (SMALL_GAIN, LITTLE_LEANING) if is_many else (SMALLEST_GAIN, ANY_LEANING)
    leaning = SOME_LEANING if plan.is_sample else leaning
    finer = replace(moves, directions=moves.directions.afresh(), least_gain=gain, least_leaning=leaning)
    offer(best, shift_boundaries(winner, finer, journal))
    return best


def _choose_for_polish(pool: list[Partition], plan: SearchPlan) -> list[Partition]:
    """The best few, of different K first of all: what is best along the axes need not be best for the family."""
    n_seen: Counter[int] = Counter()
    ranked: list[tuple[int, int, Partition]] = []
    for partition in sorted(pool, key=lambda p: -p.score):
        ranked.append((n_seen[partition.n_clusters], len(ranked), partition))
        n_seen[partition.n_clusters] += 1
    return [partition for _, _, partition in sorted(ranked, key=lambda r: r[:2])[: plan.n_polished]]


def _keep_best(pool: list[Partition], plan: SearchPlan) -> dict[int, Partition]:
    best: dict[int, Partition] = {}
    for partition in pool:
        if plan.n_clusters[0] <= partition.n_clusters <= plan.n_clusters[1]:
            offer(best, partition)
    if best:
        return best
    fewer = [p for p in pool if plan.bounds.hold_for(p.sizes)]
    if not fewer:
        raise ValueError(
            f"No clusters of {plan.bounds.least:g} to {plan.bounds.most:g} rows were found; lower min_cluster_size, or "
            "raise max_cluster_size or the number of clusters."
        )
    chosen = max(fewer, key=lambda p: (p.n_clusters, p.score))  # the sizes allow fewer clusters than asked for
    return {chosen.n_clusters: chosen}


def _choose_counts(pool: list[Partition], plan: SearchPlan) -> set[int]:
    """The numbers of clusters that are best along the axes, those beside them, and the fewest asked for."""
    best = sorted({p.n_clusters for p in pool}, key=lambda k: -max(p.score for p in pool if p.n_clusters == k))
    n_best = 1 if plan.is_sample else plan.n_polished
    return {plan.n_clusters[0], *(near for k in best[:n_best] for near in (k - 1, k, k + 1))}


def _starts(
    scorer: Scorer, moves: Neighbourhood, plan: SearchPlan, counts: Container[int] | None = None
) -> Iterator[Partition]:
    """One cluster; k-means (medoids without coordinates) and Ward for every K, or for some, made legal."""
    points = scorer.points
    yield scorer.start(np.zeros(len(points), dtype=np.intp), 1)
    tried: set[bytes] = set()
    given: set[bytes] = set()
    for _, several in itertools.groupby(_start_labels(points, plan, counts), key=lambda labels: int(labels.max())):
        new = (labels for labels in several if _is_new(labels, tried))
        legal = (make_legal(labels, scorer, moves.legality, plan.by_loss) for labels in new)
        fresh = [p for p in legal if p is not None and _is_new(p.labels, given)]
        yield from sorted(fresh, key=lambda p: -p.score)


def _is_new(labels: Ints, seen: set[bytes]) -> bool:
    """Whether these clusters, under whatever numbers, were not seen before; now they were."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    key = np.argsort(np.argsort(first))[codes].astype(np.int32).tobytes()
    is_new = key not in seen
    seen.add(key)
    return is_new


def _start_labels(points: Points, plan: SearchPlan, counts: Container[int] | None) -> Iterator[Ints]:
    """Ward, and for every K k-means from several seeds, with Algorithm 1 after the first."""
    most = min(plan.n_clusters[1], len(points))
    if plan.bounds.most < points.total_weight * (1.0 - 1e-9):  # sums of weights round
        yield from (grow_even_tree(points, k) for k in range(max(plan.n_clusters[0], 2), most + 1))
    if len(points) <= FEW_POINTS:
        yield from start_by_linkage(points.distances, points.weights, most).values()
    seeds = [plan.seed + repeat for repeat in range(plan.n_starts(points))]
    for k in (k for k in range(2, most + 1) if counts is None or k in counts):
        if points.coordinates is None:
            yield from (start_by_medoids(points.distances, points.weights, k, seed) for seed in seeds)
            continue
        several = start_by_kmeans(points.coordinates, points.weights, k, seeds, plan.n_jobs)
        yield from several
        if plan.alternates and points.n_features * len(points) <= VALUES_TO_ALTERNATE:
            yield _alternate_along_axes(points, several[0], k, plan)


def _alternate_along_axes(points: Points, labels: Ints, n_clusters: int, plan: SearchPlan) -> Ints:
    """Algorithm 1 from k-means, with hyperplanes of one term: a start that leans towards what rules can say."""
    assert points.coordinates is not None
    if len(np.unique(labels)) < n_clusters or plan.bounds.least * n_clusters > points.total_weight:
        return labels
    result = alternate(
        points.coordinates,
        points.values,
        n_clusters,
        labels0=labels,
        slack_weight=SLACK_WEIGHT_OF_STARTS,
        max_terms=1,
        max_coefficient=1,
        weights=points.weights,
        max_rounds=ROUNDS_OF_STARTS,
    )
    return result.labels
