"""The study of orders: trees grown in any order part the clusters of k-means within the bounds."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.limits.orders import HEADER, Study, study_table
from sklearn.metrics import silhouette_score


def make_study(limits, n_each=50):
    """Three round clouds in a corner each, and noise around them."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.2, 0.2], [0.8, 0.2], [0.5, 0.8]])
    clouds = np.repeat(centres, n_each, axis=0) + rng.normal(0, 0.03, (3 * n_each, 2))
    rows = np.vstack([clouds, rng.uniform(0, 1, (20, 2))])
    return Study.make(rows, np.repeat([0, 1, 2, 3], [n_each, n_each, n_each, 20]), limits), rows


@pytest.mark.parametrize("limits", [(1, 1), (2, 3)])
def test_what_is_reported_of_a_tree_is_its_silhouette(limits):
    study, rows = make_study(limits)
    found = list(study.try_orders(4, np.random.default_rng(0)))
    assert len(found) == 4
    scores = [study.score(labels) for labels in found]
    known = [score for score in scores if score is not None]
    assert known
    for labels, score in zip(found, scores, strict=True):
        if score is not None:
            assert score == pytest.approx(silhouette_score(rows, labels), abs=1e-5)
    assert study.score(np.zeros(len(rows), dtype=np.intp)) is None


def test_a_table_has_a_row_for_each_family():
    rows = list(study_table(0, n_rows=300, n_orders=2))
    assert [row[1] for row in rows] == ["one term", "two terms"]
    assert {len(row) for row in rows} == {len(HEADER)}
