"""Partitions whose clusters lines along the axes part: all with two and three clusters, some with more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numba
import numpy as np

from benchmarks.limits.best import NOTHING, Array, Best, score
from benchmarks.methods.icot_kernel import move_row, sum_distances
from benchmarks.problem import Floats, Labels

N_KEPT = 200  # partitions into boxes that are cut once more


@numba.njit(cache=True, error_model="numpy")
def scan_cuts(distances: Array, order: Array, is_end: Array, sums: Array, sizes: Array, labels: Array) -> Any:
    """Rows go to the last cluster, empty at first, in this order; (best score, rows gone by then, partitions scored).

    is_end[p] : whether a cut can lie after position p of the order
    """
    own, nearest = np.empty(labels.size), np.empty(labels.size)
    best, n_gone, n_scored = NOTHING, 0, 0
    for p in range(is_end.size):
        move_row(distances, sums, sizes, labels, order[p], sizes.size - 1)
        if is_end[p]:
            n_scored += 1
            value = score(sums, sizes, labels, own, nearest)
            if value > best:
                best, n_gone = value, p + 1
    return best, n_gone, n_scored


def cut_box(values: Floats, distances: Floats, labels: Labels, cluster: int, parts_equals: bool = False) -> Best:
    """The best of every cut of one cluster along one axis, the others as they are.

    Equal values are not parted unless that is asked for, then in the order of the rows: such a cut no rule can say.
    """
    rows = np.flatnonzero(labels == cluster)
    order = rows[np.argsort(values[rows], kind="stable")]
    n_clusters = int(labels.max()) + 1
    sums, sizes = sum_distances(distances, labels, n_clusters + 1)
    is_end = np.full(len(order) - 1, True) if parts_equals else np.diff(values[order]) > 0
    best, n_gone, n_scored = scan_cuts(distances, order, is_end, sums, sizes, labels.copy())
    cut = labels.copy()
    cut[order[:n_gone]] = n_clusters
    return Best(best, cut, n_scored)


def cut_boxes(matrix: Floats, distances: Floats, partitions: Iterable[Labels]) -> list[Best]:
    """The best cut along each axis of each cluster of each partition, where there is one."""
    return [
        best
        for labels in partitions
        for cluster in range(int(labels.max()) + 1)
        for values in matrix.T
        if (best := cut_box(values, distances, labels, cluster)).n_scored
    ]


def try_two_boxes(matrix: Floats, distances: Floats) -> list[Best]:
    """Every partition into two clusters that a line along an axis parts."""
    return cut_boxes(matrix, distances, [np.zeros(len(matrix), dtype=np.int64)])


def try_parting_equals(matrix: Floats, distances: Floats) -> list[Best]:
    """Two clusters by one cut between any two rows that follow each other along an axis, also where they are equal."""
    one = np.zeros(len(matrix), dtype=np.int64)
    return [cut_box(values, distances, one, 0, parts_equals=True) for values in matrix.T]


def try_three_boxes(matrix: Floats, distances: Floats) -> list[Best]:
    """Every partition of the plane into three clusters of which each pair is parted by a line along an axis.

    Two cuts, one after the other, make them all. There are three pairs and two axes, so two pairs are parted along
    the same axis, and two pairs of three clusters have one in common, A. Along that axis A lies before both others,
    after both, or between them. Before or after: one cut sets A apart. Between: the first lies before A and A before
    the third, so one cut sets the first apart. Either way a line sets one cluster apart from the other two, and
    these two are parted by a line of their own. Three parallel boxes are met twice.
    """
    first_cuts = ((values >= threshold).astype(np.int64) for values in matrix.T for threshold in np.unique(values)[1:])
    return cut_boxes(matrix, distances, first_cuts)


def try_more_boxes(matrix: Floats, distances: Floats, found: list[Best]) -> list[Best]:
    """One cut more in the best of the partitions found; not complete."""
    distinct = {round(best.score, 12): best.labels for best in found}
    kept = sorted(distinct, reverse=True)[:N_KEPT]
    return cut_boxes(matrix, distances, [distinct[value] for value in kept])
