"""A tree of cuts, grown and improved on more rows than the search could hold distances of.

A few reference rows of every cluster say what silhouette each row would have in it, and what it would do to theirs: its
fates. As long as these are held fixed, the score of a tree is a sum over rows. So what a cut may cost is known row by
row when the tree is grown, and the best cut of a node, its two sides as they are, is where a running sum along a
direction is largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions, list_along
from polyclust.scale.blocks import Block, Placing
from polyclust.scale.cuts import CutTree, grow_cuts, make_plane
from polyclust.scale.settling import round_threshold
from polyclust.scale.space import Space
from polyclust.search.distances import measure_distances
from polyclust.search.fates import compare_means, mark_labels, mark_losses, weigh_influence
from polyclust.search.partition import sum_weights
from polyclust.search.points import Points, order_projections
from polyclust.search.scoring import SizeBounds
from polyclust.table.features import Feature

__all__ = ["Limits", "Polished", "grow_polished", "measure_fates"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

N_REFERENCES = 64
N_AXES = 3
N_RACED = 1000
N_WINNERS = 4
LEAST_GAIN, GAIN_OF_A_TREE = 1e-5, 1e-4  # of the mean silhouette


@dataclass(frozen=True)
class Limits:
    """What cuts may be made of: terms, whole coefficients, and sizes of clusters as shares of all rows."""

    max_terms: int
    max_coefficient: int
    shares: SizeBounds


@dataclass(frozen=True)
class Polished:
    """A tree for the clusters of some hyperplanes, and whether it scores better than they do."""

    tree: CutTree
    is_better: bool


def grow_polished(
    rows: Block, found: Placing, features: Sequence[Feature], space: Space, limits: Limits
) -> Polished | None:
    """The tree for the clusters that hyperplanes place the rows in; None if one of these has none of the rows.

    Both are scored by reference rows of their own. Rows that no polytope holds count as if the nearest did.
    """
    labels = found.label(rows.raw)
    if len(np.unique(labels)) < found.n_clusters:
        return None
    fates = measure_fates(rows, labels, space, found.n_clusters)
    every = np.arange(len(rows))
    no_distances = np.empty((0, 0), dtype=np.float32)
    units = np.array([f.unit for f in features])
    points = Points(no_distances, rows.weights, rows.raw, rows.raw / units, None)
    least = limits.shares.least * float(rows.weights.sum())
    mine = mark_losses(labels, fates.alone[every, labels], found.n_clusters)
    for worth in (fates.whole, mine):  # where no row does well in a cluster, it is kept where it is
        tree = grow_cuts(points, worth * rows.weights[:, None], features, found.hyperplanes, least)
        if sorted(leaf.cluster for leaf in tree.list_leaves()) == list(range(found.n_clusters)):
            break
    else:
        return None
    polisher = _Polisher(tree, rows, points.values, fates.whole, features, limits)
    polisher.improve()
    after = np.array([leaf.cluster for leaf in tree.list_leaves()])[tree.label_rows(rows.raw)]
    there = measure_fates(rows, after, space, found.n_clusters)
    gain = rows.weights @ (there.alone[every, after] - fates.alone[every, labels])
    return Polished(tree, bool(gain > GAIN_OF_A_TREE * rows.weights.sum()))


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
    means = distances @ (shares / sums)
    sizes = sum_weights(labels, rows.weights, n_clusters)
    influence = weigh_influence(labels_known, means[known], sizes, weights * (sizes / sums)[labels_known])
    alone = compare_means(means)
    return Fates(alone, alone + influence.of(distances))


@dataclass
class _Polisher:
    """Gives the nodes of a tree better cuts, one after the other."""

    tree: CutTree
    rows: Block
    values: Floats
    fates: Floats
    features: Sequence[Feature]
    limits: Limits

    @cached_property
    def spreads(self) -> Floats:
        """The standard deviation of every feature, infinite where it does not vary."""
        spreads = self.values.std(axis=0)
        return np.where(spreads > 0, spreads, np.inf)

    def improve(self) -> None:
        """Two passes over all nodes: from the leaves up, then from the root down."""
        down = list(_list_nodes(self.tree))
        for node in [*reversed(down), *down]:
            self._improve_cut(node)

    def _measure_shares(self) -> Floats:
        """The leaves' shares of all rows."""
        leaf = self.tree.label_rows(self.rows.raw)
        sizes = np.bincount(leaf, weights=self.rows.weights, minlength=len(self.tree.list_leaves()))
        return np.asarray(sizes / sizes.sum())

    def _fates_in(self, tree: CutTree, members: Ints) -> Floats:
        clusters = np.array([leaf.cluster for leaf in tree.list_leaves()])
        return np.asarray(self.fates[members, clusters[tree.label_rows(self.rows.raw[members])]])

    def _improve_cut(self, node: CutTree) -> None:
        assert node.cut is not None and node.below is not None and node.above is not None  # noqa: PT018
        members = self._find_members(node)
        if len(members) < 2:
            return
        weights, raw = self.rows.weights[members], self.rows.raw[members]
        gains = weights * (self._fates_in(node.below, members) - self._fates_in(node.above, members))
        found = self._find_split(members, gains, self._choose_directions(node, members, gains))
        now = gains[~node.cut.is_above(raw)].sum()
        if found is None or found.gain - now <= LEAST_GAIN * self.rows.weights.sum():
            return
        before, shares = (node.cut, node.below, node.above), self._measure_shares()
        plane = make_plane(*found.terms, self.features)
        values = plane.value(raw)
        low = float(values[found.is_low].max()), float(values[~found.is_low].min())
        node.cut = replace(plane, threshold=round_threshold(*low, plane, self.features))
        if not found.is_below_low:
            node.below, node.above = node.above, node.below
        least, most = self.limits.shares
        if not SizeBounds((min(least, shares.min()), max(most, shares.max()))).hold_for(self._measure_shares()):
            node.cut, node.below, node.above = before

    def _find_members(self, node: CutTree) -> Ints:
        """The rows that come by a node."""
        return next(rows for n, rows in _follow(self.tree, self.rows.raw, np.arange(len(self.rows))) if n is node)

    def _choose_directions(self, node: CutTree, members: Ints, gains: Floats) -> Directions:
        """Along the cut's own features and those that go most with the gains, one by one and two by two."""
        assert node.cut is not None
        slopes = np.abs((gains - gains.mean()) @ self.values[members]) / self.spreads
        near = np.argsort(-slopes, kind="stable")[:N_AXES]
        chosen = np.unique([*node.cut.features, *near.tolist()])
        return list_along(chosen, min(self.limits.max_terms, 2), self.limits.max_coefficient)

    def _find_split(self, members: Ints, gains: Floats, directions: Directions) -> _Split | None:
        """The best cut; among many directions those compete that are best on a part of the rows."""
        if len(members) > 2 * N_RACED and len(directions) > N_WINNERS:
            part = slice(0, N_RACED)
            best, _, _ = _sum_along(directions.project(self.values[members[part]]), gains[part])
            directions = directions.take(np.argsort(-best, kind="stable")[:N_WINNERS])
        projections = directions.project(self.values[members])
        best, at, is_below_low = _sum_along(projections, gains)
        d = int(best.argmax())
        if not np.isfinite(best[d]):
            return None
        is_low = projections[d] <= at[d]
        return _Split(directions.terms(d), float(best[d]), is_low, bool(is_below_low[d]))


