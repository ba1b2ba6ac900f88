"""Coarse to fine: groups of points that stand for them in the search, and the way back to all points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyclust.search.partition import Ints, sum_weights
from polyclust.search.points import Points

__all__ = ["Groups", "choose_seeds", "group_points"]

LLOYD_STEPS = 3


class Groups:
    """Groups as points of their own; ``code`` says which group every point belongs to.

    sums : (G, n), of the weighted distances from the points of every group to each point
    """

    def __init__(self, points: Points, code: Ints) -> None:
        self.code = code
        self.sums = _sum_distances(points, code)
        self.points = _average(points, code, self.sums)

    def spread(self, labels: Ints) -> Ints:
        """Labels of groups to labels of points."""
        return labels[self.code]


def group_points(points: Points, n_groups: int, seed: int) -> Groups:
    """Groups by distance-proportional seeding and a few Lloyd steps; by medoids where there are no coordinates."""
    if points.coordinates is None:
        return Groups(points, _near_seeds(points, n_groups, seed))
    space = points.coordinates
    centers = space[choose_seeds(space, points.weights, n_groups, seed)]
    code = np.zeros(len(points), dtype=np.intp)
    for _ in range(LLOYD_STEPS):
        code = np.unique(_nearest(space, centers), return_inverse=True)[1].astype(np.intp)
        mass = np.bincount(code, weights=points.weights)
        centers = _group_sums(space * points.weights[:, None], code) / mass[:, None]
    return Groups(points, code)


def choose_seeds(space: NDArray[np.float64], weights: NDArray[np.float64], n_seeds: int, seed: int) -> Ints:
    """Points by k-means++: each next with a chance that grows with its squared distance to the nearest so far.

    The draws and the points are those of scikit-learn's ``kmeans_plusplus`` with one trial, whose checks of every step
    would cost more than the distances of a few thousand points.
    """
    rng = np.random.RandomState(seed)
    norms = np.einsum("ij,ij->i", space, space)
    chosen = np.empty(n_seeds, dtype=np.intp)
    chosen[0] = rng.choice(len(space), p=weights / weights.sum())
    nearest = np.full(len(space), np.inf)
    for s, draw in enumerate(rng.uniform(size=n_seeds - 1), start=1):
        last = chosen[s - 1]
        squared = space @ (-2.0 * space[last])
        squared += norms[last]
        squared += norms
        np.minimum(nearest, np.maximum(squared, 0.0, out=squared), out=nearest)
        sums = np.cumsum(weights * nearest)
        chosen[s] = min(np.searchsorted(sums, draw * (weights @ nearest)), len(space) - 1)
    return chosen


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
    order, starts = _sort_by_group(code)
    return np.add.reduceat(values[order], starts, axis=0)


def _sum_distances(points: Points, code: Ints) -> NDArray[np.float32]:
    weights = points.weights.astype(np.float32)
    order, starts = _sort_by_group(code)
    sums = np.empty((len(starts), len(points)), dtype=np.float32)
    for g, (start, stop) in enumerate(zip(starts, [*starts[1:], len(order)], strict=True)):
        members = order[start:stop]
        sums[g] = weights[members] @ points.distances[members]
    return sums


def _sort_by_group(code: Ints) -> tuple[Ints, Ints]:
    """The points group by group, and where each group begins."""
    order = np.argsort(code, kind="stable")
    return order, np.searchsorted(code[order], np.arange(code.max() + 1))


def _average(points: Points, code: Ints, sums: NDArray[np.float32]) -> Points:
    """Mean distances between groups (exact for unions of groups) and mean values."""
    weights = points.weights
    mass = sum_weights(code, weights, len(sums))
    order, starts = _sort_by_group(code)
    between = np.add.reduceat(sums[:, order] * weights[order].astype(np.float32), starts, axis=1)
    distances = np.ascontiguousarray(between / np.outer(mass, mass), dtype=np.float32)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return _group_sums(values * weights[:, None], code) / mass[:, None]

    coordinates = None if points.coordinates is None else mean(points.coordinates)
    return Points(distances, mass, mean(points.raw), mean(points.values), coordinates)
