"""The whole method: prepared table -> weighted points -> search -> hyperplanes, as one function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from polyclust.clusters.starts import start_by_best_kmeans, start_by_medoids
from polyclust.concluding import read_planes, score_alone
from polyclust.equipping import Prepared, collapse_rows, make_family, make_scorer
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.telling import choose_telling, count_summed
from polyclust.scale.blocks import ArrayBlocks, Block, Blocks, Placing
from polyclust.scale.cells import Celled, grow_cells
from polyclust.scale.cuts import CutTree, grow_cuts
from polyclust.scale.dispersion import score_dispersion
from polyclust.scale.estimate import estimate_silhouette
from polyclust.scale.extending import Extended, extend_clusters, extend_loosely
from polyclust.scale.polishing import Limits, Polished, grow_polished, score_clusters
from polyclust.scale.sampling import choose_nested
from polyclust.scale.space import Space
from polyclust.search.criteria import make_criterion
from polyclust.search.even import grow_even_tree
from polyclust.search.family import limit_lattice
from polyclust.search.fates import mark_labels
from polyclust.search.journal import Journal
from polyclust.search.partition import Ints, Partition, order_by_size
from polyclust.search.plan import SearchPlan
from polyclust.search.points import Points
from polyclust.search.scoring import Floats, SizeBounds
from polyclust.search.solve import search_partitions
from polyclust.settings import Settings
from polyclust.table.features import Feature

SomeBlocks = TypeVar("SomeBlocks", bound=Blocks)

__all__ = ["BlocksFit", "FitResult", "fit_blocks", "fit_clusters"]

MANY_ROWS = 20_000
N_SAMPLED = 3000
N_POLISHED, VALUES_POLISHED = 6000, 2_400_000  # rows, fewer of them where they are wide
TERMS_IN_GENERAL = 2, 3  # and coefficients of the trees that are grown beside general cells
N_SEEDS = 4
MUCH_LOST = 0.005  # of the score, because what was found for the sample cannot be had for all rows
MARGINS_OF_SIZES = 1.0, 2.0, 3.0  # standard errors by which bounds are narrower on a sample; more if they do not hold
ROOM_FOR_MOST = 1.1  # of all rows: for so much clusters of the narrower maximum must have room


@dataclass(frozen=True)
class FitResult:
    """What the method found; labels for the rows of ``Prepared``, None where the rows are in blocks elsewhere.

    leading : of many rows the number of clusters for which starts score more than rules of one term
    """

    n_clusters: int
    score: float
    scores: dict[int, float]
    hyperplanes: tuple[Hyperplane, ...]
    search: str
    is_optimal: bool
    interval: tuple[float, float] | None = None
    labels: Ints | None = None
    leading: int | None = None

    @property
    def known_labels(self) -> Ints:
        """The labels of rows in memory."""
        assert self.labels is not None
        return self.labels


@dataclass(frozen=True)
class BlocksFit(Generic[SomeBlocks]):
    """What was found for rows in blocks; the result has no labels, the placed blocks have; the sample of the search."""

    result: FitResult
    placing: Placing
    placed: SomeBlocks
    sample: Block
    sizes: Floats

    def holds_for(self, settings: Settings) -> bool:
        """Whether there are as many clusters as asked for at least, of sizes within the bounds."""
        return self.result.n_clusters >= settings.n_clusters[0] and settings.bounds.hold_for(self.sizes)


def fit_clusters(prepared: Prepared, settings: Settings, journal: Journal) -> FitResult:
    """Find clusters and the hyperplanes that tell them apart; more rows than MANY_ROWS are searched by a sample."""
    if len(prepared.raw) <= MANY_ROWS or prepared.distances is not None:
        return _fit_all(prepared, settings, journal)
    whole = Block(prepared.raw, prepared.clustered, prepared.weights)
    fit = fit_blocks(ArrayBlocks([whole]), prepared.features, prepared.space, settings, journal)
    result, labels = fit.result, fit.placed.blocks[0].known_labels
    if callable(settings.criterion) and result.n_clusters > 1:
        score = _call_criterion(prepared, labels, settings.criterion)
        result = replace(result, score=score, scores={**result.scores, result.n_clusters: score})
    return replace(result, labels=labels)


def fit_blocks(
    blocks: SomeBlocks, features: tuple[Feature, ...], space: Space, settings: Settings, journal: Journal
) -> BlocksFit[SomeBlocks]:
    """A sample carries the search; every row is then labelled, and thresholds and score are those of all rows.

    Where that does not go well at once with several terms, one term is tried too, so that more do not score less.
    Dunn's index and a criterion of the user's own stay those of the sample.
    """
    found = _fit_sampled(blocks, features, space, settings, journal)
    is_straight = min(settings.max_terms or len(features), len(features)) == 1
    if found.is_sure or is_straight or not _is_judged_by_rows(settings) or journal.is_over():
        return found.fit
    straight = _fit_sampled(blocks, features, space, replace(settings, max_terms=1, max_coefficient=1), journal)
    return max((found.fit, straight.fit), key=lambda fit: (fit.holds_for(settings), fit.result.score))


class _Sampled(NamedTuple, Generic[SomeBlocks]):
    """What a sample led to, and whether what was found for it could be had for all rows at once, or nearly."""

    fit: BlocksFit[SomeBlocks]
    is_sure: bool


def _fit_sampled(
    blocks: SomeBlocks, features: tuple[Feature, ...], space: Space, settings: Settings, journal: Journal
) -> _Sampled[SomeBlocks]:
    """Once more with narrower bounds where the sizes of the first try do not hold, or much is lost for them."""
    n_more = max(N_SAMPLED, min(N_POLISHED, VALUES_POLISHED // len(features)))
    more, rows = choose_nested(blocks, (n_more, N_SAMPLED), settings.seed)
    total = settings.total
    weights, part = rows.weights * (total / float(rows.weights.sum())), 1.0
    if callable(settings.criterion):  # it is called with repeated rows, so weights are whole numbers, and small ones
        weights = np.round(rows.weights / rows.weights.min())
        part = float(weights.sum()) / total
    sample = Prepared(rows.raw, features, rows.clustered, space, weights)
    tries: list[tuple[bool, FitResult, Extended]] = []
    for margin in MARGINS_OF_SIZES:
        bounds = _bound_sample(settings, len(rows), part, margin)
        found = _fit_all(sample, replace(settings, bounds=bounds), journal, is_sample=len(rows) == N_SAMPLED)
        journal.begin("all rows")
        is_last = margin == MARGINS_OF_SIZES[-1]
        extended = _extend(blocks, sample, more, found, settings, journal, is_last)
        is_enough = extended.placing.n_clusters >= min(settings.n_clusters[0], found.n_clusters)
        holds = is_enough and settings.bounds.hold_for(extended.tally.total_sizes)
        tries.append((holds, found, extended))
        if (holds and extended.lost <= MUCH_LOST) or journal.is_over():
            break
    if len(tries) > 1:
        is_judged = _is_judged_by_rows(settings)
        tries.sort(key=lambda one: (one[0], _rate(one[2].placing, more, space) if is_judged else 0.0))
    _, found, extended = tries[-1]
    placed, n_clusters = blocks.place(extended.placing), extended.placing.n_clusters
    score, interval = _score_all(placed, extended, space, settings, found)
    result = FitResult(
        n_clusters=n_clusters,
        score=score,
        scores={**found.scores, n_clusters: score},
        hyperplanes=extended.placing.hyperplanes,
        search="sampled",
        is_optimal=False,
        interval=interval,
    )
    fit = BlocksFit(result, extended.placing, placed, rows, extended.tally.total_sizes)
    return _Sampled(fit, is_sure=len(tries) == 1 and extended.lost <= MUCH_LOST)


def _is_judged_by_rows(settings: Settings) -> bool:
    """Whether the silhouettes of some rows say what is better: with another criterion, or a finite λ, they do not."""
    return settings.criterion == "silhouette" and settings.slack_weight is None


def _rate(placing: Placing, rows: Block, space: Space) -> float:
    """About the silhouette of some rows where the hyperplanes place them."""
    return score_clusters(rows, placing.label(rows.raw), space, placing.n_clusters)


def _bound_sample(settings: Settings, n_rows: int, part: float, margin: float) -> SizeBounds:
    """Bounds for a sample of weight part * total, by some standard errors narrower, to hold on all rows too."""
    (least, most), total = settings.bounds, settings.total
    if n_rows == N_SAMPLED:  # fewer: every distinct row is in the sample
        counts = (max(size / total * n_rows, 1.0) for size in settings.bounds)
        spread_least, spread_most = (margin / math.sqrt(count) for count in counts)
        narrow = least * (1.0 + spread_least), most * (1.0 - spread_most) if most < total else most
        least = narrow[0] if narrow[0] * settings.n_clusters[0] <= total else least
        has_room = narrow[1] * settings.n_clusters[1] >= ROOM_FOR_MOST * total and narrow[1] >= least
        most = narrow[1] if has_room else most
    return SizeBounds((least * part, most * part))


def _extend(
    blocks: Blocks,
    sample: Prepared,
    more: Block,
    found: FitResult,
    settings: Settings,
    journal: Journal,
    is_last: bool,
) -> Extended:
    """The sample's clusters on all rows, with the cuts that are best on more rows than the sample.

    Where they would be too large and this is the last try, even parts take their place.
    """
    placing = Placing(found.hyperplanes, found.n_clusters)
    if settings.slack_weight is not None:
        extended = extend_loosely(blocks, placing, settings.bounds)
        if extended is not None:
            return extended

    polished = _polish(more, placing, found, sample, settings, journal) if len(more) > len(sample.raw) else []
    trees = _grow_trees(sample, found, settings, with_even=is_last and settings.bounds.most < settings.total)
    return extend_clusters(blocks, placing, sample.features, settings.bounds, trees, polished, is_last)


def _grow_trees(sample: Prepared, found: FitResult, settings: Settings, with_even: bool) -> Iterator[CutTree]:
    """A tree for the sample's clusters and, if asked for, one of as many even parts."""
    points, code = collapse_rows(sample, settings.memory_limit)
    labels = np.empty(len(points), dtype=np.intp)
    labels[code] = found.known_labels
    fates = mark_labels(labels, found.n_clusters) * points.weights[:, None]
    yield grow_cuts(points, fates, sample.features, found.hyperplanes)
    if with_even:
        labels = grow_even_tree(points, found.n_clusters)
        yield grow_cuts(points, mark_labels(labels, found.n_clusters) * points.weights[:, None], sample.features)


