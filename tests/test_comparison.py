"""The usual methods beside this one: what is measured of them is measured where they were run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from polyclust import explain_labels
from polyclust.comparison import METHODS, compare_methods, find_most_clusters


def test_fidelity_is_that_of_rules_in_the_space_that_was_clustered():
    """A row far away makes the range of its column say little about distances."""
    rows = np.vstack([np.random.default_rng(9).normal(size=(60, 2)), [30.0, 0.0]])
    table = pd.DataFrame(rows, columns=["a", "b"])
    labels = KMeans(4, n_init=10, random_state=0).fit_predict(rows)
    as_they_are, by_range = (explain_labels(table, labels, scale=s).fidelity for s in ("none", "minmax"))
    assert as_they_are != by_range
    trial = next(t for t in compare_methods(table, 4, scale="none") if t.n_clusters == 4)
    assert (trial.method, trial.fidelity) == ("k-means", as_they_are)


@pytest.mark.parametrize(("min_size", "most"), [(0.02, 6), (0.4, 2), (0.3, 3), (4, 5), (10, 2)])
def test_no_more_clusters_are_tried_than_can_have_the_minimum_size(min_size, most):
    assert find_most_clusters(20, 6, min_size) == most
    table = pd.DataFrame({"x": np.arange(20.0)})
    trials = list(compare_methods(table, 6, min_size=min_size))
    assert len(trials) == len(METHODS) * (most - 1)
    assert find_most_clusters(4, 6, 1) == 3
