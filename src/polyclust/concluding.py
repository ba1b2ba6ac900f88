"""What a search leads to: the hyperplanes of its best labels, and their score by the criterion alone."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from polyclust.explain.separation import PairTable, find_fewest_errors
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.lattice import Directions
from polyclust.hyperplanes.reading import plane_between, read_general_hyperplanes, read_hyperplanes
from polyclust.search.family import Family, GeneralFamily, SlackFamily
from polyclust.search.partition import Ints, Partition
from polyclust.search.points import Points
from polyclust.search.scoring import Scorer
from polyclust.search.slack import PairErrors, SlackScorer
from polyclust.table.features import Feature

__all__ = ["read_planes", "score_alone"]


def read_planes(
    scorer: Scorer, labels: Ints, n_clusters: int, features: Sequence[Feature], family: Family
) -> tuple[Hyperplane, ...]:
    """The hyperplanes of the final labels: exact ones, or with a slack weight those of least error."""
    points = scorer.points
    if isinstance(family, SlackFamily) and isinstance(scorer, SlackScorer):
        return _read_slack(scorer.errors, labels, n_clusters, features, family)
    if isinstance(family, GeneralFamily):
        return read_general_hyperplanes(
            points.raw, labels, n_clusters, features, lambda: _list_simpler(family, len(features))
        )
    return read_hyperplanes(points.raw, labels, n_clusters, features, family.oblique)


def _list_simpler(family: GeneralFamily, n_features: int) -> Directions | None:
    simpler = family.find_simpler(n_features)
    return None if simpler is None else simpler.oblique


def _read_slack(
    errors: PairErrors, labels: Ints, n_clusters: int, features: Sequence[Feature], family: SlackFamily
) -> tuple[Hyperplane, ...]:
    points = errors.points
    is_scaled = isinstance(family.base, GeneralFamily)
    stretch = np.array([f.unit / f.scale if is_scaled else 1.0 for f in features])
    planes = []
    for i, j in itertools.combinations(range(n_clusters), 2):
        first, second = np.flatnonzero(labels == i), np.flatnonzero(labels == j)
        found = errors.separate(first, second)
        rows = np.concatenate([first, second])
        is_upper = errors.space[rows] @ found.w + found.b >= 0.0
        terms = {int(p): float(found.w[p] * stretch[p]) for p in np.flatnonzero(found.w)}
        plane = plane_between(points.raw[rows], is_upper, terms, features, upper=i, lower=j, may_err=True)
        planes.append(_unless_useless(plane, points, first, second, features, family))
    return tuple(planes)


def _unless_useless(
    plane: Hyperplane, points: Points, first: Ints, second: Ints, features: Sequence[Feature], family: SlackFamily
) -> Hyperplane:
    """The plane, or the one that misplaces the fewest rows where hinge errors prefer a plane beside all of them.

    Along a feature that hardly varies every row is near the plane, so that misplacing a whole cluster costs little.
    """
    rows = np.concatenate([first, second])
    is_first = np.arange(len(rows)) < len(first)
    weights = points.weights[rows]
    is_right = plane.is_above(points.raw[rows]) == (is_first == (plane.above == plane.pair[0]))
    lighter = min(weights[is_first].sum(), weights[~is_first].sum())
    if weights[~is_right].sum() < 0.5 * lighter:
        return plane
    pair = PairTable(points.raw[rows], is_first, weights, features, *plane.pair)
    return find_fewest_errors(pair, family.oblique)[0]


def score_alone(scorer: Scorer, partition: Partition) -> float:
    """The criterion of a partition, without the price of errors."""
    if not isinstance(scorer, SlackScorer):
        return partition.score
    return scorer.base.start(partition.labels, partition.n_clusters).score
