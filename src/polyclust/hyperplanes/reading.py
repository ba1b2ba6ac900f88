"""Read the hyperplanes off a finished partition: one for every pair of clusters.

One term is tried first (a cover of the pairs by few cuts), then the directions of several terms, listed or found by a
linear program. The threshold is the roundest number in the gap that the pairs of a cut leave free.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.cover import ChosenCut, Pair, cover_pairs, measure_intervals, tell_by_own_levels
from polyclust.hyperplanes.general import find_direction
from polyclust.hyperplanes.lattice import Directions, list_directions
from polyclust.hyperplanes.planes import make_plane, measure_norm, place_plane
from polyclust.kernels.intervals import measure_direction_intervals
from polyclust.kernels.separating import RELATIVE_GAP
from polyclust.table.features import Feature

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

N_GLANCED = (40, 200, 1000)  # rows of a cluster


class NotSeparableError(ValueError):
    """Two clusters that no direction of the family tells apart; ``hyperplanes`` are those of the other pairs."""

    def __init__(self, pairs: list[Pair], hyperplanes: Sequence[Hyperplane] = ()) -> None:
        super().__init__(f"No hyperplane of the family separates the clusters {pairs}.")
        self.pairs = pairs
        self.hyperplanes = tuple(hyperplanes)


def read_hyperplanes(
    raw: Floats, labels: Ints, n_clusters: int, features: Sequence[Feature], oblique: Directions | None = None
) -> tuple[Hyperplane, ...]:
    """One hyperplane per pair of clusters, exact on these rows. Raises NotSeparableError if there is none."""
    planes, open_pairs = _read_straight(raw, labels, n_clusters, features)
    if open_pairs and oblique is not None and len(oblique):
        more, open_pairs = _read_slanted(raw, labels, n_clusters, features, oblique, open_pairs)
        planes += more
    if open_pairs:
        raise NotSeparableError(open_pairs, planes)
    return _in_order(planes)


def _read_slanted(
    raw: Floats, labels: Ints, n_clusters: int, features: Sequence[Feature], oblique: Directions, pairs: list[Pair]
) -> tuple[list[Hyperplane], list[Pair]]:
    """The hyperplanes of several terms of some pairs, and the pairs that none of them tells apart."""
    units = np.array([f.unit for f in features])
    values = raw / units
    useful = _choose_directions(values, labels, n_clusters, oblique, pairs)
    slanted = measure_intervals(values, labels, n_clusters, useful, features, units)
    chosen, open_pairs = cover_pairs(slanted, pairs)
    return _planes_of(chosen, features), open_pairs


def _read_straight(
    raw: Floats, labels: Ints, n_clusters: int, features: Sequence[Feature]
) -> tuple[list[Hyperplane], list[Pair]]:
    """The hyperplanes of one term, and the pairs that none of them tells apart."""
    n_features = len(features)
    straight = measure_intervals(
        raw, labels, n_clusters, list_directions(n_features, 1, 1), features, np.ones(n_features)
    )
    chosen, open_pairs = cover_pairs(straight, list(itertools.combinations(range(n_clusters), 2)))
    return _planes_of(tell_by_own_levels(chosen, straight, features), features), open_pairs


def _choose_directions(
    values: Floats, labels: Ints, n_clusters: int, directions: Directions, pairs: list[Pair]
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


def _planes_of(cuts: Sequence[ChosenCut], features: Sequence[Feature]) -> list[Hyperplane]:
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
    may_err: bool = False,
) -> Hyperplane:
    """A hyperplane from its terms and the rows that it has on its upper side.

    terms : feature -> coefficient in the space of raw / unit. The first coefficient is made positive (the sides change
    places with it), one term is in the column's own units, and the threshold lies in the gap between the sides. If
    it may err, a row counts as above where its value is no less than that of another above: sums may be alike for rows
    that the space of the program has on either side.
    """
    positions = tuple(sorted(p for p, c in terms.items() if c != 0.0))
    flip = terms[positions[0]] < 0.0
    is_axis = len(positions) == 1
    coefficients = (1.0,) if is_axis else tuple(-terms[p] if flip else terms[p] for p in positions)
    above, below = (lower, upper) if flip else (upper, lower)
    plane = make_plane(positions, coefficients, features, above=above, below=below)
    values, is_above = plane.value(raw), ~is_upper if flip else is_upper
    if may_err:
        is_above = values >= values.min(where=is_above, initial=np.inf)
    low, high = _gap_between(values, is_above)
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
    raw: Floats,
    labels: Ints,
    n_clusters: int,
    features: Sequence[Feature],
    list_simpler: Callable[[], Directions | None] = lambda: None,
) -> tuple[Hyperplane, ...]:
    """Real coefficients: an axis where one will do, else the widest gap that a linear program finds.

    Far from zero its sums are large, and a gap may be lost in them that a difference of two features shows: such
    simpler directions, if any, are tried last.
    """
    planes, open_pairs = _read_straight(raw, labels, n_clusters, features)
    origin, scale = np.array([f.origin for f in features]), np.array([f.scale for f in features])
    failed = []
    for i, j in open_pairs:
        upper, lower = raw[labels == i], raw[labels == j]
        w = find_direction((upper - origin) / scale, (lower - origin) / scale, widest=True)
        terms = None if w is None else shorten_direction(w, upper, lower, features)
        if terms is None:
            failed.append((i, j))
            continue
        rows = np.vstack([upper, lower])
        is_upper = np.arange(len(rows)) < len(upper)
        planes.append(plane_between(rows, is_upper, terms, features, upper=i, lower=j))
    simpler = list_simpler() if failed else None
    if simpler is not None:
        more, failed = _read_slanted(raw, labels, n_clusters, features, simpler, failed)
        planes += more
    if failed:
        raise NotSeparableError(failed)
    return _in_order(planes)


def _in_order(planes: list[Hyperplane]) -> tuple[Hyperplane, ...]:
    return tuple(sorted(planes, key=lambda h: h.pair))
