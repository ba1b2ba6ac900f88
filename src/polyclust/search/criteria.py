"""Criteria other than the silhouette, as functions of labels on weighted points; larger is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.search.partition import Ints, sum_weights
from polyclust.search.points import Points

__all__ = [
    "call_criterion",
    "compare_dispersions",
    "compare_spreads",
    "make_criterion",
    "measure_equals",
    "reported_score",
]

Floats = NDArray[np.float64]
Criterion = Callable[[Ints], float]


def make_criterion(name: str | Callable[..., float], points: Points) -> Criterion:
    """The criterion as f(labels) -> float, larger better."""
    if name == "dunn":
        equal = measure_equals(points)
        return lambda labels: dunn(points.distances, labels, equal)
    if points.coordinates is None:
        raise ValueError('This criterion needs coordinates; with distance="precomputed" use "silhouette" or "dunn".')
    space, weights = points.coordinates, points.weights
    if name == "calinski_harabasz":
        return lambda labels: calinski_harabasz(space, weights, labels)
    if name == "davies_bouldin":
        return lambda labels: -davies_bouldin(space, weights, labels)
    assert callable(name)
    return _repeat_rows(name, space, weights)


def call_criterion(call: Callable[..., float], rows: Floats, labels: Ints) -> float:
    """The user's f(X_scaled, labels); what it cannot judge is worst. Raises ValueError where it gives no number."""
    try:
        value = call(rows, labels)
    except Exception as error:
        raise ValueError(
            f"The criterion raised {type(error).__name__} when it was called with the scaled rows and their labels: "
            f"{' '.join(str(error).split()).rstrip('.')}."
        ) from error
    number = _as_number(value)
    if number is None or number == np.inf:
        got = f"a {type(value).__name__}" if number is None else "inf"
        raise ValueError(f"The criterion must return one finite number, larger for better clusters; got {got}.")
    return -np.inf if np.isnan(number) else number


def reported_score(name: str | Callable[..., float], score: float) -> float:
    """The score as users know it: Davies-Bouldin is reported as scikit-learn does, smaller better."""
    return -score if name == "davies_bouldin" else score


def dunn(distances: NDArray[np.float32], labels: Ints, equal: Floats | None = None) -> float:
    """Least distance between clusters over the largest diameter; ``equal`` is how far a point's own rows lie apart."""
    n_clusters = int(labels.max()) + 1
    members = [np.flatnonzero(labels == k) for k in range(n_clusters)]
    apart, wide = np.inf, 0.0 if equal is None else float(equal.max())
    for k, rows in enumerate(members):
        block = distances[rows]
        wide = max(wide, float(block[:, rows].max()))
        rest = labels > k
        if rest.any():
            apart = min(apart, float(block[:, rest].min()))
    return apart / wide if wide > 0 else np.inf


def measure_equals(points: Points) -> Floats:
    """(n,): the mean distance between different rows of a point; the diagonal's counts those of rows to themselves."""
    others = points.weights - 1.0
    factors = np.divide(points.weights, others, out=np.zeros(len(points)), where=others > 0)
    return np.asarray(np.diagonal(points.distances) * factors, dtype=np.float64)


def calinski_harabasz(space: Floats, weights: Floats, labels: Ints) -> float:
    """Between over within dispersion, each by its degrees of freedom."""
    sizes, centers = _centers(space, weights, labels)
    return compare_dispersions(sizes, centers, float(weights @ ((space - centers[labels]) ** 2).sum(axis=1)))


def compare_dispersions(sizes: Floats, centers: Floats, within: float) -> float:
    """Calinski and Harabasz' ratio from the clusters' weights and centers and the squares around these."""
    if within == 0:
        return 1.0
    mean = np.average(centers, axis=0, weights=sizes)
    between = float(sizes @ ((centers - mean) ** 2).sum(axis=1))
    return between * (float(sizes.sum()) - len(sizes)) / (within * (len(sizes) - 1.0))


def davies_bouldin(space: Floats, weights: Floats, labels: Ints) -> float:
    """The mean over clusters of the worst (spread + spread) / distance of centers."""
    sizes, centers = _centers(space, weights, labels)
    radius = np.sqrt(((space - centers[labels]) ** 2).sum(axis=1))
    return compare_spreads(centers, np.bincount(labels, weights=weights * radius, minlength=len(sizes)) / sizes)


def compare_spreads(centers: Floats, spread: Floats) -> float:
    """Davies and Bouldin's index from the clusters' centers and the mean distances to them."""
    gaps = np.sqrt(((centers[:, None] - centers[None]) ** 2).sum(axis=2))
    if np.allclose(spread, 0) or np.allclose(gaps, 0):
        return 0.0
    gaps[gaps == 0] = np.inf
    return float(((spread[:, None] + spread[None]) / gaps).max(axis=1).mean())


def _centers(space: Floats, weights: Floats, labels: Ints) -> tuple[Floats, Floats]:
    n_clusters = int(labels.max()) + 1
    sizes = sum_weights(labels, weights, n_clusters)
    sums = np.stack([np.bincount(labels, weights=weights * column, minlength=n_clusters) for column in space.T], axis=1)
    return sizes, sums / sizes[:, None]


def _repeat_rows(call: Callable[..., float], space: Floats, weights: Floats) -> Criterion:
    """The user's f(X_scaled, labels), called with every row as often as it counts."""
    counts = np.round(weights).astype(np.intp)
    if np.abs(weights - counts).max() > 1e-9:
        raise ValueError("A criterion of your own needs whole sample weights, since it is called with repeated rows.")
    repeated = np.repeat(np.arange(len(counts)), counts)
    rows = space[repeated]

    return lambda labels: call_criterion(call, rows, labels[repeated])


def _as_number(value: Any) -> float | None:
    """The one number that a value is; None for texts, arrays and whatever else is none."""
    try:
        return None if isinstance(value, str | bytes) or np.ndim(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
