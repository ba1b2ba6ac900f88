"""Criteria that need only sums over the rows, in two passes over the blocks: for the centres, then for the spread."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from polyclust.scale.blocks import Block, Blocks
from polyclust.scale.space import Space
from polyclust.scale.tallies import Tally
from polyclust.search.criteria import compare_dispersions, compare_spreads

__all__ = ["score_dispersion"]

Floats = NDArray[np.float64]


def score_dispersion(criterion: str, placed: Blocks, tally: Tally, space: Space) -> float:
    """Calinski-Harabasz, or Davies-Bouldin with its sign turned: larger is better."""
    sizes = tally.total_sizes
    sums = placed.map(partial(_sum_coordinates, space=space, n_clusters=len(sizes)))
    centers = np.sum(sums, axis=0) / sizes[:, None]
    spreads = np.sum(placed.map(partial(_sum_radii, space=space, centers=centers)), axis=0)
    if criterion == "calinski_harabasz":
        return compare_dispersions(sizes, centers, float(spreads[0].sum()))
    return -compare_spreads(centers, spreads[1] / sizes)


def _sum_coordinates(block: Block, space: Space, n_clusters: int) -> Floats:
    """(K, d): the weighted sum of the coordinates of each cluster."""
    sums = np.zeros((n_clusters, len(space.features)))
    for piece in block.pieces():
        weighted = space.locate(piece.clustered) * piece.weights[:, None]
        for axis, column in enumerate(weighted.T):
            sums[:, axis] += np.bincount(piece.known_labels, weights=column, minlength=n_clusters)
    return sums


def _sum_radii(block: Block, space: Space, centers: Floats) -> Floats:
    """(2, K): the weighted sums of squared distances and of distances to the cluster's centre."""
    sums = np.zeros((2, len(centers)))
    for piece in block.pieces():
        labels = piece.known_labels
        squares = ((space.locate(piece.clustered) - centers[labels]) ** 2).sum(axis=1)
        for power, radii in enumerate((squares, np.sqrt(squares))):
            sums[power] += np.bincount(labels, weights=piece.weights * radii, minlength=len(centers))
    return sums
