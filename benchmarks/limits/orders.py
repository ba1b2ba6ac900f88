"""How much do grafted trees depend on where they start? python -m benchmarks.limits.orders

The clusters of k-means on noisy blobs, the ninth of which is noise, are parted by trees of cuts. Each tree is grown by
grafting the clusters in a random order and then improved as the search improves its own, so what differs between the
trees is only their start. The search itself starts from two: one grown cut by cut, one with the largest cluster first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.limits.noise import LEAST_SHARE
from benchmarks.limits.printing import print_study
from benchmarks.markdown import show
from benchmarks.problem import Floats, Labels
from benchmarks.speed.cases import Case
from benchmarks.speed.contestants import AXIS, SETTINGS, SPARSE
from polyclust.search.branches import label_rows
from polyclust.search.distances import measure_distances
from polyclust.search.grafting import Grafter, finish_tree
from polyclust.search.partition import Partition
from polyclust.search.points import Points
from polyclust.search.repair import graft_legal
from polyclust.search.scoring import SilhouetteScorer, SizeBounds

N_ROWS = 10_000
N_CLUSTERS = 9
N_ORDERS = 20
N_SEEDS = 2
HEADER = ["table", "cuts of", "k-means", "the search's tree", "lowest", "median", "highest", "out of bounds"]


@dataclass(frozen=True)
class Study:
    """Scaled rows as the search's points, the clusters of k-means, and what each row is worth in each of them."""

    scorer: SilhouetteScorer
    partition: Partition
    fates: Floats
    limits: tuple[int, int]

    @classmethod
    def make(cls, rows: Floats, labels: Labels, limits: tuple[int, int]) -> Study:
        """``limits``: the most terms and the largest coefficient of a cut, in units of the features' ranges."""
        points = Points(measure_distances(rows, "euclidean"), np.ones(len(rows)), rows, rows, rows)
        scorer = SilhouetteScorer(points, SizeBounds((LEAST_SHARE * len(rows), np.inf)))
        partition = scorer.start(labels.astype(np.intp), int(labels.max()) + 1)
        return cls(scorer, partition, scorer.fates(partition, "whole"), limits)

    def try_orders(self, n_orders: int, random: np.random.Generator) -> Iterator[Labels]:
        """The leaves of improved trees, each grown in an order of its own."""
        grafter = Grafter.make(self.scorer.points, self.fates, self.limits)
        some = grafter.thin_out()
        for _ in range(n_orders):
            order = random.permutation(self.partition.n_clusters).tolist()
            tree, _ = finish_tree(some.improve(some.grow(order)), grafter, self.scorer.bounds)
            yield label_rows(tree, self.scorer.points.columns)

    def try_own(self) -> float | None:
        """The silhouette of the tree that the search makes; None where its sizes are out of bounds."""
        found = graft_legal(self.partition.labels, self.scorer, self.limits, lead=-1.0)
        return None if found is None else float(found.score)

    def score(self, labels: Labels) -> float | None:
        """The silhouette; None where a cluster is lost or too small."""
        if len(np.unique(labels)) < self.partition.n_clusters:
            return None
        found = self.scorer.start(labels, self.partition.n_clusters)
        return float(found.score) if self.scorer.bounds.hold_for(found.sizes) else None


def study_table(seed: int, n_rows: int = N_ROWS, n_orders: int = N_ORDERS) -> Iterator[list[str]]:
    """A row for each family."""
    rows = Case("noise", n_rows, seed=seed).make().scaled
    labels = KMeans(N_CLUSTERS, n_init=10, random_state=0).fit_predict(rows)
    for family in (AXIS, SPARSE):
        limits = SETTINGS[family].get("max_terms", 1), SETTINGS[family].get("max_coefficient", 1)
        study = Study.make(rows, labels, limits)
        tried = [study.score(found) for found in study.try_orders(n_orders, np.random.default_rng(seed))]
        scores = np.array([score for score in tried if score is not None])
        spread = [show(value) for value in np.quantile(scores, (0.0, 0.5, 1.0))] if len(scores) else ["none"] * 3
        name = "one term" if limits[0] == 1 else "two terms"
        known = [show(study.partition.score), show(study.try_own())]
        yield [str(seed), name, *known, *spread, f"{len(tried) - len(scores)} of {len(tried)}"]


if __name__ == "__main__":
    print_study(HEADER, study_table, N_SEEDS)
