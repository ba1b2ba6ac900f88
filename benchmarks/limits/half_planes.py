"""Partitions of the plane by one line: all of them, by a direction that turns."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from benchmarks.limits.best import NOTHING, Array, Best
from benchmarks.problem import Floats

JITTER = 1e-9


@numba.njit(cache=True, error_model="numpy")
def list_swaps(points: Array) -> Any:
    """Every pair of rows and the angle in [0, π) at which a turning direction sees them side by side."""
    n_rows = points.shape[0]
    n_pairs = n_rows * (n_rows - 1) // 2
    angles, first, second = np.empty(n_pairs), np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32)
    p = 0
    for i in range(n_rows):
        for j in range(i + 1, n_rows):
            angle = np.arctan2(points[j, 0] - points[i, 0], points[i, 1] - points[j, 1])
            angles[p] = angle if angle >= 0.0 else angle + np.pi
            first[p], second[p] = i, j
            p += 1
    return angles, first, second


@numba.njit(cache=True, error_model="numpy", fastmath=True)
def score_half(low: Array, total: Array, place: Array, n_low: int) -> float:
    """The mean silhouette of the first n_low rows against the others; low[t] are the distances of t to the first."""
    n_rows = total.size
    n_high = n_rows - n_low
    share_low, share_high = 1.0 / n_low, 1.0 / n_high
    inside_low, inside_high = 1.0 / max(n_low - 1, 1), 1.0 / max(n_high - 1, 1)
    weight_low, weight_high = min(n_low - 1.0, 1.0), min(n_high - 1.0, 1.0)  # a row alone scores 0
    result = 0.0
    for t in range(n_rows):
        is_low = place[t] < n_low
        high = total[t] - low[t]
        own = low[t] * inside_low if is_low else high * inside_high
        other = high * share_high if is_low else low[t] * share_low
        result += (weight_low if is_low else weight_high) * (other - own) / max(own, other, 1e-300)
    return result / n_rows


@numba.njit(cache=True, error_model="numpy")
def lay_out(distances: Array, order: Array) -> Any:
    """low[m, t], the distances of row t to the first m rows of the order, and the place of every row in it."""
    n_rows = order.size
    low, place = np.zeros((n_rows + 1, n_rows)), np.empty(n_rows, np.int32)
    for p in range(n_rows):
        row = order[p]
        place[row] = p
        for t in range(n_rows):
            low[p + 1, t] = low[p, t] + distances[row, t]
    return low, place


@numba.njit(cache=True, error_model="numpy")
def turn(distances: Array, order: Array, first: Array, second: Array, least: int) -> Any:
    """Scores every beginning of the order, and every one that a swap of two neighbours changes.

    Returns the best score, the places of the rows then, how many of them are low, the halves scored, and how many
    swaps were not of neighbours (must be none).
    """
    n_rows = order.size
    low, place = lay_out(distances, order)
    total = low[n_rows].copy()
    best, best_place, best_n_low, n_scored, n_apart = NOTHING, place.copy(), 0, 0, 0
    for step in range(-n_rows, first.size):
        if step < 0:
            n_low = step + n_rows
        else:
            leaves, enters = first[step], second[step]
            if place[leaves] > place[enters]:
                leaves, enters = enters, leaves
            n_low = place[enters]
            n_apart += place[leaves] + 1 != n_low
            place[leaves], place[enters] = n_low, n_low - 1
            for t in range(n_rows):
                low[n_low, t] += distances[enters, t] - distances[leaves, t]
        if least <= n_low <= n_rows - least:
            n_scored += 1
            value = score_half(low[n_low], total, place, n_low)
            if value > best:
                best, best_place, best_n_low = value, place.copy(), n_low
    return best, best_place, best_n_low, n_scored, n_apart


def try_half_planes(matrix: Floats, distances: Floats, least: int, jitter: float = JITTER) -> Best:
    """Every partition of the plane by a line with at least so many rows on each side.

    A direction turns by half a circle. The order of the rows along it changes only when it sees two of them side by
    side, and every half-plane is a beginning or an end of some order. Each coordinate is moved by at most the jitter
    first, so that no three rows lie on one line and every change is a swap of neighbours. A partition whose two sides
    are less than three times the jitter apart may be missed for this reason; it differs from one that was scored in
    rows on the border only. The distances are those of the rows where they are.
    """
    points = matrix + np.random.default_rng(0).uniform(-jitter, jitter, matrix.shape)
    angles, first, second = list_swaps(points)
    turns = np.argsort(angles, kind="stable")
    order = np.argsort(points[:, 0])
    best, place, n_low, n_scored, n_apart = turn(distances, order, first[turns], second[turns], least)
    if n_apart:
        raise RuntimeError(f"{n_apart} swaps were not of neighbours, so some half-planes were missed; try more jitter.")
    return Best(best, (place < n_low).astype(np.int64), n_scored)
