"""Directions of one and two terms that are likely to part a cluster from the others, found by a race."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import ABSENT, Directions, list_directions
from polyclust.kernels.gains import weigh_half_spaces

__all__ = ["find_half_spaces", "list_candidates"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

N_ROWS = 1500  # that take part in a race
N_AXES, N_PAIRS = 8, 12  # the axes that sums are made of, and the pairs of axes that all ratios are tried of
N_ALONE, N_OF_A_PAIR = 40, 6  # directions kept that part a cluster from all others, and from each


def list_candidates(
    columns: Floats, fates: Floats, max_terms: int, max_coefficient: int, is_over: Callable[[], bool] = lambda: False
) -> list[Directions]:
    """For every cluster the best directions, each once; ``columns`` (F, n), ``fates`` (n, K).

    Once ``is_over`` says so, no more races are run: the axes stand in for those of clusters that had none.
    """
    n_features, n_clusters = len(columns), fates.shape[1]
    if max_terms == 1 or n_features == 1:
        return [_list_axes(n_features)] * n_clusters
    rows = np.sort(np.random.default_rng(0).permutation(len(fates))[:N_ROWS])
    race = _Race(columns, max_coefficient)
    known, best = fates[rows], fates[rows].argmax(axis=1)
    found: list[list[Directions]] = [[] for _ in range(n_clusters)]
    for k in range(n_clusters):
        if is_over():
            break
        others = np.delete(known, k, axis=1).max(axis=1) if n_clusters > 1 else np.zeros(len(rows))
        found[k].append(race.run(rows, known[:, k] - others, N_ALONE))
    for i, j in combinations(range(n_clusters), 2):
        if is_over():
            break
        is_either = (best == i) | (best == j)
        winners = race.run(rows[is_either], known[is_either, i] - known[is_either, j], N_OF_A_PAIR)
        found[i].append(winners)
        found[j].append(winners)
    return [_join(several or [race.axes]) for several in found]


def find_half_spaces(
    columns: Floats, rows: Ints, gains: Floats, directions: Directions
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """For every direction about the most that some rows gain on one side of a cut, its threshold, and which side."""
    best, thresholds = np.empty(len(directions)), np.empty(len(directions))
    is_low = np.empty(len(directions), dtype=bool)
    features = np.maximum(directions.features, 0)  # an absent term has the coefficient 0
    weigh_half_spaces(columns, rows, gains, features, directions.coefficients, best, thresholds, is_low)
    return best, thresholds, is_low


def _join(several: list[Directions]) -> Directions:
    features = np.vstack([d.features for d in several])
    coefficients = np.vstack([d.coefficients for d in several])
    _, first = np.unique(np.hstack([features, coefficients]), axis=0, return_index=True)
    return Directions(features, coefficients).take(np.sort(first))


class _Race:
    """Axes first, then sums and differences of the best axes with all others, then all ratios of the best of those."""

    def __init__(self, columns: Floats, max_coefficient: int) -> None:
        self.columns = columns
        self.axes = _list_axes(len(columns))
        slopes = list_directions(2, 2, max_coefficient).coefficients
        slopes = slopes[(slopes != 0.0).all(axis=1)]
        is_sum = (np.abs(slopes) == 1.0).all(axis=1)
        self.sums, self.ratios = slopes[is_sum], slopes[~is_sum]

    def run(self, rows: Ints, gains: Floats, n_winners: int) -> Directions:
        """The directions along which a cut gains most."""
        if len(rows) < 2:
            return self.axes.take(np.arange(0))
        straight = self._weigh(self.axes, rows, gains)
        pairs = _pair_up(np.argsort(-straight, kind="stable")[:N_AXES], len(self.columns))
        sums = _combine(pairs, self.sums)
        slanted = self._weigh(sums, rows, gains)
        leading = pairs[np.argsort(-slanted.reshape(len(pairs), -1).max(axis=1), kind="stable")[:N_PAIRS]]
        ratios = _combine(leading, self.ratios)
        every = self.axes.join(sums).join(ratios)
        weighed = np.concatenate([straight, slanted, self._weigh(ratios, rows, gains)])
        return every.take(np.argsort(-weighed, kind="stable")[:n_winners])

    def _weigh(self, directions: Directions, rows: Ints, gains: Floats) -> Floats:
        return find_half_spaces(self.columns, rows, gains, directions)[0]


def _list_axes(n_features: int) -> Directions:
    """The axes, with room for a second term."""
    features = np.column_stack([np.arange(n_features), np.full(n_features, ABSENT)]).astype(np.int32)
    return Directions(features, np.tile([1.0, 0.0], (n_features, 1)))


def _pair_up(axes: Ints, n_features: int) -> Ints:
    """(P, 2): some axes with all others, each pair once and in ascending order."""
    pairs = np.array([(min(f, g), max(f, g)) for f in axes for g in range(n_features) if f != g], dtype=np.intp)
    return np.unique(pairs, axis=0)


def _combine(pairs: Ints, slopes: Floats) -> Directions:
    """Every pair with every slope, pair by pair."""
    features = np.repeat(pairs, len(slopes), axis=0).astype(np.int32)
    return Directions(features, np.tile(slopes, (len(pairs), 1)))
