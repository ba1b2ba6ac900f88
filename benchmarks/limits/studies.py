"""The studies of Wingnut and Engytime, as rows of one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sklearn.metrics import pairwise_distances

from benchmarks.datasets import load
from benchmarks.limits.best import Best, merge
from benchmarks.limits.boxes import try_more_boxes, try_parting_equals, try_three_boxes, try_two_boxes
from benchmarks.limits.climbs import Start, climb_from_all, list_starts, start_polyclust
from benchmarks.limits.half_planes import try_half_planes
from benchmarks.markdown import show
from benchmarks.measures import list_sizes, silhouette_reported
from benchmarks.methods import mpc
from benchmarks.problem import MOST_CLUSTERS, Floats, Labels, Problem

WINGNUT_AIM = 0.4505
ENGYTIME_AIM = 0.4452  # the highest silhouette known, .4652, less the .02 that was allowed
LARGEST_ERROR = 1e-9
HALF_A_DIGIT = 5e-5  # aims have four digits
HEADER = ("data", "clusters", "tried", "partitions scored", "best silhouette", "sizes", "aim", "reached")


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
    columns += ["/".join(map(str, sizes)), show(aim), "yes" if silhouette >= aim - HALF_A_DIGIT else "no"]
    return f"| {' | '.join(columns)} |"


def study_boxes(problem: Problem, distances: Floats, aim: float) -> Iterator[str]:
    """Two and three boxes completely; of more the best that cuts of the best and MPC-1 itself find.

    Between them what two clusters would have if a cut could part rows of the same value.
    """
    yield show_row(problem, "boxes, all", merge(try_two_boxes(problem.matrix, distances)), aim)
    yield show_row(problem, "no rules, cuts part equals", merge(try_parting_equals(problem.matrix, distances)), aim)
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
