"""Slow twins: what the fast code computes, straight from the definitions."""

from __future__ import annotations

from itertools import combinations, product
from math import gcd

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from sklearn.metrics import silhouette_samples

RELATIVE_GAP = 1e-9


def silhouettes_of_repeats(distances, labels, weights):
    """The silhouette of every row when a row of weight 2 is two rows, by scikit-learn."""
    counts = np.asarray(weights).astype(int)
    repeated = np.repeat(np.arange(len(counts)), counts)
    labels = np.asarray(labels)[repeated]
    if len(np.unique(labels)) in (1, len(labels)):
        every = np.zeros(len(repeated))
    else:
        matrix = np.asarray(distances, dtype=np.float64)[np.ix_(repeated, repeated)]
        np.fill_diagonal(matrix, 0.0)
        every = silhouette_samples(matrix, labels, metric="precomputed")
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return every[first]


def silhouette_of_repeats(distances, labels, weights):
    """The mean of them."""
    return float(np.average(silhouettes_of_repeats(distances, labels, weights), weights=weights))


def dunn(distances, labels):
    """Least distance between rows of two clusters over the largest distance within one."""
    apart, wide = np.inf, 0.0
    for s, t in combinations(range(len(labels)), 2):
        if labels[s] == labels[t]:
            wide = max(wide, float(distances[s, t]))
        else:
            apart = min(apart, float(distances[s, t]))
    return apart / wide if wide > 0 else np.inf


def gower(table: pd.DataFrame):
    """Mean over the columns that vary: range-scaled differences of numbers, mismatch of everything else."""
    varying = [c for c in table.columns if len(set(table[c])) > 1]
    total = np.zeros((len(table), len(table)))
    for name in varying:
        column = table[name]
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            values = column.to_numpy(dtype=float)
            total += np.abs(values[:, None] - values[None]) / (values.max() - values.min())
        else:
            values = column.to_numpy(dtype=object)
            total += values[:, None] != values[None]
    return total / len(varying)


def lattice(n_features, max_terms, max_coefficient):
    """Every integer vector, up to sign and common divisors, as rows of a matrix."""
    found = set()
    sizes = range(-max_coefficient, max_coefficient + 1)
    for w in product(sizes, repeat=n_features):
        terms = [c for c in w if c]
        if 1 <= len(terms) <= max_terms and terms[0] > 0 and gcd(*terms) == 1:
            found.add(w)
    return np.array(sorted(found), dtype=float)


def lie_apart(first, second, directions):
    """Whether the rows of two sets are disjoint intervals along one of the directions."""
    for w in directions:
        a, b = first @ w, second @ w
        n_terms = np.count_nonzero(w)
        least = RELATIVE_GAP * max(np.abs(a).max(), np.abs(b).max()) if n_terms > 1 else 0.0
        if b.min() - a.max() > least or a.min() - b.max() > least:
            return True
    return False


def lie_apart_by_any_plane(first, second):
    """Whether some hyperplane separates two sets, by the textbook LP."""
    n_features = first.shape[1]
    rows = np.vstack([np.column_stack([-first, -np.ones(len(first))]), np.column_stack([second, np.ones(len(second))])])
    found = linprog(np.zeros(n_features + 1), rows, -np.ones(len(rows)), bounds=(None, None))
    return found.status == 0


def pairs_in_conflict(values, labels, are_apart):
    """The pairs of clusters that nothing tells apart."""
    clusters = np.unique(labels)
    return [
        (int(i), int(j))
        for i, j in combinations(clusters, 2)
        if not are_apart(values[labels == i], values[labels == j])
    ]


def best_axis_cut(raw, distances, weights, least=1.0, most=np.inf):
    """The best silhouette of two clusters made by one cut of one axis."""
    best = -np.inf
    for column in raw.T:
        for threshold in np.unique(column)[1:]:
            labels = (column >= threshold).astype(int)
            sizes = np.bincount(labels, weights=weights)
            if sizes.min() >= least and sizes.max() <= most:
                best = max(best, silhouette_of_repeats(distances, labels, weights))
    return best


def same_partition(first, second):
    """Whether two labellings part the rows in the same way."""
    codes = set(zip(np.asarray(first).tolist(), np.asarray(second).tolist(), strict=True))
    return len(codes) == len(set(np.asarray(first).tolist())) == len(set(np.asarray(second).tolist()))


def choose_rows_slowly(key, weights, n_most, hash_row):
    """Priority sampling of distinct rows, one by one: each chosen row with what it stands for."""
    heaps = {}
    for row, weight in zip(key + 0.0, weights, strict=True):
        heaps[tuple(row)] = heaps.get(tuple(row), 0.0) + weight
    priority = {row: weight / ((hash_row(np.array(row)) >> 11) + 0.5) for row, weight in heaps.items()}
    ordered = sorted(heaps, key=lambda row: -priority[row])
    if len(ordered) <= n_most:
        return heaps
    spread = priority[ordered[n_most]] * 2.0**53
    return {row: max(heaps[row], spread) for row in ordered[:n_most]}


def hold_clauses(clauses, raw, features):
    """The rows for which all clauses hold, every sum formed term by term in the stored order."""
    place = {(f.column.label, f.kind, f.level): i for i, f in enumerate(features)}
    inside = np.ones(len(raw), dtype=bool)
    for clause in clauses:
        used = [(t, place[t.feature.column.label, t.feature.kind, t.feature.level]) for t in clause.terms]
        total = sum(t.coefficient * (raw[:, i] / t.unit) for t, i in used)
        inside &= (total >= clause.threshold) == (clause.comparison == "≥")
    return inside
