"""A comparator: a name, a way to propose clusterings, and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec

from benchmarks.problem import COUNTS, Proposal, Task


@dataclass(frozen=True)
class Method:
    """One row of the tables.

    Parameters
    ----------
    name : as on the command line and in the results
    title : as in the tables
    kind : "plain" (no explanation), "tree" or "polytopes"
    propose : a generator of proposals; it asks the task's clock before each piece of work
    package : what must be importable, if anything
    counts : how many clusters a solution may have; others are passed over
    """

    name: str
    title: str
    kind: str
    propose: Callable[[Task], Iterator[Proposal]]
    package: str | None = None
    counts: range = COUNTS

    @property
    def has_fixed_count(self) -> bool:
        """Whether it is asked for one number of clusters: measured where a tree has that many, beside the tree."""
        return len(self.counts) == 1

    def at(self, k: int) -> Method:
        """The same, asked for one number of clusters."""
        name, title = name_at(self.name, k), f"{self.title}, K = {k}"
        return replace(self, name=name, title=title, counts=range(k, k + 1))

    @property
    def reason_to_skip(self) -> str | None:
        """Why it cannot run here, if so."""
        if self.package and find_spec(self.package) is None:
            return f"the package {self.package} is not installed"
        return None


def name_at(method: str, k: int) -> str:
    """A method that is asked for one number of clusters, as in the results."""
    return f"{method}-at-{k}"
