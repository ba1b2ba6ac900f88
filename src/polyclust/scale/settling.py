"""From a sample to all rows: settle those that no polytope holds, and place the thresholds anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from polyclust.geometry.hyperplane import Hyperplane, evaluate, find_members, measure_violation
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.scale.blocks import Block, Blocks
from polyclust.scale.tallies import Tally, tally_block
from polyclust.table.features import Feature

__all__ = ["Ends", "place_anew", "round_threshold", "settle_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
RELATIVE_GAP = 1e-9
MOST_LOST = 200_000
ROWS_SHOWN = 1000
ROWS_GLANCED = 20_000


class Ends:
    """For every hyperplane the largest value of the cluster below it and the least of the one above."""

    def __init__(self, hyperplanes: Sequence[Hyperplane], n_clusters: int) -> None:
        self.hyperplanes = hyperplanes
        self.highest_below = np.full(len(hyperplanes), -np.inf)
        self.lowest_above = np.full(len(hyperplanes), np.inf)
        self.is_above = np.array([[h.above == k for h in hyperplanes] for k in range(n_clusters)])
        self.is_below = np.array([[h.below == k for h in hyperplanes] for k in range(n_clusters)])
        self.is_sum = np.array([len(h.features) > 1 for h in hyperplanes])

    def include(self, raw: Floats, labels: Ints) -> None:
        """Rows of known clusters."""
        rows = [np.flatnonzero(labels == k) for k in range(len(self.is_above))]
        for p, (h, values) in enumerate(evaluate(raw, self.hyperplanes)):
            below, above = values[rows[h.below]], values[rows[h.above]]
            self.highest_below[p] = max(self.highest_below[p], below.max(initial=-np.inf))
            self.lowest_above[p] = min(self.lowest_above[p], above.min(initial=np.inf))

    def join(self, other: Ends) -> None:
        """The ends of other rows."""
        self.highest_below = np.maximum(self.highest_below, other.highest_below)
        self.lowest_above = np.minimum(self.lowest_above, other.lowest_above)

    def leave_room(self, values: Floats, cluster: int) -> bool:
        """Whether a row of these values can be in the cluster."""
        gap = np.where(self.is_sum, 2 * RELATIVE_GAP * np.abs(values), 0.0)
        fits_above = ~self.is_above[cluster] | (values > self.highest_below + gap)
        fits_below = ~self.is_below[cluster] | (values < self.lowest_above - gap)
        return bool((fits_above & fits_below).all())

    def extend(self, values: Floats, cluster: int) -> None:
        """One more row of the cluster."""
        above, below = self.is_above[cluster], self.is_below[cluster]
        self.lowest_above[above] = np.minimum(self.lowest_above[above], values[above])
        self.highest_below[below] = np.maximum(self.highest_below[below], values[below])


@dataclass(frozen=True)
class _Part:
    """A block's share: rows inside polytopes are counted; of the others where they are and what, unless too many."""

    tally: Tally
    ends: Ends
    n_rows: int
    n_lost: int
    where: Ints
    lost: Block


