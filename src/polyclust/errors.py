"""The warnings and errors that are polyclust's own, and the sentence about a word that is none of those there are."""

from __future__ import annotations

__all__ = ["ColumnTypeError", "ModelFileError", "PolyclustWarning", "SmallClusterWarning", "check_choice"]


class PolyclustWarning(UserWarning):
    """Something the user should know about the result; every warning of polyclust is one of these."""


class SmallClusterWarning(PolyclustWarning):
    """A cluster is no larger than the minimum size allows: probably a cap of outliers."""


class ModelFileError(ValueError):
    """A model file is damaged, foreign or newer than this version."""


class ColumnTypeError(TypeError, ValueError):
    """A column holds values that are neither numbers nor booleans nor text."""


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless the value of a parameter is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(f'"{c}"' for c in choices)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}.")
