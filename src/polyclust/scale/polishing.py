"""Trees of cuts, grown and improved on more rows than the search could hold distances of.

A few reference rows of every cluster say what silhouette each row would have in it, and what it would do to theirs: its
fates. By these a tree is improved that parts the clusters which the search found, and others that part k-means', where
k-means scores more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from polyclust.clusters.starts import start_by_best_kmeans
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.scale.blocks import Block, Placing
from polyclust.scale.cuts import CutTree, list_slanted, plant_tree
from polyclust.scale.space import Space
from polyclust.search.branches import label_rows, list_clusters
from polyclust.search.distances import measure_distances, sum_distances_to
from polyclust.search.fates import compare_means, mark_labels, mark_losses, weigh_influence
from polyclust.search.grafting import Bargain, Grafter, graft_tree, meet_bounds
from polyclust.search.partition import sum_weights
from polyclust.search.points import Points
from polyclust.search.scoring import SizeBounds
from polyclust.search.trees import Slants, grow_tree
from polyclust.table.features import Feature

__all__ = [
    "GAIN_OF_A_TREE", "N_JUDGED", "Limits", "Polished", "grow_polished", "measure_fates", "run_kmeans",
    "score_clusters", "score_some",
]  # fmt: skip

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

N_REFERENCES, N_JUDGED = 64, 1000  # rows of a cluster that fates are measured by, and whose silhouettes judge trees
N_SEEDS = 4
MOST_STARTS = 2
N_GROWN = 2000  # rows that trees are grown on before they are improved
MOST_HELP = 1.0  # of a row to all others: more would be true of few such rows only, since silhouettes end at 1
GAIN_OF_A_TREE = 1e-4  # of the mean silhouette
CAUTION = 0.98  # of the sizes that mended trees are expected to have
LIKELY_LOSS = 0.006  # trees score so much less than the clusters that they part, or more


@dataclass(frozen=True)
class Limits:
    """What cuts may be made of: terms, whole coefficients, sizes of clusters as shares of all rows; how many clusters
    k-means may have; whether time is up, after which no tree is begun and none improved."""

    max_terms: int
    max_coefficient: int
    shares: SizeBounds
    counts: Sequence[int] = ()
    seed: int = 0
    is_over: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Polished:
    """A tree with so many clusters, and how much it scores more than the hyperplanes that were found.

    mend : a tree like it for leaves that have these shares of all rows, in their order; None if there is none
    """

    tree: CutTree
    n_clusters: int
    gain: float
    mend: Callable[[Floats], Polished | None] = lambda _: None

    @property
    def is_better(self) -> bool:
        """Whether that is worth while."""
        return self.gain > GAIN_OF_A_TREE


def grow_polished(
    rows: Block, found: Placing, features: Sequence[Feature], space: Space, limits: Limits
) -> Iterator[Polished]:
    """Trees, the likely best first, each grown when it is asked for; at last one that keeps to what was found.

    Rows that no polytope holds count as if the nearest did.
    """
    study = _Study(rows, features, space, limits)
    labels = found.label(rows.raw)
    if len(np.unique(labels)) < found.n_clusters or limits.is_over():
        return
    first = study.begin(labels)
    others = map(study.begin, run_kmeans(rows, space, limits))
    starts = [first, *(start for start in others if start.score > first.score)]
    waiting: list[Polished] = []
    for start in sorted(starts, key=lambda start: -start.score)[:MOST_STARTS]:
        while waiting and first.score + waiting[0].gain > start.score - LIKELY_LOSS:
            yield waiting.pop(0)
        if limits.is_over():
            break
        grown = study.grow(start, first.score)
        if grown is not None:
            waiting = sorted([*waiting, grown], key=lambda p: -p.gain)
    yield from waiting
    if not limits.is_over():
        yield from study.follow(first, labels, found.hyperplanes)


def run_kmeans(rows: Block, space: Space, limits: Limits) -> Iterator[Ints]:
    """Labels of k-means for the counts of clusters, where it has as many."""
    here = space.locate(rows.clustered)
    for k in limits.counts:
        if limits.is_over():
            break
        labels = start_by_best_kmeans(here, rows.weights, k, limits.seed, N_SEEDS)
        if len(np.unique(labels)) == k:
            yield labels


class _Study:
    """Rows and what is asked of their trees."""

    def __init__(self, rows: Block, features: Sequence[Feature], space: Space, limits: Limits) -> None:
        self.rows, self.features, self.space, self.limits = rows, features, space, limits
        units = np.array([f.unit for f in features])
        no_distances = np.empty((0, 0), dtype=np.float32)
        self.points = Points(no_distances, rows.weights, rows.raw, rows.raw / units, None)
        few = slice(N_GROWN)
        self.few = Points(no_distances, rows.weights[few], rows.raw[few], self.points.values[few], None)

    def begin(self, labels: Ints) -> _Start:
        """Labels with what they mean for every row, and about their mean silhouette."""
        n_clusters = int(labels.max()) + 1
        fates = measure_fates(self.rows, labels, self.space, n_clusters)
        own = fates.alone[np.arange(len(labels)), labels]
        losses = mark_losses(labels, own, n_clusters) * self.rows.weights[:, None]
        score = score_some(self.rows, labels, self.space, n_clusters)
        return _Start(self.points, self.limits, n_clusters, fates.whole, losses, score)

    def grow(self, start: _Start, now: float) -> Polished | None:
        """A tree for the clusters of a start; None if one of them gets lost."""
        tree = grow_tree(self.few, start.losses[: len(self.few)], self._slants)
        grafter = start.grafter
        return self._judge(graft_tree(tree, grafter, self._bounds), grafter, now)

    def follow(self, start: _Start, labels: Ints, known: Sequence[Hyperplane]) -> Iterator[Polished]:
        """The tree that keeps most rows where they are, whatever they are worth there, unless a cluster gets lost."""
        marks = mark_labels(labels, start.n_clusters) * self.rows.weights[:, None]
        tree = grow_tree(self.points, marks, self._slants, list_slanted(known))
        taken = self._judge(Bargain(tree, np.zeros(start.n_clusters)), start.grafter, start.score)
        if taken is not None:
            yield taken

    @property
    def _slants(self) -> Slants | None:
        return Slants(self.limits.max_coefficient) if self.limits.max_terms > 1 else None

    @property
    def _bounds(self) -> SizeBounds:
        weight = float(self.rows.weights.sum())
        return SizeBounds((self.limits.shares.least * weight, self.limits.shares.most * weight))

    def _judge(self, found: Bargain, grafter: Grafter, now: float) -> Polished | None:
        labels, n_clusters = label_rows(found.tree, self.points.columns), grafter.fates.shape[1]
        if len(np.unique(labels)) < n_clusters:
            return None
        gain = score_some(self.rows, labels, self.space, n_clusters) - now
        mend = partial(self._mend, found=found, grafter=grafter, now=now)
        return Polished(plant_tree(found.tree, self.points, self.features), n_clusters, gain, mend)

    def _mend(self, shares: Floats, found: Bargain, grafter: Grafter, now: float) -> Polished | None:
        """The tree improved once more, by the sizes of its leaves among all rows instead of those seen here."""
        clusters = list_clusters(found.tree)
        here = replace(grafter, corrections=1.0).weigh_leaves(found.tree)[clusters] / grafter.weights.sum()
        corrections = np.ones(grafter.fates.shape[1])
        corrections[clusters] = CAUTION * shares / here
        grafter = replace(grafter, corrections=corrections)
        return self._judge(meet_bounds(found, grafter, self._bounds), grafter, now)


@dataclass(frozen=True)
class _Start:
    """Clusters to be parted by a tree.

    fates, losses : (n, K), what a row is worth in every cluster, and what it has to lose in its own
    """

    points: Points
    limits: Limits
    n_clusters: int
    fates: Floats
    losses: Floats
    score: float

    @cached_property
    def grafter(self) -> Grafter:
        """Makes trees by the fates."""
        limits = self.limits
        return Grafter.make(self.points, self.fates, (limits.max_terms, limits.max_coefficient), limits.is_over)


@dataclass(frozen=True)
class Fates:
    """(n, K) each: the silhouette that a row would have in a cluster, and with it what the row would do to others'."""

    alone: Floats
    whole: Floats


