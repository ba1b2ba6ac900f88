"""Kauri (gemclus): an unsupervised tree grown on a kernel k-means objective; leaves may share a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.methods.method import Method
from benchmarks.problem import Floats, Proposal, Task
from benchmarks.trees import Branch, Leaf, Tree, describe_tree, place_rows


def propose(task: Task) -> Iterator[Proposal]:
    """One tree per largest number of clusters."""
    from gemclus.tree import Kauri

    for k in task.cluster_counts:
        if task.clock.has_run_out():
            return
        least = task.problem.min_size
        model = Kauri(
            max_clusters=k,
            min_samples_leaf=least,
            min_samples_split=max(2, 2 * least),
            random_state=task.seed,
        )
        labels = model.fit_predict(task.matrix)
        yield Proposal(labels, 1, partial(_describe, model.tree_, task.matrix, labels))


def _describe(fitted: object, matrix: Floats, labels: object) -> object:
    tree = convert(fitted)
    return describe_tree(tree, float((place_rows(tree, matrix) == labels).mean()))


def convert(fitted: object, node: int = 0) -> Tree:
    """gemclus' arrays of nodes as a tree of ours."""
    if fitted.children_left[node] < 0:  # type: ignore[attr-defined]
        return Leaf(int(fitted.target[node]))  # type: ignore[attr-defined]
    return Branch(
        int(fitted.features[node]),  # type: ignore[attr-defined]
        float(fitted.thresholds[node]),  # type: ignore[attr-defined]
        convert(fitted, fitted.children_left[node]),  # type: ignore[attr-defined]
        convert(fitted, fitted.children_right[node]),  # type: ignore[attr-defined]
    )


METHODS = (Method("kauri", "Kauri", "tree", propose, package="gemclus"),)
