"""ICOT (Bertsimas, Orfanoudaki, Wiberg): a tree whose leaves are the clusters, written from its description.

Maximise the silhouette of the leaves' labels. From a start, take the nodes in random order: at a branch try
its lower child, its upper child, a leaf, and every other cut with both subtrees kept; at a leaf above the
greatest depth try every cut. Every row is scored anew for each. Apply a node's best strict gain, prune empty
leaves, begin the sweep again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.measures import silhouette_of_distances
from benchmarks.methods.icot_kernel import NOT_ALLOWED, best_cut_of, score_leaves, sum_distances
from benchmarks.methods.kmeans import fit_lowest_inertia
from benchmarks.methods.method import Method
from benchmarks.problem import Floats, Labels, Proposal, Task
from benchmarks.trees import Branch, Leaf, Tree, convert_sklearn, describe_tree, number_leaves, place_rows

MAX_DEPTH = 3
GAP_QUANTILE = 0.99
N_RANDOM_TREES = 10
LEAST_GAIN = 1e-9

Path = tuple[bool, ...]  # from the root: whether to the upper child


@dataclass(frozen=True)
class Ground:
    """What does not change during a search: rows, distances, allowed thresholds."""

    matrix: Floats
    distances: Floats
    min_size: int
    max_depth: int = MAX_DEPTH

    @cached_property
    def orders(self) -> list[Labels]:
        """The rows in ascending order of each feature."""
        return [np.argsort(column, kind="stable") for column in self.matrix.T]

    @cached_property
    def thresholds(self) -> list[Floats]:
        """For each feature the middles of its widest gaps."""
        return [choose_thresholds(column) for column in self.matrix.T]

    def score(self, tree: Tree) -> float:
        """The silhouette of the leaves; NOT_ALLOWED if a leaf is too small or there is only one."""
        numbered, n_leaves = number_leaves(tree)
        labels = place_rows(numbered, self.matrix)
        sums, counts = sum_distances(self.distances, labels, n_leaves)
        return float(score_leaves(sums, counts, labels, self.min_size))


def choose_thresholds(values: Floats, quantile: float = GAP_QUANTILE) -> Floats:
    """Middles of the gaps between distinct values that are at or above the quantile of all gaps."""
    distinct = np.unique(values)
    gaps = np.diff(distinct)
    if not gaps.size:
        return np.empty(0)
    is_wide = gaps >= np.quantile(gaps, quantile) * (1 - 1e-9)
    return (distinct[:-1] + gaps / 2)[is_wide]


def list_paths(tree: Tree, path: Path = ()) -> list[Path]:
    """The way to every node."""
    if isinstance(tree, Leaf):
        return [path]
    return [path, *list_paths(tree.lower, (*path, False)), *list_paths(tree.upper, (*path, True))]


def follow(tree: Tree, path: Path) -> Tree:
    """The node at the end of a path."""
    for is_upper in path:
        tree = tree.upper if is_upper else tree.lower  # type: ignore[union-attr]
    return tree


def find_rows(tree: Tree, path: Path, matrix: Floats) -> Labels:
    """A mask of the rows that reach a node."""
    reached = np.ones(len(matrix), dtype=bool)
    for is_upper in path:
        reached &= (matrix[:, tree.feature] > tree.threshold) == is_upper  # type: ignore[union-attr]
        tree = tree.upper if is_upper else tree.lower  # type: ignore[union-attr]
    return reached


def graft(tree: Tree, path: Path, node: Tree) -> Tree:
    """The tree with another node at the end of a path."""
    if not path:
        return node
    assert isinstance(tree, Branch)
    if path[0]:
        return Branch(tree.feature, tree.threshold, tree.lower, graft(tree.upper, path[1:], node))
    return Branch(tree.feature, tree.threshold, graft(tree.lower, path[1:], node), tree.upper)


def prune_empty(tree: Tree, matrix: Floats) -> Tree:
    """Replace a branch that sends all its rows one way by that child."""
    if isinstance(tree, Leaf):
        return tree
    is_lower = matrix[:, tree.feature] <= tree.threshold
    if is_lower.all():
        return prune_empty(tree.lower, matrix)
    if not is_lower.any():
        return prune_empty(tree.upper, matrix)
    lower, upper = prune_empty(tree.lower, matrix[is_lower]), prune_empty(tree.upper, matrix[~is_lower])
    return Branch(tree.feature, tree.threshold, lower, upper)


def find_best_cut(ground: Ground, tree: Tree, path: Path) -> tuple[float, Branch | None]:
    """The best (feature, threshold) at a node, its subtrees kept; a leaf gets two new leaves."""
    node = follow(tree, path)
    branch = node if isinstance(node, Branch) else Branch(0, 0.0, Leaf(0), Leaf(0))
    numbered, n_leaves = number_leaves(graft(tree, path, branch))
    labels = place_rows(numbered, ground.matrix)
    rows = find_rows(tree, path, ground.matrix)
    here = follow(numbered, path)
    ends = tuple(_send_all(labels, rows, child, ground.matrix) for child in (here.lower, here.upper))  # type: ignore[union-attr]
    sums = tuple(sum_distances(ground.distances, end, n_leaves) for end in ends)
    best_score, best = NOT_ALLOWED, None
    for feature, thresholds in enumerate(ground.thresholds):
        score, threshold = _sweep_feature(ground, feature, thresholds, rows, ends, sums)
        if score > best_score:
            best_score, best = score, Branch(feature, threshold, branch.lower, branch.upper)
    return best_score, best


def _send_all(labels: Labels, rows: Labels, child: Tree, matrix: Floats) -> Labels:
    """Labels when every row of the node goes to one child."""
    sent = labels.copy()
    sent[rows] = place_rows(child, matrix[rows])
    return sent


def _sweep_feature(
    ground: Ground, feature: int, thresholds: Floats, rows: Labels, ends: tuple, sums: tuple
) -> tuple[float, float]:
    """Cuts below the median start from all rows above, the others from all rows below: fewer rows move."""
    order = ground.orders[feature][rows[ground.orders[feature]]]
    cuts = np.searchsorted(ground.matrix[order, feature], thresholds, "right")
    is_inside = (cuts > 0) & (cuts < len(order))
    thresholds, cuts = thresholds[is_inside], cuts[is_inside]
    is_low = cuts <= len(order) // 2
    best = (NOT_ALLOWED, 0.0)
    for side, chosen in ((1, is_low), (0, ~is_low)):
        if not chosen.any():
            continue
        moving, stops, values = order, cuts[chosen], thresholds[chosen]
        if side == 0:
            moving, stops, values = order[::-1].copy(), (len(order) - stops)[::-1].copy(), values[::-1]
        start_sums, start_counts = sums[side]
        score, position = best_cut_of(
            ground.distances, start_sums.copy(), start_counts.copy(), ends[side].copy(),
            moving, ends[1 - side][moving], stops, ground.min_size,
        )  # fmt: skip
        if score > best[0]:
            best = (float(score), float(values[position]))
    return best


def improve_node(ground: Ground, tree: Tree, path: Path) -> tuple[float, Tree | None]:
    """The best tree that differs in one node."""
    node = follow(tree, path)
    trials: list[Tree] = []
    if isinstance(node, Branch):
        trials = [graft(tree, path, other) for other in (node.lower, node.upper, Leaf(0))]
    scored = [(ground.score(trial), trial) for trial in trials]
    if len(path) < ground.max_depth:
        score, branch = find_best_cut(ground, tree, path)
        if branch is not None:
            scored.append((score, graft(tree, path, branch)))
    return max(scored, key=lambda pair: pair[0], default=(NOT_ALLOWED, None))


def climb(ground: Ground, tree: Tree, random: np.random.Generator, task: Task) -> Tree:
    """Sweep over the nodes until none can be improved."""
    current = ground.score(tree)
    paths = list_paths(tree)
    random.shuffle(paths)
    while paths and not task.clock.has_run_out():
        score, better = improve_node(ground, tree, paths.pop())
        if better is not None and score > current + LEAST_GAIN:
            tree, current = prune_empty(better, ground.matrix), score
            paths = list_paths(tree)
            random.shuffle(paths)
    return tree


def draw_starts(task: Task, ground: Ground, random: np.random.Generator) -> Iterator[Tree]:
    """CART trees fitted to k-means, the k of best silhouette first; then random trees."""
    fitted = [fit_lowest_inertia(task, k) for k in task.cluster_counts]
    labels = [model.labels_ for model in fitted if model is not None]
    labels.sort(key=lambda each: -silhouette_of_distances(task.distances, each))
    for each in labels:
        for max_leaves in (len(np.unique(each)), None):
            yield fit_cart(task, ground, each, max_leaves)
    for _ in range(N_RANDOM_TREES):
        yield draw_tree(ground, random, np.arange(task.problem.n_rows), ground.max_depth)


def fit_cart(task: Task, ground: Ground, labels: Labels, max_leaves: int | None) -> Tree:
    """A supervised tree for the labels; each of its leaves is a cluster."""
    cart = DecisionTreeClassifier(
        max_depth=ground.max_depth,
        max_leaf_nodes=max_leaves,
        min_samples_leaf=ground.min_size,
        random_state=task.seed,
    )
    return convert_sklearn(cart.fit(task.matrix, labels), is_leaf_a_cluster=True)


def draw_tree(ground: Ground, random: np.random.Generator, rows: Labels, depth: int) -> Tree:
    """Random cuts down to the depth allowed; a cut that leaves too few rows on a side makes a leaf."""
    options = [(f, t) for f, thresholds in enumerate(ground.thresholds) for t in thresholds]
    if depth == 0 or not options:
        return Leaf(0)
    feature, threshold = options[random.integers(len(options))]
    is_lower = ground.matrix[rows, feature] <= threshold
    if min(is_lower.sum(), (~is_lower).sum()) < ground.min_size:
        return Leaf(0)
    lower = draw_tree(ground, random, rows[is_lower], depth - 1)
    upper = draw_tree(ground, random, rows[~is_lower], depth - 1)
    return Branch(feature, threshold, lower, upper)


def propose(task: Task) -> Iterator[Proposal]:
    """The tree that each start climbs to."""
    ground = Ground(task.matrix, task.distances, task.problem.min_size)
    random = np.random.default_rng(task.seed)
    for start in draw_starts(task, ground, random):
        tree, _ = number_leaves(climb(ground, start, random, task))
        yield Proposal(place_rows(tree, task.matrix), 1, partial(describe_tree, tree))
        if task.clock.has_run_out():
            return


METHODS = (Method("icot", "ICOT", "tree", propose),)
