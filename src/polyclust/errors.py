"""Warnings and errors of polyclust's own, where warnings point, and the sentence about a word that is no choice."""

from __future__ import annotations

import sys
import warnings

__all__ = ["ColumnTypeError", "ModelFileError", "PolyclustWarning", "SmallClusterWarning", "check_choice", "warn_user"]

BETWEEN = ("polyclust", "sklearn", "joblib")  # packages whose frames lie between a warning and the user's line


class PolyclustWarning(UserWarning):
    """Something the user should know about the result; every warning of polyclust is one of these."""


class SmallClusterWarning(PolyclustWarning):
    """A cluster is no larger than the minimum size allows: probably a cap of outliers."""


class ModelFileError(ValueError):
    """A model file is damaged, foreign or newer than this version."""


class ColumnTypeError(TypeError, ValueError):
    """A column holds values that are neither numbers nor booleans nor text."""


def warn_user(sentence: str, category: type[PolyclustWarning] = PolyclustWarning) -> None:
    """Warn at the line that called polyclust, however deep below it this is, through scikit-learn or not."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, category, stacklevel=level)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless the value of a parameter is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(f'"{c}"' for c in choices)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}.")
