"""A cover of the pairs of clusters by few cuts, which keeps the rules short.

A cut is a direction and a gap. It tells every cluster that lies wholly below the gap from every cluster wholly
above it. The cover is greedy: again and again the cut that settles the most open pairs per clause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions
from polyclust.kernels.intervals import measure_direction_intervals
from polyclust.kernels.separating import RELATIVE_GAP
from polyclust.table.features import Column, Feature

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Pair = tuple[int, int]

__all__ = ["ChosenCut", "Intervals", "Pair", "cover_pairs", "measure_intervals", "tell_by_own_levels"]

MOST_CUTS = 40_000


@dataclass(frozen=True)
class Intervals:
    """lows[d, k] and highs[d, k]: where cluster k lies along direction d; norms: length of d in the scaled space."""

    directions: Directions
    lows: Floats
    highs: Floats
    norms: Floats


def measure_intervals(
    values: Floats, labels: Ints, n_clusters: int, directions: Directions, features: Sequence[Feature], units: Floats
) -> Intervals:
    """Intervals of all clusters along all directions."""
    shape = (len(directions), n_clusters)
    lows, highs = np.empty(shape), np.empty(shape)
    measure_direction_intervals(
        np.ascontiguousarray(values), labels, directions.features, directions.coefficients, lows, highs
    )
    stretch = np.array([f.scale for f in features]) / units
    used = directions.features >= 0
    parts = np.where(used, directions.coefficients * stretch[directions.features], 0.0)
    return Intervals(directions, lows, highs, np.sqrt((parts**2).sum(axis=1)))


@dataclass(frozen=True)
class ChosenCut:
    """The terms of a direction, the ends of a gap along it, and the pairs (below, above) that the gap settles."""

    positions: tuple[int, ...]
    coefficients: tuple[float, ...]
    low: float
    high: float
    pairs: tuple[Pair, ...]

    def has_above(self, cluster: int) -> bool:
        """Whether the cluster is the upper one of a pair."""
        return any(above == cluster for _, above in self.pairs)


def cover_pairs(intervals: Intervals, pairs: list[Pair]) -> tuple[list[ChosenCut], list[Pair]]:
    """Greedy: the cut that settles the most pairs per clause added, the wider gap among equals."""
    direction, is_below, is_above, width = _list_cuts(intervals, pairs)
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    settles = (is_below[:, first] & is_above[:, second]) | (is_above[:, first] & is_below[:, second])
    n_terms = (intervals.directions.features[direction] >= 0).sum(axis=1)
    is_open = np.ones(len(pairs), dtype=bool)
    chosen: list[ChosenCut] = []
    while is_open.any() and len(direction):
        fresh = settles & is_open
        gain = fresh.sum(axis=1)
        touched = np.zeros((len(direction), intervals.lows.shape[1]), dtype=bool)
        for p in np.flatnonzero(is_open):
            touched[:, first[p]] |= fresh[:, p]
            touched[:, second[p]] |= fresh[:, p]
        rate = gain / np.maximum(touched.sum(axis=1) * n_terms, 1)
        best = int(np.lexsort((width, rate))[-1])
        if gain[best] == 0:
            break
        settled = np.flatnonzero(fresh[best])
        chosen.append(_tighten(intervals, direction[best], is_below[best], [pairs[p] for p in settled]))
        is_open[settled] = False
    return chosen, [pairs[p] for p in np.flatnonzero(is_open)]


def _list_cuts(intervals: Intervals, pairs: list[Pair]) -> tuple[Ints, Bools, Bools, Floats]:
    """Gaps after the end of a cluster: direction, clusters below, clusters above, width in the scaled space."""
    lows, highs = intervals.lows, intervals.highs
    end = highs[:, :, None]  # a gap that opens at the end of each cluster
    is_free = lows[:, None, :] > end + _least_gap(intervals)[:, :, None]
    next_low = np.where(is_free, lows[:, None, :], np.inf).min(axis=2)
    direction, opener = np.nonzero(np.isfinite(next_low))
    width = (next_low - highs)[direction, opener] / intervals.norms[direction]
    order = np.argsort(-width, kind="stable")
    direction, opener, width = direction[order], opener[order], width[order]
    is_below = highs[direction] <= highs[direction, opener][:, None]
    is_above = lows[direction] >= next_low[direction, opener][:, None]
    keep = _choose_cuts(is_below, is_above, pairs)
    return direction[keep], is_below[keep], is_above[keep], width[keep]


def _choose_cuts(is_below: Bools, is_above: Bools, pairs: list[Pair]) -> Ints:
    """The widest cuts and, for every pair, the widest that settles it."""
    is_kept = np.zeros(len(is_below), dtype=bool)
    is_kept[:MOST_CUTS] = True
    for i, j in pairs if len(is_below) > MOST_CUTS else []:
        settles = (is_below[:, i] & is_above[:, j]) | (is_above[:, i] & is_below[:, j])
        is_kept[np.argmax(settles)] |= settles.any()
    return np.flatnonzero(is_kept)


def _least_gap(intervals: Intervals) -> Floats:
    """(D, K), after the end of each cluster. One term: any gap; several: a relative one, since sums round.

    Half of what the search asks for, so that whatever it calls separable is read here.
    """
    is_sum = (intervals.directions.features >= 0).sum(axis=1) > 1
    return np.where(is_sum[:, None], 0.5 * RELATIVE_GAP * np.abs(intervals.highs), 0.0)


def _tighten(intervals: Intervals, direction: int, is_below: Bools, pairs: list[Pair]) -> ChosenCut:
    """The gap that the pairs of the cut leave free, which may be wider than the cut's own."""
    oriented = tuple((i, j) if is_below[i] else (j, i) for i, j in pairs)
    low = max(intervals.highs[direction, below] for below, _ in oriented)
    high = min(intervals.lows[direction, above] for _, above in oriented)
    positions, coefficients = intervals.directions.terms(direction)
    return ChosenCut(positions, coefficients, float(low), float(high), oriented)