def _polish(
    more: Block, placing: Placing, found: FitResult, sample: Prepared, settings: Settings, journal: Journal
) -> Iterable[Polished | Celled]:
    """Trees that may score better than the polytopes, where the criterion allows.

    For general hyperplanes cells too, and a tree of the hyperplanes that were found.
    """
    if not _is_judged_by_rows(settings):
        return []
    limits = limit_lattice(len(sample.features), settings.max_terms, settings.max_coefficient)
    least, most = (size / settings.total for size in settings.bounds)
    fewest, greatest = settings.n_clusters
    likely = {placing.n_clusters, placing.n_clusters + 1} | (set() if found.leading is None else {found.leading})
    counts = [k for k in sorted(likely) if fewest <= k <= greatest]
    asked = Limits(*(limits or TERMS_IN_GENERAL), SizeBounds((least, most)), counts, settings.seed, journal.is_over)
    trees = grow_polished(more, placing, sample.features, sample.space, asked)
    if limits is not None:
        return trees
    cells = grow_cells(more, placing, sample.features, sample.space, asked)
    known = next(_grow_trees(sample, found, settings, with_even=False))
    now = _rate(placing, more, sample.space)
    then = score_clusters(more, known.label_rows(more.raw), sample.space, placing.n_clusters)
    own = [Polished(known, placing.n_clusters, then - now)] if then > -math.inf else []
    return sorted([*cells, *trees, *own], key=lambda each: -each.gain)


