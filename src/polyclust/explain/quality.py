"""How well rules describe clusters: size, coverage, precision and fidelity, all by weight."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.table.columns import plain_value

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Labels = NDArray[np.intp]

__all__ = [
    "RuleCounts",
    "RuleQuality",
    "check_weights",
    "count_rules",
    "list_labels",
    "measure_fidelity",
    "number_labels",
]


@dataclass(frozen=True, slots=True)
class RuleQuality:
    """One rule on some rows. NaN where there is nothing to take a share of."""

    cluster: int
    size: float
    n_inside: float
    coverage: float
    precision: float


@dataclass(frozen=True)
class RuleCounts:
    """(K,): the weight of every cluster, of the rows inside its rule, and of its own rows inside."""

    sizes: Floats
    inside: Floats
    right: Floats

    @property
    def qualities(self) -> tuple[RuleQuality, ...]:
        """The counts as shares."""
        counts = zip(self.sizes.tolist(), self.inside.tolist(), self.right.tolist(), strict=True)
        return tuple(
            RuleQuality(k, size, inside, _share(right, size), _share(right, inside))
            for k, (size, inside, right) in enumerate(counts)
        )

    @staticmethod
    def join(parts: Sequence[RuleCounts]) -> RuleCounts:
        """The counts of several parts of the rows."""
        sizes, inside, right = np.sum([(part.sizes, part.inside, part.right) for part in parts], axis=0)
        return RuleCounts(sizes, inside, right)


def count_rules(members: Bools, labels: Labels, weights: Floats) -> RuleCounts:
    """What the quality of every rule is a share of, from the rows inside each polytope."""
    is_own = [labels == k for k in range(members.shape[1])]
    return RuleCounts(
        sizes=np.array([weights[own].sum() for own in is_own]),
        inside=np.array([weights[members[:, k]].sum() for k in range(len(is_own))]),
        right=np.array([weights[members[:, k] & own].sum() for k, own in enumerate(is_own)]),
    )


def measure_fidelity(placed: Labels, labels: Labels, weights: Floats) -> float:
    """The share of rows, by weight, that the rules place where the labels do."""
    return _share(float(weights[placed == labels].sum()), float(weights.sum()))


def check_weights(weights: Any, n_rows: int) -> Floats:
    """One weight per row; all one without any."""
    if weights is None:
        return np.ones(n_rows)
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):  # texts and the like
        checked = np.empty(0)
    if checked.shape != (n_rows,) or not (np.isfinite(checked).all() and (checked >= 0).all()):
        raise ValueError(f"weights must be {n_rows} finite numbers >= 0, one per row.")
    return checked


def number_labels(labels: Any, known: Sequence[Hashable], n_clusters: int, n_rows: int) -> Labels:
    """Labels as 0..K-1. Labels that stand for no cluster of the explanation, as noise, become -1."""
    place = {label: k for k, label in enumerate(known or range(n_clusters))}
    return np.array([place.get(label, -1) for label in list_labels(labels, n_rows)], dtype=np.intp)


def list_labels(labels: Any, n_rows: int) -> list[Any]:
    """One plain Python value per row, each of its own type: an array of 1 and "a" would make texts of both."""
    given = labels.to_list() if hasattr(labels, "to_list") else labels
    if not isinstance(given, list | tuple):
        given = np.asarray(labels, dtype=object).tolist()
    if not isinstance(given, list | tuple):
        raise ValueError(f"labels must be a list, an array or a column, one per row; got a {type(labels).__name__}.")
    if len(given) != n_rows:
        raise ValueError(f"labels must be one per row: {n_rows} are needed, {len(given)} were given.")
    wrong = next((kind for kind in set(map(type, given)) if not issubclass(kind, Hashable)), None)
    if wrong is not None:
        raise ValueError(f"labels must be one per row, each a single value; got a {wrong.__name__} for a row.")
    return [plain_value(value) for value in given]


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
