"""From a sample to all rows: label every row by the polytopes, settle those that none holds, place thresholds anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane, find_members, measure_violation
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.search.partition import sum_weights
from polyclust.table.features import Feature

__all__ = ["choose_rows", "place_anew", "settle_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
ROWS_AT_ONCE = 100_000
RELATIVE_GAP = 1e-9


def choose_rows(key: Floats, weights: Floats, n_most: int, seed: int) -> tuple[Ints, Floats]:
    """A random sample of the distinct rows, whatever their order, and what each stands for.

    Priority sampling: copies of a row are one row with their weight together; those whose weight over a random
    number, the hash of their values, is largest are chosen. Heavy rows always are and keep their weight; the
    others share one weight, so that sums over the sample have the right expectation.
    """
    hashes = np.full(len(key), np.uint64(seed) ^ np.uint64(0x9E3779B97F4A7C15), dtype=np.uint64)
    for column in key.T:
        hashes = _mix(hashes ^ np.ascontiguousarray(column + 0.0).view(np.uint64))
    distinct, first, code = np.unique(hashes, return_index=True, return_inverse=True)
    heaps = sum_weights(code, weights, len(distinct))
    if len(distinct) <= n_most:
        return first, heaps
    priority = heaps / ((distinct >> np.uint64(11)).astype(np.float64) + 0.5)
    order = np.argpartition(-priority, n_most)
    chosen = np.sort(order[:n_most])
    spread = priority[order[n_most]] * 2.0**53
    return first[chosen], np.maximum(heaps[chosen], spread)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A finaliser that spreads every bit (splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)), dtype=np.uint64)


def settle_rows(raw: Floats, hyperplanes: Sequence[Hyperplane], n_clusters: int) -> Ints | None:
    """Labels of all rows such that every hyperplane, moved along itself, still parts its two clusters.

    Rows in no polytope join the least violated cluster that their values leave disjoint from the others, nearest
    rows first. None if a row fits nowhere.
    """
    labels = np.empty(len(raw), dtype=np.intp)
    ends = _Ends(hyperplanes, n_clusters)
    for start in range(0, len(raw), ROWS_AT_ONCE):
        block = raw[start : start + ROWS_AT_ONCE]
        members = find_members(block, hyperplanes, n_clusters)
        here = np.where(members.any(axis=1), members.argmax(axis=1), -1)
        labels[start : start + ROWS_AT_ONCE] = here
        ends.include(block, here)
    lost = np.flatnonzero(labels < 0)
    if lost.size:
        violation = measure_violation(raw[lost], hyperplanes, n_clusters)
        values = np.stack([h.value(raw[lost]) for h in hyperplanes], axis=1)
        for r in np.argsort(violation.min(axis=1), kind="stable"):
            cluster = next((k for k in np.argsort(violation[r], kind="stable") if ends.leave_room(values[r], k)), None)
            if cluster is None:
                return None
            labels[lost[r]] = cluster
            ends.extend(values[r], int(cluster))
    return labels


class _Ends:
    """For every hyperplane the largest value of the cluster below it and the least of the one above."""

    def __init__(self, hyperplanes: Sequence[Hyperplane], n_clusters: int) -> None:
        self.hyperplanes = hyperplanes
        self.highest_below = np.full(len(hyperplanes), -np.inf)
        self.lowest_above = np.full(len(hyperplanes), np.inf)
        self.is_above = np.array([[h.above == k for h in hyperplanes] for k in range(n_clusters)])
        self.is_below = np.array([[h.below == k for h in hyperplanes] for k in range(n_clusters)])
        self.is_sum = np.array([len(h.features) > 1 for h in hyperplanes])

    def include(self, raw: Floats, labels: Ints) -> None:
        for p, h in enumerate(self.hyperplanes):
            values = h.value(raw)
            below, above = values[labels == h.below], values[labels == h.above]
            self.highest_below[p] = max(self.highest_below[p], below.max(initial=-np.inf))
            self.lowest_above[p] = min(self.lowest_above[p], above.min(initial=np.inf))

    def leave_room(self, values: Floats, cluster: int) -> bool:
        gap = np.where(self.is_sum, 2 * RELATIVE_GAP * np.abs(values), 0.0)
        fits_above = ~self.is_above[cluster] | (values > self.highest_below + gap)
        fits_below = ~self.is_below[cluster] | (values < self.lowest_above - gap)
        return bool((fits_above & fits_below).all())

    def extend(self, values: Floats, cluster: int) -> None:
        above, below = self.is_above[cluster], self.is_below[cluster]
        self.lowest_above[above] = np.minimum(self.lowest_above[above], values[above])
        self.highest_below[below] = np.maximum(self.highest_below[below], values[below])


def place_anew(
    raw: Floats, labels: Ints, hyperplanes: Sequence[Hyperplane], n_clusters: int, features: Sequence[Feature]
) -> tuple[Hyperplane, ...] | None:
    """The hyperplanes with the roundest thresholds that all rows leave; those of one cut keep one where they can.

    None if some hyperplane no longer parts its clusters.
    """
    ends = _Ends(hyperplanes, n_clusters)
    for start in range(0, len(raw), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        ends.include(raw[block], labels[block])
    cuts: dict[object, list[int]] = defaultdict(list)
    for p, h in enumerate(hyperplanes):
        cuts[h.features, h.coefficients, h.units, h.threshold].append(p)
    placed = list(hyperplanes)
    for planes in cuts.values():
        is_one_gap = ends.highest_below[planes].max() < ends.lowest_above[planes].min()
        for together in [planes] if is_one_gap else [[p] for p in planes]:
            low, high = float(ends.highest_below[together].max()), float(ends.lowest_above[together].min())
            if not low < high or not np.isfinite([low, high]).all():
                return None
            threshold = _round_threshold(low, high, hyperplanes[together[0]], features)
            for p in together:
                placed[p] = replace(hyperplanes[p], threshold=threshold)
    return tuple(placed)


def _round_threshold(low: float, high: float, plane: Hyperplane, features: Sequence[Feature]) -> float:
    is_sum_whole = all(u == 1.0 for u in plane.units) and all(float(c).is_integer() for c in plane.coefficients)
    is_whole = is_sum_whole and all(features[f].is_whole for f in plane.features)
    return choose_threshold(low, high, is_whole)
