"""Can two-term rules set noise apart as k-means does? python -m benchmarks.limits.noise

On blobs with 5% of uniform noise k-means' best has one cluster more than there are blobs, which is mostly noise.
Here such a cluster is a polytope, one face with two terms for every blob, and all other rows go to the nearest centre,
which no rules could do better: what is scored is more than two-term rules can reach with that polytope. The polytope is
the best of many searches, not of all there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import gcd

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from benchmarks.limits.printing import print_study
from benchmarks.markdown import show
from benchmarks.measures import list_sizes
from benchmarks.problem import Floats, Labels
from benchmarks.speed.cases import Case
from benchmarks.speed.contestants import SETTINGS, SPARSE, run_polyclust
from benchmarks.speed.families import GENERAL, TERMS

N_ROWS = 3000
MAX_COEFFICIENT = SETTINGS[SPARSE]["max_coefficient"]
N_SEARCHES = 10
N_SEEDS = 3
LEAST_SHARE = 0.02
PRICES = (0.0, 0.2, 0.4, 0.6, 0.8)  # what a row of the polytope is given for being there

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Table:
    """Scaled rows, their distances and their projections on every direction of two terms."""

    rows: Floats
    distances: Floats
    along: Floats

    @classmethod
    def make(cls, seed: int) -> Table:
        """Noisy blobs of the speed study."""
        rows = Case("noise", N_ROWS, seed=seed).make().scaled
        return cls(rows, cdist(rows, rows), list_directions(rows.shape[1]) @ rows.T)

    def score(self, labels: Labels) -> float:
        """The exact silhouette."""
        return float(silhouette_score(self.distances, labels, metric="precomputed"))


def list_directions(n_features: int) -> Floats:
    """All directions of one and of two terms with coprime coefficients."""
    found = list(np.eye(n_features))
    sizes = range(1, MAX_COEFFICIENT + 1)
    slopes = [(a, s * b) for a in sizes for b in sizes if gcd(a, b) == 1 for s in (1, -1)]
    for i, j in combinations(range(n_features), 2):
        for a, b in slopes:
            direction = np.zeros(n_features)
            direction[[i, j]] = a, b
            found.append(direction)
    return np.array(found)


def weigh_fates(distances: Floats, labels: Labels) -> Floats:
    """(n, K): what a row in each cluster adds to the sum of silhouettes, to first order: its own and those of others.

    Every cluster must have two rows or more.
    """
    n_clusters = int(labels.max()) + 1
    sizes = np.bincount(labels).astype(float)
    every = np.arange(len(labels))
    members = np.eye(n_clusters, dtype=distances.dtype)[labels]
    means = (distances @ members).astype(float) / sizes
    means[every, labels] *= sizes[labels] / (sizes[labels] - 1)
    rest = means.copy()
    rest[every, labels] = np.inf
    nearest = rest.argmin(axis=1)
    own, other = means[every, labels], rest[every, nearest]
    top = np.maximum(own, other)
    by_own = -np.where(own < other, top, other) / top**2
    by_other = np.where(own < other, own, top) / top**2
    pull, still = np.zeros_like(means), np.zeros(n_clusters)
    for towards, slope, mean in ((labels, by_own, own), (nearest, by_other, other)):
        pull[every, towards] += slope / sizes[towards]
        still += np.bincount(towards, weights=slope * mean / sizes[towards], minlength=n_clusters)
    ordered = np.sort(means, axis=1)
    others = np.where(means == ordered[:, :1], ordered[:, 1:2], ordered[:, :1])
    return np.asarray((others - means) / np.maximum(others, means) + distances @ pull.astype(distances.dtype) - still)


def weigh_rows(table: Table, labels: Labels, noise: int) -> Floats:
    """What the sum of silhouettes gains, to first order, with a row in the noise instead of the best other cluster."""
    fates = weigh_fates(table.distances, labels)
    return np.asarray(fates[:, noise] - np.delete(fates, noise, axis=1).max(axis=1))


def find_polytope(table: Table, gains: Floats, n_faces: int, random: np.random.Generator) -> Mask:
    """Faces in turn, each where the rows inside gain most given the others, until none gets better."""
    faces = [np.ones(len(gains), dtype=bool) for _ in range(n_faces)]
    best = -np.inf
    while True:
        for f in random.permutation(n_faces):
            inside = np.flatnonzero(np.all([face for g, face in enumerate(faces) if g != f], axis=0))
            faces[f] = _place_face(table, gains, inside)
        inside = np.all(faces, axis=0)
        total = float(gains[inside].sum())
        if total <= best + 1e-9:
            return np.asarray(inside)
        best = total


def _place_face(table: Table, gains: Floats, inside: NDArray[np.intp]) -> Mask:
    """The half-space, of all directions, whose rows among those inside gain most."""
    if not len(inside):
        return np.ones(len(gains), dtype=bool)
    order = np.argsort(table.along[:, inside], axis=1)
    sums = np.cumsum(gains[inside][order], axis=1)
    low = np.unravel_index(sums.argmax(), sums.shape)
    high = np.unravel_index((sums[:, -1:] - sums).argmax(), sums.shape)
    is_low = sums[low] >= (sums[high[0], -1] - sums[high])
    d, p = low if is_low else high
    is_below = table.along[d] <= table.along[d, inside[order[d, p]]]
    return np.asarray(is_below if is_low else ~is_below)


def study_table(seed: int) -> list[list[str]]:
    """k-means, the families and the best polytope of noise on one table."""
    table, found = Table.make(seed), []
    case = Case("noise", N_ROWS, seed=seed)
    means = {k: KMeans(k, n_init=10, random_state=0).fit(table.rows) for k in (8, 9)}
    for k, fitted in means.items():
        found.append(_show(seed, f"k-means, {k} clusters", table, fitted.labels_))
    for family in (GENERAL, SPARSE):
        found.append(_show(seed, family, table, run_polyclust(case.make(), **TERMS[family])))
    labels = means[9].labels_
    noise = int(np.bincount(labels).argmin())
    gains = weigh_rows(table, labels, noise)
    without = means[8].predict(table.rows)
    random, scored = np.random.default_rng(seed), []
    for search in range(N_SEARCHES):
        inside = find_polytope(table, gains + PRICES[search % len(PRICES)], 8, random)
        if inside.sum() > 1:
            labels = np.where(inside, 8, without)
            scored.append((table.score(labels), int(inside.sum()), labels))
    for least, size in ((2, "of any size"), (LEAST_SHARE * N_ROWS, f"{LEAST_SHARE:.0%} of the rows or more")):
        enough = [(score, labels) for score, n_inside, labels in scored if n_inside >= least]
        name = f"noise in a polytope, {size}; else nearest centres"
        if enough:
            found.append(_show(seed, name, table, max(enough, key=lambda one: one[0])[1]))
        else:
            found.append([str(seed), name, "none found", "", ""])
    return found


def _show(seed: int, name: str, table: Table, labels: Labels) -> list[str]:
    return [str(seed), name, show(table.score(labels)), str(len(set(labels.tolist()))), str(min(list_sizes(labels)))]


if __name__ == "__main__":
    print_study(["table", "clusters", "silhouette", "k", "smallest"], study_table, N_SEEDS)
