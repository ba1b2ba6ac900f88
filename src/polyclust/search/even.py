"""A start for a maximum size: a tree of cuts into parts of about equal weight."""

from __future__ import annotations

import numpy as np

from polyclust.search.partition import Ints
from polyclust.search.points import Points

__all__ = ["grow_even_tree"]


def grow_even_tree(points: Points, n_clusters: int) -> Ints:
    """Labels of n_clusters leaves; every cut shares out the weight in proportion to the leaves on either side."""
    labels = np.zeros(len(points), dtype=np.intp)
    waiting = [(np.arange(len(points)), 0, n_clusters)]
    while waiting:
        rows, first, n_leaves = waiting.pop()
        labels[rows] = first
        cut = _cut_in_proportion(points, rows, n_leaves // 2 / n_leaves) if n_leaves > 1 else None
        if cut is not None:
            low, up = cut
            waiting += [(low, first, n_leaves // 2), (up, first + n_leaves // 2, n_leaves - n_leaves // 2)]
    return labels


def _cut_in_proportion(points: Points, rows: Ints, share: float) -> tuple[Ints, Ints] | None:
    """The axis cut whose lower side is nearest to the share of the weight, along the widest axis among equals."""
    best: tuple[float, float, Ints, Ints] | None = None
    for values in points.raw[rows].T:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        ends = np.flatnonzero(ordered[1:] > ordered[:-1])
        if not ends.size:
            continue
        below = np.cumsum(points.weights[rows[order]])
        miss = np.abs(below[ends] / below[-1] - share)
        at = int(miss.argmin())
        spread = float(ordered[-1] - ordered[0])
        if best is None or (round(miss[at], 2), -spread) < best[:2]:
            best = (round(float(miss[at]), 2), -spread, rows[order[: ends[at] + 1]], rows[order[ends[at] + 1 :]])
    return None if best is None else (best[2], best[3])
