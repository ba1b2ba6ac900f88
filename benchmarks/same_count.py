"""Ours beside a tree with as many clusters as the tree has, since more clusters need more clauses."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.comparison import TIE, Study
from benchmarks.lengths import Length, find_length, find_tree
from benchmarks.methods.method import name_at


@dataclass(frozen=True)
class Solution:
    """What is compared of a clustering."""

    silhouette: float
    length: Length


@dataclass(frozen=True)
class Match:
    """Ours and a tree on one data set, both with the tree's number of clusters k."""

    data: str
    tree: str
    k: int
    ours: Solution
    theirs: Solution

    @property
    def gain(self) -> float:
        return self.ours.silhouette - self.theirs.silhouette

    @property
    def outcome(self) -> str:
        """How our silhouette compares: "higher", "equal" or "lower"."""
        return "equal" if abs(self.gain) < TIE else "higher" if self.gain > 0 else "lower"

    @property
    def is_no_longer(self) -> bool:
        """Whether ours has neither more clauses nor more terms."""
        return self.ours.length.is_within(self.theirs.length)

    @property
    def verdict(self) -> str:
        """Who is no worse in silhouette and length: "ours", "theirs", "both" (alike) or "neither" (a trade)."""
        is_ours = self.outcome != "lower" and self.is_no_longer
        is_theirs = self.outcome != "higher" and self.theirs.length.is_within(self.ours.length)
        if is_ours == is_theirs:
            return "both" if is_ours else "neither"
        return "ours" if is_ours else "theirs"


def find_match(study: Study, protocol: str, data: str, method: str, rival: str) -> Match | None:
    """The tree of a method, or the best of the set, beside ours; None when either has no solution."""
    tree = find_tree(study, protocol, data, rival)
    k = study.value(protocol, data, tree, "k") if tree else None
    if tree is None or k is None:
        return None
    ours = find_solution(study, protocol, data, name_at(method, int(k)))
    theirs = find_solution(study, protocol, data, tree)
    return Match(data, tree, int(k), ours, theirs) if ours and theirs else None


def find_solution(study: Study, protocol: str, data: str, method: str) -> Solution | None:
    """Silhouette and length of a cell, if it has both."""
    score, length = study.silhouette(protocol, data, method), find_length(study, protocol, data, method)
    return None if score is None or length is None else Solution(score, length)


def list_matches(study: Study, protocol: str, method: str, rival: str) -> list[Match]:
    """One for every data set where both have a solution."""
    found = (find_match(study, protocol, data, method, rival) for data in study.names(protocol))
    return [match for match in found if match is not None]


def list_unmatched(study: Study, protocol: str, method: str) -> list[tuple[str, int]]:
    """(data, k) of trees whose number of clusters ours was asked for and did not reach."""
    return [
        (data, k)
        for data in study.names(protocol)
        for k in list_tree_counts(study, protocol, data)
        if (cell := study.cell(protocol, data, name_at(method, k))) and cell["status"] == "none"
    ]


def list_tree_counts(study: Study, protocol: str, data: str) -> list[int]:
    """The numbers of clusters that trees have on a data set."""
    counts = (study.value(protocol, data, tree, "k") for tree in study.methods(protocol, ("tree",)))
    return sorted({int(k) for k in counts if k is not None})
