"""Read the hyperplanes off a finished partition: for every pair a cut, shared between pairs where possible.

A cut is a direction and a gap. It tells every cluster that lies wholly below the gap from every cluster wholly
above it. A greedy cover of the pairs by few cuts keeps the rules short; the threshold is then the roundest number in
what the pairs of a cut leave free.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.general import find_direction
from polyclust.hyperplanes.lattice import Directions, list_directions
from polyclust.hyperplanes.planes import make_plane, measure_norm, place_plane
from polyclust.kernels.orders import RELATIVE_GAP, measure_direction_intervals
from polyclust.table.features import Column, Feature

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

__all__ = [
    "NotSeparableError",
    "measure_norm",
    "plane_between",
    "read_general_hyperplanes",
    "read_hyperplanes",
    "relative_gap",
]

MOST_CUTS = 40_000
N_GLANCED = (40, 200, 1000)  # rows of a cluster


class NotSeparableError(ValueError):
    """Two clusters that no direction of the family tells apart; ``hyperplanes`` are those of the other pairs."""

    def __init__(self, pairs: list[tuple[int, int]], hyperplanes: Sequence[Hyperplane] = ()) -> None:
        super().__init__(f"No hyperplane of the family separates the clusters {pairs}.")
        self.pairs = pairs
        self.hyperplanes = tuple(hyperplanes)


@dataclass(frozen=True)
class Intervals:
    """lows[d, k] and highs[d, k]: where cluster k lies along direction d; norms: length of d in the scaled space."""

    directions: Directions
    lows: Floats
    highs: Floats
    norms: Floats


def read_hyperplanes(
    raw: Floats, labels: Ints, n_clusters: int, features: Sequence[Feature], oblique: Directions | None = None
) -> tuple[Hyperplane, ...]:
    """One hyperplane per pair of clusters, exact on these rows. Raises NotSeparableError if there is none."""
    planes, open_pairs = _read_straight(raw, labels, n_clusters, features)
    if open_pairs and oblique is not None and len(oblique):
        units = np.array([f.unit for f in features])
        values = raw / units
        useful = _choose_directions(values, labels, n_clusters, oblique, open_pairs)
        slanted = measure_intervals(values, labels, n_clusters, useful, features, units)
        more, open_pairs = _cover_pairs(slanted, open_pairs)
        planes += _planes_of(more, features)
    if open_pairs:
        raise NotSeparableError(open_pairs, planes)
    return _in_order(planes)


def _read_straight(
    raw: Floats, labels: Ints, n_clusters: int, features: Sequence[Feature]
) -> tuple[list[Hyperplane], list[tuple[int, int]]]:
    """The hyperplanes of one term, and the pairs that none of them tells apart."""
    n_features = len(features)
    straight = measure_intervals(
        raw, labels, n_clusters, list_directions(n_features, 1, 1), features, np.ones(n_features)
    )
    chosen, open_pairs = _cover_pairs(straight, list(itertools.combinations(range(n_clusters), 2)))
    return _planes_of(_tell_by_own_levels(chosen, straight, features), features), open_pairs


def _choose_directions(
    values: Floats, labels: Ints, n_clusters: int, directions: Directions, pairs: list[tuple[int, int]]
) -> Directions:
    """Those that may tell one of the pairs apart: along the others even some rows of both clusters overlap.

    Few rows of each cluster are looked at first, then more of them along the directions that are left.
    """
    first, second = np.array(pairs, dtype=np.intp).T
    members = [np.flatnonzero(labels == k) for k in range(n_clusters)]
    for n_glanced in N_GLANCED:
        rows = np.concatenate([_spread(members[k], n_glanced) for k in np.union1d(first, second)])
        lows, highs = np.empty((2, len(directions), n_clusters))
        some = np.ascontiguousarray(values[rows])
        measure_direction_intervals(some, labels[rows], directions.features, directions.coefficients, lows, highs)
        is_apart = (lows[:, first] > highs[:, second]) | (lows[:, second] > highs[:, first])
        directions = directions.take(np.flatnonzero(is_apart.any(axis=1)))
    return directions


def _spread(rows: Ints, n_rows: int) -> Ints:
    """About so many of the rows, far apart."""
    return rows[:: max(len(rows) // n_rows, 1)]


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
class _ChosenCut:
    positions: tuple[int, ...]
    coefficients: tuple[float, ...]
    low: float
    high: float
    pairs: tuple[tuple[int, int], ...]  # (below, above)

    def has_above(self, cluster: int) -> bool:
        return any(above == cluster for _, above in self.pairs)


def _cover_pairs(intervals: Intervals, pairs: list[tuple[int, int]]) -> tuple[list[_ChosenCut], list[tuple[int, int]]]:
    """Greedy: the cut that settles the most pairs per clause added, the wider gap among equals."""
    direction, is_below, is_above, width = _list_cuts(intervals, pairs)
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    settles = (is_below[:, first] & is_above[:, second]) | (is_above[:, first] & is_below[:, second])
    n_terms = (intervals.directions.features[direction] >= 0).sum(axis=1)
    is_open = np.ones(len(pairs), dtype=bool)
    chosen: list[_ChosenCut] = []
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


def _tell_by_own_levels(chosen: list[_ChosenCut], straight: Intervals, features: Sequence[Feature]) -> list[_ChosenCut]:
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
            own_cut = _ChosenCut((own,), (1.0,), 0.0, 1.0, ((partner, cluster),))
            chosen = [*chosen[:which], replace(chosen[which], pairs=left), *chosen[which + 1 :], own_cut]
    return chosen


def _is_level_of(cut: _ChosenCut, column: Column, features: Sequence[Feature]) -> bool:
    feature = features[cut.positions[0]]
    return len(cut.positions) == 1 and feature.kind == "level" and feature.column == column


def _find_spare_pair(cuts: list[_ChosenCut], cluster: int, highs: Floats) -> tuple[int, int] | None:
    """A cut with a pair that can be told otherwise, and the partner: a cluster that lacks the level and stays told."""
    for n, cut in enumerate(cuts):
        above = Counter(up for _, up in cut.pairs)
        for low, up in cut.pairs:
            if low == cluster and above[up] > 1 and highs[up] <= 0.0:
                return n, up
    return None


def _list_cuts(
    intervals: Intervals, pairs: list[tuple[int, int]]
) -> tuple[Ints, NDArray[np.bool_], NDArray[np.bool_], Floats]:
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


def _choose_cuts(is_below: NDArray[np.bool_], is_above: NDArray[np.bool_], pairs: list[tuple[int, int]]) -> Ints:
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


def _tighten(
    intervals: Intervals, direction: int, is_below: NDArray[np.bool_], pairs: list[tuple[int, int]]
) -> _ChosenCut:
    """The gap that the pairs of the cut leave free, which may be wider than the cut's own."""
    oriented = tuple((i, j) if is_below[i] else (j, i) for i, j in pairs)
    low = max(intervals.highs[direction, below] for below, _ in oriented)
    high = min(intervals.lows[direction, above] for _, above in oriented)
    positions, coefficients = intervals.directions.terms(direction)
    return _ChosenCut(positions, coefficients, float(low), float(high), oriented)


