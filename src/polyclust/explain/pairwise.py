"""What tells one cluster from another: the one hyperplane between them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

import pandas as pd

from polyclust.explain.clauses import make_clause
from polyclust.explain.spelling import Vocabulary
from polyclust.explain.wording import word_clause

if TYPE_CHECKING:
    from polyclust.explain.explanation import Clause, Explanation

__all__ = ["PairwiseRule", "compare_all", "compare_pair", "tabulate_pairs"]


@dataclass(frozen=True)
class PairwiseRule:
    """The clause that holds for the first cluster and not for the second, and how it reads."""

    first: int
    second: int
    clause: Clause
    condition: str

    def __str__(self) -> str:
        return f"IF {self.condition}: cluster {self.first} ELSE cluster {self.second}"


def compare_pair(explanation: Explanation, first: int, second: int) -> PairwiseRule:
    """What tells the first cluster from the second."""
    return _compare(explanation, first, second, explanation.vocabulary)


def compare_all(explanation: Explanation) -> tuple[PairwiseRule, ...]:
    """One comparison for every pair that has a hyperplane, the lower label first."""
    vocabulary = explanation.vocabulary
    pairs = sorted({h.pair for h in explanation.hyperplanes})
    return tuple(_compare(explanation, i, j, vocabulary) for i, j in pairs)


def tabulate_pairs(explanation: Explanation) -> pd.DataFrame:
    """What holds for the cluster of the row and not for the cluster of the column."""
    vocabulary = explanation.vocabulary
    labels = range(explanation.n_clusters)
    table = pd.DataFrame("", index=pd.Index(labels, name="cluster"), columns=pd.Index(labels, name="against"))
    for h in explanation.hyperplanes:
        for i, j in ((h.above, h.below), (h.below, h.above)):
            table.loc[i, j] = _compare(explanation, i, j, vocabulary).condition
    return table


def _compare(explanation: Explanation, first: int, second: int, vocabulary: Vocabulary) -> PairwiseRule:
    for label in (first, second):
        if not isinstance(label, Integral) or not 0 <= label < explanation.n_clusters:
            raise ValueError(f"There is no cluster {label}; the clusters are 0 to {explanation.n_clusters - 1}.")
    for hyperplane in explanation.hyperplanes:
        if hyperplane.pair == (min(first, second), max(first, second)):
            clause = make_clause(hyperplane, hyperplane.above == first, explanation.features)
            return PairwiseRule(first, second, clause, word_clause(clause, vocabulary))
    raise ValueError(f"No hyperplane lies between clusters {first} and {second}; name two different clusters.")
