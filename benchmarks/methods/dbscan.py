"""DBSCAN over a grid of radii; outliers join the majority of their nearest labelled rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.cluster import DBSCAN

from benchmarks.methods.method import Method
from benchmarks.problem import MOST_CLUSTERS, Floats, Labels, Proposal, Task

RADII = np.linspace(0.1, 5.0, 100)
N_NEIGHBOURS = 5


def propose(task: Task) -> Iterator[Proposal]:
    """One proposal per radius with 2 to 10 clusters, until one cluster holds every row."""
    n_runs = 0
    for radius in RADII:
        if task.clock.has_run_out():
            return
        labels = DBSCAN(eps=radius, metric="precomputed").fit_predict(task.distances)
        n_runs += 1
        n_clusters = labels.max() + 1
        if n_clusters == 1 and labels.min() == 0:
            return
        if 2 <= n_clusters <= MOST_CLUSTERS:
            yield Proposal(adopt_outliers(task.distances, labels), n_runs)
            n_runs = 0


def adopt_outliers(distances: Floats, labels: Labels) -> Labels:
    """Give each outlier the commonest label of its nearest labelled rows; ties go to the nearer one."""
    labelled = np.flatnonzero(labels >= 0)
    adopted = labels.copy()
    for row in np.flatnonzero(labels < 0):
        nearest = labelled[np.argsort(distances[row, labelled], kind="stable")[:N_NEIGHBOURS]]
        votes = np.bincount(labels[nearest])
        is_winner = votes[labels[nearest]] == votes.max()
        adopted[row] = labels[nearest][is_winner.argmax()]
    return adopted


METHODS = (Method("dbscan", "DBSCAN", "plain", propose),)
