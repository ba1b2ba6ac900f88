"""A binariser: numeric columns as 0/1 features such as ``age ≥ 40``, for rules that need no arithmetic (Remark 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from polyclust.errors import check_integer
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.table.columns import describe_columns, open_table
from polyclust.table.encode import encode_rows
from polyclust.table.features import Column, Feature

__all__ = ["Binariser"]


class Binariser(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cuts numeric columns at quantiles, or at thresholds of your own, into features that are 0 or 1.

    Booleans stay as they are and categories become one feature per level. Give it to
    ``PolytopeClustering(explain_with=Binariser())`` to cluster on the numbers and explain by the cuts.

    Parameters
    ----------
    n_bins : int, default=4
        Into how many parts of about equal size a numeric column is cut.
    thresholds : mapping of column name to numbers, or None
        For some numeric columns, the thresholds to use instead.

    Attributes
    ----------
    columns_ : tuple of Column
        The columns of the table.
    features_ : tuple of Feature
        The features made of them: cuts, booleans and levels.
    n_features_in_ : int
        How many columns the table had.

    Examples
    --------
    >>> import pandas as pd
    >>> from polyclust import Binariser
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50], "smoker": [True, False, True, False]})
    >>> Binariser(n_bins=2).fit(table).get_feature_names_out().tolist()
    ['age ≥ 35', 'smoker']
    """

    def __init__(self, n_bins: int = 4, thresholds: Mapping[str, Sequence[float]] | None = None) -> None:
        self.n_bins = n_bins
        self.thresholds = thresholds

    def fit(self, X: Any, y: Any = None) -> Binariser:  # noqa: ARG002
        """Find the thresholds."""
        check_integer("n_bins", self.n_bins, 2)
        table = open_table(X)
        columns = describe_columns(table)
        if not table.n_rows:
            raise ValueError("The table has no rows; thresholds are found from at least one.")
        given = _check_thresholds(self.thresholds or {}, columns)
        features: list[Feature] = []
        for position, column in enumerate(columns):
            features += self._cut(column, table.column(position), given)
        self.columns_ = columns
        self.features_ = tuple(features)
        self.n_features_in_ = len(columns)
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """A frame of zeros and ones, a column per cut."""
        check_is_fitted(self)
        raw = encode_rows(X, self.columns_, self.features_)
        index = X.index if isinstance(X, pd.DataFrame) else None
        return pd.DataFrame(raw.astype(np.int8), columns=self.get_feature_names_out(), index=index)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Readable names: ``age ≥ 40``."""
        check_is_fitted(self)
        return np.array([f.name for f in self.features_], dtype=object)

    def _cut(self, column: Column, values: Any, given: Mapping[str, list[float]]) -> list[Feature]:
        if column.kind == "category":
            return [Feature(column, "level", level) for level in column.levels]
        if column.kind == "boolean":
            return [Feature(column, "boolean")]
        numbers = np.asarray(values, dtype=np.float64)
        levels = given.get(column.name)
        if levels is None:
            levels = _quantile_cuts(numbers, self.n_bins, column.kind == "integer")
        return [Feature(column, "cut", int(t) if float(t).is_integer() else t) for t in levels]


def _check_thresholds(given: Mapping[str, Sequence[float]], columns: Sequence[Column]) -> dict[str, list[float]]:
    """The user's thresholds in order, each once. Raises ValueError for a column that has none or is not there."""
    kinds = {c.name: c.kind for c in columns}
    unknown = [str(name) for name in given if name not in kinds]
    if unknown:
        raise ValueError(
            f"thresholds names columns that the table lacks: {', '.join(unknown)}; it has {', '.join(kinds)}."
        )
    for name in given:
        if kinds[name] == "category":
            raise ValueError(f"thresholds names {name!r}, a category, which has no numbers to cut: leave it out.")
    return {name: _order_thresholds(name, values) for name, values in given.items()}


def _order_thresholds(name: str, values: Any) -> list[float]:
    try:
        levels = sorted({float(value) for value in values})
    except (TypeError, ValueError):
        levels = [math.nan]
    if not all(map(math.isfinite, levels)):
        raise ValueError(f"thresholds of column {name!r} must be a list of finite numbers; got {values!r}.")
    return levels


def _quantile_cuts(numbers: NDArray[np.float64], n_bins: int, is_whole: bool) -> list[float]:
    """Round numbers in the gaps nearest to the quantiles."""
    ordered = np.sort(numbers)
    distinct = np.unique(ordered)
    cuts = set()
    for part in range(1, n_bins):
        at = int(np.searchsorted(distinct, ordered[(len(ordered) * part) // n_bins]))
        if at > 0:
            cuts.add(choose_threshold(float(distinct[at - 1]), float(distinct[at]), is_whole))
    return sorted(cuts)
