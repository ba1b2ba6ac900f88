from __future__ import annotations

import numpy as np
from benchmarks.trees import (
    Branch,
    Leaf,
    convert_sklearn,
    describe_tree,
    number_leaves,
    place_rows,
    walk_leaves,
)
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier


def test_rows_on_the_threshold_go_down() -> None:
    tree = Branch(0, 1.0, Leaf(0), Leaf(1))
    assert place_rows(tree, np.array([[0.9], [1.0], [1.1]])).tolist() == [0, 0, 1]


def test_tighter_bound_of_a_path_replaces_the_looser() -> None:
    tree = Branch(0, 5.0, Branch(0, 3.0, Leaf(0), Leaf(1)), Leaf(2))
    bounds = {leaf.cluster: found for leaf, found in walk_leaves(tree)}
    assert bounds[0] == {(0, True): 3.0}
    assert bounds[1] == {(0, True): 5.0, (0, False): 3.0}
    assert describe_tree(tree).clauses_per_cluster == 4 / 3


def test_cluster_of_two_leaves_counts_both() -> None:
    tree = Branch(0, 5.0, Branch(1, 3.0, Leaf(0), Leaf(1)), Leaf(0))
    assert describe_tree(tree).clauses_per_cluster == 5 / 2


def test_leaves_are_numbered_from_the_left() -> None:
    tree, after = number_leaves(Branch(0, 5.0, Branch(1, 3.0, Leaf(9), Leaf(9)), Leaf(9)))
    assert [leaf.cluster for leaf, _ in walk_leaves(tree)] == [0, 1, 2]
    assert after == 3


def test_converted_tree_predicts_as_scikit_learns() -> None:
    X, y = load_iris(return_X_y=True)
    fitted = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(X, y)
    assert (place_rows(convert_sklearn(fitted), X) == fitted.predict(X)).all()
