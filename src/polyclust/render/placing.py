"""What the exports to SQL and to Python must agree on: who may be exported, what is read, who can be lost."""

from __future__ import annotations

from collections.abc import Sequence

from polyclust.explain.clauses import list_rule_columns
from polyclust.explain.explanation import Explanation
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.table.features import Column

__all__ = ["covers_space", "list_outside_columns", "list_read_columns", "refuse_export"]


def refuse_export(explanation: Explanation, target: str) -> None:
    """Raise a ValueError that says why, for an explanation that would not place every row as predict does."""
    if explanation.is_minimal:
        raise ValueError(
            "Minimal rules hold the same training rows but may place other rows differently, so they are "
            f"not exported to {target}; export the full explanation."
        )
    if explanation.why_not_exported:
        raise ValueError(f"This explanation cannot be exported to {target}: {explanation.why_not_exported}")


def list_outside_columns(explanation: Explanation) -> tuple[Column, ...]:
    """The columns that no rule reads, but that the way to the nearest polytope needs."""
    if explanation.outside != "nearest" or covers_space(explanation):
        return ()
    used = {explanation.features[i].column for h in explanation.hyperplanes for i in h.features}
    seen = set(list_rule_columns(explanation))
    return tuple(c for c in explanation.columns if c in used and c not in seen)


def list_read_columns(explanation: Explanation) -> tuple[Column, ...]:
    """All columns that decide where a row goes; the explanation may know others, which need not be there."""
    return (*list_rule_columns(explanation), *list_outside_columns(explanation))


def covers_space(explanation: Explanation) -> bool:
    """True when the hyperplanes are a tree of cuts, so that no row can lie outside every polytope."""
    return _is_tree(explanation.hyperplanes, frozenset(range(explanation.n_clusters)))


def _is_tree(hyperplanes: Sequence[Hyperplane], clusters: frozenset[int]) -> bool:
    if len(clusters) <= 1:
        return True
    inside = [h for h in hyperplanes if h.above in clusters and h.below in clusters]
    groups: dict[object, set[tuple[int, int]]] = {}
    for h in inside:
        groups.setdefault((h.direction, h.threshold), set()).add((h.above, h.below))
    for pairs in groups.values():
        above, below = frozenset(i for i, _ in pairs), frozenset(j for _, j in pairs)
        is_cut = above | below == clusters and not above & below and len(pairs) == len(above) * len(below)
        if is_cut:
            return _is_tree(inside, above) and _is_tree(inside, below)
    return False