def tell_by_own_levels(chosen: list[ChosenCut], straight: Intervals, features: Sequence[Feature]) -> list[ChosenCut]:
    """The cuts where a cluster of one level is told by it, and not by all the others that it does not have.

    One pair is enough for that: the level rules out the others. Its partner must be told by its own level elsewhere.
    """
    for cluster, own in np.argwhere(straight.lows.T >= 1.0).tolist():
        if features[own].kind != "level":
            continue
        same = [n for n, cut in enumerate(chosen) if _is_level_of(cut, features[own].column, features)]
        if any(chosen[n].positions == (own,) and chosen[n].has_above(cluster) for n in same):
            continue
        others = [n for n in same if any(below == cluster for below, _ in chosen[n].pairs)]
        spare = _find_spare_pair([chosen[n] for n in others], cluster, straight.highs[own])
        if len(others) > 1 and spare is not None:
            which, partner = others[spare[0]], spare[1]
            left = tuple(pair for pair in chosen[which].pairs if pair != (cluster, partner))
            own_cut = ChosenCut((own,), (1.0,), 0.0, 1.0, ((partner, cluster),))
            chosen = [*chosen[:which], replace(chosen[which], pairs=left), *chosen[which + 1 :], own_cut]
    return chosen


def _is_level_of(cut: ChosenCut, column: Column, features: Sequence[Feature]) -> bool:
    feature = features[cut.positions[0]]
    return len(cut.positions) == 1 and feature.kind == "level" and feature.column == column


def _find_spare_pair(cuts: list[ChosenCut], cluster: int, highs: Floats) -> tuple[int, int] | None:
    """A cut with a pair that can be told otherwise, and the partner: a cluster that lacks the level and stays told."""
    for n, cut in enumerate(cuts):
        above = Counter(up for _, up in cut.pairs)
        for low, up in cut.pairs:
            if low == cluster and above[up] > 1 and highs[up] <= 0.0:
                return n, up
    return None