def _planes_of(cuts: Sequence[_ChosenCut], features: Sequence[Feature]) -> list[Hyperplane]:
    """One hyperplane for every pair that a cut settles."""
    return [
        place_plane(
            make_plane(cut.positions, cut.coefficients, features, above=above, below=below), cut.low, cut.high, features
        )
        for cut in cuts
        for below, above in cut.pairs
    ]


def plane_between(
    raw: Floats,
    is_upper: NDArray[np.bool_],
    terms: dict[int, float],
    features: Sequence[Feature],
    upper: int,
    lower: int,
) -> Hyperplane:
    """A hyperplane from its terms and the rows that it has on its upper side.

    terms : feature -> coefficient in the space of raw / unit. The first coefficient is made positive (the sides change
    places with it), one term is in the column's own units, and the threshold lies in the gap between the sides.
    """
    positions = tuple(sorted(p for p, c in terms.items() if c != 0.0))
    flip = terms[positions[0]] < 0.0
    is_axis = len(positions) == 1
    coefficients = (1.0,) if is_axis else tuple(-terms[p] if flip else terms[p] for p in positions)
    above, below = (lower, upper) if flip else (upper, lower)
    plane = make_plane(positions, coefficients, features, above=above, below=below)
    low, high = _gap_between(plane.value(raw), ~is_upper if flip else is_upper)
    return place_plane(plane, low, high, features)


