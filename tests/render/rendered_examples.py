"""Explanations that the renderings are tested with, and golden files to compare with."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from polyclust.explain.build import build_explanation
from polyclust.explain.explanation import Explanation
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.table.encode import fit_encoder

GOLDEN = Path(__file__).parent.parent / "golden"

PEOPLE = pd.DataFrame(
    {
        "age": [18.5, 22.0, 25.5, 31.0, 44.0, 47.5, 52.0, 61.0, 66.5, 71.0],
        "smoker": [True, True, False, True, False, True, False, False, True, False],
        "children": [0, 1, 0, 2, 3, 1, 2, 0, 4, 2],
        "home town": ["Graz", "Wien", "Linz", "Graz", "Wien", "Wien", "Graz", "Linz", "Linz", "Graz"],
        "<script>alert('x')</script> & $5_{a}%|`": [1.0, 2.0, 3.5, 2.5, 1.5, 3.0, 2.0, 1.0, 2.5, 3.5],
    }
)
LABELS = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 3])


def explain_people(**options) -> Explanation:
    """Four clusters with every kind of clause; the labels of one row do not follow the rules."""
    columns, table = fit_encoder(PEOPLE)
    place = {f.name: i for i, f in enumerate(table.features)}
    odd = place[columns[4].name]

    def plane(terms, threshold, above, below):
        features = tuple(place[name] if isinstance(name, str) else name for name in terms)
        units = (1.0,) if len(terms) == 1 else tuple(table.features[f].unit for f in features)
        coefficients = tuple(terms.values())
        parts = [c * table.features[f].scale / u for f, c, u in zip(features, coefficients, units, strict=True)]
        norm = float(np.hypot.reduce(parts))
        return Hyperplane(features, coefficients, units, threshold, norm, above, below)

    planes = [
        plane({"age": 1.0}, 40.0, 1, 0),
        plane({"age": 1.0}, 40.0, 2, 0),
        plane({"age": 1.0}, 40.0, 3, 0),
        plane({"age": 2.0, "smoker": 3.0}, 1.9, 2, 1),
        plane({'home town = "Wien"': 1.0}, 1.0, 1, 3),
        plane({odd: 1.0}, 3.25, 3, 2),
    ]
    return build_explanation(columns, table.features, planes, table.raw, LABELS, minimum_size=1, **options)


def explain_one() -> Explanation:
    """One cluster, no clause."""
    columns, table = fit_encoder(PEOPLE[["age"]])
    return build_explanation(columns, table.features, [], table.raw, np.zeros(10, dtype=int))


def explain_minimal() -> Explanation:
    """Rules for reading only."""
    return replace(explain_people(), advice=("max_terms=2 would help.",)).minimal(PEOPLE)


def check_golden(name: str, text: str) -> None:
    """Compare with the stored rendering; POLYCLUST_WRITE_GOLDEN=1 stores it anew."""
    path = GOLDEN / name
    if os.environ.get("POLYCLUST_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
