"""The whole search on one screen.

Where more starts than usual are asked for, the usual ones come first, and what they find joins the pool.
A family that contains sums of two terms and more searches these first; what they find is its pool. Else:

1. Axes: greedy splitting, k-means and Ward starts, shifts, splits and merges along the axes, for every K; on groups
   of points when there are many.
2. Pool: those solutions, the starts that the family can tell apart as they are, and of many points trees in which the
   clusters of k-means are grafted, on all points.
3. Polish: the best few of the pool are improved with every direction of the family, carried to K + 1 and K - 1. Of many
   points the pool is also polished along the axes alone.
4. Finish: the winner gets a last pass over all pairs and is shaken, the more the fewer K were asked for.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from polyclust.search.beam import split_widely
from polyclust.search.crossing import cross_cuts
from polyclust.search.descent import explore, go_beyond, offer, shift_boundaries, widen
from polyclust.search.directions import AxisDirections
from polyclust.search.even import grow_even_tree
from polyclust.search.family import AxisFamily, Family, LatticeFamily
from polyclust.search.fates import Counting
from polyclust.search.grouping import Groups, group_points
from polyclust.search.journal import Journal
from polyclust.search.moves import DirectionSource, Neighbourhood
from polyclust.search.partition import Partition
from polyclust.search.plan import BEYOND, SearchPlan, is_costly
from polyclust.search.points import FEW_POINTS, Points
from polyclust.search.relocation import move_rows, refine
from polyclust.search.repair import make_legal
from polyclust.search.sampled import SampledNeighbourhood
from polyclust.search.scoring import Scorer, SilhouetteScorer
from polyclust.search.shaking import shake
from polyclust.search.starting import Starter
from polyclust.search.trees import Slants
from polyclust.search.two import CELLS_OF_A_CUT, cut_once, search_two

__all__ = ["SearchResult", "search_partitions"]

FEWEST_GROUPS, MOST_GROUPS = 400, 500
FEW_GROUPS = 100  # where time is up
CELLS_OF_GROUPS = 8e6
SMALL_GAIN, SMALLEST_GAIN = 2e-5, 1e-7
SAMPLED_GAIN = 1e-4
ANY_LEANING, LITTLE_LEANING, SOME_LEANING = 0.0, 0.005, 0.02
FEW_SLANTS = 500
LEAD_OF_MORE_TERMS = 0.005
LEAD_OF_WIDER = 0.0005
NEAR_THE_LEAD = 0.003


@dataclass(frozen=True)
class SearchResult:
    """The best partition for every K.

    is_exhaustive : every step tried all directions and intercepts on all points; is_optimal : it is proved
    leading : of many points the K for which starts score more than what was found before the polish, if there is one
    """

    partitions: dict[int, Partition]
    is_exhaustive: bool
    is_optimal: bool = False
    leading: int | None = None


def search_partitions(points: Points, plan: SearchPlan, journal: Journal) -> SearchResult:
    """The best partition found for every K of the range, on all points."""
    scorer = plan.make_scorer(points)
    if plan.n_clusters == (2, 2) and isinstance(scorer, SilhouetteScorer):
        journal.begin("all cuts")
        best = search_two(scorer, plan.family, journal)
        if best is not None:
            is_proved = not journal.is_over()
            return SearchResult({2: best}, is_exhaustive=is_proved, is_optimal=is_proved)
    return _search_heuristically(scorer, plan, journal)


def _search_heuristically(scorer: Scorer, plan: SearchPlan, journal: Journal) -> SearchResult:
    points = scorer.points
    is_few = len(points) <= FEW_POINTS
    usual = None if plan.usual is None else _search_heuristically(scorer, plan.usual, journal)
    if usual is not None and journal.is_over():
        return usual
    moves = _make_moves(scorer, plan, journal)
    starter = Starter(scorer, plan, journal)
    begun = _search_simpler(starter, moves, journal) or _begin(starter, moves, journal)
    pool = begun.pool if usual is None else [*begun.pool, *usual.partitions.values()]
    if is_few and isinstance(plan.family, AxisFamily):
        best = _finish(_keep_best(pool, plan), moves, plan, journal)
        return SearchResult(best, is_exhaustive=not (begun.has_raced or plan.is_called))
    journal.begin("polish")
    is_left_to_more = plan.is_sample and not is_few and _has_many_slants(plan.family)
    is_axis = isinstance(plan.family, AxisFamily)
    leading = _find_leading(pool, begun.rated)
    counts = _choose_counts(pool, leading, plan)
    starts = [] if is_axis or is_left_to_more else _start_anew(starter, counts, moves, journal)
    starts += _graft(starter, pool, counts, journal)
    best = _polish(pool, starts, moves, plan, journal, begun.wider)
    is_asked = not (is_few or plan.is_sample or plan.is_called)
    if is_asked and begun.is_straight and isinstance(plan.family, LatticeFamily):
        _try_straight(best, pool, moves, plan, journal)
    with_two = plan.n_clusters[0] <= 2 <= plan.n_clusters[1]
    if is_few and with_two and isinstance(scorer, SilhouetteScorer) and not journal.is_over():
        in_two = search_two(scorer, plan.family, journal, most_cells=CELLS_OF_A_CUT)
        if in_two is not None:
            offer(best, in_two)
    has_raced = begun.has_raced or moves.directions.has_raced
    return SearchResult(best, is_exhaustive=is_few and not (has_raced or plan.is_called), leading=leading)


@dataclass(frozen=True)
class _Begun:
    """What is polished next.

    has_raced : directions were left out on the way; is_straight : only the axes were used
    wider : what of many points is polished beside the pool, since it led it on groups
    rated : of many points the score of starts for every K, whatever rules could say of them
    """

    pool: list[Partition]
    has_raced: bool
    is_straight: bool
    wider: Sequence[Partition] = ()
    rated: Mapping[int, float] = field(default_factory=dict)


def _begin(starter: Starter, moves: Neighbourhood, journal: Journal) -> _Begun:
    """What the axes alone find, on groups of points when there are many."""
    plan, points = starter.plan, starter.points
    journal.begin("axes")
    axes = AxisDirections(plan.effort)
    if len(points) > FEW_POINTS:
        found, wider, rated = _search_groups(starter.scorer, moves, plan, journal)
        return _Begun(found, has_raced=True, is_straight=True, wider=wider, rated=rated)
    along = _move_along(axes, starter.scorer, moves.least_leaning, journal)
    ways = (_search_axes(starter, along, way, journal, is_wide=True) for way in plan.both_ways(points))
    pool = [p for way in journal.in_time(ways, at_least=1) for p in (*way.found, *way.wider)]
    return _Begun(pool, axes.has_raced, is_straight=True)


def _search_simpler(starter: Starter, moves: Neighbourhood, journal: Journal) -> _Begun | None:
    """What sums of two terms find, so that a family which contains them does not score less; None where that is all."""
    scorer, plan = moves.scorer, starter.plan
    simpler = None if plan.is_sample or plan.is_called else plan.family.find_simpler(scorer.points.n_features)
    if simpler is None:
        return None
    found = _search_heuristically(scorer, replace(plan, family=simpler), journal)
    pool = [p for p in found.partitions.values() if moves.legality.holds_for(p)]
    if not pool:
        return None
    rated = {}
    if len(scorer.points) > FEW_POINTS:
        pool += cut_once(moves, plan, journal)
        rated = starter.rate_tight()
    return _Begun(pool, has_raced=not found.is_exhaustive, is_straight=False, rated=rated)


def _make_moves(scorer: Scorer, plan: SearchPlan, journal: Journal) -> Neighbourhood:
    """What the whole family can change; of many points a sample is looked at first."""
    points = scorer.points
    is_few, is_dear = len(points) <= FEW_POINTS, is_costly(points, plan.family)
    kind = Neighbourhood if is_few or not isinstance(scorer, SilhouetteScorer) else SampledNeighbourhood
    gain = SAMPLED_GAIN if is_dear else SMALL_GAIN
    leaning = SOME_LEANING if is_dear and not is_few else LITTLE_LEANING
    legality, directions = plan.family.legality(points), plan.family.directions(points, plan.effort)
    return kind(scorer, legality, directions, gain, leaning, journal.is_over)


def _move_along(axes: DirectionSource, scorer: Scorer, leaning: float, journal: Journal) -> Neighbourhood:
    """What the axes can change."""
    return Neighbourhood(scorer, AxisFamily().legality(scorer.points), axes, SMALL_GAIN, leaning, journal.is_over)


class _Along(NamedTuple):
    """What the axes find for every K, and what slices and cuts through all clusters make of it where that is better.

    rated : of groups, the score of starts for every K, whatever rules could say of them
    """

    found: list[Partition]
    wider: list[Partition]
    rated: Mapping[int, float] = MappingProxyType({})


def _search_axes(
    starter: Starter, moves: Neighbourhood, counting: Counting, journal: Journal, is_wide: bool = False,
    widens: bool = True,
) -> _Along:  # fmt: skip
    """Every move along the axes on the points as they are; a beam of splits is among the starts if it is wide."""
    scorer, plan = starter.scorer, starter.plan
    starts: Iterable[Partition] = starter.make(moves.legality, counting)
    measured = scorer if counting == "alone" and isinstance(scorer, SilhouetteScorer) else None
    if is_wide and measured is not None:
        splits = split_widely(measured, moves.directions, min(plan.n_clusters[1], len(scorer.points)))
        starts = itertools.chain(starts, journal.in_time(splits))
    if plan.is_sample:  # the best first, so that what lies too far behind shows early
        starts = sorted(journal.in_time(starts, at_least=2), key=lambda p: -p.score)
    found = explore(
        starts,
        moves,
        plan.n_clusters,
        journal,
        n_swapped=0 if plan.is_called else 3,
        improve_all=not plan.is_sample,
        patience=plan.patience,
    )
    wider = found
    leading = max(found, key=lambda k: found[k].score, default=0)
    if plan.goes_beyond(leading) and isinstance(scorer, SilhouetteScorer) and not journal.is_over():
        larger = starter.make_beyond(moves.legality, counting)
        wider = go_beyond(wider, larger, moves, plan.n_clusters, BEYOND, journal)
    if measured is not None and widens and not journal.is_over():
        crossed = journal.in_time(cross_cuts(measured, plan.n_clusters[1]))
        wider = widen(wider, crossed, moves, plan.n_clusters, journal)
    return _Along(list(found.values()), [p for k, p in wider.items() if p is not found.get(k)])


def _search_groups(scorer: Scorer, moves: Neighbourhood, plan: SearchPlan, journal: Journal) -> _Along:
    """The same on groups of points, lifted to all points and made legal there; many starts share several groupings.

    Of what is wider only the best is lifted, where it leads by more than groups err, and kept if it leads there too. A
    sample is searched so only where values recur, as booleans and codes do.
    """
    widens = not plan.is_sample or scorer.points.has_recurring_values
    n_groups = int(np.clip(math.sqrt(CELLS_OF_GROUPS / scorer.points.n_features), FEWEST_GROUPS, MOST_GROUPS))
    found, wider, rated = cut_once(moves, plan, journal), [], dict[int, float]()
    if journal.is_over():
        n_groups = min(n_groups, max(FEW_GROUPS, 4 * plan.n_clusters[0]))

    def is_enough() -> bool:
        return journal.is_over() and max(p.n_clusters for p in found) >= plan.n_clusters[0]

    for part in plan.share_out():
        if is_enough():
            break
        groups = group_points(scorer.points, n_groups, part.seed)
        starter = Starter(plan.make_scorer(groups.points), part, journal)
        along = _move_along(AxisDirections(part.effort, "quick"), starter.scorer, moves.least_leaning, journal)
        for counting in part.both_ways(scorer.points):
            if is_enough():
                break
            coarse = _search_axes(starter, along, counting, journal, widens=widens)
            found += _lift(coarse.found, groups, moves, counting, journal)
            leader = max(p.score for p in coarse.found)
            leading = [p for p in coarse.wider if p.score > leader + LEAD_OF_WIDER]
            wider += _lift(sorted(leading, key=lambda p: -p.score)[:1], groups, moves, counting, journal)
        rated |= {k: max(score, rated.get(k, -np.inf)) for k, score in starter.rate_known().items()}
    leader = max(p.score for p in found)
    return _Along(found, [p for p in wider if p.score > leader], rated)


def _lift(
    coarse: list[Partition], groups: Groups, moves: Neighbourhood, counting: Counting, journal: Journal
) -> list[Partition]:
    """Partitions of groups made legal on all points; where time is up, the best that can be."""
    ranked = sorted(coarse, key=lambda p: -p.score) if journal.is_over() else coarse
    legal = (_lift_one(p, groups, moves, counting) for p in ranked)
    return list(journal.in_time((p for p in legal if p is not None), at_least=1))


def _lift_one(coarse: Partition, groups: Groups, moves: Neighbourhood, counting: Counting) -> Partition | None:
    scorer, near = moves.scorer, None
    if isinstance(scorer, SilhouetteScorer):
        near = scorer.join_groups(coarse.labels, groups.code, groups.sums)
    return make_legal(groups.spread(coarse.labels), scorer, moves.legality, counting, near=near)


def _start_anew(starter: Starter, chosen: set[int], moves: Neighbourhood, journal: Journal) -> list[Partition]:
    """Starts that the whole family tells apart: as they are, or as trees of cuts.

    Where there are many points, only for some K, and with cuts of two terms.
    """
    plan = starter.plan
    counts = None
    ways: list[tuple[Counting, Slants | None]] = [(counting, None) for counting in plan.both_ways(starter.points)]
    if len(starter.points) > FEW_POINTS:
        counts = chosen
        if isinstance(plan.family, LatticeFamily):
            slants = Slants(plan.family.max_coefficient)
            ways[0] = ("alone", slants)
    several = (starter.make(moves.legality, counting, counts, slants) for counting, slants in ways)
    in_time = journal.in_time(itertools.chain.from_iterable(several))
    return [p for p in in_time if p.n_clusters >= plan.n_clusters[0]]


def _graft(starter: Starter, pool: list[Partition], counts: set[int], journal: Journal) -> list[Partition]:
    """Trees for the starts of many points that score more than what was found, where families have few terms."""
    plan, family = starter.plan, starter.plan.family
    is_many = len(starter.points) > FEW_POINTS and not (plan.is_sample or plan.is_called)
    if not is_many or not isinstance(family, AxisFamily | LatticeFamily):
        return []
    limits = (1, 1) if isinstance(family, AxisFamily) else (family.max_terms, family.max_coefficient)
    lead = max(p.score for p in pool)
    grafted = starter.graft(counts, limits, lead)
    return list(journal.in_time(grafted))


def _polish(
    pool: list[Partition], starts: list[Partition], moves: Neighbourhood, plan: SearchPlan, journal: Journal,
    wider: Sequence[Partition] = (),
) -> dict[int, Partition]:  # fmt: skip
    """Improve the best of them, carry them across K, and give the winner a last pass over all pairs."""
    if not any(plan.bounds.hold_for(p.sizes) for p in [*pool, *starts]):
        pool = _with_even_parts(pool, moves, plan, journal)
    best = _keep_best([*pool, *starts, *wider], plan)
    points = moves.scorer.points
    is_slow = not isinstance(moves.scorer, SilhouetteScorer)
    if is_slow and len(points) > FEW_POINTS:  # a criterion that is called for every cut: no more than this
        winner = max(best.values(), key=lambda p: p.score)
        offer(best, shift_boundaries(winner, moves, journal))
        return best
    is_enough = max(best) >= plan.n_clusters[0] and len(points) > FEW_POINTS
    if plan.is_sample and is_enough and _has_many_slants(plan.family):
        return best  # the starts' cuts have two terms already, and are improved on more rows than these
    chosen = [*_choose_for_polish(pool, starts, plan), *wider]
    is_cheap = not is_costly(points, plan.family)
    carry_all = is_cheap or len(points) <= FEW_POINTS
    found = explore(chosen, moves, plan.n_clusters, journal, best, n_swapped=int(is_cheap), carry_all=carry_all)
    if len(points) <= FEW_POINTS:
        found = widen(found, (), moves, plan.n_clusters, journal)
    if max(found) < plan.n_clusters[0]:  # splits of the best clusters lead nowhere
        found = _keep_best(_with_even_parts([*found.values()], moves, plan, journal), plan)
    if plan.is_sample and isinstance(plan.family, LatticeFamily):
        return found  # a last pass costs much, and on more rows the cuts are improved anyway
    return _finish(found, moves, plan, journal)


def _try_straight(
    best: dict[int, Partition], pool: list[Partition], moves: Neighbourhood, plan: SearchPlan, journal: Journal
) -> None:
    """What the axes alone make of the pool, so that more terms do not score less than one.

    Left out where that is too far behind already.
    """
    straight = replace(plan, family=AxisFamily())
    within = _make_moves(moves.scorer, straight, journal)
    lead = max(p.score for p in best.values())
    near = [p for p in pool if p.score > lead - LEAD_OF_MORE_TERMS and plan.bounds.hold_for(p.sizes)]
    several = journal.in_time(make_legal(p.labels, moves.scorer, within.legality) for p in near)
    rivals = [p for p in several if p is not None and p.score > lead - LEAD_OF_MORE_TERMS]
    if not rivals or journal.is_over():
        return
    for partition in _polish(rivals, [], within, straight, journal).values():
        offer(best, partition)
    if max(p.score for p in best.values()) > lead:
        _finish(best, moves, plan, journal)


def _has_many_slants(family: Family) -> bool:
    """Whether directions of two terms, and no more, are far too many to try them all."""
    return isinstance(family, LatticeFamily) and family.max_terms == 2 and len(family.oblique) > FEW_SLANTS


def _with_even_parts(
    pool: list[Partition], moves: Neighbourhood, plan: SearchPlan, journal: Journal
) -> list[Partition]:
    """The pool and trees of parts of about equal weight."""
    points = moves.scorer.points
    least, most = max(plan.n_clusters[0], 2), min(plan.n_clusters[1], len(points))
    even = (make_legal(grow_even_tree(points, k), moves.scorer, moves.legality) for k in range(least, most + 1))
    return [*pool, *journal.in_time((p for p in even if p is not None), at_least=1)]


def _finish(
    best: dict[int, Partition], moves: Neighbourhood, plan: SearchPlan, journal: Journal
) -> dict[int, Partition]:
    """A last pass for the winner, over more pairs and down to smaller gains, and for what comes close and overtakes it.

    Between two passes it is shaken, for the silhouette and exact rules; else that would cost too much. On a sample its
    noise exceeds what single rows, or pairs that hardly lean on each other, could gain.
    """
    winner = max(best.values(), key=lambda p: p.score)
    is_many = len(moves.scorer.points) > FEW_POINTS
    gain, leaning = (SMALL_GAIN, LITTLE_LEANING) if is_many else (SMALLEST_GAIN, ANY_LEANING)
    leaning = SOME_LEANING if plan.is_sample else leaning
    finer = replace(moves, directions=moves.directions.afresh(), least_gain=gain, least_leaning=leaning)
    if plan.is_sample:
        offer(best, shift_boundaries(winner, finer, journal))
        return best
    lead = refine(winner, finer, journal)
    if isinstance(moves.scorer, SilhouetteScorer):
        shaken = shake(lead, moves, journal, plan.n_shakes(moves.scorer.points), plan.seed)
        lead = lead if shaken is lead else refine(shaken, finer, journal)
    offer(best, lead)
    rivals = [p for p in best.values() if p.n_clusters != lead.n_clusters and p.score > lead.score - NEAR_THE_LEAD]
    for rival in rivals:
        moved = move_rows(rival, moves, journal)
        offer(best, moved if moved.score <= lead.score else refine(moved, finer, journal))
    return best


def _choose_for_polish(pool: list[Partition], starts: list[Partition], plan: SearchPlan) -> list[Partition]:
    """The best few: the best of either kind, since what scores less now need not in the end, then of other K."""
    leaders = [max(several, key=lambda p: p.score) for several in (pool, starts) if several]
    n_seen = Counter(p.n_clusters for p in leaders)
    others: list[tuple[int, int, Partition]] = []
    for partition in sorted([*pool, *starts], key=lambda p: -p.score):
        if all(partition is not leader for leader in leaders):
            others.append((n_seen[partition.n_clusters], len(others), partition))
            n_seen[partition.n_clusters] += 1
    ranked = [partition for _, _, partition in sorted(others, key=lambda r: r[:2])]
    return [*sorted(leaders, key=lambda p: -p.score), *ranked][: plan.n_polished]


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
            f"No clusters of {plan.bounds.least:.10g} to {plan.bounds.most:.10g} rows were found; lower "
            "min_cluster_size, or raise max_cluster_size or the number of clusters."
        )
    chosen = max(fewer, key=lambda p: (p.n_clusters, p.score))  # the sizes allow fewer clusters than asked for
    return {chosen.n_clusters: chosen}


def _find_leading(pool: list[Partition], rated: Mapping[int, float]) -> int | None:
    """The number of clusters for which starts score most, if they score more than the pool."""
    leading = max(rated, key=lambda k: rated[k], default=None)
    return leading if leading is not None and rated[leading] > max(p.score for p in pool) else None


def _choose_counts(pool: list[Partition], leading: int | None, plan: SearchPlan) -> set[int]:
    """The number of clusters that is best along the axes, those beside it, and the fewest asked for; and the leading
    one."""
    best = max(pool, key=lambda p: p.score).n_clusters
    return {plan.n_clusters[0], best - 1, best, best + 1} | (set() if leading is None else {leading})
