"""The features that hyperplanes may use: all, some columns, or what a transformer makes of the table (Remark 1)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from polyclust.table.binarise import Binariser
from polyclust.table.columns import list_some, refuse_form
from polyclust.table.encode import EncodedTable, encode_rows, fit_encoder
from polyclust.table.features import Column, Feature
from polyclust.table.unseen import UnseenLevels

Floats = NDArray[np.float64]

__all__ = ["Explaining", "choose_columns", "choose_explaining"]

MOST_REPEATED = 100  # times on average


@dataclass(frozen=True)
class Explaining:
    """Columns and features of the rules; the transformer that makes them, if any."""

    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    transformer: Any = None
    why_not_exported: str = ""

    def encode(self, X: Any, unseen: UnseenLevels | None = None) -> Floats:
        """Raw values of the explaining features."""
        table = X if self.transformer is None else self.transformer.transform(X)
        return encode_rows(table, self.columns, self.features, unseen)


def choose_explaining(
    X: Any, columns: tuple[Column, ...], encoded: EncodedTable, explain_with: Any, *, scale: str, units: str,
    weights: Floats | None,
) -> tuple[Explaining, Floats]:  # fmt: skip
    """What explains, and its raw values for the rows of X."""
    if explain_with is None:
        return Explaining(columns, encoded.features), encoded.raw
    if isinstance(explain_with, Binariser):
        return _explain_by_cuts(X, explain_with, weights)
    if hasattr(explain_with, "transform"):
        return _explain_by_transformer(X, explain_with, scale, units, weights)
    explaining = choose_columns(columns, encoded.features, explain_with)
    keep = [encoded.features.index(f) for f in explaining.features]
    return explaining, encoded.raw[:, keep]


def choose_columns(columns: tuple[Column, ...], features: tuple[Feature, ...], wanted: Any) -> Explaining:
    """The features of the columns that are named by label or name; None: all."""
    if wanted is None:
        return Explaining(columns, features)
    if isinstance(wanted, str) or not hasattr(wanted, "__iter__") or getattr(wanted, "ndim", 1) == 0:
        wanted = [wanted]
    names = list(wanted)
    if any(isinstance(n, bool | np.bool_) for n in names):
        raise ValueError("explain_with takes the names of columns, not a mask; name those that may explain.")
    known = {key for c in columns for key in (c.label, c.name)}
    unknown = [str(n) for n in names if not isinstance(n, Hashable) or n not in known]
    if unknown:
        present = list_some([c.name for c in columns])
        raise ValueError(f"explain_with names columns that the table lacks: {', '.join(unknown)}; it has {present}.")
    kept = tuple(f for f in features if f.column.label in names or f.column.name in names)
    if not kept:
        raise ValueError("explain_with leaves no column that varies; name at least one.")
    return Explaining(columns, kept)


def _explain_by_cuts(X: Any, binariser: Binariser, weights: Floats | None) -> tuple[Explaining, Floats]:
    fitted = clone(binariser).fit(_repeat_rows(X, weights))
    raw = encode_rows(X, fitted.columns_, fitted.features_, UnseenLevels())
    counted = raw if weights is None else raw[weights > 0]
    varies = counted.min(axis=0) < counted.max(axis=0)
    if not varies.any():
        raise ValueError("The binariser made no feature that varies; give it other thresholds.")
    features = tuple(f for f, v in zip(fitted.features_, varies, strict=True) if v)
    return Explaining(fitted.columns_, features), raw[:, varies]


def _repeat_rows(X: Any, weights: Floats | None) -> Any:
    """Every row as often as it counts, where weights are whole; else once if it counts at all."""
    if weights is None or (weights == 1.0).all():
        return X
    whole = np.round(weights)
    is_whole = bool((whole == weights).all()) and whole.sum() <= MOST_REPEATED * len(weights)
    rows = np.repeat(np.arange(len(weights)), (whole if is_whole else weights > 0).astype(np.intp))
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _explain_by_transformer(
    X: Any, transformer: Any, scale: str, units: str, weights: Floats | None
) -> tuple[Explaining, Floats]:
    counted = _repeat_rows(X, weights)
    try:
        fitted = clone(transformer)
    except (TypeError, RuntimeError):
        what = f"the class {transformer.__name__}" if isinstance(transformer, type) else type(transformer).__name__
        raise ValueError(
            f"explain_with takes columns or a transformer of scikit-learn that can be cloned; got {what}."
        ) from None
    try:
        table = fitted.fit_transform(X) if counted is X else fitted.fit(counted).transform(X)
    except Exception as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise ValueError(
            f"{type(transformer).__name__} in explain_with cannot transform this table: {said}."
        ) from error
    output = f"The output of {type(transformer).__name__} in explain_with"
    refuse_form(table, output, "make it so (its sparse_output=False, if it has that)")
    if (n_rows := len(table)) != len(X):
        raise ValueError(f"{output} has {n_rows} rows for the table's {len(X)}; it must keep every row.")
    try:
        columns, encoded = fit_encoder(table, scale=scale, units=units, sample_weight=weights)
    except ValueError as problem:  # whose words are those for X
        raise ValueError(f"{output}: {problem}") from problem
    names = None if hasattr(table, "columns") else _name_output(fitted)
    if names is not None:
        renamed = {c.label: replace(c, name=n) for c, n in zip(columns, names, strict=True)}
        columns = tuple(renamed.values())
        features = tuple(replace(f, column=renamed[f.column.label]) for f in encoded.features)
        encoded = EncodedTable(features, encoded.raw)
    why = (
        f"The rules use features made by {type(transformer).__name__}, which only Python can compute; "
        "explain with columns or with polyclust's Binariser to export them."
    )
    return Explaining(columns, encoded.features, fitted, why), encoded.raw


def _name_output(transformer: Any) -> list[str] | None:
    """What the transformer calls the columns that it makes; None: nothing, as a pipeline with a nameless step."""
    try:
        return [str(name) for name in transformer.get_feature_names_out()]
    except AttributeError:
        return None
