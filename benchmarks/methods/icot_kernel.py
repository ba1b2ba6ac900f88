"""The global silhouette of a tree for every cut of one feature at one node: the inner loop of ICOT."""

from __future__ import annotations

import numba
import numpy as np

NOT_ALLOWED = -2.0


@numba.njit(cache=True, fastmath=True, error_model="numpy")
def score_leaves(sums, counts, labels, min_size):  # type: ignore[no-untyped-def]
    """Mean silhouette width; sums[leaf, row] are the distances of the row to the rows of the leaf."""
    n_leaves, n_rows = sums.shape
    n_filled = 0
    for leaf in range(n_leaves):
        if counts[leaf] > 0:
            n_filled += 1
            if counts[leaf] < min_size:
                return NOT_ALLOWED
    if n_filled < 2:
        return NOT_ALLOWED
    nearest = np.full(n_rows, np.inf)
    for leaf in range(n_leaves):
        if counts[leaf] > 0:
            share = 1.0 / counts[leaf]
            for row in range(n_rows):
                mean = sums[leaf, row] * share
                other = mean if labels[row] != leaf else np.inf
                nearest[row] = min(nearest[row], other)
    total = 0.0
    for row in range(n_rows):
        own = labels[row]
        if counts[own] > 1:
            within = sums[own, row] / (counts[own] - 1)
            total += (nearest[row] - within) / max(max(nearest[row], within), 1e-300)
    return total / n_rows


@numba.njit(cache=True, fastmath=True, error_model="numpy")
def move_row(distances, sums, counts, labels, row, leaf):  # type: ignore[no-untyped-def]
    """Put a row into another leaf and keep the sums right."""
    old = labels[row]
    if old == leaf:
        return
    line = distances[row]
    for t in range(line.size):
        sums[old, t] -= line[t]
        sums[leaf, t] += line[t]
    counts[old] -= 1
    counts[leaf] += 1
    labels[row] = leaf


@numba.njit(cache=True)
def best_cut_of(distances, sums, counts, labels, order, targets, cuts, min_size):  # type: ignore[no-untyped-def]
    """(score, position in cuts) when the first cuts[i] rows of `order` have moved to their targets."""
    best_score, best, moved = NOT_ALLOWED, -1, 0
    for i in range(cuts.size):
        while moved < cuts[i]:
            move_row(distances, sums, counts, labels, order[moved], targets[moved])
            moved += 1
        score = score_leaves(sums, counts, labels, min_size)
        if score > best_score:
            best_score, best = score, i
    return best_score, best


@numba.njit(cache=True)
def sum_distances(distances, labels, n_leaves):  # type: ignore[no-untyped-def]
    """sums[leaf, row] and the size of every leaf."""
    n_rows = labels.size
    sums = np.zeros((n_leaves, n_rows))
    counts = np.zeros(n_leaves, dtype=np.int64)
    for row in range(n_rows):
        leaf = labels[row]
        counts[leaf] += 1
        for t in range(n_rows):
            sums[leaf, t] += distances[row, t]
    return sums, counts
