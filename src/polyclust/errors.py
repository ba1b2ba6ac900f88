"""Warnings and errors of polyclust's own, where warnings point, and what is said of parameters in several places."""

from __future__ import annotations

import sys
import warnings
from numbers import Integral

__all__ = [
    "ColumnTypeError",
    "ModelFileError",
    "PolyclustWarning",
    "SmallClusterWarning",
    "check_choice",
    "check_integer",
    "check_limit",
    "warn_user",
]

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


def check_integer(name: str, value: object, least: int, others: str = "") -> int:
    """The value of a parameter as Python's own integer; ValueError unless it is one and large enough.

    numpy's integers would overflow when directions are counted. ``others`` says what else might have been given.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        choices = f" {others}" if others else ""
        raise ValueError(f"{name} must be an integer >= {least}{choices}; got {value!r}.")
    return int(value)


def check_limit(name: str, value: object) -> int | None:
    """The same for a limit of at least 1, which None lifts."""
    return None if value is None else check_integer(name, value, 1, others="or None")
