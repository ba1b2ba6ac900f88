"""Which directions are worth a sweep: all axes; a lattice, whole or raced on a sample; real directions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polyclust.hyperplanes.general import walk_to_direction
from polyclust.hyperplanes.lattice import Directions
from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.partition import Ints, Partition, member_mask
from polyclust.search.points import FEW_POINTS, Points, SubsetOrders, order_projections, stack_orders
from polyclust.search.scoring import Scorer, SilhouetteScorer, SizeBounds

__all__ = ["AxisDirections", "LatticeDirections", "RealDirections"]

Floats = NDArray[np.float64]
BEAM = 5
MANY_DIRECTIONS = 250
HEAT = 72, 32  # rows inside and outside
DIRECTIONS_AT_ONCE = 96  # of which the worst need not be scored wholly
NO_SCORES = np.empty(0)


class AxisDirections:
    """Axes: rules of one feature per clause; all of them, or those that promise most where all cost too much.

    effort : how much more than usual all of them may cost; has_raced : whether some were ever left out
    pace : what a shift tries of many axes. "quick", for groups of points: never all. "usual": those along which the two
        clusters lie furthest apart. "slow": the winners of a race, as a split always does
    """

    N_RACED = 8
    CELLS_TO_LIST = 1e7

    def __init__(self, effort: float = 1.0, pace: Literal["quick", "usual", "slow"] = "usual") -> None:
        self.effort = effort
        self.pace = pace
        self.has_raced = False

    def propose(self, scorer: Scorer, partition: Partition, i: int, j: int | None) -> SubsetOrders:
        """The axes worth a sweep."""
        points = scorer.points
        is_member = member_mask(partition, i, j)
        n_cells = float(is_member.sum()) * len(is_member) * points.n_features
        is_cheap = n_cells <= self.effort * self.CELLS_TO_LIST and (j is None or self.pace != "quick")
        if is_cheap or points.n_features <= self.N_RACED:
            return points.order_along_axes(is_member)
        self.has_raced = True
        if j is None or self.pace == "slow":
            best = Trial(scorer, partition, i, j).best_axes(self.N_RACED)
        else:
            best = points.features_apart(partition.rows_of(i), partition.rows_of(j), self.N_RACED)
        return points.order_along_axes(is_member, np.sort(best))

    def afresh(self) -> AxisDirections:
        """For a last pass."""
        return AxisDirections(self.effort, "slow")


class LatticeDirections:
    """Axes and directions of several terms: all of them where that is cheap, else the winners of a race.

    effort, has_raced : as for the axes
    """

    CELLS_TO_LIST = 1e7
    FEW_DIRECTIONS = 64
    N_RACED = 6
    MOST_CHANGED = 0.2  # of a pair's rows: up to so many, its last race is not run again where there are many points

    def __init__(self, oblique: Directions, max_terms: int, max_coefficient: int, effort: float = 1.0) -> None:
        self.oblique = oblique
        self.max_terms = max_terms
        self.max_coefficient = max_coefficient
        self.effort = effort
        self.has_raced = False
        self._winners: dict[tuple[int, int | None], tuple[NDArray[np.int8], tuple[Directions, Ints]]] = {}

    def propose(self, scorer: Scorer, partition: Partition, i: int, j: int | None) -> SubsetOrders:
        """Axes first, then what is left of the lattice."""
        is_member = member_mask(partition, i, j)
        members = np.flatnonzero(is_member)
        n_cells = len(self.oblique) * len(members) * len(is_member)
        if len(self.oblique) <= self.FEW_DIRECTIONS or n_cells <= self.effort * self.CELLS_TO_LIST:
            chosen = self.oblique
            straight = scorer.points.order_along_axes(is_member)
        else:
            self.has_raced = True
            known = self._recall(partition, i, j) if len(is_member) > FEW_POINTS else None
            chosen, axes = known or self._race_anew(scorer, partition, i, j)
            straight = scorer.points.order_along_axes(is_member, axes)
        if not len(chosen):
            return straight
        projections = chosen.project(scorer.points.values[members])
        return stack_orders(straight, order_projections(members.astype(np.int32), projections))

    def afresh(self) -> LatticeDirections:
        """For a last pass: every race is run again."""
        return LatticeDirections(self.oblique, self.max_terms, self.max_coefficient, self.effort)

    def _recall(self, partition: Partition, i: int, j: int | None) -> tuple[Directions, Ints] | None:
        """What won the pair's last race, if few of its rows have changed since."""
        if (i, j) not in self._winners:
            return None
        then, winners = self._winners[i, j]
        now = _mark_pair(partition, i, j)
        return winners if (now != then).sum() <= self.MOST_CHANGED * (now > 0).sum() else None

    def _race_anew(self, scorer: Scorer, partition: Partition, i: int, j: int | None) -> tuple[Directions, Ints]:
        trial = Trial(scorer, partition, i, j)
        chosen = self.race(trial, lambda: Trial(scorer, partition, i, j, *HEAT))
        winners = chosen, np.sort(trial.best_axes(self.N_RACED))
        self._winners[i, j] = _mark_pair(partition, i, j), winners
        return winners

    def race(self, trial: Trial, make_heat: Callable[[], Trial]) -> Directions:
        """A beam on a sample: the best axes, those with one more term, then their other coefficients.

        Many directions run a heat on fewer rows first.
        """
        axes = trial.best_axes(BEAM).astype(np.int32)
        beam = Directions(axes[:, None], np.ones((len(axes), 1)))
        found, scores = [], []
        for _ in range(1, self.max_terms):
            longer = _add_term(beam, trial.points.n_features)
            if len(longer) > MANY_DIRECTIONS:
                n_left = len(longer) // 6
                longer = longer.take(np.sort(_best_of(make_heat().score(longer, n_left), n_left)))
            score = trial.score(longer, self.N_RACED)
            supports = np.unique(longer.features[_best_of(score, self.N_RACED)], axis=0)
            other = _all_coefficients(supports, self.max_coefficient)
            every, score = longer.join(other), trial.score(other, self.N_RACED, score)
            best = _best_of(score, self.N_RACED)
            found.append(every.take(best))
            scores.append(score[best])
            beam = found[-1].take(np.arange(min(BEAM, len(best))))
        best = _best_of(np.concatenate(scores), self.N_RACED)
        joined = found[0]
        for part in found[1:]:
            joined = joined.join(part)
        return joined.take(best)


