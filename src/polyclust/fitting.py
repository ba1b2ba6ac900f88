"""The whole method: prepared table -> weighted points -> search -> hyperplanes, as one function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.reading import read_hyperplanes
from polyclust.search.criteria import make_criterion
from polyclust.search.distances import measure_distances
from polyclust.search.family import AxisFamily, Family, choose_family
from polyclust.search.journal import Journal
from polyclust.search.partition import Ints, Partition, order_by_size
from polyclust.search.points import Points
from polyclust.search.scoring import CallScorer, Scorer, SilhouetteScorer
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
    points, code = collapse_rows(prepared)
    family = make_family(prepared.features, settings)
    plan = SearchPlan(
        n_clusters=(settings.n_clusters[0], min(settings.n_clusters[1], len(points))),
        family=family,
        make_scorer=lambda p: make_scorer(p, settings),
        n_init=settings.n_init,
        seed=settings.seed,
    )
    found = search_partitions(points, plan, journal)
    best = max(found.values(), key=lambda p: (p.score, -p.n_clusters))
    labels = order_by_size(best.labels, points.weights)
    hyperplanes = read_hyperplanes(points.raw, labels, best.n_clusters, prepared.features, family.oblique)
    return FitResult(
        labels=labels[code],
        n_clusters=best.n_clusters,
        score=best.score,
        scores={k: found[k].score for k in sorted(found)},
        hyperplanes=hyperplanes,
        is_optimal=False,
    )


def collapse_rows(prepared: Prepared) -> tuple[Points, Ints]:
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
    weights = np.bincount(code, weights=prepared.weights)
    assert prepared.coordinates is not None
    coordinates, raw = prepared.coordinates[first], prepared.raw[first]
    distances = measure_distances(coordinates, prepared.metric)
    return Points(distances, weights, raw, raw / units, coordinates), code


def make_family(features: Sequence[Feature], settings: Settings) -> Family:
    """The family of hyperplanes that the settings ask for."""
    offset = np.array([f.offset for f in features])
    scale = np.array([f.scale for f in features])
    return choose_family(len(features), settings.max_terms, settings.max_coefficient, offset, scale)


def make_scorer(points: Points, settings: Settings) -> Scorer:
    """The scorer of the criterion."""
    if settings.criterion == "silhouette":
        return SilhouetteScorer(points, settings.bounds, settings.n_threads)
    return CallScorer(points, settings.bounds, make_criterion(settings.criterion, points))
