"""ExKMC (Frost, Moshkovitz, Rashtchian): a tree that explains k-means, written from its description.

IMM makes a tree with one leaf per centre: a node is cut where the fewest rows are parted from their own
centre. ExKMC then goes on splitting leaves, best first, by the drop of the surrogate cost: the rows of a leaf
all go to their cheapest centre.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numba
import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from benchmarks.methods.kmeans import count_starts, fit_lowest_inertia
from benchmarks.methods.method import Method
from benchmarks.problem import Floats, Labels, Proposal, Task
from benchmarks.trees import Branch, Leaf, Tree, describe_tree, place_rows


@dataclass
class Grown:
    """A leaf while the tree grows: its rows, its centre, and later the cut that split it."""

    rows: Labels
    centre: int
    feature: int = -1
    threshold: float = 0.0
    lower: Grown | None = None
    upper: Grown | None = None

    def freeze(self) -> Tree:
        """The finished tree below this node."""
        if self.lower is None or self.upper is None:
            return Leaf(self.centre)
        return Branch(self.feature, self.threshold, self.lower.freeze(), self.upper.freeze())

    def cut(self, matrix: Floats, feature: int, threshold: float, centres: tuple[int, int]) -> None:
        """Turn the leaf into a branch."""
        is_lower = matrix[self.rows, feature] <= threshold
        self.feature, self.threshold = feature, threshold
        self.lower = Grown(self.rows[is_lower], centres[0])
        self.upper = Grown(self.rows[~is_lower], centres[1])


def find_imm_cut(values: Floats, own_centres: Floats, centres: Floats) -> tuple[int, int, float]:
    """(rows parted from their centre, feature, threshold) of the best cut that tells two centres apart.

    A row is parted by every threshold in [min(x, centre), max(x, centre)): count starts and ends.
    """
    best = (len(values) + 1, -1, 0.0)
    for feature in range(values.shape[1]):
        low, high = centres[:, feature].min(), centres[:, feature].max()
        points = np.unique(np.concatenate([values[:, feature], centres[:, feature]]))
        below = points[(points >= low) & (points < high)]
        if not below.size:
            continue
        starts = np.sort(np.minimum(values[:, feature], own_centres[:, feature]))
        ends = np.sort(np.maximum(values[:, feature], own_centres[:, feature]))
        parted = np.searchsorted(starts, below, "right") - np.searchsorted(ends, below, "right")
        least = int(parted.argmin())
        if parted[least] < best[0]:
            after = points[np.searchsorted(points, below[least], "right")]
            best = (int(parted[least]), feature, float((below[least] + after) / 2))
    return best


def grow_imm(matrix: Floats, labels: Labels, centres: Floats) -> tuple[Grown, list[Grown]]:
    """The IMM tree and its leaves, one per centre."""
    root = Grown(np.arange(len(matrix)), 0)
    leaves, open_nodes = [], [(root, np.arange(len(centres)), np.arange(len(matrix)))]
    while open_nodes:
        node, here, faithful = open_nodes.pop()
        if len(here) == 1:
            node.centre = int(here[0])
            leaves.append(node)
            continue
        _, feature, threshold = find_imm_cut(matrix[faithful], centres[labels[faithful]], centres[here])
        node.cut(matrix, feature, threshold, (-1, -1))
        row_is_lower = matrix[faithful, feature] <= threshold
        own_is_lower = centres[labels[faithful], feature] <= threshold
        here_is_lower = centres[here, feature] <= threshold
        for child, side in ((node.lower, True), (node.upper, False)):
            stay = (row_is_lower == side) & (own_is_lower == side)
            open_nodes.append((child, here[here_is_lower == side], faithful[stay]))
    return root, leaves


@numba.njit(cache=True)
def find_surrogate_cut(values, costs):  # type: ignore[no-untyped-def]
    """(gain, feature, threshold, lower centre, upper centre) of the cut that lowers the surrogate cost most.

    A leaf with rows nearer to another centre is cut even if the first cut gains nothing: the second may.
    """
    n_rows, n_features = values.shape
    n_centres = costs.shape[1]
    total = np.zeros(n_centres)
    floor = 0.0
    for row in range(n_rows):
        total += costs[row]
        floor += costs[row].min()
    before, best_cost, best = total.min(), np.inf, (-1.0, -1, 0.0, -1, -1)
    if before - floor <= 1e-12 * before:
        return best
    for feature in range(n_features):
        order = np.argsort(values[:, feature])
        lower = np.zeros(n_centres)
        for position in range(n_rows - 1):
            row = order[position]
            lower += costs[row]
            here, after = values[row, feature], values[order[position + 1], feature]
            if after <= here:
                continue
            cost = lower.min() + (total - lower).min()
            if cost < best_cost:
                best_cost = cost
                upper_centre = (total - lower).argmin()
                best = (max(before - cost, 0.0), feature, (here + after) / 2, lower.argmin(), upper_centre)
    return best


def expand(root: Grown, leaves: list[Grown], matrix: Floats, costs: Floats, max_leaves: int) -> Tree:
    """Split the leaf of largest gain until there are enough leaves or all are pure."""

    def find_cut(leaf: Grown) -> tuple[float, int, float, int, int]:
        return find_surrogate_cut(matrix[leaf.rows], costs[leaf.rows])

    candidates = [(find_cut(leaf), leaf) for leaf in leaves]
    n_leaves = len(leaves)
    while n_leaves < max_leaves:
        chosen = max(range(len(candidates)), key=lambda i: candidates[i][0][0])
        (gain, feature, threshold, low_centre, high_centre), leaf = candidates.pop(chosen)
        if gain < 0:
            break
        leaf.cut(matrix, feature, threshold, (int(low_centre), int(high_centre)))
        candidates += [(find_cut(child), child) for child in (leaf.lower, leaf.upper) if child is not None]
        n_leaves += 1
    return root.freeze()


def build_trees(matrix: Floats, labels: Labels, centres: Floats, leaves_per_cluster: int) -> Iterator[Tree]:
    """The IMM tree grown on and, when there are leaves to spare, one grown from the root.

    The second, by the surrogate cost alone, is often better with several leaves per cluster.
    """
    costs = euclidean_distances(matrix, centres, squared=True)
    max_leaves = leaves_per_cluster * len(centres)
    root, leaves = grow_imm(matrix, labels, centres)
    yield expand(root, leaves, matrix, costs, max_leaves)
    if leaves_per_cluster > 1:
        root = Grown(np.arange(len(matrix)), int(costs.sum(axis=0).argmin()))
        yield expand(root, [root], matrix, costs, max_leaves)


def propose(task: Task, leaves_per_cluster: int) -> Iterator[Proposal]:
    """The trees of every k, for the best of the k-means starts."""
    for k in task.cluster_counts:
        model = fit_lowest_inertia(task, k)
        if model is None:
            continue
        for tree in build_trees(task.matrix, model.labels_, model.cluster_centers_, leaves_per_cluster):
            labels = place_rows(tree, task.matrix)
            fidelity = float((labels == model.labels_).mean())
            n_runs = count_starts(task) // min(leaves_per_cluster, 2)  # shared by the trees of one k
            yield Proposal(labels, n_runs, partial(describe_tree, tree, fidelity))


METHODS = (
    Method("exkmc-1", "ExKMC-1", "tree", partial(propose, leaves_per_cluster=1)),
    Method("exkmc-5", "ExKMC-5", "tree", partial(propose, leaves_per_cluster=5)),
)