class Trial:
    """A sample of the pair's points and of the others, on which directions are compared."""

    def __init__(
        self, scorer: Scorer, partition: Partition, i: int, j: int | None, n_inside: int = 160, n_outside: int = 64
    ) -> None:
        is_member = member_mask(partition, i, j)
        rows, weights = _sample(scorer.points, is_member, n_inside, n_outside)
        self.points = scorer.points.take(rows, weights)
        share = min(scorer.bounds.least, 0.5 * float(weights.sum()))
        self.scorer = SilhouetteScorer(self.points, SizeBounds((share, scorer.bounds.most)))
        labels = np.unique(partition.labels[rows], return_inverse=True)[1].astype(np.intp)
        self.partition = self.scorer.start(labels, int(labels.max()) + 1)
        inside = np.flatnonzero(is_member[rows])
        present = np.unique(labels[inside])
        self.pair = (int(present[0]), int(present[1]) if len(present) > 1 else None)
        self.members = inside.astype(np.int32)

    def best_axes(self, n_best: int) -> Ints:
        """The axes with the best cut."""
        return _best_of(self._axis_scores, n_best)

    @cached_property
    def _axis_scores(self) -> Floats:
        is_member = np.zeros(len(self.points), dtype=bool)
        is_member[self.members] = True
        orders = self.points.order_along_axes(is_member)
        return self.scorer.scan(self.partition, *self.pair, orders).max(axis=1)  # type: ignore[no-any-return]

    def score(self, directions: Directions, n_best: int, known: Floats = NO_SCORES) -> Floats:
        """The scores that are known, then that of each direction's best cut.

        Beyond the ``n_best`` of all they may be IMPOSSIBLE: a direction that cannot be one of them need not be scored.
        """
        orders = order_projections(self.members, directions.project(self.points.values[self.members]))
        scores = known
        for start in range(0, len(directions), DIRECTIONS_AT_ONCE):
            part = slice(start, start + DIRECTIONS_AT_ONCE)
            some = SubsetOrders(orders.rows[part], orders.is_end[part])
            floor = float(np.partition(scores, -n_best)[-n_best]) if len(scores) >= n_best else IMPOSSIBLE
            scanned = self.scorer.scan(self.partition, *self.pair, some, floor)
            scores = np.concatenate([scores, scanned.max(axis=1)])
        return scores


class RealDirections:
    """General hyperplanes: axes, and directions from centres, scatter and the walk between the two hulls.

    ``shift`` is how far the space lies from the features as they are, where that is far: gaps are beside their sums.
    """

    has_raced = True  # there are infinitely many others

    def __init__(self, space: Floats, shift: Floats | None = None) -> None:
        self.space = space
        self.shift = shift

    def afresh(self) -> RealDirections:
        """For a last pass: nothing is left out before."""
        return self

    def propose(self, scorer: Scorer, partition: Partition, i: int, j: int | None) -> SubsetOrders:
        """Axes and a handful of real directions."""
        is_member = member_mask(partition, i, j)
        members = np.flatnonzero(is_member)
        straight = scorer.points.order_along_axes(is_member)
        here = self.space[members]
        weights = scorer.points.weights[members]
        if j is None:
            found = _principal_directions(here, weights)
        else:
            found = _between(here, weights, partition.labels[members] == i)
        projections = np.array(found) @ here.T
        if self.shift is not None:
            projections += (np.array(found) @ self.shift)[:, None]
        return stack_orders(straight, order_projections(members.astype(np.int32), projections))


