"""What silhouettes are possible at all where polyclust falls short of an aim: python -m benchmarks.limits

Wingnut (protocol paper, rules of one term): every partition into two and into three boxes is scored.
Engytime (protocol practical): every half-plane is scored, whatever the coefficients of its line.
Both are complete. For more clusters single rows climb from many starts, free of any rules; that shows how high such
searches come, and proves nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numba
import numpy as np
import typer
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

from benchmarks.datasets import load
from benchmarks.markdown import render_table, show
from benchmarks.measures import list_sizes, number_labels, silhouette_reported
from benchmarks.methods import METHODS, mpc
from benchmarks.methods.icot_kernel import move_row, sum_distances
from benchmarks.problem import MOST_CLUSTERS, Floats, Labels, Problem, Task

Array = NDArray[Any]
Start = Callable[[Problem, int], Iterator[Labels]]

WINGNUT_AIM = 0.4505
ENGYTIME_AIM = 0.4452  # the highest silhouette known, .4652, less the .02 that was allowed
JITTER = 1e-9
N_KEPT = 200  # partitions into boxes that are cut once more
N_KMEANS = 10  # starts for each k
N_FASTERMSC = 3
MOST_PASSES = 200  # of one climb
FEW = 0.1  # share of the rows that a climb tries first: those of the lowest silhouette
LEAST_GAIN = 1e-10
NOTHING = -2.0  # below every silhouette
LARGEST_ERROR = 1e-9
HEADER = ("data", "clusters", "tried", "partitions scored", "best silhouette", "sizes", "aim", "reached")
FAR = 1e300  # not infinity: fastmath may assume there is none


@dataclass(frozen=True)
class Best:
    """The best of some partitions and how many they were."""

    score: float
    labels: Labels
    n_scored: int


def merge(found: Sequence[Best]) -> Best:
    """The best of all, with all partitions counted."""
    best = max(found, key=lambda one: one.score)
    return Best(best.score, best.labels, sum(one.n_scored for one in found))


# --- the silhouette from sums of distances


@numba.njit(cache=True, error_model="numpy", fastmath=True)
def score(sums: Array, sizes: Array, labels: Array, own: Array, nearest: Array) -> float:
    """The mean silhouette; sums[c, t] are the distances of row t to the rows of cluster c, and no cluster is empty.

    Fills own[t] (mean distance inside) and nearest[t] (least mean distance to another cluster). A row alone scores 0.
    """
    n_clusters, n_rows = sums.shape
    nearest[:] = FAR
    for c in range(n_clusters):
        share = 1.0 / sizes[c]
        for t in range(n_rows):
            mean = sums[c, t] * share
            nearest[t] = min(nearest[t], mean if labels[t] != c else FAR)
    total = 0.0
    for t in range(n_rows):
        k = labels[t]
        own[t] = sums[k, t] / max(sizes[k] - 1.0, 1.0)
        width = (nearest[t] - own[t]) / max(nearest[t], own[t], 1e-300)
        total += width if sizes[k] > 1 else 0.0
    return total / n_rows


# --- boxes


@numba.njit(cache=True, error_model="numpy")
def scan_cuts(distances: Array, order: Array, is_end: Array, sums: Array, sizes: Array, labels: Array) -> Any:
    """Rows go to the last cluster, empty at first, in this order; (best score, rows gone by then, partitions scored).

    is_end[p] : whether a cut can lie after position p of the order
    """
    own, nearest = np.empty(labels.size), np.empty(labels.size)
    best, n_gone, n_scored = NOTHING, 0, 0
    for p in range(is_end.size):
        move_row(distances, sums, sizes, labels, order[p], sizes.size - 1)
        if is_end[p]:
            n_scored += 1
            value = score(sums, sizes, labels, own, nearest)
            if value > best:
                best, n_gone = value, p + 1
    return best, n_gone, n_scored


def cut_box(values: Floats, distances: Floats, labels: Labels, cluster: int) -> Best:
    """The best of every cut of one cluster along one axis, the others as they are; equal values are never parted."""
    rows = np.flatnonzero(labels == cluster)
    order = rows[np.argsort(values[rows], kind="stable")]
    n_clusters = int(labels.max()) + 1
    sums, sizes = sum_distances(distances, labels, n_clusters + 1)
    is_end = np.diff(values[order]) > 0
    best, n_gone, n_scored = scan_cuts(distances, order, is_end, sums, sizes, labels.copy())
    cut = labels.copy()
    cut[order[:n_gone]] = n_clusters
    return Best(best, cut, n_scored)


def cut_boxes(matrix: Floats, distances: Floats, partitions: Iterable[Labels]) -> list[Best]:
    """The best cut along each axis of each cluster of each partition, where there is one."""
    return [
        best
        for labels in partitions
        for cluster in range(int(labels.max()) + 1)
        for values in matrix.T
        if (best := cut_box(values, distances, labels, cluster)).n_scored
    ]


def try_two_boxes(matrix: Floats, distances: Floats) -> list[Best]:
    """Every partition into two clusters that a line along an axis parts."""
    return cut_boxes(matrix, distances, [np.zeros(len(matrix), dtype=np.int64)])


def try_three_boxes(matrix: Floats, distances: Floats) -> list[Best]:
    """Every partition of the plane into three clusters of which each pair is parted by a line along an axis.

    Two cuts, one after the other, make them all. There are three pairs and two axes, so two pairs are parted along
    the same axis, and two pairs of three clusters have one in common, A. Along that axis A lies before both others,
    after both, or between them. Before or after: one cut sets A apart. Between: the first lies before A and A before
    the third, so one cut sets the first apart. Either way a line sets one cluster apart from the other two, and
    these two are parted by a line of their own. Three parallel boxes are met twice.
    """
    first_cuts = ((values >= threshold).astype(np.int64) for values in matrix.T for threshold in np.unique(values)[1:])
    return cut_boxes(matrix, distances, first_cuts)


def try_more_boxes(matrix: Floats, distances: Floats, found: list[Best]) -> list[Best]:
    """One cut more in the best of the partitions found; not complete."""
    distinct = {round(best.score, 12): best.labels for best in found}
    kept = sorted(distinct, reverse=True)[:N_KEPT]
    return cut_boxes(matrix, distances, [distinct[value] for value in kept])


# --- half-planes


@numba.njit(cache=True, error_model="numpy")
def list_swaps(points: Array) -> Any:
    """Every pair of rows and the angle in [0, π) at which a turning direction sees them side by side."""
    n_rows = points.shape[0]
    n_pairs = n_rows * (n_rows - 1) // 2
    angles, first, second = np.empty(n_pairs), np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32)
    p = 0
    for i in range(n_rows):
        for j in range(i + 1, n_rows):
            angle = np.arctan2(points[j, 0] - points[i, 0], points[i, 1] - points[j, 1])
            angles[p] = angle if angle >= 0.0 else angle + np.pi
            first[p], second[p] = i, j
            p += 1
    return angles, first, second


@numba.njit(cache=True, error_model="numpy", fastmath=True)
def score_half(low: Array, total: Array, place: Array, n_low: int) -> float:
    """The mean silhouette of the first n_low rows against the others; low[t] are the distances of t to the first."""
    n_rows = total.size
    n_high = n_rows - n_low
    share_low, share_high = 1.0 / n_low, 1.0 / n_high
    inside_low, inside_high = 1.0 / max(n_low - 1, 1), 1.0 / max(n_high - 1, 1)
    weight_low, weight_high = min(n_low - 1.0, 1.0), min(n_high - 1.0, 1.0)  # a row alone scores 0
    result = 0.0
    for t in range(n_rows):
        is_low = place[t] < n_low
        high = total[t] - low[t]
        own = low[t] * inside_low if is_low else high * inside_high
        other = high * share_high if is_low else low[t] * share_low
        result += (weight_low if is_low else weight_high) * (other - own) / max(own, other, 1e-300)
    return result / n_rows


@numba.njit(cache=True, error_model="numpy")
def lay_out(distances: Array, order: Array) -> Any:
    """low[m, t], the distances of row t to the first m rows of the order, and the place of every row in it."""
    n_rows = order.size
    low, place = np.zeros((n_rows + 1, n_rows)), np.empty(n_rows, np.int32)
    for p in range(n_rows):
        row = order[p]
        place[row] = p
        for t in range(n_rows):
            low[p + 1, t] = low[p, t] + distances[row, t]
    return low, place


@numba.njit(cache=True, error_model="numpy")
def turn(distances: Array, order: Array, first: Array, second: Array, least: int) -> Any:
    """Scores every beginning of the order, and every one that a swap of two neighbours changes.

    Returns the best score, the places of the rows then, how many of them are low, the halves scored, and how many
    swaps were not of neighbours (must be none).
    """
    n_rows = order.size
    low, place = lay_out(distances, order)
    total = low[n_rows].copy()
    best, best_place, best_n_low, n_scored, n_apart = NOTHING, place.copy(), 0, 0, 0
    for step in range(-n_rows, first.size):
        if step < 0:
            n_low = step + n_rows
        else:
            leaves, enters = first[step], second[step]
            if place[leaves] > place[enters]:
                leaves, enters = enters, leaves
            n_low = place[enters]
            n_apart += place[leaves] + 1 != n_low
            place[leaves], place[enters] = n_low, n_low - 1
            for t in range(n_rows):
                low[n_low, t] += distances[enters, t] - distances[leaves, t]
        if least <= n_low <= n_rows - least:
            n_scored += 1
            value = score_half(low[n_low], total, place, n_low)
            if value > best:
                best, best_place, best_n_low = value, place.copy(), n_low
    return best, best_place, best_n_low, n_scored, n_apart


def try_half_planes(matrix: Floats, distances: Floats, least: int, jitter: float = JITTER) -> Best:
    """Every partition of the plane by a line with at least so many rows on each side.

    A direction turns by half a circle. The order of the rows along it changes only when it sees two of them side by
    side, and every half-plane is a beginning or an end of some order. Each coordinate is moved by at most the jitter
    first, so that no three rows lie on one line and every change is a swap of neighbours. A partition whose two sides
    are less than three times the jitter apart may be missed for this reason; it differs from one that was scored in
    rows on the border only. The distances are those of the rows where they are.
    """
    points = matrix + np.random.default_rng(0).uniform(-jitter, jitter, matrix.shape)
    angles, first, second = list_swaps(points)
    turns = np.argsort(angles, kind="stable")
    order = np.argsort(points[:, 0])
    best, place, n_low, n_scored, n_apart = turn(distances, order, first[turns], second[turns], least)
    if n_apart:
        raise RuntimeError(f"{n_apart} swaps were not of neighbours, so some half-planes were missed; try more jitter.")
    return Best(best, (place < n_low).astype(np.int64), n_scored)


# --- partitions without rules


@numba.njit(cache=True, error_model="numpy")
def try_moves(distances: Array, rows: Array, sums: Array, sizes: Array, labels: Array, least: int, best: float) -> Any:
    """Moves each of the rows to the nearest other cluster if the silhouette rises; (score, partitions scored)."""
    own, nearest = np.empty(labels.size), np.empty(labels.size)
    n_scored = 0
    for row in rows:
        source = labels[row]
        if sizes[source] <= least:
            continue
        target, nearest_mean = -1, np.inf
        for c in range(sizes.size):
            if c != source and sums[c, row] / sizes[c] < nearest_mean:
                target, nearest_mean = c, sums[c, row] / sizes[c]
        move_row(distances, sums, sizes, labels, row, target)
        n_scored += 1
        value = score(sums, sizes, labels, own, nearest)
        if value > best + LEAST_GAIN:
            best = value
        else:
            move_row(distances, sums, sizes, labels, row, source)
    return best, n_scored


def climb(distances: Floats, start: Labels, least: int) -> Best:
    """Single rows move as long as the silhouette rises and no cluster falls below the least size.

    A pass tries the rows of the lowest silhouette. When that changes nothing it tries all, and when that changes
    nothing the climb is over.
    """
    labels = number_labels(start).astype(np.int64)
    own, nearest = np.empty(len(labels)), np.empty(len(labels))
    best, n_scored, n_few = NOTHING, 0, int(FEW * len(labels))
    n_tried = n_few
    for _ in range(MOST_PASSES):
        sums, sizes = sum_distances(distances, labels, labels.max() + 1)
        before = score(sums, sizes, labels, own, nearest)
        rows = np.argsort((nearest - own) / np.maximum(np.maximum(nearest, own), 1e-300), kind="stable")
        best, n_more = try_moves(distances, rows[:n_tried], sums, sizes, labels, least, before)
        n_scored += n_more
        if best == before and n_tried == len(labels):
            break
        n_tried = len(labels) if best == before else n_few
    return Best(best, labels, n_scored)


def start_kmeans(problem: Problem, k: int) -> Iterator[Labels]:
    for seed in range(N_KMEANS):
        yield KMeans(k, n_init=1, random_state=seed).fit_predict(problem.matrix)


def start_fastermsc(problem: Problem, k: int) -> Iterator[Labels]:
    """None where the package is absent; main says so."""
    if METHODS["fastermsc"].reason_to_skip:
        return
    import kmedoids

    distances = Task(problem).distances
    for seed in range(N_FASTERMSC):
        yield np.asarray(kmedoids.fastermsc(distances, k, random_state=seed).labels, dtype=np.int64)


def start_outliers(problem: Problem, k: int) -> Iterator[Labels]:
    """Some small clusters of the rows that are farthest from all others, dealt out at random; k-means parts the rest.

    Such clusters surround the others, so hardly any row is near them: what a silhouette without rules likes.
    """
    order = np.argsort(-Task(problem).distances.mean(axis=1), kind="stable")
    for n_large in sorted({1, min(2, k - 1), k - 1}):
        for size in (max(problem.min_size, 2), 3 * max(problem.min_size, 2)):
            n_far = size * (k - n_large)
            labels = np.empty(problem.n_rows, dtype=np.int64)
            labels[order[:n_far]] = n_large + np.random.default_rng(0).permutation(n_far) % (k - n_large)
            labels[order[n_far:]] = KMeans(n_large, n_init=1, random_state=0).fit_predict(problem.matrix[order[n_far:]])
            yield labels


def start_polyclust(problem: Problem, k: int, family: Mapping[str, Any]) -> Iterator[Labels]:
    for proposal in mpc.propose(Task(problem), family, n_clusters=k):
        yield proposal.labels


def list_starts(family: Mapping[str, Any]) -> dict[str, Start]:
    """By their names in the table."""
    return {
        "k-means": start_kmeans,
        "FasterMSC": start_fastermsc,
        "outliers": start_outliers,
        "polyclust": partial(start_polyclust, family=family),
    }


def climb_from_all(problem: Problem, distances: Floats, k: int, starts: Mapping[str, Start]) -> tuple[str, Best]:
    """The best climb that ended in clusters of the least size, and the name of its start."""
    allowed = {}
    for name, start in starts.items():
        climbed = [climb(distances, labels, problem.min_size) for labels in start(problem, k)]
        climbed = [best for best in climbed if problem.allows(best.labels)]
        if climbed:
            allowed[name] = merge(climbed)
    return max(allowed, key=lambda name: allowed[name].score), merge(list(allowed.values()))


# --- the studies


def score_plainly(problem: Problem, labels: Labels) -> Best:
    """One partition by scikit-learn."""
    return Best(silhouette_reported(problem.matrix, labels), labels, 1)


def show_row(problem: Problem, tried: str, best: Best, aim: float) -> str:
    """A row of the table; its silhouette is scikit-learn's, which the kernels' must equal."""
    silhouette = silhouette_reported(problem.matrix, best.labels)
    if abs(silhouette - best.score) > LARGEST_ERROR:
        raise RuntimeError(f"{tried} gave {best.score!r}, but scikit-learn's silhouette is {silhouette!r}.")
    sizes = list_sizes(best.labels)
    columns = [problem.name, str(len(sizes)), tried, f"{best.n_scored:,}".replace(",", " "), show(silhouette)]
    columns += ["/".join(map(str, sizes)), show(aim), "yes" if silhouette >= aim else "no"]
    return f"| {' | '.join(columns)} |"


def study_boxes(problem: Problem, distances: Floats, aim: float) -> Iterator[str]:
    """Two and three boxes completely; of more the best that cuts of the best and MPC-1 itself find."""
    yield show_row(problem, "boxes, all", merge(try_two_boxes(problem.matrix, distances)), aim)
    found = try_three_boxes(problem.matrix, distances)
    yield show_row(problem, "boxes, all", merge(found), aim)
    for k in range(4, MOST_CLUSTERS + 1):
        found = try_more_boxes(problem.matrix, distances, found)
        own = [score_plainly(problem, labels) for labels in start_polyclust(problem, k, mpc.AXIS)]
        yield show_row(problem, "boxes, some", merge([*found, *own]), aim)


def study_climbs(problem: Problem, distances: Floats, starts: Mapping[str, Start], aim: float) -> Iterator[str]:
    for k in range(2, MOST_CLUSTERS + 1):
        winner, best = climb_from_all(problem, distances, k, starts)
        yield show_row(problem, f"no rules, from {winner}", best, aim)


def study_wingnut(folder: Path | None) -> Iterator[str]:
    problem = load("wingnut", "paper", folder)
    distances = pairwise_distances(problem.matrix)
    yield from study_boxes(problem, distances, WINGNUT_AIM)
    yield from study_climbs(problem, distances, list_starts(mpc.AXIS), WINGNUT_AIM)


def study_engytime(folder: Path | None) -> Iterator[str]:
    problem = load("engytime", "practical", folder)
    distances = pairwise_distances(problem.matrix)
    halves = try_half_planes(problem.matrix, distances, problem.min_size)
    yield show_row(problem, "half-planes, all", halves, ENGYTIME_AIM)
    yield from study_climbs(problem, distances, list_starts(mpc.SPARSE), ENGYTIME_AIM)


def main(data: Annotated[Path | None, typer.Option(help="folder of the data sets")] = None) -> None:
    """Run all studies on one thread and print a row for each."""
    start = time.perf_counter()
    if reason := METHODS["fastermsc"].reason_to_skip:
        print(f"No starts from FasterMSC: {reason}.\n")
    print(render_table(HEADER, []), end="")
    with threadpool_limits(1):
        for study in (study_wingnut, study_engytime):
            for row in study(data):
                print(row, flush=True)
    print(f"\n{(time.perf_counter() - start) / 60:.1f} minutes")


if __name__ == "__main__":
    typer.run(main)
