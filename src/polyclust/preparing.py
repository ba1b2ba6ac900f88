"""From a checked table to the rows that the method works on, and from its result back to all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from polyclust.equipping import Prepared
from polyclust.fitting import FitResult
from polyclust.geometry.hyperplane import place_rows
from polyclust.scale.blocks import ArrayBlocks, Block
from polyclust.scale.space import fit_space
from polyclust.search.distances import check_precomputed
from polyclust.table.columns import refuse_form
from polyclust.table.encode import EncodedTable
from polyclust.table.features import Feature

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

__all__ = ["check_sample_weight", "label_rows", "prepare_rows"]


def check_sample_weight(sample_weight: Any, n_rows: int) -> Floats:
    """One weight per row, all one without any."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"sample_weight must be {n_rows} finite numbers >= 0, one per row.") from None
    weights = _check_sample_weight(sample_weight, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("All sample weights are zero; at least two rows must count.")
    return np.asarray(weights, dtype=np.float64)


def prepare_rows(
    encoded: EncodedTable, features: tuple[Feature, ...], raw: Floats, weights: Floats, distance: str, distances: Any
) -> Prepared:
    """The rows that count. ``features`` and ``raw`` are what explains."""
    counted = weights > 0
    given = None
    if distance == "precomputed":
        refuse_form(distances, "distances")
        matrix = check_precomputed(distances, len(raw))
        given = matrix if counted.all() else matrix[np.ix_(counted, counted)]
    elif distances is not None:
        raise ValueError('distances were given; set distance="precomputed" to use them.')
    every = counted.all()
    kept = raw if every else raw[counted]
    rows = Block(kept, kept if encoded.raw is raw else encoded.raw[counted], weights if every else weights[counted])
    return Prepared(
        raw=kept,
        features=features,
        clustered=rows.clustered,
        space=fit_space(ArrayBlocks([rows]), encoded.features, distance),
        weights=rows.weights,
        distances=given,
    )


def label_rows(result: FitResult, raw: Floats, weights: Floats, outside: str) -> Ints:
    """The labels of rows that count; the others are predicted."""
    counted = weights > 0
    if counted.all():
        return result.known_labels
    labels = np.empty(len(raw), dtype=np.intp)
    labels[counted] = result.known_labels
    labels[~counted] = place_rows(raw[~counted], result.hyperplanes, result.n_clusters, outside)
    return labels
