"""A tree of cuts as a value: every change makes another tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Cut", "Fork", "Leaf", "Tree", "Visit", "follow", "label_rows", "list_clusters", "prune", "put", "walk",
]  # fmt: skip

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Path = tuple[bool, ...]  # from the root: whether the way goes to the high side


@dataclass(frozen=True)
class Cut:
    """Rows whose sum of terms is below the threshold are on the low side."""

    features: tuple[int, ...]
    coefficients: tuple[float, ...]
    threshold: float

    def project(self, columns: Floats, rows: Ints) -> Floats:
        """The sums of some rows, term by term as a hyperplane does."""
        total = self.coefficients[0] * columns[self.features[0]].take(rows)
        for feature, coefficient in zip(self.features[1:], self.coefficients[1:], strict=True):
            total += coefficient * columns[feature].take(rows)
        return np.asarray(total)

    def is_low(self, columns: Floats, rows: Ints) -> NDArray[np.bool_]:
        """Which of the rows are on the low side."""
        return np.asarray(self.project(columns, rows) < self.threshold)


@dataclass(frozen=True)
class Leaf:
    """One cluster."""

    cluster: int


@dataclass(frozen=True)
class Fork:
    """A cut with a tree on either side."""

    cut: Cut
    low: Tree
    high: Tree


Tree = Leaf | Fork


def label_rows(tree: Tree, columns: Floats, rows: Ints | None = None) -> Ints:
    """The cluster of all rows, or of some."""
    some = np.arange(columns.shape[1]) if rows is None else rows
    labels = np.empty(columns.shape[1], dtype=np.intp)
    for visit in walk(tree, columns, some):
        if isinstance(visit.tree, Leaf):
            labels[visit.rows] = visit.tree.cluster
    return labels[some]


@dataclass(frozen=True)
class Visit:
    """A branch, the way to it and the rows that come there."""

    path: Path
    tree: Tree
    rows: Ints


def walk(tree: Tree, columns: Floats, rows: Ints, path: Path = ()) -> Iterator[Visit]:
    """Every branch, before those that it forks into."""
    yield Visit(path, tree, rows)
    if isinstance(tree, Fork):
        is_low = tree.cut.is_low(columns, rows)
        yield from walk(tree.low, columns, rows[is_low], (*path, False))
        yield from walk(tree.high, columns, rows[~is_low], (*path, True))


def follow(tree: Tree, path: Path) -> Tree:
    """The branch at the end of a way."""
    for is_high in path:
        assert isinstance(tree, Fork)
        tree = tree.high if is_high else tree.low
    return tree


def put(tree: Tree, path: Path, branch: Tree) -> Tree:
    """The tree with another branch at the end of a way."""
    if not path or isinstance(tree, Leaf):
        return branch
    if path[0]:
        return replace(tree, high=put(tree.high, path[1:], branch))
    return replace(tree, low=put(tree.low, path[1:], branch))


def prune(tree: Tree, cluster: int) -> Tree | None:
    """The tree without a cluster: its sibling moves up; None if nothing is left."""
    if isinstance(tree, Leaf):
        return None if tree.cluster == cluster else tree
    low, high = prune(tree.low, cluster), prune(tree.high, cluster)
    if low is None or high is None:
        return high if low is None else low
    return tree if low is tree.low and high is tree.high else Fork(tree.cut, low, high)


def list_clusters(tree: Tree) -> list[int]:
    """The clusters of all leaves, from the lowest to the highest side of every cut."""
    return [tree.cluster] if isinstance(tree, Leaf) else list_clusters(tree.low) + list_clusters(tree.high)
