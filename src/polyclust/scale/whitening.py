"""Standardised Euclidean and Mahalanobis distances: the transform after which they are Euclidean ones.

The transform applies to features between 0 and 1 over their range. Neither distance depends on how columns are scaled,
and so the numbers stay of one size. scikit-learn divides by one less than the number of rows, here it is by their
weight: all distances are larger by one factor, which no silhouette and no Dunn index sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from polyclust.scale.blocks import Block, Blocks
from polyclust.table.features import Feature

__all__ = ["WHITENED", "fit_transform", "span_coordinates", "whiten"]

Floats = NDArray[np.float64]

WHITENED = ("seuclidean", "mahalanobis")
NEGLIGIBLE = 1e-12  # of the largest eigenvalue of the correlations: less is rounding


@dataclass(frozen=True)
class Moments:
    """Of some rows: their number and weight, mean, and squares (d,) or products (d, d) around it, summed by weight."""

    n_rows: int
    weight: float
    mean: Floats
    around: Floats

    @staticmethod
    def join(parts: Sequence[Moments]) -> Moments:
        """The moments of all rows together."""
        weight = sum(p.weight for p in parts)
        mean = np.sum([p.weight * p.mean for p in parts], axis=0) / weight if weight else parts[0].mean
        with_shifts = [p.around + p.weight * _multiply(p.mean - mean, p.around.ndim) for p in parts]
        return Moments(sum(p.n_rows for p in parts), weight, mean, np.sum(with_shifts, axis=0))


def fit_transform(blocks: Blocks, features: Sequence[Feature], metric: str) -> Floats:
    """One factor per feature for seuclidean, a symmetric matrix for mahalanobis; one pass over the blocks.

    Features that others determine, as all levels of a category do, have no inverse covariance; its pseudo-inverse
    leaves out the directions along which no row differs from another. Raises ValueError where that leaves nothing to
    compare.
    """
    n_axes = 1 if metric == "seuclidean" else 2
    found = Moments.join(blocks.map(partial(_measure_block, features=tuple(features), n_axes=n_axes)))
    deviation = np.sqrt((found.around if n_axes == 1 else np.diagonal(found.around)) / found.weight)
    if n_axes == 1:
        return np.asarray(1.0 / deviation, dtype=np.float64)
    values, vectors = np.linalg.eigh(found.around / found.weight / np.outer(deviation, deviation))
    is_kept = values > NEGLIGIBLE * values[-1]
    _refuse_equal_distances(int(is_kept.sum()), found.n_rows)
    roots = vectors[:, is_kept] / np.sqrt(values[is_kept])
    return np.asarray(roots @ vectors[:, is_kept].T / deviation[:, None], dtype=np.float64)


def whiten(raw: Floats, features: Sequence[Feature], transform: Floats) -> Floats:
    """Coordinates between which the Euclidean distance is the metric of the transform."""
    within = span_coordinates(raw, features)
    return within * transform if transform.ndim == 1 else within @ transform


def span_coordinates(raw: Floats, features: Sequence[Feature]) -> Floats:
    """Features between 0 and 1 over their range."""
    low = np.array([f.low for f in features])
    span = np.array([f.high - f.low for f in features])
    return np.asarray((raw - low) / span, dtype=np.float64)


def _refuse_equal_distances(n_dimensions: int, n_rows: int) -> None:
    if n_dimensions >= n_rows - 1:
        raise ValueError(
            f'distance="mahalanobis" puts {n_rows} rows of {n_dimensions} dimensions equally far apart; give more rows '
            "or fewer columns, or choose another metric."
        )


def _measure_block(block: Block, features: Sequence[Feature], n_axes: int) -> Moments:
    nothing = Moments(0, 0.0, np.zeros(len(features)), np.zeros((len(features),) * n_axes))
    return Moments.join([nothing, *(_measure_piece(piece, features, n_axes) for piece in block.pieces())])


def _measure_piece(piece: Block, features: Sequence[Feature], n_axes: int) -> Moments:
    within, weights = span_coordinates(piece.clustered, features), piece.weights
    mean = np.average(within, axis=0, weights=weights)
    apart = within - mean
    around = weights @ apart**2 if n_axes == 1 else (apart * weights[:, None]).T @ apart
    return Moments(len(piece), float(weights.sum()), mean, around)


def _multiply(shift: Floats, n_axes: int) -> Floats:
    return shift**2 if n_axes == 1 else np.outer(shift, shift)
