"""Trees of cuts in which a cluster is taken out and put back where it does best.

Of every row it is known what it is worth in every cluster, its fates. As long as these are held fixed, the worth of a
tree is a sum over rows, and the best cut that parts a cluster from a branch is where a running sum of gains along a
direction is largest. Each cluster in turn is pruned and grafted again, at whichever branch gains most, and cuts are
moved, until nothing gains. Clusters that are too small or too large are seen to by prices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.lattice import Directions
from polyclust.search.branches import Cut, Fork, Leaf, Tree, Visit, follow, label_rows, list_clusters, prune, put, walk
from polyclust.search.candidates import find_half_spaces, list_candidates
from polyclust.search.partition import sum_weights
from polyclust.search.points import Points, order_projections
from polyclust.search.scoring import SizeBounds

__all__ = ["Bargain", "Grafter", "finish_tree", "graft_tree", "meet_bounds"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

LEAST_GAIN = 1e-5  # of the mean worth of a row
MOST_ROUNDS = 12
N_COARSE = 2000  # of more rows than this some are seen to first
N_RACED, N_WINNERS = 800, 8  # rows on which directions are raced, at least, and how many of these are weighed on all
PRICES = (0.3, 0.3, 0.1, 0.1, 0.1, 0.1, 0.2)  # one after the other added to the fates in clusters that are too small
N_HALVINGS = 4  # of prices that did too much, unless sizes are near their bounds
TIGHT = 1.05  # how near that is


def graft_tree(tree: Tree, grafter: Grafter, bounds: SizeBounds) -> Bargain:
    """A tree with the same clusters, one leaf each, whose rows are worth more.

    Leaves weigh as much as the bounds say where prices bring that about.
    """
    some = grafter.thin_out()
    starts = [tree] if grafter.is_over() else [tree, some.grow()]
    tree = max((some.improve(start) for start in starts), key=grafter.sum_worth)
    return finish_tree(tree, grafter, bounds)


def finish_tree(tree: Tree, grafter: Grafter, bounds: SizeBounds) -> Bargain:
    """The tree improved, with leaves of the sizes asked for; nothing has a price yet."""
    return meet_bounds(Bargain(tree, np.zeros(grafter.fates.shape[1])), grafter, bounds)


class Bargain(NamedTuple):
    """A tree, and the prices that were put on rows in each cluster to have leaves of the sizes asked for."""

    tree: Tree
    prices: Floats


def meet_bounds(start: Bargain, grafter: Grafter, bounds: SizeBounds) -> Bargain:
    """The tree improved, with prices that rise as long as sizes are out of bounds, and then fall as far as they may."""
    prices, too_low = start.prices, np.zeros_like(start.prices)
    tree = grafter.pay(prices).improve(start.tree)
    for step in PRICES:
        sizes = grafter.weigh_leaves(tree)
        if bounds.hold_for(sizes) or grafter.is_over():
            break
        too_low = prices
        prices = prices + step * ((sizes < bounds.least).astype(float) - (sizes > bounds.most))
        tree = grafter.pay(prices).improve(tree)
    found = Bargain(tree, prices)
    return _haggle(found, too_low, grafter, bounds) if bounds.hold_for(grafter.weigh_leaves(tree)) else found


def _haggle(found: Bargain, too_low: Floats, grafter: Grafter, bounds: SizeBounds) -> Bargain:
    """A tree of more worth whose sizes hold as well, at prices that are halved towards those that were too low."""
    tree, prices = found
    for _ in range(N_HALVINGS):
        if _is_tight(grafter.weigh_leaves(tree)[prices != 0.0], bounds) or grafter.is_over():
            break
        between = (prices + too_low) / 2.0
        cheaper = grafter.pay(between).improve(tree)
        if bounds.hold_for(grafter.weigh_leaves(cheaper)):
            tree, prices = max(tree, cheaper, key=grafter.sum_worth), between  # both hold; the dearer may be worth more
        else:
            too_low = between
    return Bargain(tree, prices)


def _is_tight(sizes: Floats, bounds: SizeBounds) -> bool:
    """Whether lower prices could hardly bring the sizes any nearer to their bounds."""
    return bool(((sizes < TIGHT * bounds.least) | (sizes * TIGHT > bounds.most)).all())


@dataclass(frozen=True)
class _Found:
    """The best cut of some rows: what those on the gaining side gain, and whether that is the low side."""

    gain: float
    cut: Cut
    is_low: bool


@dataclass(frozen=True)
class Grafter:
    """Makes trees for rows in columns (F, n) with these fates (n, K), from cuts that compete for each cluster.

    corrections : by what the weight of each cluster's rows is multiplied, where the rows are known to stand for more
    is_over : whether to end with the tree as it is
    """

    columns: Floats
    fates: Floats
    weights: Floats
    candidates: Sequence[Directions]
    corrections: Floats | float = 1.0
    is_over: Callable[[], bool] = lambda: False

    @classmethod
    def make(
        cls, points: Points, fates: Floats, limits: tuple[int, int], is_over: Callable[[], bool] = lambda: False
    ) -> Grafter:
        """For all points; ``fates`` (n, K) of a row of weight 1, ``limits``: the most terms, of which two are used, and
        the largest coefficient of a cut."""
        worth = fates * points.weights[:, None]
        candidates = list_candidates(points.columns, worth, min(limits[0], 2), limits[1], is_over)
        return cls(points.columns, worth, points.weights, candidates, is_over=is_over)

    @property
    def every(self) -> Ints:
        """All rows."""
        return np.arange(len(self.fates))

    @property
    def least_gain(self) -> float:
        """What a change of the tree must be worth."""
        return LEAST_GAIN * float(self.weights.sum())

    def thin_out(self) -> Grafter:
        """The same for some of the rows where there are many, which stand for all."""
        step = max(len(self.fates) // N_COARSE, 1)
        columns, weights = np.ascontiguousarray(self.columns[:, ::step]), self.weights[::step]
        more = float(self.weights.sum() / weights.sum())
        return replace(self, columns=columns, fates=self.fates[::step] * more, weights=weights * more)

    def pay(self, prices: Floats) -> Grafter:
        """The same where rows are worth so much more in each cluster."""
        return replace(self, fates=self.fates + prices * self.weights[:, None])

    def weigh_leaves(self, tree: Tree) -> Floats:
        """The weight of every cluster, corrected."""
        return self.corrections * sum_weights(label_rows(tree, self.columns), self.weights, self.fates.shape[1])

    def grow(self, order: Sequence[int] | None = None) -> Tree:
        """The clusters one by one, the largest first unless told, each parted from the branch where that gains most."""
        sizes = np.bincount(self.fates.argmax(axis=1), minlength=self.fates.shape[1])
        first, *others = np.argsort(-sizes, kind="stable").tolist() if order is None else order
        tree: Tree = Leaf(first)
        for cluster in others:
            tree, _ = self._graft(tree, cluster)
        return tree

    def improve(self, tree: Tree) -> Tree:
        """Graft every cluster anew and move every cut, as long as the tree is worth more."""
        worth = self.sum_worth(tree)
        for _ in range(MOST_ROUNDS):
            before = worth
            for cluster in range(self.fates.shape[1]):
                if self.is_over():
                    return self._settle(tree, self.every)
                grafted, now = self._graft(tree, cluster)
                if now > worth + self.least_gain:
                    tree, worth = grafted, now
            tree = self._move_cuts(tree)
            worth = self.sum_worth(tree)
            if worth <= before + self.least_gain:
                break
        return self._settle(tree, self.every)

    def _settle(self, tree: Tree, rows: Ints) -> Tree:
        """Every cut of a branch along its own direction where it is best, at a gap that can be told.

        A fork none of whose cuts is in a gap becomes its first leaf.
        """
        if isinstance(tree, Leaf):
            return tree
        gains = self._compare_sides(tree, rows)
        gap = _find_gap(tree.cut.project(self.columns, rows), gains) if len(rows) > 1 else None
        if gap is None:
            return Leaf(list_clusters(tree)[0])
        threshold, is_low = gap
        cut = replace(tree.cut, threshold=threshold)
        low, high = (tree.low, tree.high) if is_low else (tree.high, tree.low)
        is_below = cut.is_low(self.columns, rows)
        return Fork(cut, self._settle(low, rows[is_below]), self._settle(high, rows[~is_below]))

    def sum_worth(self, tree: Tree) -> float:
        """What all rows are worth where the tree puts them."""
        return float(self.fates[self.every, label_rows(tree, self.columns)].sum())

    def _compare_sides(self, fork: Fork, rows: Ints) -> Floats:
        """What each row gains on the low side, the branches as they are."""
        low, high = (label_rows(branch, self.columns, rows) for branch in (fork.low, fork.high))
        return np.asarray(self.fates[rows, low] - self.fates[rows, high])

    def _graft(self, tree: Tree, cluster: int) -> tuple[Tree, float]:
        """The tree with a cluster taken out and parted from the branch where that gains most, and what it is worth."""
        pruned = prune(tree, cluster)
        if pruned is None:
            return tree, -np.inf
        visits = list(walk(pruned, self.columns, self.every))
        elsewhere = np.empty(len(self.fates))
        for visit in visits:
            if isinstance(visit.tree, Leaf):
                elsewhere[visit.rows] = self.fates[visit.rows, visit.tree.cluster]
        found = self._find_branch(visits, self.fates[:, cluster] - elsewhere, cluster)
        if found is None:
            return tree, -np.inf
        best, visit = found
        sides = (Leaf(cluster), visit.tree) if best.is_low else (visit.tree, Leaf(cluster))
        return put(pruned, visit.path, Fork(best.cut, *sides)), float(elsewhere.sum()) + best.gain

    def _find_branch(self, visits: list[Visit], gains: Floats, cluster: int) -> tuple[_Found, Visit] | None:
        """Where a cluster gains most, the likeliest branches first."""
        hopes = np.array([np.maximum(gains[visit.rows], 0.0).sum() for visit in visits])
        best: tuple[_Found, Visit] | None = None
        for v in np.argsort(-hopes, kind="stable"):
            if best is not None and hopes[v] <= best[0].gain:
                break
            found = self._find(visits[v].rows, gains[visits[v].rows], self.candidates[cluster])
            if found is not None and (best is None or found.gain > best[0].gain):
                best = found, visits[v]
        return best

    def _move_cuts(self, tree: Tree) -> Tree:
        """Better cuts for the forks, from the leaves up, the branches as they are."""
        for visit in reversed(list(walk(tree, self.columns, self.every))):
            if isinstance(visit.tree, Leaf):
                continue
            # Cuts below this one may have moved, but not those above, so the same rows come here.
            fork = follow(tree, visit.path)
            assert isinstance(fork, Fork)
            gains = self._compare_sides(fork, visit.rows)
            now = gains[fork.cut.is_low(self.columns, visit.rows)].sum()
            fewer = min((list_clusters(branch) for branch in (fork.low, fork.high)), key=len)
            for cluster in fewer[:2]:
                found = self._find(visit.rows, gains, self.candidates[cluster])
                if found is not None and found.gain > now + self.least_gain:
                    low, high = (fork.low, fork.high) if found.is_low else (fork.high, fork.low)
                    tree, now = put(tree, visit.path, Fork(found.cut, low, high)), found.gain
        return tree

    def _find(self, rows: Ints, gains: Floats, directions: Directions) -> _Found | None:
        """The best cut of some rows; None where they all lie together."""
        if len(rows) < 2:
            return None
        step = len(rows) // N_RACED
        if step > 1 and len(directions) > N_WINNERS:  # the best of some rows compete on all of them
            part, on_part = rows[::step], gains[::step]
            best, _, _ = find_half_spaces(self.columns, part, on_part, directions)
            directions = directions.take(np.argsort(-best, kind="stable")[:N_WINNERS])
        best, thresholds, is_low = find_half_spaces(self.columns, rows, gains, directions)
        d = int(best.argmax())
        if not np.isfinite(best[d]):
            return None
        return _Found(float(best[d]), Cut(*directions.terms(d), float(thresholds[d])), bool(is_low[d]))


def _find_gap(along: Floats, gains: Floats) -> tuple[float, bool] | None:
    """The value that begins the high side of the cut at which rows on one side gain most, and whether that is the low
    side; None where no gap can be told."""
    orders = order_projections(np.arange(len(gains), dtype=np.int32), along[None])
    order, ends = orders.rows[0], np.flatnonzero(orders.is_end[0])
    if not len(ends):
        return None
    sums = np.cumsum(gains[order])
    low, high = sums[ends], sums[-1] - sums[ends]
    at = int(np.maximum(low, high).argmax())
    return float(along[order[ends[at] + 1]]), bool(low[at] >= high[at])
