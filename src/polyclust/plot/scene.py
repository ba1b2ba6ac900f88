"""From an explanation and rows to what a picture in two features shows: points, polygons and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyclust.explain.explanation import Explanation
from polyclust.geometry.hyperplane import Hyperplane, Polytope, build_polytopes, find_members
from polyclust.plot.polygons import (
    HalfPlane,
    PictureKind,
    View,
    clip_polygon,
    find_kind,
    hold_points,
    is_possible,
    project_polytope,
    slice_polytope,
)
from polyclust.plot.style import shorten, shorten_all
from polyclust.table.features import Feature

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

__all__ = [
    "Scene",
    "build_scene",
    "choose_features",
    "count_usage",
    "find_features",
    "label_clusters",
    "name_clusters",
]

FEW_VALUES = 20
JITTER = 0.28


@dataclass(frozen=True)
class Scene:
    """Everything a picture needs, in original units.

    points: where the rows are drawn; exact_points: where they are (whole numbers are jittered).
    polygons: corners per cluster, empty where a polytope does not meet the picture's plane.
    moved: clusters whose slice goes through a row because their medians lie outside their polytope.
    """

    kind: PictureKind
    shown: tuple[Feature, ...]
    points: Floats
    exact_points: Floats
    labels: Labels
    is_inside: NDArray[np.bool_]
    halfplanes: tuple[tuple[HalfPlane, ...] | None, ...]
    polygons: tuple[Floats, ...]
    view: View
    moved: tuple[int, ...] = ()


def find_features(features: Sequence[Feature], wanted: Sequence[object], usage: Counter[int]) -> tuple[int, ...]:
    """Positions of the features called by name, by column or by position.

    A categorical column stands for its level that the hyperplanes use most.
    """
    if isinstance(wanted, str) or not 1 <= len(wanted) <= 2:
        raise ValueError(f"features must be one or two names or positions; got {wanted!r}.")
    found = tuple(_find_feature(features, name, usage) for name in wanted)
    if len(set(found)) < len(found):
        raise ValueError(f"features must differ; got {features[found[0]].name!r} twice.")
    return found


def _find_feature(features: Sequence[Feature], name: object, usage: Counter[int]) -> int:
    matches = [i for i, f in enumerate(features) if f.name == name]
    matches = matches or [i for i, f in enumerate(features) if f.column.label == name or f.column.name == name]
    if matches:
        return max(matches, key=lambda i: (usage[i], -i))
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < len(features):
        return int(name)
    known = ", ".join(repr(f.name) for f in features[:8]) + (", …" if len(features) > 8 else "")
    raise ValueError(f"features must name columns of the explanation; {name!r} is none of {known}.")


def count_usage(hyperplanes: Sequence[Hyperplane]) -> Counter[int]:
    """How many hyperplanes use each feature."""
    return Counter(feature for h in hyperplanes for feature in h.features)


def choose_features(hyperplanes: Sequence[Hyperplane], raw: Floats, labels: Labels) -> tuple[int, ...]:
    """The two features most used in the hyperplanes; ties to the one that tells the clusters apart best."""
    usage = count_usage(hyperplanes)
    contrast = _measure_contrast(raw, labels)
    order = sorted(range(raw.shape[1]), key=lambda i: (-usage[i], -contrast[i], i))
    return tuple(sorted(order[:2]))


def _measure_contrast(raw: Floats, labels: Labels) -> Floats:
    """Per feature, the share of its variance that lies between the clusters."""
    total = ((raw - raw.mean(axis=0)) ** 2).sum(axis=0)
    within = np.zeros(raw.shape[1])
    for k in np.unique(labels):
        rows = raw[labels == k]
        within += ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
    return 1.0 - within / np.where(total > 0, total, 1.0)


def build_scene(explanation: Explanation, raw: Floats, labels: Labels, shown: tuple[int, ...], seed: int = 0) -> Scene:
    """Reduce polytopes and rows to the shown features (one or two)."""
    features = explanation.features
    polytopes = build_polytopes(explanation.hyperplanes, explanation.n_clusters)
    kind = find_kind(explanation.hyperplanes, shown)
    members = find_members(raw, explanation.hyperplanes, explanation.n_clusters)
    halfplanes, moved = _reduce_all(polytopes, features, shown, kind, raw, members)
    exact = _take_points(raw, shown, seed)
    view = (*_limits(features[shown[0]], exact[:, 0]), *_limits_of_second(features, shown, exact))
    frame = _widen(view)
    return Scene(
        kind=kind,
        shown=tuple(features[i] for i in shown),
        points=_jitter(exact, [features[i] for i in shown], halfplanes, seed),
        exact_points=exact,
        labels=labels,
        is_inside=members[np.arange(len(raw)), np.maximum(labels, 0)] & (labels >= 0),
        halfplanes=tuple(halfplanes),
        polygons=tuple(np.empty((0, 2)) if h is None else clip_polygon(h, frame) for h in halfplanes),
        view=view,
        moved=tuple(moved),
    )


def _reduce_all(
    polytopes: Sequence[Polytope],
    features: Sequence[Feature],
    shown: tuple[int, ...],
    kind: PictureKind,
    raw: Floats,
    members: NDArray[np.bool_],
) -> tuple[list[tuple[HalfPlane, ...] | None], list[int]]:
    """Per cluster its half-planes, None where nothing of the polytope can be shown; and who was moved."""
    reduced: list[tuple[HalfPlane, ...] | None] = []
    moved: list[int] = []
    for polytope in polytopes:
        rows = raw[members[:, polytope.cluster]]
        if kind == "slice":
            anchor, is_median = _find_anchor(polytope, features, rows)
            reduced.append(None if anchor is None else tuple(slice_polytope(polytope, features, shown, anchor)))
            moved += [] if is_median else [polytope.cluster]
        else:
            is_drawn = len(rows) > 0 or is_possible(polytope, features)
            reduced.append(tuple(project_polytope(polytope, features, shown)) if is_drawn else None)
    return reduced, moved


def _find_anchor(polytope: Polytope, features: Sequence[Feature], rows: Floats) -> tuple[Floats | None, bool]:
    """The medians of the cluster's rows if they lie in its polytope, else the row nearest to them."""
    if not len(rows):
        return None, True
    medians = np.quantile(rows, 0.5, axis=0, method="inverted_cdf")
    if polytope.contains(medians[None, :])[0]:
        return medians, True
    scale = np.array([f.scale for f in features])
    return rows[np.argmin((((rows - medians) / scale) ** 2).sum(axis=1))], False


