"""The encoder: from the user's table to raw features (for gaps and rules) and scaled ones (for distances)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.errors import warn_user
from polyclust.table.columns import RawTable, describe_columns, open_table, plain_value, refuse_missing
from polyclust.table.features import Column, Feature
from polyclust.table.unseen import UnseenLevels

Floats = NDArray[np.float64]

__all__ = [
    "SCALES",
    "UNITS",
    "EncodedTable",
    "Spans",
    "encode_rows",
    "fit_encoder",
    "list_features",
    "measure_spans",
    "pick_features",
    "round_number_near",
    "scale_features",
    "warn_constant",
]

SCALES = ("minmax", "standard", "none")
UNITS = ("round", "range", "none")
SPANS = 1e-100, 1e100  # least and greatest of a column: their squares, and sums of these, are numbers too
SPANS_UNSCALED = 1e-30, 1e30  # the same for distances as they are, in float32


@dataclass(frozen=True)
class EncodedTable:
    """Features beside their raw values; the scaled values are made on demand and nothing is ever inverted."""

    features: tuple[Feature, ...]
    raw: Floats

    @property
    def scaled(self) -> Floats:
        """The clustering space: (raw - offset) / scale."""
        offset = np.array([f.offset for f in self.features])
        scale = np.array([f.scale for f in self.features])
        return np.asarray((self.raw - offset) / scale, dtype=np.float64)


@dataclass(frozen=True)
class Spans:
    """How features spread over the rows that count: their weight, least and greatest values, mean and variance."""

    weight: float
    low: Floats
    high: Floats
    mean: Floats
    variance: Floats


def measure_spans(raw: Floats, weights: Floats | None, with_moments: bool) -> Spans:
    """Spans of all features; without moments mean and variance are NaN."""
    is_every = weights is None or bool((weights > 0).all())
    counted = raw if is_every else raw[weights > 0]  # type: ignore[operator]
    kept = weights if is_every else weights[weights > 0]  # type: ignore[index,operator]
    weight = float(len(raw)) if kept is None else float(kept.sum())
    nothing = np.full(raw.shape[1], np.nan)
    mean, variance = nothing, nothing
    low, high = counted.min(axis=0, initial=np.inf), counted.max(axis=0, initial=-np.inf)
    if with_moments and len(counted):
        with np.errstate(over="ignore", invalid="ignore"):  # spans of that size are refused
            above = counted - low  # far from zero sums round by more than values differ, and otherwise in another order
            ahead = np.average(above, axis=0, weights=kept)
            mean, variance = low + ahead, np.average((above - ahead) ** 2, axis=0, weights=kept)
    return Spans(weight, low, high, mean, variance)


def fit_encoder(
    X: Any, *, scale: str = "minmax", units: str = "round", sample_weight: Floats | None = None
) -> tuple[tuple[Column, ...], EncodedTable]:
    """Describe the table's columns and encode it. Constant columns are left out with a warning."""
    table = open_table(X)
    columns = describe_columns(table)
    if not columns:
        raise ValueError("The table has no column; give at least one of numbers, booleans or categories.")
    raw = _encode(table, columns, range(len(columns)))
    spans = measure_spans(raw, sample_weight, with_moments=scale == "standard")
    features, keep = scale_features(list_features(columns), spans, scale, units)
    warn_constant(columns, features)
    return columns, EncodedTable(features, raw if keep.all() else raw[:, keep])


def scale_features(
    features: Sequence[Feature], spans: Spans, scale: str, units: str
) -> tuple[tuple[Feature, ...], NDArray[np.bool_]]:
    """The features that vary, with offset, scale and unit, and which they are."""
    keep = spans.low < spans.high
    if not keep.any():
        raise ValueError("All rows are identical; there is nothing to cluster.")
    with np.errstate(over="ignore"):
        widths = spans.high - spans.low
    _refuse_spans([f for f, k in zip(features, keep, strict=True) if k], widths[keep], scale)
    is_standard = scale == "standard"
    center = spans.mean if is_standard else spans.low
    spread = np.sqrt(spans.variance) if is_standard else widths
    measured = []
    for position in np.flatnonzero(keep).tolist():
        f = features[position]
        is_scaled = scale != "none" and not f.is_binary
        low, high = float(spans.low[position]), float(spans.high[position])
        measured.append(
            replace(
                f,
                offset=float(center[position]) if is_scaled else 0.0,
                scale=float(spread[position]) if is_scaled else 1.0,
                unit=_unit(f, high - low, units),
                low=low,
                high=high,
            )
        )
    return tuple(measured), keep


def _refuse_spans(features: Sequence[Feature], widths: Floats, scale: str) -> None:
    """Raise ValueError for numbers so near or far from each other that floating point loses their distances."""
    least, greatest = SPANS_UNSCALED if scale == "none" else SPANS
    is_wrong = widths > greatest
    if scale != "none" or widths.max() < least:  # unscaled, a column may be negligible beside others
        is_wrong |= widths < least
    if not is_wrong.any():
        return
    at = int(np.argmax(is_wrong))
    is_wide = widths[at] > greatest
    with_scale = ' with scale="none"' if scale == "none" else ""
    raise ValueError(
        f"Column {features[at].column.name!r} spans {'more' if is_wide else 'less'} than "
        f"{greatest if is_wide else least:g}, too {'much' if is_wide else 'little'} for distances{with_scale}; "
        f"{'divide' if is_wide else 'multiply'} it by a power of ten, or leave it out."
    )


