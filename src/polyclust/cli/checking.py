"""What is wrong with the options whatever the table holds: told before any of it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polyclust.files import refuse_folder

__all__ = ["check_options", "speak_of_options"]

OPTION_OF = {
    "n_clusters": "--clusters",
    "max_clusters": "--max-clusters",
    "max_terms": "--terms",
    "max_coefficient": "--coefficient",
    "min_cluster_size": "--min-size",
    "max_cluster_size": "--max-size",
    "explain_with": "--explain-with",
    "n_init": "--starts",
    "time_limit": "--time-limit",
    "n_jobs": "--jobs",
    "random_state": "--seed",
}
# What only Python has, and what is said instead.
SPOKEN = {
    "distance must be": "--distance must be",
    "dialect must be": "--sql-dialect must be",
    ", a numpy.random.RandomState or None;": ";",
    ', or distance="precomputed".': ".",
    "column must not be": "--column must not be",
    "choose a dialect that tells them apart, such as 'postgres'": "give another --sql-dialect, such as postgres",
    ', "gower" or "precomputed"; got': ', or "gower"; got',
}
TAKE_NONE = ("--terms", "--coefficient")


def check_options(
    parameters: Mapping[str, Any], output: Path | None = None, force: bool = False, dialect: str | None = None
) -> None:
    """Raise ValueError, or OutputError for a folder that may not be written, with one sentence."""
    if output is not None:
        refuse_folder(output, force)
    from polyclust import PolytopeClustering
    from polyclust.render.sql import check_dialect
    from polyclust.settings import check_settings

    try:
        if dialect is not None:
            check_dialect(dialect)
        check_settings(PolytopeClustering(**parameters).get_params(deep=False))
    except ValueError as error:
        raise ValueError(speak_of_options(str(error))) from error


def speak_of_options(sentence: str) -> str:
    """A sentence about parameters of the estimator, about options of the command instead."""
    spoken = re.sub(r"\b(" + "|".join(OPTION_OF) + r")\b", lambda m: OPTION_OF[m[0]], sentence)
    for said, meant in SPOKEN.items():
        spoken = spoken.replace(said, meant)
    spoken = re.sub(r'\b(distance|scale)="(\w+)"', r"--\1 \2", spoken)
    return spoken.replace(" or None;", ' or "none";' if spoken.startswith(TAKE_NONE) else ";")
