"""What a search is given: points, a family of hyperplanes and a scorer, made from prepared rows and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.scale.space import Space
from polyclust.search.criteria import make_criterion
from polyclust.search.distances import measure_distances, measure_equal, refuse_flat_rows
from polyclust.search.family import Family, GeneralFamily, SlackFamily, choose_family
from polyclust.search.journal import Journal
from polyclust.search.partition import Ints, sum_weights
from polyclust.search.points import Points
from polyclust.search.scoring import CallScorer, DispersionScorer, Scorer, SilhouetteScorer
from polyclust.search.slack import PairErrors, SlackScorer
from polyclust.search.sweeping import DunnScorer, SpreadScorer
from polyclust.settings import Settings
from polyclust.table.features import Feature

Floats = NDArray[np.float64]

__all__ = ["Prepared", "collapse_rows", "make_family", "make_scorer"]


@dataclass(frozen=True)
class Prepared:
    """Rows ready for the method.

    raw : (n, F) explaining features in the user's units; features : what they are
    clustered : (n, d) raw values of the clustering features; space : where distances between them are measured
    weights : all positive; distances : given instead of measured
    """

    raw: Floats
    features: tuple[Feature, ...]
    clustered: Floats
    space: Space
    weights: Floats
    distances: NDArray[np.float32] | None = None


def collapse_rows(prepared: Prepared, memory_limit: float | None = None) -> tuple[Points, Ints]:
    """Distinct rows with their weights, in a canonical order; and which of them every row is."""
    units = np.array([f.unit for f in prepared.features])
    if prepared.distances is not None:
        order = np.lexsort(np.hstack([prepared.clustered, prepared.raw]).T[::-1])
        code = np.empty_like(order)
        code[order] = np.arange(len(order))
        distances = np.ascontiguousarray(prepared.distances[np.ix_(order, order)])
        raw = prepared.raw[order]
        return Points(distances, prepared.weights[order], raw, raw / units, None), code
    key = np.hstack([prepared.clustered, prepared.raw])  # as given: transformed rows may differ by rounding
    _, first, code = np.unique(key, axis=0, return_index=True, return_inverse=True)
    code = code.reshape(-1)  # a column with numpy 2.0
    _check_memory(len(first), memory_limit)
    weights = sum_weights(code, prepared.weights, len(first))
    coordinates, raw = prepared.space.locate(prepared.clustered[first]), prepared.raw[first]
    refuse_flat_rows(coordinates, weights, prepared.space.metric)
    distances = measure_distances(coordinates, prepared.space.metric)
    within = np.maximum(weights - 1.0, 0.0) / weights  # a row has distances to all that equal it but itself
    np.fill_diagonal(distances, measure_equal(coordinates, prepared.space.metric) * within)
    return Points(distances, weights, raw, raw / units, coordinates), code


def _check_memory(n_points: int, memory_limit: float | None) -> None:
    n_bytes = 4.0 * n_points**2
    if memory_limit is not None and n_bytes > memory_limit:
        raise ValueError(
            f"The distances of {n_points} rows take {n_bytes / 1e6:.1f} MB, more than memory_limit allows; raise it "
            "or give fewer rows."
        )


def make_family(features: Sequence[Feature], settings: Settings) -> Family:
    """The family of hyperplanes that the settings ask for."""
    origin = np.array([f.origin for f in features])
    scale = np.array([f.scale for f in features])
    family = choose_family(len(features), settings.max_terms, settings.max_coefficient, origin, scale)
    return family if settings.slack_weight is None else SlackFamily(family)


def make_scorer(points: Points, family: Family, settings: Settings, journal: Journal) -> Scorer:
    """The scorer of the criterion, less the price of errors where there is one."""
    base = _make_base_scorer(points, settings, journal)
    if not isinstance(family, SlackFamily):
        return base
    assert settings.slack_weight is not None
    return SlackScorer(base, _make_errors(points, family, settings, journal), settings.slack_weight)


def _make_errors(points: Points, family: SlackFamily, settings: Settings, journal: Journal) -> PairErrors:
    """Hinge errors in the space that the coefficients apply to."""
    space = family.base.space(points) if isinstance(family.base, GeneralFamily) else points.values
    limits = settings.max_terms, settings.max_coefficient, settings.margin
    return PairErrors(points, space, *limits, journal.seconds_left)


def _make_base_scorer(points: Points, settings: Settings, journal: Journal) -> Scorer:
    if settings.criterion == "silhouette":
        return SilhouetteScorer(points, settings.bounds, settings.n_threads)
    criterion = make_criterion(settings.criterion, points)
    kinds = {"calinski_harabasz": DispersionScorer, "dunn": DunnScorer, "davies_bouldin": SpreadScorer}
    kind = CallScorer if callable(settings.criterion) else kinds[settings.criterion]
    return kind(points, settings.bounds, criterion, journal.is_over)