def encode_rows(
    X: Any, columns: Sequence[Column], features: Sequence[Feature], unseen: UnseenLevels | None = None
) -> Floats:
    """The raw values of known features for other rows, in the order of ``features``.

    Frames are read by column label, arrays by position. A level not seen at fit gives zeros and a warning; with
    ``unseen``, which collects them, no warning.
    """
    table = open_table(X)
    positions = _locate(table, columns)
    needed = {f.column.label for f in features}
    used = [c for c in columns if c.label in needed]
    found = UnseenLevels() if unseen is None else unseen
    raw = _encode(table, used, [positions[c.label] for c in used], found)
    if unseen is None:
        found.warn()
    return pick_features(raw, list_features(used), features)


def pick_features(raw: Floats, present: Sequence[Feature], wanted: Sequence[Feature]) -> Floats:
    """The values of some features from those of the columns as they are; cuts are made here."""
    place = {(f.column.label, f.level): i for i, f in enumerate(present)}
    pick = [place[f.column.label, None if f.kind == "cut" else f.level] for f in wanted]
    is_same = pick == list(range(raw.shape[1]))
    picked = raw if is_same else raw[:, pick]
    cuts = [i for i, f in enumerate(wanted) if f.kind == "cut"]
    if cuts:
        picked = picked.copy() if is_same else picked
        for i in cuts:
            picked[:, i] = picked[:, i] >= float(wanted[i].level)  # type: ignore[arg-type]
    return picked


def list_features(columns: Sequence[Column]) -> tuple[Feature, ...]:
    """One feature per numeric or boolean column, one per level of a category."""
    features: list[Feature] = []
    for column in columns:
        if column.kind == "category":
            features += [Feature(column, "level", level) for level in column.levels]
        else:
            features.append(Feature(column, column.kind))
    return tuple(features)


def round_number_near(value: float) -> float:
    """The number 1, 2 or 5 x 10^k nearest to a positive value on the log scale."""
    exponent = math.floor(math.log10(value))
    candidates = [float(f"{m}e{exponent + e}") for e in (0, 1) for m in (1, 2, 5)]
    return min(candidates, key=lambda c: abs(math.log(c / value)))


def _unit(feature: Feature, span: float, units: str) -> float:
    if feature.is_binary or units == "none":
        return 1.0
    return span if units == "range" else round_number_near(span)


def warn_constant(columns: Sequence[Column], features: Sequence[Feature]) -> None:
    """A warning that names the columns of which no feature varies."""
    used = {f.column.label for f in features}
    constant = [c.name for c in columns if c.label not in used]
    if constant:
        warn_user(f"Columns with one value only are ignored: {', '.join(constant)}.")


def _locate(table: RawTable, columns: Sequence[Column]) -> dict[Any, int]:
    """Where each column stands in this table: by its label, or by its place where the columns have no names."""
    place = {label: i for i, label in enumerate(table.labels)}
    missing = [c.name for c in columns if c.label not in place]
    if table.is_frame and not missing:
        return {c.label: place[c.label] for c in columns}
    if table.is_frame and any(isinstance(c.label, str) for c in columns):
        raise ValueError(f"The table lacks columns that the clusters were made from: {', '.join(missing)}.")
    if len(place) != len(columns):
        raise ValueError(f"X has {len(place)} features, but the clusters were made from {len(columns)}.")
    return {c.label: i for i, c in enumerate(columns)}


def _encode(
    table: RawTable, columns: Sequence[Column], positions: Sequence[int], unseen: UnseenLevels | None = None
) -> Floats:
    """Raw values. ``unseen``: the rows are not those of the fit, and this collects levels that these did not have."""
    is_new = unseen is not None
    whole = table.numeric_array
    if whole is not None and all(c.kind != "category" for c in columns):
        if list(positions) != list(range(whole.shape[1])):
            whole = whole[:, list(positions)]
        raw = np.asarray(whole, dtype=np.float64)
        if is_new and not np.isfinite(raw).all():
            for i, column in enumerate(columns):
                refuse_missing(raw[:, i], column.name)
        return raw
    width = sum(len(c.levels) if c.kind == "category" else 1 for c in columns)
    raw = np.zeros((table.n_rows, width), dtype=np.float64)
    at = 0
    for column, position in zip(columns, positions, strict=True):
        values = table.column(position)
        if is_new:
            refuse_missing(values, column.name)
        if column.kind == "category":
            at += _fill_levels(raw[:, at : at + len(column.levels)], values, column, unseen)
        else:
            raw[:, at] = _as_numbers(values, column)
            at += 1
    return raw


def _fill_levels(out: Floats, values: Any, column: Column, unseen: UnseenLevels | None) -> int:
    # Compared as plain objects: a Categorical with other categories must not decide what is equal.
    plain = pd.Series(np.asarray(values, dtype=object))
    try:
        which, distinct = pd.factorize(plain)
    except (TypeError, NotImplementedError):  # lists and the like, the latter where Arrow holds them
        raise ValueError(
            f"Column {column.name!r} held categories at fit and holds other values now; give it text or numbers."
        ) from None
    found = pd.Series([plain_value(v) for v in distinct], dtype=object)
    codes = pd.Index(np.array(column.levels, dtype=object)).get_indexer(found)[which]
    seen = codes >= 0
    if unseen is not None and not seen.all():
        unseen.add(column.name, int((~seen).sum()), plain[~seen].unique().tolist())
    out[np.flatnonzero(seen), codes[seen]] = 1.0
    return len(column.levels)


def _as_numbers(values: Any, column: Column) -> Floats:
    try:
        plain = np.asarray(values)
        if plain.dtype.kind in "mM":
            raise TypeError
        return plain.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"Column {column.name!r} held numbers at fit and holds other values now; convert it to numbers."
        ) from None