def settle_rows(blocks: Blocks, hyperplanes: Sequence[Hyperplane], n_clusters: int) -> tuple[Tally, Ends] | None:
    """Clusters for all rows such that every hyperplane, moved along itself, still parts its two clusters.

    Rows in no polytope join the least violated cluster that their values leave disjoint from the others, nearest
    rows first. None if a row fits nowhere, or if more than MOST_LOST rows lie outside all polytopes. One pass, and a
    second over blocks with more than their share of such rows. Of a table in memory the first rows may tell.
    """
    look = partial(_look_inside, hyperplanes=tuple(hyperplanes), n_clusters=n_clusters)
    if len(blocks) == 1:
        (first,) = blocks.map_some(partial(_glance, look=look), {0: ROWS_GLANCED})
        if not _leave_room_each(first.ends, first.lost.raw, n_clusters):
            return None
    parts = blocks.map(partial(look, limit=MOST_LOST // len(blocks) + ROWS_SHOWN))
    if sum(part.n_lost for part in parts) > MOST_LOST:
        return None
    again = {number: MOST_LOST for number, part in enumerate(parts) if len(part.where) < part.n_lost}
    for number, part in zip(again, blocks.map_some(look, again), strict=True):
        parts[number] = part
    ends = Ends(hyperplanes, n_clusters)
    for part in parts:
        ends.join(part.ends)
    labels = _settle(np.concatenate([part.lost.raw for part in parts]), ends, n_clusters)
    return None if labels is None else (_tally_all(parts, labels, n_clusters), ends)


def _glance(block: Block, n_rows: int, look: Callable[[Block, int], _Part]) -> _Part:
    """The share of the first rows."""
    return look(block.take(slice(0, n_rows)), n_rows)


def _look_inside(block: Block, limit: int, hyperplanes: tuple[Hyperplane, ...], n_clusters: int) -> _Part:
    ends = Ends(hyperplanes, n_clusters)
    found = [np.zeros(0, dtype=np.intp)]
    for piece in block.pieces():
        members = find_members(piece.raw, hyperplanes, n_clusters)
        found.append(np.where(members.any(axis=1), members.argmax(axis=1), -1))
        ends.include(piece.raw, found[-1])
    labels = np.concatenate(found)
    where = np.flatnonzero(labels < 0)
    shown = where if len(where) <= limit else where[:0]
    return _Part(tally_block(block, labels, n_clusters), ends, len(block), len(where), shown, block.take(shown))


def _leave_room_each(ends: Ends, raw: Floats, n_clusters: int) -> bool:
    """Whether every row, if it were the only one, could be in some cluster; more rows leave less room."""
    if not ends.hyperplanes:
        return True
    values = np.stack([h.value(raw) for h in ends.hyperplanes], axis=1)
    return all(any(ends.leave_room(row, k) for k in range(n_clusters)) for row in values)


def _settle(raw: Floats, ends: Ends, n_clusters: int) -> Ints | None:
    """Labels of the lost rows, which move the ends; None if one fits nowhere."""
    labels = np.zeros(len(raw), dtype=np.intp)
    if not len(raw):
        return labels
    violation = measure_violation(raw, ends.hyperplanes, n_clusters)
    values = np.stack([h.value(raw) for h in ends.hyperplanes], axis=1)
    for r in np.argsort(violation.min(axis=1), kind="stable"):
        cluster = next((k for k in np.argsort(violation[r], kind="stable") if ends.leave_room(values[r], k)), None)
        if cluster is None:
            return None
        labels[r] = cluster
        ends.extend(values[r], int(cluster))
    return labels


def _tally_all(parts: Sequence[_Part], labels: Ints, n_clusters: int) -> Tally:
    """The tallies of the blocks with the settled rows."""
    tallies, at = [], 0
    for part in parts:
        here = labels[at : at + part.n_lost]
        at += part.n_lost
        more = tally_block(part.lost, here, n_clusters)
        first = part.tally.first.copy()
        np.minimum.at(first, here, part.where)
        tallies.append(Tally(part.tally.sizes + more.sizes, part.tally.counts + more.counts, first))
    return Tally.join(tallies, [part.n_rows for part in parts])


def place_anew(ends: Ends, features: Sequence[Feature]) -> tuple[Hyperplane, ...] | None:
    """The hyperplanes with the roundest thresholds that all rows leave; those of one cut keep one where they can.

    None if some hyperplane no longer parts its clusters.
    """
    hyperplanes = ends.hyperplanes
    cuts: dict[object, list[int]] = defaultdict(list)
    for p, h in enumerate(hyperplanes):
        cuts[h.features, h.coefficients, h.units, h.threshold].append(p)
    placed = list(hyperplanes)
    for planes in cuts.values():
        is_one_gap = ends.highest_below[planes].max() < ends.lowest_above[planes].min()
        for together in [planes] if is_one_gap else [[p] for p in planes]:
            low, high = float(ends.highest_below[together].max()), float(ends.lowest_above[together].min())
            if not low < high or not np.isfinite([low, high]).all():
                return None
            threshold = round_threshold(low, high, hyperplanes[together[0]], features)
            for p in together:
                placed[p] = replace(hyperplanes[p], threshold=threshold)
    return tuple(placed)


def round_threshold(low: float, high: float, plane: Hyperplane, features: Sequence[Feature]) -> float:
    """The roundest threshold of the plane in a gap; whole where its values are."""
    is_sum_whole = all(u == 1.0 for u in plane.units) and all(float(c).is_integer() for c in plane.coefficients)
    is_whole = is_sum_whole and all(features[f].is_whole for f in plane.features)
    return choose_threshold(low, high, is_whole)
