"""What sets each cluster apart: the features in which it differs most from all other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.explain.quality import check_weights
from polyclust.explain.spelling import format_number
from polyclust.geometry.hyperplane import ROWS_AT_ONCE
from polyclust.table.features import Feature

Floats = NDArray[np.float64]

__all__ = ["ClusterProfile", "Trait", "measure_effects", "profile_clusters"]

LEAST_SQUARE = 1e-280


@dataclass(frozen=True, slots=True)
class Trait:
    """One feature of a cluster beside the rest.

    ``effect`` is, for numbers, the difference of means in standard deviations of all rows; for features that
    are 0 or 1, the difference of shares. ``typical`` and ``elsewhere`` are medians or shares.
    """

    feature: Feature
    effect: float
    typical: float
    elsewhere: float

    @property
    def strength(self) -> float:
        """Size of the effect. A share counts twice: between halves, all against none is two deviations."""
        return abs(self.effect) * (2.0 if self.feature.is_binary else 1.0)

    def __str__(self) -> str:
        if self.feature.is_binary:
            return f"{self.feature.name}: {self.typical:.0%} of rows, elsewhere {self.elsewhere:.0%}"
        typical, elsewhere = format_number(self.typical), format_number(self.elsewhere)
        return f"{self.feature.name}: typically {typical}, elsewhere {elsewhere}"


@dataclass(frozen=True, slots=True)
class ClusterProfile:
    """The traits of a cluster, the strongest first."""

    cluster: int
    size: float
    traits: tuple[Trait, ...]


def profile_clusters(
    raw: Floats,
    features: Sequence[Feature],
    labels: Any,
    weights: Any = None,
    *,
    n_clusters: int | None = None,
    n_traits: int = 8,
    with_typical: bool = True,
) -> tuple[ClusterProfile, ...]:
    """The strongest traits of every cluster. Rows labelled -1 count among the rest.

    ``with_typical=False`` leaves medians out (NaN), which take longest and names do not need.
    """
    raw = np.asarray(raw, dtype=np.float64)
    known = np.asarray(labels, dtype=np.intp)
    checked = check_weights(weights, len(raw))
    count = n_clusters if n_clusters is not None else 1 + int(known.max(initial=-1))
    sizes, means, effects = measure_effects(raw, features, known, checked, count)
    profiles = []
    for k in range(count):
        chosen = [] if np.isnan(effects[k]).any() else _pick_strongest(features, effects[k])[:n_traits]
        inside = np.where(known == k, checked, 0.0) if with_typical else np.zeros(0)
        outside = checked - inside if with_typical else inside
        traits = []
        for i in chosen:
            mean, effect = float(means[k, i]), float(effects[k, i])
            typical, elsewhere = mean, mean - effect  # of shares
            if not features[i].is_binary:
                typical, elsewhere = _find_median(raw[:, i], inside), _find_median(raw[:, i], outside)
            traits.append(Trait(features[i], effect, typical, elsewhere))
        profiles.append(ClusterProfile(k, float(sizes[k]), tuple(traits)))
    return tuple(profiles)


def measure_effects(
    raw: Floats, features: Sequence[Feature], labels: NDArray[np.intp], weights: Floats, n_clusters: int
) -> tuple[Floats, Floats, Floats]:
    """The size of every cluster and, K x F, its means and how they differ from the rest's; NaN without a rest."""
    total = weights.sum()
    shares = weights / total if total else weights
    centre, means = shares @ raw, _measure_means(raw, labels, shares, n_clusters)
    deviations = _measure_deviations(raw, features, shares, centre)
    inside = labels >= 0
    sizes = np.bincount(labels[inside], weights=weights[inside], minlength=n_clusters).astype(np.float64)
    effects = np.full((n_clusters, len(features)), np.nan)
    for k in np.flatnonzero((sizes > 0) & (sizes < total)):
        # The rest lies on the other side of the centre, as far as its own weight lets it.
        effects[k] = (means[k] - centre) / deviations / (1 - sizes[k] / total)
    return sizes, means, effects


def _measure_means(raw: Floats, labels: NDArray[np.intp], shares: Floats, n_clusters: int) -> Floats:
    """K x F: the means of every cluster, NaN where it is empty."""
    sums, sizes = np.zeros((n_clusters, raw.shape[1])), np.zeros(n_clusters)
    for piece in _pieces(raw):
        member = np.where(labels[piece] == np.arange(n_clusters)[:, None], shares[piece], 0.0)
        sums += member @ raw[piece]
        sizes += member.sum(axis=1)
    return np.divide(sums, sizes[:, None], out=np.full_like(sums, np.nan), where=sizes[:, None] > 0)


def _pieces(raw: Floats) -> list[slice]:
    return [slice(start, start + ROWS_AT_ONCE) for start in range(0, len(raw), ROWS_AT_ONCE)]


def _pick_strongest(features: Sequence[Feature], effects: Floats) -> list[int]:
    """Positions by strength; equal ones, up to rounding, in the order of the table."""
    traits = (Trait(f, float(e), 0.0, 0.0) for f, e in zip(features, effects, strict=True))
    strengths = [round(trait.strength, 9) for trait in traits]
    return sorted(range(len(features)), key=lambda i: (-strengths[i], i))


def _measure_deviations(raw: Floats, features: Sequence[Feature], shares: Floats, centre: Floats) -> Floats:
    """What differences of means are measured in: standard deviations of all rows, 1 for shares."""
    with np.errstate(all="ignore"):
        squares = _sum_squares(raw, shares, centre)
    deviations = np.sqrt(squares)
    if not ((squares > LEAST_SQUARE) & (squares < np.inf)).all():  # of extreme values, squares do not fit into a float
        highest, lowest = raw.max(axis=0, initial=-np.inf), raw.min(axis=0, initial=np.inf)
        largest = np.maximum(np.maximum(highest - centre, centre - lowest), 0.0)
        deviations = largest * np.sqrt(_sum_squares(raw, shares, centre, np.where(largest > 0, largest, 1.0)))
    is_share = np.array([feature.is_binary for feature in features], dtype=bool)
    return np.where(is_share | (deviations == 0), 1.0, deviations)


def _sum_squares(raw: Floats, shares: Floats, centre: Floats, divisors: Floats | None = None) -> Floats:
    squares = np.zeros(raw.shape[1])
    for piece in _pieces(raw):
        ratios = raw[piece] - centre
        if divisors is not None:
            ratios /= divisors
        ratios *= ratios
        squares += shares[piece] @ ratios
    return squares


def _find_median(values: Floats, weights: Floats) -> float:
    """The weighted median: the least value that half of the weight does not exceed; NaN without weights."""
    if not len(weights):
        return float("nan")
    counted = weights > 0
    values, weights = values[counted], weights[counted]
    if weights.min() == weights.max():
        middle = (len(values) - 1) // 2
        return float(np.partition(values, middle)[middle])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, reached[-1] / 2)]])