def _score_all(
    placed: Blocks, extended: Extended, space: Space, settings: Settings, found: FitResult
) -> tuple[float, tuple[float, float] | None]:
    """The criterion on all rows, with an interval where it is estimated."""
    if extended.placing.n_clusters > 1 and settings.criterion == "silhouette":
        estimate = estimate_silhouette(placed, extended.tally, space, settings.seed)
        return estimate.score, (estimate.low, estimate.high)
    if extended.placing.n_clusters > 1 and settings.criterion in ("calinski_harabasz", "davies_bouldin"):
        return score_dispersion(str(settings.criterion), placed, extended.tally, space), None
    return found.score, None


def _call_criterion(prepared: Prepared, labels: Ints, criterion: Callable[..., float]) -> float:
    """A criterion of the user's own on rows in memory."""
    no_distances = np.empty((0, 0), dtype=np.float32)
    space = prepared.space.locate(prepared.clustered)
    return make_criterion(criterion, Points(no_distances, prepared.weights, prepared.raw, prepared.raw, space))(labels)


def _fit_all(prepared: Prepared, settings: Settings, journal: Journal, is_sample: bool = False) -> FitResult:
    """The method on the rows as they are."""
    points, code = collapse_rows(prepared, settings.memory_limit)
    fit = partial(_fit_points, journal=journal, is_sample=is_sample)
    n_features = len(prepared.features)
    limits = limit_lattice(n_features, settings.max_terms, settings.max_coefficient)
    n_summed = n_features if limits is None or limits[0] == 1 else count_summed(n_features, limits[1])
    if n_summed < n_features:
        found = _fit_wide(points, prepared.features, settings, n_summed, fit, journal)
    else:
        found = fit(points, prepared.features, settings)
    return replace(found, labels=found.known_labels[code])


