"""The hyperplane between two clusters, equations (1)-(12), for all three families.

Lattice families: every w of the lattice with its best intercept, which is the exact optimum. Multiples of a
vector count as well: with a fixed margin, 2w separates what w leaves too close. A lattice too
large to list goes to the integer program, after the part of it that can be listed: no error there is a proof.
General family (``max_coefficient=None``): see ``general``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.enumeration import enumerate_lattice
from polyclust.hyperplanes.general import separate_general
from polyclust.hyperplanes.hinge import PairHyperplane, PairRows, choose_margin
from polyclust.hyperplanes.integer_program import solve_integer_program
from polyclust.hyperplanes.lattice import Directions, count_directions, list_directions

Floats = NDArray[np.float64]

__all__ = ["LATTICE_LIMIT", "PairHyperplane", "list_lattice", "separate_pair", "separate_rows"]

LATTICE_LIMIT = 200_000
"""Directions that are listed and scanned; a larger lattice goes to the integer program."""


def separate_pair(
    upper: Floats,
    lower: Floats,
    *,
    max_terms: int | None,
    max_coefficient: int | None,
    margin: float | None = None,
    may_narrow: bool | None = None,
    upper_weights: Floats | None = None,
    lower_weights: Floats | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
    lattice_limit: int = LATTICE_LIMIT,
) -> PairHyperplane:
    """The hyperplane of least hinge error with ``upper`` above it and ``lower`` below.

    Parameters
    ----------
    upper, lower : rows x features, in the units the coefficients apply to
    max_terms : features the hyperplane may use; None: no limit
    max_coefficient : largest whole coefficient; None: real coefficients, the largest of size 1
    margin : eps; None: ``choose_margin`` of the two clusters' rows
    may_narrow : a separable pair of the general family takes a margin within its gap; None: if none is given
    upper_weights, lower_weights : of the rows; None: ones
    time_limit, node_limit : of the solver, in seconds and nodes; None: until proved; 0 nodes: its start
    lattice_limit : the largest number of directions to enumerate
    """
    return separate_rows(
        PairRows.collect(upper, lower, upper_weights, lower_weights),
        max_terms=max_terms,
        max_coefficient=max_coefficient,
        margin=margin,
        may_narrow=may_narrow,
        time_limit=time_limit,
        node_limit=node_limit,
        lattice_limit=lattice_limit,
    )


def separate_rows(
    rows: PairRows,
    *,
    max_terms: int | None,
    max_coefficient: int | None,
    margin: float | None = None,
    may_narrow: bool | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
    lattice_limit: int = LATTICE_LIMIT,
) -> PairHyperplane:
    """The same for rows that are collected already."""
    may_narrow = margin is None if may_narrow is None else may_narrow
    margin = choose_margin(rows.values) if margin is None else margin
    n_features = rows.values.shape[1]
    if max_terms != 1:  # most pairs of a search need no more than one term; nothing is better than no error
        straight = enumerate_lattice(rows, list_directions(n_features, 1, 1), margin)
        if straight.error == 0.0:
            return straight
    if max_coefficient is None:
        return separate_general(
            rows, max_terms, margin, may_narrow=may_narrow, time_limit=time_limit, node_limit=node_limit
        )
    directions = list_lattice(n_features, max_terms, max_coefficient, lattice_limit)
    found = enumerate_lattice(rows, directions, margin)
    if directions.features.shape[1] == min(max_terms or n_features, n_features) or found.error == 0.0:
        return found
    return solve_integer_program(
        rows,
        found,
        max_terms=max_terms,
        max_coefficient=max_coefficient,
        time_limit=time_limit,
        node_limit=node_limit,
    )


def list_lattice(
    n_features: int, max_terms: int | None, max_coefficient: int, limit: int = LATTICE_LIMIT
) -> Directions:
    """The lattice with multiples, of the most terms, at least one, of which there are no more than the limit."""
    most = min(max_terms or n_features, n_features)
    fitting = (t for t in range(most, 1, -1) if count_directions(n_features, t, max_coefficient) <= limit)
    return list_directions(n_features, next(fitting, 1), max_coefficient, primitive=False)
