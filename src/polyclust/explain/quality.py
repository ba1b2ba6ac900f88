"""How well rules describe clusters: size, coverage, precision and fidelity, all by weight."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Labels = NDArray[np.intp]

__all__ = ["RuleQuality", "check_weights", "count_labels", "measure_fidelity", "measure_rules"]


@dataclass(frozen=True, slots=True)
class RuleQuality:
    """One rule on some rows. NaN where there is nothing to take a share of."""

    cluster: int
    size: float
    n_inside: float
    coverage: float
    precision: float


def measure_rules(members: Bools, labels: Labels, weights: Floats) -> tuple[RuleQuality, ...]:
    """Size, coverage and precision of every rule, from the rows inside each polytope."""
    qualities = []
    for k in range(members.shape[1]):
        size = float(weights[labels == k].sum())
        n_inside = float(weights[members[:, k]].sum())
        n_right = float(weights[members[:, k] & (labels == k)].sum())
        qualities.append(RuleQuality(k, size, n_inside, _share(n_right, size), _share(n_right, n_inside)))
    return tuple(qualities)


def measure_fidelity(placed: Labels, labels: Labels, weights: Floats) -> float:
    """The share of rows, by weight, that the rules place where the labels do."""
    return _share(float(weights[placed == labels].sum()), float(weights.sum()))


def check_weights(weights: Any, n_rows: int) -> Floats:
    """One weight per row; all one without any."""
    if weights is None:
        return np.ones(n_rows)
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_rows,) or not (np.isfinite(checked).all() and (checked >= 0).all()):
        raise ValueError(f"weights must be {n_rows} finite numbers >= 0, one per row.")
    return checked


def count_labels(labels: Any, known: Sequence[Hashable], n_clusters: int, n_rows: int) -> Labels:
    """Labels as 0..K-1. Labels that stand for no cluster of the explanation, as noise, become -1."""
    values = np.asarray(labels)
    if values.shape != (n_rows,):
        raise ValueError(f"labels must be one per row: {n_rows} are needed, {values.shape} were given.")
    place = {label: k for k, label in enumerate(known or range(n_clusters))}
    return np.array([place.get(label, -1) for label in values.tolist()], dtype=np.intp)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
