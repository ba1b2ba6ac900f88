"""Polytopes for a clustering made elsewhere: by k-means, by HDBSCAN with noise, by a column of the table."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.errors import check_choice, check_limit
from polyclust.explain.advice import advise, tell_gaps, tell_noise
from polyclust.explain.build import build_explanation
from polyclust.explain.explanation import Explanation
from polyclust.explain.names import check_names
from polyclust.explain.quality import check_weights, list_labels
from polyclust.explain.separation import PairTable, find_fewest_errors, find_general
from polyclust.geometry.hyperplane import OUTSIDE, Hyperplane, find_members
from polyclust.hyperplanes.lattice import Directions, count_directions, list_along
from polyclust.hyperplanes.pair import LATTICE_LIMIT
from polyclust.hyperplanes.reading import NotSeparableError, read_hyperplanes
from polyclust.hyperplanes.telling import choose_telling, count_summed
from polyclust.table.columns import open_table, plain_value
from polyclust.table.encode import SCALES, UNITS, EncodedTable, fit_encoder

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

__all__ = ["explain_labels"]

NOISE = -1
MOST_OF_TWO = 3_000_000  # directions of two terms


def explain_labels(
    X: Any,
    labels: Any,
    max_terms: int | None = 1,
    max_coefficient: int | None = 1,
    units: Literal["round", "range", "none"] = "round",
    *,
    scale: Literal["minmax", "standard", "none"] = "minmax",
    sample_weight: Any = None,
    outside: Literal["nearest", "none"] | None = None,
    minimal: bool = False,
    names: Sequence[str] | None = None,
) -> Explanation:
    """One polytope per cluster of a given clustering, each hyperplane with the fewest rows on its wrong side.

    Parameters
    ----------
    X : array or frame
        The table, as for ``PolytopeClustering.fit``.
    labels : sequence of n labels
        Of any kind; -1 is noise, which belongs to no cluster and counts against precision.
    max_terms, max_coefficient, units, scale
        As for ``PolytopeClustering``.
    sample_weight : array of n numbers or None
        A row of weight 2 is two rows; the labels of rows of weight 0 count for nothing.
    outside : {"nearest", "none"} or None
        What happens to rows in no polytope; None: "none" where there is noise, else "nearest".
    minimal : bool
        The fewest clauses that hold the same rows, for reading only.
    names : sequence of str or None
        One per cluster; None takes the labels, or makes names where the labels are 0..K-1.

    Returns
    -------
    Explanation
        Clusters are numbered in the order of their labels (of a categorical: that of its categories), which
        ``cluster_labels`` keeps. Where it is not exact, ``advice`` says what would make it so, how many rows are
        noise, and where a solver was stopped before its proof.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polyclust import explain_labels
    >>> iris = load_iris(as_frame=True)
    >>> explanation = explain_labels(iris.data, iris.target_names[iris.target])
    >>> print(explanation)
    3 clusters, 150 rows, 5 clauses
    ! The rules place 96% of the rows where the labels do.
    ! No hyperplane separates clusters 1 and 2: they overlap.
    <BLANKLINE>
    cluster 0: setosa                                                         50 rows, 33.3%
    ────────────────────────────────────────────────────────────────────────────────────────
      petal length (cm) < 2.5
    <BLANKLINE>
    cluster 1: versicolor                                                     50 rows, 33.3%
    ────────────────────────────────────────────────────────────────────────────────────────
      petal length (cm) ≥ 2.5 AND petal width (cm) < 1.75
      ! coverage 98%
      ! precision 90.7%
    <BLANKLINE>
    cluster 2: virginica                                                      50 rows, 33.3%
    ────────────────────────────────────────────────────────────────────────────────────────
      petal length (cm) ≥ 2.5 AND petal width (cm) ≥ 1.75
      ! coverage 90%
      ! precision 97.8%
    <BLANKLINE>
    """
    max_terms = check_limit("max_terms", max_terms)
    max_coefficient = check_limit("max_coefficient", max_coefficient)
    check_choice("units", units, UNITS)
    check_choice("scale", scale, SCALES)
    if outside is not None:
        check_choice("outside", outside, OUTSIDE)
    n_rows = open_table(X).n_rows
    weights = check_weights(sample_weight, n_rows)
    known, cluster_labels = _number_labels(labels, weights)
    names = None if names is None else check_names(names, len(cluster_labels))
    columns, table = fit_encoder(X, scale=scale, units=units, sample_weight=weights)
    hyperplanes, overlapping, gaps = _separate(table, known, weights, max_terms, max_coefficient)
    noise = np.flatnonzero((known == NOISE) & (weights > 0))
    is_held = find_members(table.raw[noise], hyperplanes, len(cluster_labels)).any(axis=1)
    about_noise = tell_noise(float(weights[noise].sum()), float(weights[noise][is_held].sum()))
    is_plain = cluster_labels == tuple(range(len(cluster_labels)))
    if names is None and not is_plain:
        names = [label if isinstance(label, str) else f"label {label}" for label in cluster_labels]
    return build_explanation(
        columns,
        table.features,
        hyperplanes,
        table.raw,
        known,
        weights=weights,
        outside=outside or ("none" if len(noise) else "nearest"),
        minimal=minimal,
        names=names,
        cluster_labels=() if is_plain else cluster_labels,
        advice=(*about_noise, *advise(overlapping, max_terms, max_coefficient), *tell_gaps(gaps)),
    )


def _separate(
    table: EncodedTable, labels: Labels, weights: Floats, max_terms: int | None, max_coefficient: int | None
) -> tuple[list[Hyperplane], list[PairTable], dict[tuple[int, int], float]]:
    """A hyperplane for every pair, the pairs that the limits leave overlapping, and the gaps that solvers left."""
    counted = np.flatnonzero((labels != NOISE) & (weights > 0))
    raw, known = table.raw[counted], labels[counted]
    n_clusters = int(known.max(initial=-1)) + 1
    oblique = _list_oblique(raw, known, weights[counted], max_terms, max_coefficient)
    try:
        return list(read_hyperplanes(raw, known, n_clusters, table.features, oblique)), [], {}
    except NotSeparableError as problem:
        hyperplanes, open_pairs = list(problem.hyperplanes), problem.pairs
    overlapping, gaps = [], {}
    for i, j in open_pairs:
        pair = _take_pair(table, labels, weights, i, j)
        if max_coefficient is None:
            plane, errors, gaps[i, j] = find_general(pair, max_terms)
        else:
            plane, errors = find_fewest_errors(pair, oblique)
        hyperplanes.append(plane)
        if errors:
            overlapping.append(pair)
    return sorted(hyperplanes, key=lambda h: h.pair), overlapping, gaps


def _take_pair(table: EncodedTable, labels: Labels, weights: Floats, i: int, j: int) -> PairTable:
    rows = np.flatnonzero(((labels == i) | (labels == j)) & (weights > 0))
    return PairTable(table.raw[rows], labels[rows] == i, weights[rows], table.features, i, j)


def _list_oblique(
    raw: Floats, labels: Labels, weights: Floats, max_terms: int | None, max_coefficient: int | None
) -> Directions | None:
    """The directions of several terms; as many terms as can be listed, of the features that tell most if even two of
    all cannot."""
    n_features = raw.shape[1]
    if max_coefficient is None or max_terms == 1 or n_features == 1:
        return None
    terms = min(max_terms or n_features, n_features)
    while terms > 2 and count_directions(n_features, terms, max_coefficient) > LATTICE_LIMIT:
        terms -= 1
    n_summed = count_summed(n_features, max_coefficient, MOST_OF_TWO, MOST_OF_TWO)
    summed = choose_telling(raw, weights, [labels], n_summed) if n_summed < n_features else np.arange(n_features)
    directions = list_along(summed, terms, max_coefficient)
    return directions.take(np.arange(n_summed, len(directions)))


def _number_labels(labels: Any, weights: Floats) -> tuple[Labels, tuple[Hashable, ...]]:
    """Labels as 0..K-1 in their own order, and what they stand for; noise, and what no row that counts has, as -1."""
    values = list_labels(labels, len(weights))
    if any(value is None or value is pd.NA or value != value for value in values):
        raise ValueError("labels must not be missing; give noise the label -1.")
    counted = [value for value, is_counted in zip(values, weights > 0, strict=True) if is_counted]
    distinct = list(dict.fromkeys(value for value in counted if not _is_noise(value)))
    if not distinct:
        raise ValueError("labels name no cluster: every row is noise (-1) or has the weight 0.")
    with contextlib.suppress(TypeError):  # labels of several types keep the order in which they occur
        distinct.sort(key=_read_order(labels))
    place = {label: k for k, label in enumerate(distinct)}
    numbers = [place.get(value, NOISE) for value in values]
    return np.array(numbers, dtype=np.intp), tuple(distinct)


def _read_order(labels: Any) -> Callable[[Hashable], Any] | None:
    """What to sort labels by: categories, such as low, medium, high, have an order of their own."""
    dtype = getattr(labels, "dtype", None)
    if not isinstance(dtype, pd.CategoricalDtype):
        return None
    return [plain_value(category) for category in dtype.categories].index


def _is_noise(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == NOISE