def _fit_wide(
    points: Points,
    features: Sequence[Feature],
    settings: Settings,
    n_summed: int,
    fit: Callable[[Points, Sequence[Feature], Settings], FitResult],
    journal: Journal,
) -> FitResult:
    """Where the sums of all features are too many: one term of any feature, or sums of those that tell clusters apart.

    The second may use what the first found to tell, and the better of the two counts. With a finite λ it is the second.
    """
    straight = fit(points, features, replace(settings, max_terms=1, max_coefficient=1))
    if journal.is_over() and settings.slack_weight is None:
        return replace(straight, search="raced", is_optimal=False)
    partitions = [straight.known_labels, *_start_in_several(points, settings)]
    chosen = choose_telling(points.raw, points.weights, partitions, n_summed)
    narrow = replace(points, raw=points.raw[:, chosen], values=points.values[:, chosen])
    summed = fit(narrow, [features[f] for f in chosen], settings)
    planes = tuple(replace(h, features=tuple(int(chosen[f]) for f in h.features)) for h in summed.hyperplanes)
    summed = replace(summed, hyperplanes=planes)
    best = summed
    scores = summed.scores
    if settings.slack_weight is None:
        best = max(summed, straight, key=lambda found: (found.n_clusters >= settings.n_clusters[0], found.score))
        every = sorted({*summed.scores, *straight.scores})
        scores = {k: max(found.scores.get(k, -np.inf) for found in (summed, straight)) for k in every}
    return replace(best, scores=scores, search="raced", is_optimal=False)


def _start_in_several(points: Points, settings: Settings) -> list[Ints]:
    """Clusters without rules, some few to many of them."""
    least, most = max(settings.n_clusters[0], 2), min(settings.n_clusters[1], len(points))
    counts = sorted({least, (least + most) // 2, most}) if least <= most else []
    if points.coordinates is None:
        return [start_by_medoids(points.distances, points.weights, k, settings.seed) for k in counts]
    return [start_by_best_kmeans(points.coordinates, points.weights, k, settings.seed, N_SEEDS) for k in counts]


def _fit_points(
    points: Points, features: Sequence[Feature], settings: Settings, journal: Journal, is_sample: bool
) -> FitResult:
    """The search and the hyperplanes of its best labels, for the points."""
    family = make_family(features, settings)
    find_scorer = cache(partial(make_scorer, family=family, settings=settings, journal=journal))
    least, most = settings.n_clusters
    plan = SearchPlan(
        n_clusters=(min(least, len(points)), min(most, len(points))),
        family=family,
        make_scorer=find_scorer,
        n_init=settings.n_init,
        seed=settings.seed,
        bounds=settings.bounds,
        is_called=settings.criterion != "silhouette",
        n_jobs=settings.n_jobs,
        is_sample=is_sample,
    )
    found = search_partitions(points, plan, journal)
    best = max(found.partitions.values(), key=lambda p: (p.score, -p.n_clusters))
    _refuse_unjudged(best, settings)
    labels = order_by_size(best.labels, points.weights)
    scorer = find_scorer(points)
    scores = {k: score_alone(scorer, found.partitions[k]) for k in sorted(found.partitions)}
    return FitResult(
        n_clusters=best.n_clusters,
        score=scores[best.n_clusters],
        scores=scores,
        hyperplanes=read_planes(scorer, labels, best.n_clusters, features, family),
        search="exhaustive" if found.is_exhaustive else "raced",
        is_optimal=found.is_optimal and not journal.was_cut_short,
        labels=labels,
        leading=found.leading,
    )


def _refuse_unjudged(best: Partition, settings: Settings) -> None:
    if callable(settings.criterion) and best.n_clusters > 1 and best.score == -np.inf:
        raise ValueError(
            "The criterion returned NaN or -inf for all clusters that were tried; it must return a finite number, "
            "larger for better clusters, where it can judge."
        )
