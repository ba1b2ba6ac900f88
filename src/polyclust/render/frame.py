"""An explanation as a tidy table: one row per clause."""

from __future__ import annotations

from typing import Any

import pandas as pd

from polyclust.explain.explanation import Clause, Explanation, Rule
from polyclust.explain.spelling import EVERY_ROW, Vocabulary
from polyclust.explain.wording import word_clause, word_sum

__all__ = ["render_frame"]


def render_frame(explanation: Explanation) -> pd.DataFrame:
    """One row per clause; a cluster without clauses has one row, for every row of the table is in it."""
    vocabulary = explanation.vocabulary
    total = sum(rule.size for rule in explanation.rules)
    rows = [
        _describe_rule(rule, total, explanation) | _describe_clause(clause, number, vocabulary)
        for rule in explanation.rules
        for number, clause in enumerate(rule.clauses or (None,))
    ]
    return pd.DataFrame(rows)


def _describe_rule(rule: Rule, total: float, explanation: Explanation) -> dict[str, Any]:
    return {
        "cluster": rule.cluster,
        "name": rule.name,
        "size": rule.size,
        "share": rule.size / total if total else float("nan"),
        "coverage": rule.coverage,
        "precision": rule.precision,
        "is_at_minimum": rule.is_at_minimum,
        "is_minimal": explanation.is_minimal,
        "fidelity": explanation.fidelity,
    }


def _describe_clause(clause: Clause | None, number: int, vocabulary: Vocabulary) -> dict[str, Any]:
    if clause is None:
        return {
            "clause": number,
            "text": EVERY_ROW,
            "sum": "",
            "comparison": "",
            "threshold": float("nan"),
            "n_terms": 0,
        }
    return {
        "clause": number,
        "text": word_clause(clause, vocabulary),
        "sum": word_sum(clause.terms, vocabulary),
        "comparison": clause.comparison,
        "threshold": clause.threshold,
        "n_terms": len(clause.terms),
    }
