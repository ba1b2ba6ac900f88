"""Where the search starts: Ward, k-means (also after Algorithm 1) or medoids for every K, made legal."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property

import numpy as np

from polyclust.alternating import alternate
from polyclust.clusters.starts import start_by_best_kmeans, start_by_kmeans, start_by_linkage, start_by_medoids
from polyclust.search.even import grow_even_tree
from polyclust.search.fates import Counting
from polyclust.search.journal import Journal
from polyclust.search.legality import Legality
from polyclust.search.partition import Ints, Partition, is_new
from polyclust.search.plan import BEYOND, SearchPlan
from polyclust.search.points import FEW_POINTS, Points
from polyclust.search.repair import KnownLeaves, graft_legal, make_legal
from polyclust.search.scoring import Scorer
from polyclust.search.trees import Slants

__all__ = ["Starter"]

SLACK_WEIGHT_OF_STARTS = 2.0
ROUNDS_OF_STARTS = 4
VALUES_TO_ALTERNATE = 3000
N_SEEDS = 4


class Starter:
    """Starts on some points; their labels are worked out once, however often and in what way they are made legal.

    Once the search must end, it makes no more than what leads to as many clusters as were asked for.
    """

    def __init__(self, scorer: Scorer, plan: SearchPlan, journal: Journal) -> None:
        self.scorer = scorer
        self.points = scorer.points
        self.plan = plan
        self.journal = journal
        self._known: dict[int, list[Ints]] = {}
        self._tight: dict[int, Ints] = {}
        self._leaves: KnownLeaves = {}

    def make(
        self, legality: Legality, counting: Counting, counts: Container[int] | None = None, slants: Slants | None = None
    ) -> Iterator[Partition]:
        """One cluster, then every K, random starts for some ``counts`` only, the best of a K first."""
        yield self.scorer.start(np.zeros(len(self.points), dtype=np.intp), 1)
        yield from self._make_several(self._list_labels(range(2, self._most + 1), counts), legality, counting, slants)

    def make_beyond(self, legality: Legality, counting: Counting) -> Iterator[Partition]:
        """The same for a few K more than were asked for."""
        yield from self._make_several(self._list_labels(range(self._most + 1, self._greatest + 1)), legality, counting)

    def _make_several(
        self, listed: Iterable[Ints], legality: Legality, counting: Counting, slants: Slants | None = None
    ) -> Iterator[Partition]:
        tried: set[bytes] = set()
        given: set[bytes] = set()
        for _, several in itertools.groupby(listed, key=lambda labels: int(labels.max())):
            new = (labels for labels in several if is_new(labels, tried))
            legal = (make_legal(labels, self.scorer, legality, counting, slants, self._leaves) for labels in new)
            fresh = (p for p in legal if p is not None and is_new(p.labels, given))
            yield from sorted(self.journal.in_time(fresh, at_least=1), key=lambda p: -p.score)

    def graft(self, counts: Container[int], limits: tuple[int, int], lead: float) -> Iterator[Partition]:
        """Trees in which clusters are grafted where they do best, for starts that score more than ``lead`` themselves.

        ``limits``: the most terms and the largest coefficient of a cut.
        """
        for k in range(2, self._most + 1):
            if k in counts:
                found = graft_legal(self._start_tightly(k), self.scorer, limits, lead, self.journal.is_over)
                if found is not None:
                    yield found

    def rate_known(self) -> dict[int, float]:
        """For every K the best score of the random starts that were made, whatever rules could say of them."""
        return {k: self._rate(several, k) for k, several in self._known.items()}

    def rate_tight(self) -> dict[int, float]:
        """For every K the score of the tightest clusters of several seeds, which are starts from now on."""
        counts = self.journal.in_time(range(max(self.plan.n_clusters[0], 2), self._most + 1))
        return {k: self._rate([self._start_tightly(k)], k) for k in counts}

    def _rate(self, several: list[Ints], n_clusters: int) -> float:
        """The best score of those that have so many clusters, of sizes within the bounds."""
        scores = [-np.inf]
        for labels in several:
            if len(np.unique(labels)) == n_clusters:
                partition = self.scorer.start(labels, n_clusters)
                scores.append(partition.score if self.plan.bounds.hold_for(partition.sizes) else -np.inf)
        return max(scores)

    def _start_tightly(self, k: int) -> Ints:
        points, plan = self.points, self.plan
        if k not in self._tight:
            if points.coordinates is None:
                self._tight[k] = start_by_medoids(points.distances, points.weights, k, plan.seed)
            else:
                self._tight[k] = start_by_best_kmeans(points.coordinates, points.weights, k, plan.seed, N_SEEDS)
        return self._tight[k]

    def _list_labels(self, several: range, counts: Container[int] | None = None) -> Iterator[Ints]:
        """For several K, random starts for some ``counts`` among them."""
        for labels in self._for_every_count:
            k = int(labels.max()) + 1
            if k in several and self._is_worth_while(k):
                yield labels
        for k in several:
            if (counts is None or k in counts) and self._is_worth_while(k):
                if k not in self._known:
                    self._known[k] = list(self.journal.in_time(self._start_with(k), at_least=1))
                yield from self._known[k]

    def _is_worth_while(self, n_clusters: int) -> bool:
        return n_clusters >= self.plan.n_clusters[0] or not self.journal.is_over()

    @property
    def _most(self) -> int:
        return min(self.plan.n_clusters[1], len(self.points))

    @property
    def _greatest(self) -> int:
        return min(self._most + BEYOND, len(self.points))

    @cached_property
    def _for_every_count(self) -> list[Ints]:
        """Even parts where a maximum size binds, and Ward where there are few points."""
        points, found = self.points, []
        if self.plan.bounds.most < points.total_weight * (1.0 - 1e-9):  # sums of weights round
            found += [grow_even_tree(points, k) for k in range(max(self.plan.n_clusters[0], 2), self._greatest + 1)]
        if len(points) <= FEW_POINTS:
            found += start_by_linkage(points.distances, points.weights, self._greatest).values()
        return found

    def _start_with(self, k: int) -> Iterator[Ints]:
        """k-means from several seeds, with Algorithm 1 after the first; medoids where there are no coordinates."""
        points, plan = self.points, self.plan
        if k in self._tight:
            yield self._tight[k]
        n_starts = 1 if self.journal.is_over() else plan.n_starts(points)
        seeds = [plan.seed + repeat for repeat in range(n_starts)]
        if points.coordinates is None:
            yield from (start_by_medoids(points.distances, points.weights, k, seed) for seed in seeds)
            return
        several = start_by_kmeans(points.coordinates, points.weights, k, seeds, plan.n_jobs)
        yield from several
        if plan.alternates and points.n_features * len(points) <= VALUES_TO_ALTERNATE:
            yield _alternate_along_axes(points, several[0], k, plan.bounds.least, self.journal.seconds_left)


def _alternate_along_axes(
    points: Points, labels: Ints, n_clusters: int, least: float, seconds_left: Callable[[], float | None]
) -> Ints:
    """Algorithm 1 from k-means, with hyperplanes of one term: a start that leans towards what rules can say."""
    assert points.coordinates is not None
    if len(np.unique(labels)) < n_clusters or least * n_clusters > points.total_weight:
        return labels
    result = alternate(
        points.coordinates,
        points.values,
        n_clusters,
        labels0=labels,
        slack_weight=SLACK_WEIGHT_OF_STARTS,
        max_terms=1,
        max_coefficient=1,
        weights=points.weights,
        max_rounds=ROUNDS_OF_STARTS,
        seconds_left=seconds_left,
    )
    return result.labels
