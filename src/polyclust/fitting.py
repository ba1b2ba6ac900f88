"""The whole method: prepared table -> weighted points -> search -> hyperplanes, as one function."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.reading import plane_between, read_general_hyperplanes, read_hyperplanes
from polyclust.search.criteria import make_criterion
from polyclust.search.distances import measure_distances
from polyclust.search.family import Family, GeneralFamily, SlackFamily, choose_family
from polyclust.search.journal import Journal
from polyclust.search.partition import Ints, Partition, order_by_size, sum_weights
from polyclust.search.points import Points
from polyclust.search.scoring import CallScorer, Scorer, SilhouetteScorer
from polyclust.search.slack import PairErrors, SlackScorer
from polyclust.search.solve import SearchPlan, search_partitions
from polyclust.settings import Settings
from polyclust.table.features import Feature

Floats = NDArray[np.float64]

__all__ = ["FitResult", "Prepared", "fit_clusters"]


@dataclass(frozen=True)
class Prepared:
    """Rows ready for the method.

    raw : (n, F) explaining features in the user's units; features : what they are
    coordinates : (n, d) the clustering space; metric : how distances are measured in it
    distances : given instead of coordinates; weights : all positive
    """

    raw: Floats
    features: tuple[Feature, ...]
    coordinates: Floats | None
    metric: str
    weights: Floats
    distances: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class FitResult:
    """What the method found; labels for the rows of ``Prepared``."""

    labels: Ints
    n_clusters: int
    score: float
    scores: dict[int, float]
    hyperplanes: tuple[Hyperplane, ...]
    is_optimal: bool


def fit_clusters(prepared: Prepared, settings: Settings, journal: Journal) -> FitResult:
    """Find clusters and the hyperplanes that tell them apart."""
    points, code = collapse_rows(prepared, settings.memory_limit)
    family = make_family(prepared.features, settings)
    least, most = settings.n_clusters
    plan = SearchPlan(
        n_clusters=(min(least, len(points)), min(most, len(points))),
        family=family,
        make_scorer=lambda p: make_scorer(p, family, settings),
        n_init=settings.n_init,
        seed=settings.seed,
        bounds=settings.bounds,
    )
    found = search_partitions(points, plan, journal)
    best = max(found.partitions.values(), key=lambda p: (p.score, -p.n_clusters))
    labels = order_by_size(best.labels, points.weights)
    return FitResult(
        labels=labels[code],
        n_clusters=best.n_clusters,
        score=_criterion_alone(points, labels, best, settings),
        scores={k: found.partitions[k].score for k in sorted(found.partitions)},
        hyperplanes=_read(points, labels, best.n_clusters, prepared.features, family, settings),
        is_optimal=found.is_optimal and not journal.was_cut_short,
    )


def _read(
    points: Points, labels: Ints, n_clusters: int, features: Sequence[Feature], family: Family, settings: Settings
) -> tuple[Hyperplane, ...]:
    """The hyperplanes of the final labels: exact ones, or with a slack weight those of least error."""
    if isinstance(family, SlackFamily):
        return _read_slack(points, labels, n_clusters, features, family, settings)
    if isinstance(family, GeneralFamily):
        return read_general_hyperplanes(points.raw, labels, n_clusters, features)
    return read_hyperplanes(points.raw, labels, n_clusters, features, family.oblique)


def _read_slack(
    points: Points, labels: Ints, n_clusters: int, features: Sequence[Feature], family: SlackFamily, settings: Settings
) -> tuple[Hyperplane, ...]:
    errors = make_errors(points, family, settings)
    is_scaled = isinstance(family.base, GeneralFamily)
    stretch = np.array([f.unit / f.scale if is_scaled else 1.0 for f in features])
    planes = []
    for i, j in itertools.combinations(range(n_clusters), 2):
        first, second = np.flatnonzero(labels == i), np.flatnonzero(labels == j)
        found = errors.separate(first, second)
        rows = np.concatenate([first, second])
        is_upper = errors.space[rows] @ found.w + found.b >= 0.0
        terms = {int(p): float(found.w[p] * stretch[p]) for p in np.flatnonzero(found.w)}
        planes.append(plane_between(points.raw[rows], is_upper, terms, features, upper=i, lower=j))
    return tuple(planes)


def _criterion_alone(points: Points, labels: Ints, best: Partition, settings: Settings) -> float:
    """The score without the price of errors."""
    if settings.slack_weight is None:
        return best.score
    return _make_base_scorer(points, settings).start(labels, best.n_clusters).score


def collapse_rows(prepared: Prepared, memory_limit: float | None = None) -> tuple[Points, Ints]:
    """Distinct rows with their weights, in a canonical order; and which of them every row is."""
    units = np.array([f.unit for f in prepared.features])
    key = prepared.raw if prepared.coordinates is None else np.hstack([prepared.coordinates, prepared.raw])
    if prepared.distances is not None:
        order = np.lexsort(key.T[::-1])
        code = np.empty_like(order)
        code[order] = np.arange(len(order))
        distances = np.ascontiguousarray(prepared.distances[np.ix_(order, order)])
        raw = prepared.raw[order]
        return Points(distances, prepared.weights[order], raw, raw / units, None), code
    _, first, code = np.unique(key, axis=0, return_index=True, return_inverse=True)
    weights = sum_weights(code, prepared.weights, len(first))
    assert prepared.coordinates is not None
    coordinates, raw = prepared.coordinates[first], prepared.raw[first]
    if memory_limit is not None and 4.0 * len(first) ** 2 > memory_limit:
        raise ValueError(
            f"The distances of {len(first)} rows take {4.0 * len(first) ** 2:.3g} bytes, more than memory_limit allows; "
            "raise it or give fewer rows."
        )
    distances = measure_distances(coordinates, prepared.metric)
    return Points(distances, weights, raw, raw / units, coordinates), code


def make_family(features: Sequence[Feature], settings: Settings) -> Family:
    """The family of hyperplanes that the settings ask for."""
    offset = np.array([f.offset for f in features])
    scale = np.array([f.scale for f in features])
    family = choose_family(len(features), settings.max_terms, settings.max_coefficient, offset, scale)
    return family if settings.slack_weight is None else SlackFamily(family)


def make_errors(points: Points, family: SlackFamily, settings: Settings) -> PairErrors:
    """Hinge errors in the space that the coefficients apply to."""
    space = family.base.space(points) if isinstance(family.base, GeneralFamily) else points.values
    return PairErrors(points, space, settings.max_terms, settings.max_coefficient, settings.margin)


def make_scorer(points: Points, family: Family, settings: Settings) -> Scorer:
    """The scorer of the criterion, less the price of errors where there is one."""
    base = _make_base_scorer(points, settings)
    if not isinstance(family, SlackFamily):
        return base
    assert settings.slack_weight is not None
    return SlackScorer(base, make_errors(points, family, settings), settings.slack_weight)


def _make_base_scorer(points: Points, settings: Settings) -> Scorer:
    if settings.criterion == "silhouette":
        return SilhouetteScorer(points, settings.bounds, settings.n_threads)
    return CallScorer(points, settings.bounds, make_criterion(settings.criterion, points))
