"""What many do today: k-means, then a decision tree with one leaf per cluster to explain it.

The clusters scored are those the tree tells apart; fidelity is the share of rows that it puts into
their k-means cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sklearn.tree import DecisionTreeClassifier

from benchmarks.methods.kmeans import count_starts, fit_lowest_inertia
from benchmarks.methods.method import Method
from benchmarks.problem import Proposal, Task
from benchmarks.trees import convert_sklearn, describe_tree, place_rows


def propose(task: Task) -> Iterator[Proposal]:
    """One tree per k."""
    for k in task.cluster_counts:
        model = fit_lowest_inertia(task, k)
        if model is None:
            continue
        fitted = DecisionTreeClassifier(
            max_leaf_nodes=k, min_samples_leaf=task.problem.min_size, random_state=task.seed
        ).fit(task.matrix, model.labels_)
        tree = convert_sklearn(fitted)
        labels = place_rows(tree, task.matrix)
        fidelity = float((labels == model.labels_).mean())
        yield Proposal(labels, count_starts(task), partial(describe_tree, tree, fidelity))


METHODS = (Method("cart", "CART on k-means", "tree", propose),)
