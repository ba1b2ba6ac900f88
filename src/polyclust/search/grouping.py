"""Coarse to fine: groups of points that stand for them in the search, and the way back to all points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from polyclust.search.partition import Ints, sum_weights
from polyclust.search.points import Points

__all__ = ["Groups", "group_points"]

LLOYD_STEPS = 3


class Groups:
    """Groups as points of their own; ``code`` says which group every point belongs to."""

    def __init__(self, points: Points, code: Ints) -> None:
        self.code = code
        self.points = _average(points, code)

    def spread(self, labels: Ints) -> Ints:
        """Labels of groups to labels of points."""
        return labels[self.code]


def group_points(points: Points, n_groups: int, seed: int) -> Groups:
    """Groups by distance-proportional seeding and a few Lloyd steps; by medoids where there are no coordinates."""
    if points.coordinates is None:
        return Groups(points, _near_seeds(points, n_groups, seed))
    space = points.coordinates
    centers, _ = kmeans_plusplus(space, n_groups, sample_weight=points.weights, random_state=seed, n_local_trials=1)
    code = np.zeros(len(points), dtype=np.intp)
    for _ in range(LLOYD_STEPS):
        code = np.unique(_nearest(space, centers), return_inverse=True)[1].astype(np.intp)
        mass = np.bincount(code, weights=points.weights)
        centers = _group_sums(space * points.weights[:, None], code) / mass[:, None]
    return Groups(points, code)


def _nearest(space: NDArray[np.float64], centers: NDArray[np.float64]) -> Ints:
    affinity = space @ centers.T - 0.5 * (centers**2).sum(axis=1)
    return np.asarray(affinity.argmax(axis=1), dtype=np.intp)


def _near_seeds(points: Points, n_groups: int, seed: int) -> Ints:
    rng = np.random.default_rng(seed)
    seeds = rng.choice(
        len(points), size=min(n_groups, len(points)), replace=False, p=points.weights / points.total_weight
    )
    nearest = points.distances[seeds].argmin(axis=0)
    return np.unique(nearest, return_inverse=True)[1].astype(np.intp)


def _group_sums(values: NDArray[np.float64], code: Ints) -> NDArray[np.float64]:
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(code.max() + 1))
    return np.add.reduceat(values[order], starts, axis=0)


def _average(points: Points, code: Ints) -> Points:
    """Mean distances between groups (exact for unions of groups) and mean values."""
    weights = points.weights
    mass = sum_weights(code, weights, int(code.max()) + 1)
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(len(mass)))
    rows = np.empty((len(mass), len(points)), dtype=np.float32)
    for g, (start, stop) in enumerate(zip(starts, [*starts[1:], len(order)], strict=True)):
        members = order[start:stop]
        rows[g] = weights[members].astype(np.float32) @ points.distances[members]
    sums = np.add.reduceat(rows[:, order] * weights[order].astype(np.float32), starts, axis=1)
    distances = np.ascontiguousarray(sums / np.outer(mass, mass), dtype=np.float32)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return _group_sums(values * weights[:, None], code) / mass[:, None]

    coordinates = None if points.coordinates is None else mean(points.coordinates)
    return Points(distances, mass, mean(points.raw), mean(points.values), coordinates)
