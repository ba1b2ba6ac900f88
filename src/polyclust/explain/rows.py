"""The user's rows as the numbers that clauses compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.table.columns import open_table
from polyclust.table.encode import encode_rows
from polyclust.table.features import Column, Feature
from polyclust.table.unseen import UnseenLevels

Floats = NDArray[np.float64]

__all__ = ["read_rows"]


def read_rows(
    X: Any, columns: Sequence[Column], features: Sequence[Feature], unseen: UnseenLevels | None = None
) -> Floats:
    """The raw value of every feature for every row; missing values are filled where the column says how."""
    return encode_rows(_fill(X, columns), columns, features, unseen)


def _fill(X: Any, columns: Sequence[Column]) -> Any:
    """A frame whose missing values are filled; the table itself where no column says how.

    Arrays are read by position, as the encoder reads them.
    """
    if all(column.fill is None for column in columns):
        return X
    table = open_table(X)
    is_by_position = not table.is_frame and len(table.labels) == len(columns)
    labels = [column.label for column in columns] if is_by_position else table.labels
    frame = pd.DataFrame({label: pd.Series(table.column(i)) for i, label in enumerate(labels)})
    for column in columns:
        label: Any = column.label
        if column.fill is not None and label in frame.columns:
            values = frame[label].astype(object)
            frame[label] = values.where(values.notna(), column.fill).infer_objects()
    return frame
