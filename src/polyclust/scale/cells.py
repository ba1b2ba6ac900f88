"""Cells of linear scores: a row goes to the cluster whose score is highest, so that the cells cover space.

General hyperplanes that a sample found leave some of many rows in no polytope. Between two cells lies a hyperplane as
well, and every row is in one of them. The scores are those of a logistic regression of the cluster in which each row is
worth most, by its fates; rows count by what they would lose in the next best.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.planes import make_plane
from polyclust.scale.blocks import Block, Placing
from polyclust.scale.polishing import GAIN_OF_A_TREE, N_JUDGED, Limits, measure_fates, run_kmeans, score_clusters
from polyclust.scale.space import Space
from polyclust.search.partition import sum_weights
from polyclust.search.scoring import SizeBounds
from polyclust.table.features import Feature

__all__ = ["Celled", "fit_cells", "grow_cells"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

N_ROUNDS = 3
STIFFNESSES, MOST_STEPS = (1e-3, 1e-6), 200  # of the regression: the first is right where clusters hardly lie apart
N_DIGITS = 4  # of the scores' coefficients, the largest of which is 1


@dataclass(frozen=True)
class Celled:
    """Cells, and how much they score more than the hyperplanes that were found."""

    placing: Placing
    gain: float

    @property
    def is_better(self) -> bool:
        """Whether that is worth while."""
        return self.gain > GAIN_OF_A_TREE


def grow_cells(
    rows: Block, found: Placing, features: Sequence[Feature], space: Space, limits: Limits
) -> Iterator[Celled]:
    """The best cells for the clusters that were found, and for those of k-means; none where sizes are out of bounds."""
    labels = found.label(rows.raw)
    now = score_clusters(rows, labels, space, found.n_clusters)
    for start in itertools.chain([labels], run_kmeans(rows, space, limits)):
        if limits.is_over():
            break
        several = (_improve(rows, start, features, space, limits.shares, stiffness) for stiffness in STIFFNESSES)
        best = max((each for each in several if each is not None), key=lambda each: each.gain, default=None)
        if best is not None:
            yield Celled(best.placing, best.gain - now)


def _improve(
    rows: Block, labels: Ints, features: Sequence[Feature], space: Space, shares: SizeBounds, stiffness: float
) -> Celled | None:
    """Cells that follow these clusters, then what rows are worth in the cells, and so on as long as they score more.

    The rows whose silhouettes judge them take no part in the regression.
    """
    best, n_clusters = None, int(labels.max()) + 1
    weights, rest = rows.weights, slice(min(N_JUDGED, len(rows) // 2), None)
    for _ in range(N_ROUNDS):
        placing = fit_cells(rows.raw[rest], labels[rest], weights[rest], features, stiffness)
        if placing is None or placing.n_clusters < n_clusters:
            break
        placed = placing.label(rows.raw)
        score = score_clusters(rows, placed, space, n_clusters)
        if best is not None and score <= best.gain:
            break
        if shares.hold_for(sum_weights(placed, rows.weights, n_clusters) / rows.weights.sum()):
            best = Celled(placing, score)
        if score == -np.inf:
            break
        fates = measure_fates(rows, placed, space, n_clusters).whole
        second, first = np.partition(fates, -2, axis=1)[:, -2:].T
        labels, weights = fates.argmax(axis=1), (first - second) * rows.weights
    return best


def fit_cells(
    raw: Floats, labels: Ints, weights: Floats, features: Sequence[Feature], stiffness: float
) -> Placing | None:
    """Cells that hold most of the weight of these clusters; None for one cluster, or if two are alike."""
    n_clusters = len(np.unique(labels))
    if n_clusters < 2:
        return None
    origins, scales, units = (np.array([getattr(f, name) for f in features]) for name in ("origin", "scale", "unit"))
    slopes, biases = _regress((raw - origins) / scales, labels, weights, stiffness)
    biases = biases - slopes @ (origins / scales)
    slopes = slopes * (units / scales)
    largest = float(np.abs(slopes - slopes.mean(axis=0)).max())
    if largest == 0.0:
        return None
    slopes, biases = np.round(slopes / largest, N_DIGITS), biases / largest
    pairs = list(itertools.combinations(range(n_clusters), 2))
    if any((slopes[i] == slopes[j]).all() for i, j in pairs):
        return None
    return Placing(tuple(_lay_between(i, j, slopes, biases, features) for i, j in pairs), n_clusters)


def _regress(X: Floats, labels: Ints, weights: Floats, stiffness: float) -> tuple[Floats, Floats]:
    """(K, F) and (K,): the scores whose differences are the logarithms of the odds."""
    model = LogisticRegression(C=1.0 / (stiffness * len(X)), max_iter=MOST_STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, labels, sample_weight=weights / max(float(weights.mean()), 1e-300))
    if len(model.classes_) == 2:
        return np.vstack([-model.coef_, model.coef_]) / 2.0, np.r_[-model.intercept_, model.intercept_] / 2.0
    return model.coef_, model.intercept_


def _lay_between(i: int, j: int, slopes: Floats, biases: Floats, features: Sequence[Feature]) -> Hyperplane:
    """Where the scores of two clusters are alike."""
    difference, threshold = np.round(slopes[i] - slopes[j], N_DIGITS), float(biases[j] - biases[i])
    positions = np.flatnonzero(difference)
    above, below = i, j
    if difference[positions[0]] < 0.0:
        difference, threshold, above, below = -difference, -threshold, j, i
    coefficients = difference[positions]
    if len(positions) == 1:  # in the column's own units
        threshold *= features[positions[0]].unit / float(coefficients[0])
        coefficients = np.ones(1)
    plane = make_plane(tuple(positions.tolist()), tuple(coefficients.tolist()), features, above=above, below=below)
    return Hyperplane(plane.features, plane.coefficients, plane.units, threshold, plane.norm, above, below)