def _gap_between(values: Floats, is_above: NDArray[np.bool_]) -> tuple[float, float]:
    """The largest value below and the least above; where a side is empty, a gap beyond the rows."""
    span = max(float(values.max() - values.min()), 1.0)
    low = float(values[~is_above].max()) if not is_above.all() else float(values.min()) - span
    high = float(values[is_above].min()) if is_above.any() else float(values.max()) + span
    return low, high


def shorten_direction(w: Floats, upper: Floats, lower: Floats, features: Sequence[Feature]) -> dict[int, float] | None:
    """Terms of a separating direction of the scaled space with as few digits as keep most of its gap; None if none do.

    upper, lower : raw rows of the two clusters.
    """
    stretch = np.array([f.unit / f.scale for f in features])
    units = np.array([f.unit for f in features])
    exact = w * stretch
    exact = exact / np.abs(exact).max()
    widest = relative_gap(exact, upper / units, lower / units)
    for share, digits in [*((0.5, d) for d in range(1, 9)), *((0.0, d) for d in range(3, 17))]:
        rounded = np.array([float(f"{c:.{digits}f}") for c in exact])
        gap = relative_gap(rounded, upper / units, lower / units)
        if gap > RELATIVE_GAP and gap >= share * widest:
            return {int(p): float(rounded[p]) for p in np.flatnonzero(rounded)}
    return None


def relative_gap(coefficients: Floats, upper: Floats, lower: Floats) -> float:
    """The gap between the sums of two sets of rows, as a share of the largest sum; negative where they overlap."""
    used = np.flatnonzero(coefficients)
    if not used.size:
        return -1.0
    above = sum(coefficients[p] * upper[:, p] for p in used)
    below = sum(coefficients[p] * lower[:, p] for p in used)
    size = max(np.abs(above).max(), np.abs(below).max(), 1e-300)
    return float((above.min() - below.max()) / size)


def read_general_hyperplanes(
    raw: Floats, labels: Ints, n_clusters: int, features: Sequence[Feature]
) -> tuple[Hyperplane, ...]:
    """Real coefficients: an axis where one will do, else the widest gap that a linear program finds."""
    planes, open_pairs = _read_straight(raw, labels, n_clusters, features)
    offset, scale = np.array([f.offset for f in features]), np.array([f.scale for f in features])
    failed = []
    for i, j in open_pairs:
        upper, lower = raw[labels == i], raw[labels == j]
        w = find_direction((upper - offset) / scale, (lower - offset) / scale, widest=True)
        terms = None if w is None else shorten_direction(w, upper, lower, features)
        if terms is None:
            failed.append((i, j))
            continue
        rows = np.vstack([upper, lower])
        is_upper = np.arange(len(rows)) < len(upper)
        planes.append(plane_between(rows, is_upper, terms, features, upper=i, lower=j))
    if failed:
        raise NotSeparableError(failed)
    return _in_order(planes)


def _in_order(planes: list[Hyperplane]) -> tuple[Hyperplane, ...]:
    return tuple(sorted(planes, key=lambda h: h.pair))
