"""Numbers to [0, 1], categories to one column per level, as the paper's experiments did."""

from __future__ import annotations

import pandas as pd


def scale_columns(frame: pd.DataFrame, bounds: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every number by its range (in `bounds`, or its own), every category one-hot with all its levels."""
    reference = frame if bounds is None else bounds
    parts = [_scale_column(frame[name], reference[name]) for name in frame.columns]
    return pd.concat(parts, axis=1)


def _scale_column(column: pd.Series, reference: pd.Series) -> pd.DataFrame:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return pd.get_dummies(column.astype(str), prefix=column.name, dtype=float)
    low, high = float(reference.min()), float(reference.max())
    width = high - low if high > low else 1.0
    return ((column.astype(float) - low) / width).to_frame()