def _between(here: Floats, weights: Floats, is_first: NDArray[np.bool_]) -> list[Floats]:
    """Directions from one cluster to the other."""
    first, second = here[is_first], here[~is_first]
    difference = np.average(first, axis=0, weights=weights[is_first]) - np.average(
        second, axis=0, weights=weights[~is_first]
    )
    medians = np.median(first, axis=0) - np.median(second, axis=0)
    found = [difference, medians, walk_to_direction(first, second)]
    return [w for w in found if np.abs(w).max() > 0] or [np.ones(here.shape[1])]


def _principal_directions(here: Floats, weights: Floats, n_most: int = 4) -> list[Floats]:
    """The axes of the scatter, and the way between the two halves that the first of them makes."""
    mean = np.average(here, axis=0, weights=weights)
    deviations = (here - mean) * np.sqrt(weights)[:, None]
    vectors = np.linalg.svd(deviations.T @ deviations)[0][:, :n_most].T
    found = list(vectors)
    side = (here - mean) @ vectors[0] > 0
    for _ in range(5):  # a 2-means started along the first axis
        if not side.any() or side.all():
            break
        difference = here[side].mean(axis=0) - here[~side].mean(axis=0)
        middle = (here[side].mean(axis=0) + here[~side].mean(axis=0)) / 2
        found.append(difference)
        side = (here - middle) @ difference > 0
    return found


def _mark_pair(partition: Partition, i: int, j: int | None) -> NDArray[np.int8]:
    """1 for the rows of i, 2 for those of j, 0 for all others."""
    marks: NDArray[np.int8] = (partition.labels == i).astype(np.int8)
    if j is not None:
        marks[partition.labels == j] = 2
    return marks


def _sample(points: Points, is_member: NDArray[np.bool_], n_inside: int, n_outside: int) -> tuple[Ints, Floats]:
    """Random rows of both kinds with weights that keep the totals."""
    shuffled = _shuffle(len(points))
    rows, weights = [], []
    for kind, most in ((is_member, n_inside), (~is_member, n_outside)):
        every = shuffled[kind[shuffled]]
        some = np.sort(every[:most])
        rows.append(some)
        weights.append(points.weights[some] * (points.weights[every].sum() / max(points.weights[some].sum(), 1e-300)))
    return np.concatenate(rows), np.concatenate(weights)


@lru_cache(maxsize=8)
def _shuffle(n: int) -> Ints:
    return np.random.default_rng(1).permutation(n)


def _best_of(scores: Floats, n_best: int) -> Ints:
    """Positions of the largest scores, largest first."""
    return np.argsort(-scores, kind="stable")[:n_best]


def _add_term(beam: Directions, n_features: int) -> Directions:
    """Every direction with one more feature, added and subtracted; features ascend, first coefficients are positive."""
    n = len(beam)
    more = np.tile(np.repeat(np.arange(n_features, dtype=np.int32), 2), n)
    signs = np.tile([1.0, -1.0], n * n_features)
    features = np.column_stack([np.repeat(beam.features, 2 * n_features, axis=0), more])
    coefficients = np.column_stack([np.repeat(beam.coefficients, 2 * n_features, axis=0), signs])
    is_new = (features[:, :-1] != more[:, None]).all(axis=1)
    features, coefficients = features[is_new], coefficients[is_new]
    order = np.argsort(features, axis=1, kind="stable")
    features = np.take_along_axis(features, order, axis=1)
    coefficients = np.take_along_axis(coefficients, order, axis=1)
    return Directions(features, coefficients * np.sign(coefficients[:, :1]))


def _all_coefficients(supports: NDArray[np.int32], max_coefficient: int) -> Directions:
    """Every primitive vector of small integers on these features."""
    sizes = [float(s) for s in range(1, max_coefficient + 1)]
    signed = [*sizes, *(-s for s in sizes)]
    every = itertools.product(sizes, *([signed] * (supports.shape[1] - 1)))
    patterns = np.array([p for p in every if math.gcd(*(int(abs(c)) for c in p)) == 1])
    return Directions(np.repeat(supports, len(patterns), axis=0), np.tile(patterns, (len(supports), 1)))
