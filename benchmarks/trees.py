"""Trees of axis-parallel cuts: what ICOT, ExKMC, CART and Kauri explain their clusters with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.problem import Description, Floats, Labels


@dataclass(frozen=True)
class Leaf:
    """All rows that arrive here belong to one cluster."""

    cluster: int


@dataclass(frozen=True)
class Branch:
    """Rows with value <= threshold go to the lower child, the others to the upper."""

    feature: int
    threshold: float
    lower: Tree
    upper: Tree


Tree = Leaf | Branch
Bounds = dict[tuple[int, bool], float]  # (feature, whether it is an upper bound) -> the tightest value


def place_rows(tree: Tree, matrix: Floats) -> Labels:
    """The cluster of every row."""
    labels = np.empty(len(matrix), dtype=np.int64)
    _place(tree, matrix, np.arange(len(matrix)), labels)
    return labels


def _place(tree: Tree, matrix: Floats, rows: Labels, labels: Labels) -> None:
    if isinstance(tree, Leaf):
        labels[rows] = tree.cluster
        return
    is_lower = matrix[rows, tree.feature] <= tree.threshold
    _place(tree.lower, matrix, rows[is_lower], labels)
    _place(tree.upper, matrix, rows[~is_lower], labels)


def walk_leaves(tree: Tree, bounds: Bounds | None = None) -> Iterator[tuple[Leaf, Bounds]]:
    """Every leaf with the bounds that lead to it; of two on one side of a feature the tighter stays."""
    bounds = bounds or {}
    if isinstance(tree, Leaf):
        yield tree, bounds
        return
    at_most, above = (tree.feature, True), (tree.feature, False)
    yield from walk_leaves(tree.lower, bounds | {at_most: min(tree.threshold, bounds.get(at_most, tree.threshold))})
    yield from walk_leaves(tree.upper, bounds | {above: max(tree.threshold, bounds.get(above, tree.threshold))})


def number_leaves(tree: Tree, first: int = 0) -> tuple[Tree, int]:
    """The tree with its leaves numbered from left to right, each its own cluster; and the next number."""
    if isinstance(tree, Leaf):
        return Leaf(first), first + 1
    lower, middle = number_leaves(tree.lower, first)
    upper, after = number_leaves(tree.upper, middle)
    return Branch(tree.feature, tree.threshold, lower, upper), after


def describe_tree(tree: Tree, fidelity: float = 1.0) -> Description:
    """Conditions on the paths of a cluster's leaves, averaged over the clusters; each has one term."""
    leaves = list(walk_leaves(tree))
    n_clusters = len({leaf.cluster for leaf, _ in leaves})
    clauses = sum(len(bounds) for _, bounds in leaves) / n_clusters
    return Description(fidelity, clauses, clauses)


def convert_sklearn(estimator: object, is_leaf_a_cluster: bool = False) -> Tree:
    """A fitted scikit-learn tree; its leaves are the classes they predict or clusters of their own."""
    fitted = estimator.tree_  # type: ignore[attr-defined]

    def convert(node: int) -> Tree:
        if fitted.children_left[node] < 0:
            return Leaf(int(fitted.value[node].argmax()))
        return Branch(
            int(fitted.feature[node]),
            float(fitted.threshold[node]),
            convert(fitted.children_left[node]),
            convert(fitted.children_right[node]),
        )

    tree = convert(0)
    return number_leaves(tree)[0] if is_leaf_a_cluster else tree
