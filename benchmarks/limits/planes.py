"""How much of what two-term rules lose to k-means on noisy blobs is the family's? python -m benchmarks.limits.planes

The ninth cluster of k-means is noise around eight blobs. Two searches look for planes of two terms that follow it,
with more time than MPC-2 takes. One has planes between the noise and each other cluster only: what is scored is about
the most that rules with those planes could have. The other has a plane for every pair of clusters, and rows that lie in
no polytope are fined until hardly any are left. The planes are the best of some searches, not of all there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from benchmarks.limits.half_spaces import Finder, HalfSpace
from benchmarks.limits.noise import LEAST_SHARE, Mask, weigh_fates
from benchmarks.limits.printing import print_study
from benchmarks.markdown import show
from benchmarks.measures import list_sizes, silhouette_of_distances
from benchmarks.problem import Floats, Labels
from benchmarks.speed.cases import Case, Input
from benchmarks.speed.contestants import SETTINGS, SPARSE, fit_polyclust

N_ROWS = 10_000
N_SEEDS = 3
FACE_PRICES = (-0.1, 0.0, 0.1, 0.2) * 5  # what a row is given for being noise, in each series of searches
N_SERIES = 3  # searches, each with the fates of the labels that the one before found
PAIR_PRICES = (0.0, 0.2)
N_FINED = 20  # rounds of planes for every pair, each with higher fines
FIRST_SWEEPS, N_SWEEPS = 12, 3  # over all pairs, in the first round and in the others
FIRST_FINE, HIGHER = 0.5, 2.0
MOST_LEFT = 0.001  # share of the rows that may lie in no polytope
LEAST_GAIN = 1e-9
HEADER = ["table", "rows", "k-means, 8", "k-means, 9", "faces only", "every pair", "left over", SPARSE]

Planes = dict[tuple[int, int], HalfSpace]  # around the first of two clusters


@dataclass(frozen=True)
class Rows:
    """Scaled rows and their distances."""

    values: Floats
    distances: Floats

    @classmethod
    def measure(cls, values: Floats) -> Rows:
        """With distances of single precision."""
        return cls(values, cdist(values, values).astype(np.float32))

    def score(self, labels: Labels) -> float:
        """The exact silhouette."""
        return silhouette_of_distances(self.distances, labels)


@dataclass(frozen=True)
class Table:
    """Noisy blobs of the speed study: rows that planes are sought for, and as many fresh ones."""

    given: Input
    fresh: Floats

    @classmethod
    def make(cls, seed: int) -> Table:
        """The first and the second half of a table twice as long."""
        case = Case("noise", 2 * N_ROWS, seed=seed)
        raw = case.make().raw
        return cls(Input(replace(case, n_rows=N_ROWS), raw[:N_ROWS]), raw[N_ROWS:])

    def measure(self) -> tuple[Rows, Rows]:
        """Both in the units of the given rows."""
        low, high = self.given.raw.min(axis=0), self.given.raw.max(axis=0)
        return Rows.measure(self.given.scaled), Rows.measure((self.fresh - low) / (high - low))


def place(fates: Floats, is_allowed: Mask) -> Labels:
    """The best cluster that a row is allowed in; the best of all where it is allowed in none."""
    is_left = ~is_allowed.any(axis=1, keepdims=True)
    return np.asarray(np.where(is_allowed | is_left, fates, -np.inf).argmax(axis=1))


def settle(rows: Rows, is_allowed: Mask, labels: Labels) -> Labels:
    """Allowed labels by the fates that rows have with these, and so on as long as the silhouette rises."""
    best, found = -np.inf, labels
    while is_full(labels, is_allowed.shape[1]):
        labels = place(weigh_fates(rows.distances, labels), is_allowed)
        score = rows.score(labels)
        if score <= best + LEAST_GAIN:
            break
        best, found = score, labels
    return found


def is_full(labels: Labels, n_clusters: int) -> bool:
    """Whether every cluster has two rows, so that there are fates."""
    return bool(np.bincount(labels, minlength=n_clusters).min() > 1)


def part(finder: Finder, fates: Floats, first: int, second: int) -> HalfSpace:
    """Around the first of two clusters, by the rows that are worth most in one of them."""
    best = fates.argmax(axis=1)
    gains = np.where((best == first) | (best == second), fates[:, first] - fates[:, second], 0.0)
    return finder.find(gains) or HalfSpace(finder.directions[0], np.inf, is_below=True)


def is_better(new: HalfSpace, old: HalfSpace, rows: Floats, gains: Floats) -> bool:
    """Whether the rows in the new half-space gain more than those in the old one."""
    return bool(gains[new.holds(rows)].sum() > gains[old.holds(rows)].sum() + LEAST_GAIN)


# --- planes between the noise, the last cluster, and each other one


def allow_by_faces(is_held: Mask) -> Mask:
    """Every cluster whose half-space holds the row, or the noise where none does."""
    return np.column_stack([is_held, ~is_held.any(axis=1)])


def hold(faces: list[HalfSpace], values: Floats) -> Mask:
    """Which of the half-spaces hold each row."""
    return np.column_stack([face.holds(values) for face in faces])


def improve_faces(
    finder: Finder, fates: Floats, faces: list[HalfSpace], random: np.random.Generator
) -> list[HalfSpace]:
    """Faces in turn, each the best given the others, until none gets better."""
    faces, is_held = list(faces), hold(faces, finder.rows)
    is_new = True
    while is_new:
        is_new = False
        for cluster in random.permutation(len(faces)):
            gains = gain_by_face(fates, is_held, cluster)
            found = finder.find(gains)
            if found is not None and is_better(found, faces[cluster], finder.rows, gains):
                faces[cluster], is_new = found, True
                is_held[:, cluster] = found.holds(finder.rows)
    return faces


def gain_by_face(fates: Floats, is_held: Mask, cluster: int) -> Floats:
    """What each row gains when the half-space of this cluster holds it, the others as they are."""
    worth = []
    for is_in in (True, False):
        changed = is_held.copy()
        changed[:, cluster] = is_in
        worth.append(np.where(allow_by_faces(changed), fates, -np.inf).max(axis=1))
    return np.asarray(worth[0] - worth[1])


def search_faces(rows: Rows, finder: Finder, start: Labels, random: np.random.Generator) -> list[HalfSpace]:
    """The best faces of many searches, each of which begins with random weights of the rows."""
    noise, found = int(start.max()), []
    for price in FACE_PRICES:
        labels = start
        for _ in range(N_SERIES):
            fates = weigh_fates(rows.distances, labels)
            priced = raise_last(fates, price)
            weighted = priced * random.exponential(size=(len(fates), 1)) ** 2
            faces = [part(finder, weighted, cluster, noise) for cluster in range(noise)]
            faces = improve_faces(finder, priced, faces, random)
            labels = place(fates, allow_by_faces(hold(faces, rows.values)))
            found.append((rows.score(labels), faces))
            if not is_full(labels, noise + 1):
                break
    return max(found, key=lambda one: one[0])[1]


def raise_last(fates: Floats, price: float) -> Floats:
    """Fates with so much more for being in the last cluster, the noise."""
    raised = fates.copy()
    raised[:, -1] += price
    return raised


# --- planes for every pair of clusters


def count_wrong(planes: Planes, values: Floats, n_clusters: int) -> Labels:
    """(n, K): on the wrong side of how many planes of a cluster a row lies."""
    n_wrong = np.zeros((len(values), n_clusters), dtype=np.int16)
    for (i, j), plane in planes.items():
        is_first = plane.holds(values)
        n_wrong[:, i] += ~is_first
        n_wrong[:, j] += is_first
    return n_wrong


class Arrangement:
    """Planes for every pair that are improved one at a time."""

    def __init__(self, finder: Finder, fates: Floats, faces: list[HalfSpace], random: np.random.Generator) -> None:
        self.finder = finder
        self.random = random
        pairs = combinations(range(len(faces) + 1), 2)
        self.planes = {(i, j): faces[i] if j == len(faces) else part(finder, fates, i, j) for i, j in pairs}
        self.n_wrong = count_wrong(self.planes, finder.rows, len(faces) + 1)

    @property
    def is_in(self) -> Mask:
        """(n, K): which polytope holds each row. None holds a row that another holds."""
        return np.asarray(self.n_wrong == 0)

    def improve(self, fates: Floats, fines: Floats, n_sweeps: int) -> None:
        """Planes in turn, each the best given the others; a row in no polytope is worth its worst less a fine."""
        worst = fates.min(axis=1) - fines
        pairs = list(self.planes)
        for _ in range(n_sweeps):
            order = self.random.permutation(len(pairs))
            n_better = sum(self._improve_one(pairs[p], fates, worst) for p in order)
            if not n_better:
                break

    def _improve_one(self, pair: tuple[int, int], fates: Floats, worst: Floats) -> bool:
        """Whether the pair has a better plane now."""
        i, j = pair
        rows, plane = self.finder.rows, self.planes[pair]
        was_first = plane.holds(rows)
        as_first = np.where(self.n_wrong[:, i] == ~was_first, fates[:, i], worst)
        as_second = np.where(self.n_wrong[:, j] == was_first, fates[:, j], worst)
        gains = as_first - as_second
        found = self.finder.find(gains)
        if found is None or not is_better(found, plane, rows, gains):
            return False
        is_first = found.holds(rows)
        self.planes[pair] = found
        self.n_wrong[:, i] += was_first.astype(np.int16) - is_first
        self.n_wrong[:, j] += is_first.astype(np.int16) - was_first
        return True


def search_planes(
    rows: Rows, finder: Finder, start: Labels, faces: list[HalfSpace], random: np.random.Generator
) -> Planes:
    """Of all rounds: few rows left over, then noise enough, then the best silhouette; else the fewest left over."""
    noise, found = int(start.max()), []
    for price in PAIR_PRICES:
        labels, fines = start, np.full(len(start), FIRST_FINE)
        arrangement = Arrangement(finder, weigh_fates(rows.distances, start), faces, random)
        for n_before in range(N_FINED):
            fates = weigh_fates(rows.distances, labels)
            arrangement.improve(raise_last(fates, price), fines, N_SWEEPS if n_before else FIRST_SWEEPS)
            is_left = ~arrangement.is_in.any(axis=1)
            labels = place(fates, arrangement.is_in)
            too_many = max(float(is_left.mean()), MOST_LEFT)
            is_enough = bool((labels == noise).mean() >= LEAST_SHARE)
            found.append(((-too_many, is_enough, rows.score(labels)), dict(arrangement.planes)))
            if not is_left.any() or not is_full(labels, noise + 1):
                break
            fines[is_left] *= HIGHER
    return max(found, key=lambda one: one[0])[1]


# --- the table


def study_table(seed: int) -> list[list[str]]:
    """All of them on the rows they were found on, and the same centres, planes and rules on fresh rows."""
    table = Table.make(seed)
    both = table.measure()
    rows = both[0]
    random = np.random.default_rng(seed)
    means = {k: KMeans(k, n_init=10, random_state=0).fit(rows.values) for k in (8, 9)}
    model = fit_polyclust(table.given, **SETTINGS[SPARSE])
    place_of = np.argsort(np.argsort(-np.bincount(means[9].labels_)))  # the noise, the smallest, last
    start = place_of[means[9].labels_]
    finder = Finder(rows.values)
    faces = search_faces(rows, finder, start, random)
    planes = search_planes(rows, finder, start, faces, random)
    shown = []
    for name, some, raw in zip(("found on", "fresh"), both, (table.given.raw, table.fresh), strict=True):
        nearest = place_of[means[9].predict(some.values)]
        is_in = count_wrong(planes, some.values, len(place_of)) == 0
        found = [
            means[8].predict(some.values),
            nearest,
            settle(some, allow_by_faces(hold(faces, some.values)), nearest),
            settle(some, is_in, nearest),
            model.predict(raw),
        ]
        cells = [_show(some, labels) for labels in found]
        cells.insert(4, f"{int((~is_in.any(axis=1)).sum())}")
        shown.append([str(seed), name, *cells])
    return shown


def _show(rows: Rows, labels: Labels) -> str:
    """The silhouette and the rows of the smallest cluster."""
    return f"{show(rows.score(labels)).lstrip('0')} ({min(list_sizes(labels))})"


if __name__ == "__main__":
    print_study(HEADER, study_table, N_SEEDS)