@dataclass(frozen=True)
class _Split:
    terms: tuple[tuple[int, ...], tuple[float, ...]]
    gain: float
    is_low: NDArray[np.bool_]
    is_below_low: bool


def _sum_along(projections: Floats, gains: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """For every direction the most that rows on one side of a cut gain, the last value on the low side, and whether
    it is the low side that gains; minus infinity where all values are equal."""
    orders = order_projections(np.arange(len(gains), dtype=np.int32), projections)
    sums = np.cumsum(gains[orders.rows], axis=1)
    low = np.where(orders.is_end, sums, -np.inf)
    high = np.where(orders.is_end, sums[:, -1:] - sums, -np.inf)
    every = np.arange(len(sums))
    at_low, at_high = low.argmax(axis=1), high.argmax(axis=1)
    is_below_low = low[every, at_low] >= high[every, at_high]
    at = np.where(is_below_low, at_low, at_high)
    last_low = projections[every, orders.rows[every, at]]
    return np.maximum(low[every, at_low], high[every, at_high]), last_low, is_below_low


def _list_nodes(tree: CutTree) -> Iterator[CutTree]:
    """The cuts, every one before those below it."""
    if tree.below is not None and tree.above is not None:
        yield tree
        yield from _list_nodes(tree.below)
        yield from _list_nodes(tree.above)


def _follow(tree: CutTree, raw: Floats, rows: Ints) -> Iterator[tuple[CutTree, Ints]]:
    """Every node with the rows that come by it."""
    yield tree, rows
    if tree.cut is not None and tree.below is not None and tree.above is not None:
        is_above = tree.cut.is_above(raw[rows])
        yield from _follow(tree.below, raw, rows[~is_above])
        yield from _follow(tree.above, raw, rows[is_above])
