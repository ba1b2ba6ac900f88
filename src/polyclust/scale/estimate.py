"""The silhouette of more rows than distances can be held for, with a confidence interval.

A difference estimator. Cheap scores come from a few reference rows per cluster, drawn in proportion to weight; for a
second, smaller sample the exact scores are computed as well, against all rows. The mean of the cheap scores plus
the mean difference (exact - cheap) estimates the silhouette of the labels without bias, whatever the cheap scores are,
and its variance is the sum of the two variances.

Two passes over the blocks: one fetches the rows that were drawn, one adds up their distances to all rows. Where the
blocks end changes what is drawn by rounding only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from polyclust.kernels.silhouette import score_rows
from polyclust.scale.blocks import Block, Blocks
from polyclust.scale.space import Space
from polyclust.scale.tallies import Tally
from polyclust.search.distances import measure_distances, sum_distances_to

__all__ = ["Estimate", "estimate_silhouette"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

N_REFERENCES = 64
N_CHEAP = 20_000
CHEAP_VALUES = 6_000_000  # of features: wide rows are drawn fewer times, but LEAST_CHEAP
LEAST_CHEAP = 2000
N_EXACT = 100
NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A score with the ends of its 95% confidence interval."""

    score: float
    low: float
    high: float


@dataclass(frozen=True)
class Drawn:
    """Rows that were drawn: where they are in the clustering space, and their labels."""

    space: Floats
    labels: Ints

    def first(self, n_rows: int) -> Drawn:
        """The first of them."""
        return Drawn(self.space[:n_rows], self.labels[:n_rows])


def estimate_silhouette(placed: Blocks, tally: Tally, space: Space, seed: int) -> Estimate:
    """The weighted mean silhouette of placed rows; ``tally`` counts them."""
    cheap_rows, references = _draw_rows(placed, tally, space, seed)
    exact_rows = cheap_rows.first(N_EXACT)
    sizes = tally.total_sizes
    cheap = _score(_cheap_sums(cheap_rows, references, space.metric, sizes), sizes, cheap_rows.labels)
    sums = placed.map(partial(_exact_sums, space=space, here=exact_rows.space, n_clusters=len(sizes)))
    exact = _score(np.sum(sums, axis=0), sizes, exact_rows.labels)
    difference = exact - cheap[: len(exact)]
    score = float(cheap.mean() + difference.mean())
    variance = cheap.var(ddof=1) / len(cheap) + difference.var(ddof=1) / len(exact)
    half = NORMAL_95 * float(np.sqrt(variance))
    return Estimate(score, max(score - half, -1.0), min(score + half, 1.0))


def _draw_rows(placed: Blocks, tally: Tally, space: Space, seed: int) -> tuple[Drawn, list[Drawn]]:
    """Rows of all clusters, and references of each, drawn with replacement in proportion to weight."""
    rng = np.random.default_rng(seed)
    n_rows = tally.counts.sum(axis=0)
    n_cheap = max(min(N_CHEAP, CHEAP_VALUES // len(space.features)), LEAST_CHEAP)
    draws = [_Draw(rng.random(min(n_cheap, int(n_rows.sum()))), tally.sizes.sum(axis=1), None)]
    draws += [_Draw(rng.random(min(N_REFERENCES, int(n))), tally.sizes[:, k], k) for k, n in enumerate(n_rows)]
    asked = {b: [draw.ask(b) for draw in draws] for b in range(len(placed))}
    asked = {b: asks for b, asks in asked.items() if any(len(points) for points, _ in asks)}
    found = placed.map_some(partial(_fetch_drawn, space=space), asked)
    drawn = [_join([parts[d] for parts in found], [draw.block == b for b in asked]) for d, draw in enumerate(draws)]
    return drawn[0], drawn[1:]


class _Draw:
    """Points on the line of all weights, block after block; ``cluster`` None: on that of all rows."""

    def __init__(self, points: Floats, sizes: Floats, cluster: int | None) -> None:
        ends = np.cumsum(sizes)
        last = int(np.flatnonzero(sizes)[-1])
        self.cluster = cluster
        self.block = np.minimum(np.searchsorted(ends, points * ends[-1], side="right"), last)
        self.within = (points * ends[-1] - (ends - sizes)[self.block]) / sizes[self.block]

    def ask(self, block: int) -> tuple[Floats, int | None]:
        """The points that fall on a block, as shares of its weight."""
        return self.within[self.block == block], self.cluster


def _fetch_drawn(block: Block, asks: Sequence[tuple[Floats, int | None]], space: Space) -> list[Drawn]:
    """The rows on which the points fall."""
    found = []
    for points, cluster in asks:
        every = np.arange(len(block)) if cluster is None else np.flatnonzero(block.known_labels == cluster)
        rows = every[:0]
        if len(points):
            reached = np.cumsum(block.weights[every])
            at = np.searchsorted(reached, points * reached[-1], side="right")
            rows = every[np.minimum(at, len(every) - 1)]
        found.append(Drawn(space.locate(block.clustered[rows]), block.known_labels[rows]))
    return found


def _join(parts: Sequence[Drawn], masks: Sequence[NDArray[np.bool_]]) -> Drawn:
    """The rows of all blocks in the order in which they were drawn."""
    n_rows, n_columns = len(masks[0]), parts[0].space.shape[1]
    joined = Drawn(np.empty((n_rows, n_columns)), np.empty(n_rows, dtype=np.intp))
    for part, mask in zip(parts, masks, strict=True):
        joined.space[mask], joined.labels[mask] = part.space, part.labels
    return joined


def _cheap_sums(rows: Drawn, references: Sequence[Drawn], metric: str, sizes: Floats) -> Floats:
    """(K, n): the mean distance to each cluster's references, as if it were that to all its rows."""
    means = [measure_distances(rows.space, metric, r.space).mean(axis=1, dtype=np.float64) for r in references]
    return np.stack(means) * sizes[:, None]


def _exact_sums(block: Block, space: Space, here: Floats, n_clusters: int) -> Floats:
    """(K, n): the sums of distances to all rows of each cluster."""
    sums = np.zeros((n_clusters, len(here)))
    for piece in block.pieces():
        rows = space.locate(piece.clustered)
        sums += sum_distances_to(here, rows, piece.known_labels, piece.weights, space.metric, n_clusters)
    return sums


def _score(sums: Floats, sizes: Floats, labels: Ints) -> Floats:
    n = sums.shape[1]
    own, scores, nearest = np.empty(n), np.empty(n), np.empty(n, dtype=np.intp)
    score_rows(np.ascontiguousarray(sums), sizes, labels, own, nearest, scores)
    return scores
