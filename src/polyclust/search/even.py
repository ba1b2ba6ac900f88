"""A start for a maximum size: a tree of cuts into parts of about equal weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyclust.search.partition import Ints
from polyclust.search.points import Points

__all__ = ["grow_even_tree"]

Floats = NDArray[np.float64]


def grow_even_tree(points: Points, n_clusters: int) -> Ints:
    """Labels of n_clusters leaves; every cut shares out the weight in proportion to the leaves on either side."""
    labels = np.zeros(len(points), dtype=np.intp)
    waiting = [(np.arange(len(points)), 0, n_clusters)]
    while waiting:
        rows, first, n_leaves = waiting.pop()
        labels[rows] = first
        cut = _cut_in_proportion(points, rows, n_leaves) if n_leaves > 1 else None
        if cut is not None:
            low, up, n_low = cut
            waiting += [(low, first, n_low), (up, first + n_low, n_leaves - n_low)]
    return labels


def _cut_in_proportion(points: Points, rows: Ints, n_leaves: int) -> tuple[Ints, Ints, int] | None:
    """The rows on either side of an axis cut, and how many of the leaves go to the lower side.

    The cut whose leaves promise the least sum of squares; among equals the one that halves the leaves best, along the
    widest axis. A side has no more leaves than points.
    """
    best: tuple[float, ...] | None = None
    found = None
    for values in points.raw[rows].T:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        ends = np.flatnonzero(ordered[1:] > ordered[:-1])
        if not ends.size:
            continue
        weights = points.weights[rows[order]]
        total = weights.sum()
        below = np.cumsum(weights)[ends]
        fewest, most = np.maximum(n_leaves - (len(rows) - 1 - ends), 1), np.minimum(ends + 1, n_leaves - 1)
        n_low = np.clip(np.round(below / total * n_leaves), fewest, most)
        squares = _square_leaves(below, n_low, np.maximum.accumulate(weights)[ends])
        squares += _square_leaves(total - below, n_leaves - n_low, np.maximum.accumulate(weights[::-1])[::-1][ends + 1])
        squares = np.round(squares * n_leaves / total**2, 4)
        uneven = np.abs(2 * n_low - n_leaves)
        at = int(np.lexsort((uneven, squares))[0])
        cost = float(squares[at]), float(uneven[at]), float(ordered[0] - ordered[-1])
        if best is None or cost < best:
            best = cost
            found = rows[order[: ends[at] + 1]], rows[order[ends[at] + 1 :]], int(n_low[at])
    return found


def _square_leaves(weight: Floats, n_leaves: Floats, heaviest: Floats) -> Floats:
    """The sum of squares of even leaves, one of which may be no more than the heaviest point."""
    others = np.maximum(n_leaves - 1.0, 1.0)
    is_heavy = (heaviest > weight / n_leaves) & (n_leaves > 1)
    return np.where(is_heavy, heaviest**2 + (weight - heaviest) ** 2 / others, weight**2 / n_leaves)
