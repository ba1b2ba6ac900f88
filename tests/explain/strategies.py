"""Random tables with hard names, cut into clusters by a random tree, and possible rows far from the data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from polyclust.explain.build import build_explanation
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.table.encode import fit_encoder
from polyclust.table.features import Column, Feature

HARD_NAMES = [
    "age",
    "petal length (cm)",
    "a b",
    'say "hi"',
    "it's; DROP TABLE x",
    "x AND y",
    "NOT z",
    "<script>alert(1)</script>",
    "Größe µ",
    "年齢",
    "a`b\\c",
    "p ≥ 3",
    "2·q",
    "new\nline",
    "every row",
    "",
    'colour = "red"',
    "sum − other",
    "x0",
    "-",
    "tab\tand\u202egnp",
    "{a, b}",
    "(age/50)",
    "OR",
    "100%",
    "_under_score",
    "dotted.name-1",
]
HARD_LEVELS = [
    "red",
    "blue",
    'qu"ote',
    "back\\slash",
    "a, b}",
    "NULL",
    "",
    " ",
    "<b>bold</b>",
    "x'; --",
    "AND",
    "≥ 3",
    "zwei\nZeilen",
    "grün",
]
KINDS = ("number", "integer", "boolean", "category")


def make_table(rng: np.random.Generator, n_rows: int = 60, n_columns: int = 6) -> pd.DataFrame:
    """A frame whose columns are of all kinds, each with at least two values."""
    names = rng.choice(HARD_NAMES, size=n_columns, replace=False)
    return pd.DataFrame({str(name): make_values(rng, KINDS[i % 4], n_rows) for i, name in enumerate(names)})


def make_values(rng: np.random.Generator, kind: str, n_rows: int):
    """Values of one column."""
    if kind == "number":
        scale = 10.0 ** rng.integers(-6, 7)
        values = rng.normal(size=n_rows) * scale
        values = values.round(int(rng.integers(0, 3))) if rng.random() < 0.5 else values
        values[:2] = -scale, scale
    elif kind == "integer":
        values = rng.integers(-3, int(rng.integers(3, 200)), size=n_rows)
        values[:2] = -3, 2
    elif kind == "boolean":
        values = rng.random(n_rows) < 0.5
        values[:2] = True, False
    else:
        levels = rng.choice(HARD_LEVELS, size=int(rng.integers(2, 6)), replace=False)
        values = rng.choice(levels, size=n_rows).astype(object)
        values[:2] = levels[:2]
    return values


def make_cuts(features: tuple[Feature, ...], rng: np.random.Generator) -> tuple[Feature, ...]:
    """Cuts of the numeric columns, as a binariser makes them."""
    cuts = []
    for f in features:
        if f.kind in ("number", "integer"):
            for value in sorted({round(float(v), 3) for v in rng.uniform(f.low, f.high, size=3)}):
                cuts.append(Feature(f.column, "cut", value))
    return tuple(cuts)


def pick_plane(features, raw, rows, rng, max_terms: int, above: int = 0, below: int = 1):
    """A random hyperplane between rows, or None where the direction does not part them."""
    n_terms = int(rng.integers(1, min(max_terms, len(features)) + 1))
    positions = tuple(sorted(rng.choice(len(features), size=n_terms, replace=False).tolist()))
    if n_terms == 1:
        coefficients, units = (1.0,), (1.0,)
    else:
        coefficients = tuple(float(c) for c in rng.choice([-3, -2, -1, 1, 1, 2, 3], size=n_terms))
        coefficients = (abs(coefficients[0]), *coefficients[1:])
        if rng.random() < 0.2:
            coefficients = tuple(c * float(rng.random().__round__(3) + 0.1) for c in coefficients)
        units = tuple(features[p].unit for p in positions)
    plane = Hyperplane(positions, coefficients, units, 0.0, 1.0, above, below)
    values = np.unique(plane.value(raw[rows]))
    gaps = np.flatnonzero(np.diff(values) > 1e-9 * np.abs(values).max(initial=0))
    if not len(gaps):
        return None
    at = rng.choice(gaps)
    is_whole = all(features[p].is_whole for p in positions) and all(
        u == 1 and c == int(c) for u, c in zip(units, coefficients, strict=True)
    )
    threshold = choose_threshold(float(values[at]), float(values[at + 1]), is_whole)
    scaled = [c * features[p].scale / u for p, c, u in zip(positions, coefficients, units, strict=True)]
    return Hyperplane(positions, coefficients, units, threshold, float(np.hypot.reduce(scaled)), above, below)


def grow_tree(features, raw, rng, n_clusters: int, max_terms: int):
    """Labels and one hyperplane per pair: the cut at which a random tree parts them."""
    leaves = [np.arange(len(raw))]
    planes: dict[tuple[int, int], Hyperplane] = {}
    for _ in range(50 * n_clusters):
        if len(leaves) == n_clusters:
            break
        k = int(rng.integers(len(leaves)))
        plane = pick_plane(features, raw, leaves[k], rng, max_terms)
        if plane is None:
            continue
        new = len(leaves)
        upper = plane.is_above(raw[leaves[k]])
        for (above, below), other in list(planes.items()):
            if k in (above, below):
                planes[new if above == k else above, new if below == k else below] = other
        planes[k, new] = plane
        leaves.append(leaves[k][~upper])
        leaves[k] = leaves[k][upper]
    labels = np.empty(len(raw), dtype=np.intp)
    for k, rows in enumerate(leaves):
        labels[rows] = k
    hyperplanes = tuple(
        Hyperplane(h.features, h.coefficients, h.units, h.threshold, h.norm, above, below)
        for (above, below), h in planes.items()
    )
    return labels, hyperplanes


def make_case(seed: int, n_clusters: int = 4, max_terms: int = 1, cuts: bool = False, n_rows: int = 60):
    """A table, its labels and its explanation."""
    rng = np.random.default_rng(seed)
    frame = make_table(rng, n_rows)
    columns, table = fit_encoder(frame)
    features, raw = table.features, table.raw
    if cuts:
        made = make_cuts(features, rng)
        raw = np.column_stack([raw, make_cut_values(made, features, raw)])
        features = (*features, *made)
    labels, hyperplanes = grow_tree(features, raw, rng, n_clusters, max_terms)
    return frame, labels, build_explanation(columns, features, hyperplanes, raw, labels)


def make_cut_values(cuts, features, raw):
    """What the cuts are for rows whose columns are known."""
    place = {f.column: i for i, f in enumerate(features)}
    return np.column_stack([raw[:, place[c.column]] >= c.level for c in cuts]).astype(float)


def make_possible_rows(features, rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Rows of the right types, also far outside the data: unseen levels, huge and tiny numbers."""
    raw = np.zeros((n_rows, len(features)))
    base: dict[Column, np.ndarray] = {}
    for column in dict.fromkeys(f.column for f in features):
        own = [f for f in features if f.column == column and f.kind != "cut"]
        low, high = (own[0].low, own[0].high) if own else (0.0, 100.0)
        if column.kind == "category":
            base[column] = rng.integers(-1, len(column.levels), size=n_rows)
        elif column.kind == "boolean":
            base[column] = rng.integers(0, 2, size=n_rows).astype(float)
        else:
            reach = (high - low) * 10.0 ** rng.integers(-1, 6, size=n_rows)
            values = (low + high) / 2 + reach * rng.uniform(-1, 1, size=n_rows)
            base[column] = np.round(values) if column.kind == "integer" else values
    for i, f in enumerate(features):
        if f.kind == "level":
            raw[:, i] = base[f.column] == f.column.levels.index(f.level)
        elif f.kind == "cut":
            raw[:, i] = base[f.column] >= f.level
        else:
            raw[:, i] = base[f.column]
    return raw
