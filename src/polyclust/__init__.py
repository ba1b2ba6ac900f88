"""polyclust: clusters you can read.

Interpretable clustering by polytopes: clusters and the short rules that describe them exactly, in one optimisation.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyclust.errors import ModelFileError, PolyclustWarning, SmallClusterWarning
    from polyclust.estimator import PolytopeClustering
    from polyclust.explain.explanation import Clause, Explanation, Rule, Term
    from polyclust.explain.posthoc import explain_labels
    from polyclust.table.binarise import Binariser

__version__ = "0.1.0"

_HOMES = {
    "Binariser": "polyclust.table.binarise",
    "Clause": "polyclust.explain.explanation",
    "Explanation": "polyclust.explain.explanation",
    "ModelFileError": "polyclust.errors",
    "PolyclustWarning": "polyclust.errors",
    "PolytopeClustering": "polyclust.estimator",
    "Rule": "polyclust.explain.explanation",
    "SmallClusterWarning": "polyclust.errors",
    "Term": "polyclust.explain.explanation",
    "explain_labels": "polyclust.explain.posthoc",
}

__all__ = [
    "Binariser",
    "Clause",
    "Explanation",
    "ModelFileError",
    "PolyclustWarning",
    "PolytopeClustering",
    "Rule",
    "SmallClusterWarning",
    "Term",
    "explain_labels",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: ``import polyclust`` loads and compiles nothing."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'polyclust' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