def measure_fates(rows: Block, labels: Ints, space: Space, n_clusters: int) -> Fates:
    """The fates of all rows, by the first rows of every cluster."""
    here = space.locate(rows.clustered)
    chosen = [np.flatnonzero(labels == k)[:N_REFERENCES] for k in range(n_clusters)]
    known = np.concatenate(chosen)
    distances = measure_distances(here, space.metric, here[known])
    weights, labels_known = rows.weights[known], labels[known]
    shares = mark_labels(labels_known, n_clusters) * weights[:, None]
    sums = shares.sum(axis=0)
    means = (distances @ (shares / sums).astype(distances.dtype)).astype(np.float64)
    sizes = sum_weights(labels, rows.weights, n_clusters)
    influence = weigh_influence(labels_known, means[known], sizes, weights * (sizes / sums)[labels_known])
    alone = compare_means(means)
    return Fates(alone, alone + np.minimum(influence.of(distances), MOST_HELP))


def score_clusters(rows: Block, labels: Ints, space: Space, n_clusters: int) -> float:
    """About the mean silhouette; -inf where a cluster has no rows."""
    return score_some(rows, labels, space, n_clusters) if len(np.unique(labels)) == n_clusters else -np.inf


def score_some(rows: Block, labels: Ints, space: Space, n_clusters: int) -> float:
    """The mean silhouette of the first rows among all of them.

    It tells trees apart better than the fates of all rows, whose few references err alike for a whole cluster.
    """
    here, own = space.locate(rows.clustered), labels[:N_JUDGED]
    sums = sum_distances_to(here[:N_JUDGED], here, labels, rows.weights, space.metric, n_clusters).T
    weights, every = rows.weights[:N_JUDGED], np.arange(len(own))
    others = np.tile(sum_weights(labels, rows.weights, n_clusters), (len(own), 1))
    others[every, own] -= weights
    means = np.divide(sums, others, out=np.zeros_like(sums), where=others > 0.0)
    silhouettes = np.where(others[every, own] > 0.0, compare_means(means)[every, own], 0.0)
    return float(np.average(silhouettes, weights=weights))
