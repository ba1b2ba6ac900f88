"""The explanation: rules made of clauses made of terms, in the user's units, independent of the estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.table.features import Column, Feature

Comparison = Literal["≥", "<"]

__all__ = ["Clause", "Comparison", "Explanation", "Rule", "Term"]


@dataclass(frozen=True, slots=True)
class Term:
    """coefficient * (feature / unit)"""

    coefficient: float
    feature: Feature
    unit: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """sum of terms, compared with a threshold. What is printed is what is stored, applied and exported."""

    terms: tuple[Term, ...]
    comparison: Comparison
    threshold: float


@dataclass(frozen=True, slots=True)
class Rule:
    """The clauses that hold for every row of a cluster and, together, for no other row."""

    cluster: int
    clauses: tuple[Clause, ...]
    size: float
    coverage: float
    precision: float
    name: str = ""
    is_at_minimum: bool = False


@dataclass(frozen=True)
class Explanation:
    """Everything needed to describe the clusters and to place other rows."""

    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    hyperplanes: tuple[Hyperplane, ...]
    rules: tuple[Rule, ...]
    outside: Literal["nearest", "none"] = "nearest"
    is_minimal: bool = False
    fidelity: float = 1.0

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.rules)
