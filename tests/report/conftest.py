"""A real clustering of the customers, by planes found here, so that the page is tested by itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from polyclust.demo_data import make_customers, planted_segments
from polyclust.explain.build import build_explanation
from polyclust.geometry.hyperplane import Hyperplane, place_rows
from polyclust.report import ReportSubject
from polyclust.table.encode import fit_encoder
from polyclust.table.kinds import FoundColumn


def separate(raw: np.ndarray, first: np.ndarray, second: np.ndarray, i: int, j: int) -> Hyperplane:
    """The single-feature plane that leaves the fewest rows of two groups on the wrong side."""
    best: tuple[int, int, float, bool] | None = None
    for feature in range(raw.shape[1]):
        a, b = raw[first, feature], raw[second, feature]
        for threshold in np.unique(np.concatenate([a, b]))[1:]:
            errors = int((a < threshold).sum() + (b >= threshold).sum())
            for n_wrong, is_first_above in ((errors, True), (len(a) + len(b) - errors, False)):
                if best is None or n_wrong < best[0]:
                    best = (n_wrong, feature, float(threshold), is_first_above)
    assert best is not None
    _, feature, threshold, is_first_above = best
    above, below = (i, j) if is_first_above else (j, i)
    return Hyperplane((feature,), (1.0,), (1.0,), threshold, 1.0, above, below)


def make_subject(
    table: pd.DataFrame, labels: np.ndarray, hyperplanes: list[Hyperplane] | None = None, **more: object
) -> ReportSubject:
    """A subject whose labels are those that the planes give."""
    columns, encoded = fit_encoder(table)
    n_clusters = int(labels.max()) + 1
    if hyperplanes is None:
        hyperplanes = [
            separate(encoded.raw, labels == i, labels == j, i, j) for i, j in combinations(range(n_clusters), 2)
        ]
    placed = place_rows(encoded.raw, hyperplanes, n_clusters)
    explanation = build_explanation(columns, encoded.features, hyperplanes, encoded.raw, placed)
    found = [FoundColumn(str(c), "number", True, "") for c in table.columns]
    settings: dict[str, object] = {
        "title": "Clusters of customers",
        "source": "customers.csv",
        "scores": {2: 0.48, 3: 0.61, 4: 0.65, 5: 0.64, 6: 0.6},
        "score": 0.65,
        "found": found,
        "settings": {"seed": "0"},
        "versions": {"polyclust": "0.1.0"},
        "command": "polyclust fit customers.csv",
        "date": "2026-01-01",
        "sql": explanation.to_sql("customers"),
        "python": explanation.to_python(),
    }
    return ReportSubject(
        table=table,
        labels=placed,
        scaled=encoded.scaled,
        explanation=explanation,
        **{**settings, **more},  # type: ignore[arg-type]
    )


@pytest.fixture(scope="session")
def build_subject() -> Callable[..., ReportSubject]:
    return make_subject


@pytest.fixture(scope="session")
def customers_subject() -> ReportSubject:
    table = make_customers()
    segments = planted_segments()
    order = {name: k for k, name in enumerate(segments.value_counts().index)}
    labels = segments.map(order).to_numpy(dtype=np.intp)
    return make_subject(table.drop(columns="customer_id"), labels, ids=table["customer_id"].tolist())
