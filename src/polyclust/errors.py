"""The warnings and errors that are polyclust's own."""

__all__ = ["ColumnTypeError", "ModelFileError", "PolyclustWarning", "SmallClusterWarning"]


class PolyclustWarning(UserWarning):
    """Something the user should know about the result; every warning of polyclust is one of these."""


class SmallClusterWarning(PolyclustWarning):
    """A cluster is no larger than the minimum size allows: probably a cap of outliers."""


class ModelFileError(ValueError):
    """A model file is damaged, foreign or newer than this version."""


class ColumnTypeError(TypeError, ValueError):
    """A column holds values that are neither numbers nor booleans nor text."""
