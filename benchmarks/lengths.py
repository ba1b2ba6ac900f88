"""How long explanations are: ours beside the trees'."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.comparison import Study
from benchmarks.markdown import title

COLUMNS = ("clauses_per_cluster", "terms_per_cluster")
ANY_TREE = "best tree"
ROUNDING = 1e-9


@dataclass(frozen=True)
class Length:
    """Clauses and terms per cluster of one explanation, or the means of several."""

    clauses: float
    terms: float

    def is_within(self, other: Length) -> bool:
        """Whether it has neither more clauses nor more terms."""
        return self.clauses <= other.clauses + ROUNDING and self.terms <= other.terms + ROUNDING

    @property
    def terms_per_clause(self) -> float:
        return self.terms / self.clauses if self.clauses else 0.0


@dataclass(frozen=True)
class LengthContest:
    """Ours against one tree method over the data sets where both explain.

    no_longer : the data sets where ours has neither more clauses nor more terms
    """

    method: str
    rival: str
    ours: Length
    theirs: Length
    names: tuple[str, ...]
    no_longer: tuple[str, ...]


def find_length(study: Study, protocol: str, data: str, method: str) -> Length | None:
    """The length of one explanation, if there is one."""
    clauses, terms = (study.value(protocol, data, method, column) for column in COLUMNS)
    return None if clauses is None or terms is None else Length(clauses, terms)


def find_tree(study: Study, protocol: str, data: str, rival: str) -> str | None:
    """The rival itself; for `ANY_TREE` the tree method of the highest silhouette on the data set."""
    return study.best(protocol, data, study.methods(protocol, ("tree",))) if rival == ANY_TREE else rival


def name_rival(rival: str) -> str:
    """As in the tables."""
    return f"{ANY_TREE} of each set" if rival == ANY_TREE else title(rival)


def average(lengths: list[Length]) -> Length:
    """Means over data sets; there must be one."""
    return Length(
        sum(length.clauses for length in lengths) / len(lengths), sum(length.terms for length in lengths) / len(lengths)
    )


def list_common(study: Study, protocol: str, methods: list[str]) -> list[str]:
    """Data sets on which all of these methods explain."""
    return [
        data
        for data in study.names(protocol)
        if all(find_length(study, protocol, data, method) is not None for method in methods)
    ]


def compare_lengths(study: Study, protocol: str, method: str, rival: str) -> LengthContest | None:
    """Ours against a tree method, or the tree of the highest silhouette on each set; None without a common set."""
    ours, theirs, no_longer = {}, {}, []
    for data in study.names(protocol):
        tree = find_tree(study, protocol, data, rival)
        our_length = find_length(study, protocol, data, method)
        their_length = find_length(study, protocol, data, tree) if tree else None
        if our_length is None or their_length is None:
            continue
        ours[data], theirs[data] = our_length, their_length
        if our_length.is_within(their_length):
            no_longer.append(data)
    if not ours:
        return None
    means = average(list(ours.values())), average(list(theirs.values()))
    return LengthContest(method, rival, *means, tuple(ours), tuple(no_longer))