def _take_points(raw: Floats, shown: tuple[int, ...], seed: int) -> Floats:
    """The shown columns; a second axis without meaning spreads the rows of a single feature."""
    if len(shown) == 2:
        return raw[:, list(shown)]
    heights = np.random.default_rng(seed).uniform(0.1, 0.9, size=len(raw))
    return np.column_stack([raw[:, shown[0]], heights])


def _limits(feature: Feature, values: Floats) -> tuple[float, float]:
    low, high = (float(values.min()), float(values.max())) if len(values) else (feature.low, feature.high)
    if feature.is_binary:
        return -0.5, 1.5
    pad = 0.06 * (high - low) or 0.5
    pad = max(pad, 0.5) if feature.is_whole and high - low <= FEW_VALUES else pad
    return low - pad, high + pad


def _limits_of_second(features: Sequence[Feature], shown: tuple[int, ...], points: Floats) -> tuple[float, float]:
    return _limits(features[shown[1]], points[:, 1]) if len(shown) == 2 else (0.0, 1.0)


def _widen(view: View) -> View:
    """A frame beyond the view: polygon edges made by clipping stay out of sight."""
    x_low, x_high, y_low, y_high = view
    x, y = 0.1 * (x_high - x_low), 0.1 * (y_high - y_low)
    return x_low - x, x_high + x, y_low - y, y_high + y


def _jitter(
    points: Floats, shown: Sequence[Feature], halfplanes: Sequence[tuple[HalfPlane, ...] | None], seed: int
) -> Floats:
    """Spread rows that share whole numbers, except where that would carry one over an edge."""
    noise = np.random.default_rng(seed + 1).uniform(-JITTER, JITTER, size=points.shape)
    for axis in range(2):
        if axis >= len(shown) or not _is_crowded(shown[axis], points[:, axis]):
            noise[:, axis] = 0.0
    moved = points + noise
    for h in halfplanes:
        if h is not None:
            crossed = hold_points(h, moved) != hold_points(h, points)
            moved[crossed] = points[crossed]
    return moved


def _is_crowded(feature: Feature, values: Floats) -> bool:
    return feature.is_whole and bool(len(values)) and float(np.ptp(values)) <= FEW_VALUES


def label_clusters(explanation: Explanation) -> tuple[str, ...]:
    """The label of each cluster: its number, or its own where the clustering was made elsewhere."""
    return tuple(map(str, explanation.cluster_labels or range(explanation.n_clusters)))


def name_clusters(explanation: Explanation) -> tuple[str, ...]:
    """What a picture calls each cluster: its label and, where it has one, its name."""
    rules = sorted(explanation.rules, key=lambda rule: rule.cluster)
    names = shorten_all([rule.name for rule in rules], 36)
    return tuple(
        f"{shorten(label, 16)} · {name}" if name else f"cluster {shorten(label, 30)}"
        for label, name in zip(label_clusters(explanation), names, strict=True)
    )
