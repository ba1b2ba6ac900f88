"""Polytopes for a clustering made elsewhere: by k-means, by HDBSCAN with noise, by a column of the table."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.errors import check_choice
from polyclust.explain.advice import advise, tell_gaps, tell_noise
from polyclust.explain.build import build_explanation
from polyclust.explain.explanation import Explanation
from polyclust.explain.quality import check_weights, list_labels
from polyclust.explain.separation import PairTable, find_fewest_errors, find_general
from polyclust.geometry.hyperplane import OUTSIDE, Hyperplane, find_members
from polyclust.hyperplanes.lattice import Directions, count_directions, list_directions
from polyclust.hyperplanes.pair import LATTICE_LIMIT
from polyclust.hyperplanes.reading import NotSeparableError, read_hyperplanes
from polyclust.table.columns import open_table
from polyclust.table.encode import SCALES, UNITS, EncodedTable, fit_encoder

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

__all__ = ["explain_labels"]

NOISE = -1


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
    X : the table, an array or a frame
    labels : one per row, of any kind; -1 is noise, which belongs to no cluster and counts against precision
    max_terms, max_coefficient, units, scale : as for the estimator
    sample_weight : a row of weight 2 is two rows; the labels of rows of weight 0 count for nothing
    outside : what happens to rows in no polytope; None: "none" where there is noise, else "nearest"
    minimal : the fewest clauses that hold the same rows, for reading only
    names : one per cluster; None takes the labels, or makes them where labels are 0..K-1

    Returns
    -------
    Explanation
        Clusters are numbered in the order of their labels, which ``cluster_labels`` keeps. Where it is not
        exact, ``advice`` says what would make it so, how many rows are noise, and where a solver was stopped before
        its proof.
    """
    max_terms = _check_limit("max_terms", max_terms)
    max_coefficient = _check_limit("max_coefficient", max_coefficient)
    check_choice("units", units, UNITS)
    check_choice("scale", scale, SCALES)
    if outside is not None:
        check_choice("outside", outside, OUTSIDE)
    n_rows = open_table(X).n_rows
    weights = check_weights(sample_weight, n_rows)
    known, cluster_labels = _number_labels(labels, weights)
    names = _check_names(names, len(cluster_labels))
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
    oblique = _list_oblique(len(table.features), max_terms, max_coefficient)
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
    return sorted(hyperplanes, key=lambda h: (min(h.above, h.below), max(h.above, h.below))), overlapping, gaps


def _take_pair(table: EncodedTable, labels: Labels, weights: Floats, i: int, j: int) -> PairTable:
    rows = np.flatnonzero(((labels == i) | (labels == j)) & (weights > 0))
    return PairTable(table.raw[rows], labels[rows] == i, weights[rows], table.features, i, j)


def _list_oblique(n_features: int, max_terms: int | None, max_coefficient: int | None) -> Directions | None:
    """The directions of several terms; as many terms as can be listed."""
    if max_coefficient is None or max_terms == 1 or n_features == 1:
        return None
    terms = min(max_terms or n_features, n_features)
    while terms > 2 and count_directions(n_features, terms, max_coefficient) > LATTICE_LIMIT:
        terms -= 1
    directions = list_directions(n_features, terms, max_coefficient)
    return directions.take(np.arange(n_features, len(directions)))


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
        distinct.sort()
    place = {label: k for k, label in enumerate(distinct)}
    numbers = [place.get(value, NOISE) for value in values]
    return np.array(numbers, dtype=np.intp), tuple(distinct)


def _is_noise(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == NOISE


def _check_names(names: Any, n_clusters: int) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"names must be a list of {n_clusters} names, one per cluster; got {names!r}.")
    found = [str(name) for name in names]
    if len(found) != n_clusters:
        raise ValueError(f"names must be {n_clusters}, one per cluster; got {len(found)}.")
    return found


def _check_limit(name: str, value: Any) -> int | None:
    """The limit as Python's own integer: numpy's overflow when directions are counted."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be an integer >= 1 or None; got {value!r}.")
    return int(value)
