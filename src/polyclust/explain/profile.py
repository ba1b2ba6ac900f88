"""What sets each cluster apart: the features in which it differs most from all other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.explain.quality import check_weights
from polyclust.explain.spelling import format_number
from polyclust.table.features import Feature

Floats = NDArray[np.float64]

__all__ = ["ClusterProfile", "Trait", "profile_clusters"]


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
) -> tuple[ClusterProfile, ...]:
    """The strongest traits of every cluster. Rows labelled -1 count among the rest."""
    raw = np.asarray(raw, dtype=np.float64)
    known = np.asarray(labels, dtype=np.intp)
    checked = check_weights(weights, len(raw))
    count = n_clusters if n_clusters is not None else 1 + int(known.max(initial=-1))
    deviation = _deviations(raw, features, checked)
    return tuple(
        _profile_cluster(raw, features, known == k, checked, deviation, k, n_traits) for k in range(count)
    )


def _profile_cluster(
    raw: Floats,
    features: Sequence[Feature],
    is_inside: NDArray[np.bool_],
    weights: Floats,
    deviation: Floats,
    cluster: int,
    n_traits: int,
) -> ClusterProfile:
    inside, rest = np.where(is_inside, weights, 0.0), np.where(is_inside, 0.0, weights)
    size = float(inside.sum())
    if size == 0 or rest.sum() == 0:
        return ClusterProfile(cluster, size, ())
    effects = (_mean(raw, inside) - _mean(raw, rest)) / deviation
    order = sorted(
        range(len(features)), key=lambda i: (-Trait(features[i], float(effects[i]), 0, 0).strength, i)
    )
    traits = tuple(
        Trait(
            features[i],
            float(effects[i]),
            _typical_value(raw[:, i], inside, features[i]),
            _typical_value(raw[:, i], rest, features[i]),
        )
        for i in order[:n_traits]
    )
    return ClusterProfile(cluster, size, traits)


def _deviations(raw: Floats, features: Sequence[Feature], weights: Floats) -> Floats:
    """What differences of means are measured in: 1 for shares."""
    if not weights.sum():
        return np.ones(len(features))
    low, high = raw.min(axis=0), raw.max(axis=0)
    span = np.where(high > low, high / 2 - low / 2, 1.0)  # halves: a range may not fit into a float
    centred = (raw / 2 - _mean(raw / 2, weights)) / span
    deviation = np.sqrt(np.average(centred**2, axis=0, weights=weights)) * span * 2
    return np.where([f.is_binary for f in features] | (deviation == 0), 1.0, deviation)


def _mean(raw: Floats, weights: Floats) -> Floats:
    return np.asarray((weights / weights.sum()) @ raw, dtype=np.float64)


def _typical_value(values: Floats, weights: Floats, feature: Feature) -> float:
    """The share of ones, or the weighted median: the least value that half of the weight does not exceed."""
    if feature.is_binary:
        return float(values @ weights / weights.sum())
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, reached[-1] / 2)]])
