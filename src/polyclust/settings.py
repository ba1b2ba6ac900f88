"""The parameters of a fit, checked once, with one sentence for each that is wrong."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError

from polyclust.errors import check_choice, check_integer, check_limit
from polyclust.geometry.hyperplane import OUTSIDE
from polyclust.scale.whitening import WHITENED
from polyclust.search.scoring import SizeBounds
from polyclust.table.encode import SCALES, UNITS

__all__ = [
    "CRITERIA",
    "Settings",
    "check_settings",
    "refuse_metric",
    "resolve_clusters",
    "resolve_settings",
    "resolve_sizes",
]

CRITERIA = ("silhouette", "dunn", "calinski_harabasz", "davies_bouldin")


@dataclass(frozen=True)
class Settings:
    """What the method needs to know, resolved for one table; ``total`` is the weight of its rows."""

    n_clusters: tuple[int, int]
    bounds: SizeBounds
    total: float
    max_terms: int | None
    max_coefficient: int | None
    criterion: str | Callable[..., float]
    slack_weight: float | None
    margin: float | None
    n_init: int
    n_jobs: int  # starts at once, wherever joblib runs them
    n_threads: int  # of this process
    seed: int
    memory_limit: float | None = None


def resolve_settings(params: Mapping[str, Any], total: float, n_rows: int) -> Settings:
    """Checked parameters for a table of so many rows that count."""
    bounds = resolve_sizes(params["min_cluster_size"], params["max_cluster_size"], total)
    n_jobs = effective_n_jobs(params["n_jobs"])
    return Settings(
        n_clusters=resolve_clusters(params["n_clusters"], params["max_clusters"], bounds, total, n_rows),
        bounds=bounds,
        total=total,
        max_terms=check_limit("max_terms", params["max_terms"]),
        max_coefficient=check_limit("max_coefficient", params["max_coefficient"]),
        criterion=params["criterion"],
        slack_weight=params["representation_weight"],
        margin=params["margin"],
        n_init=params["n_init"],
        n_jobs=n_jobs,
        n_threads=min(n_jobs, cpu_count()),
        seed=int(check_random_state(params["random_state"]).randint(2**31 - 1)),
        memory_limit=params["memory_limit"],
    )


def check_settings(params: dict[str, Any]) -> None:
    """Raise ValueError for the first parameter that is wrong."""
    if not _is_word(params["n_clusters"], "auto"):
        check_integer("n_clusters", params["n_clusters"], 1, others='or "auto"')
    check_integer("max_clusters", params["max_clusters"], 2)
    check_limit("max_terms", params["max_terms"])
    check_limit("max_coefficient", params["max_coefficient"])
    check_integer("n_init", params["n_init"], 1)
    check_choice("units", params["units"], UNITS)
    check_choice("scale", params["scale"], SCALES)
    check_choice("outside", params["outside"], OUTSIDE)
    if not callable(params["criterion"]):
        check_choice("criterion", params["criterion"], CRITERIA)
    _check_positive("representation_weight", params["representation_weight"], may_be_zero=True)
    _check_positive("margin", params["margin"])
    _check_positive("time_limit", params["time_limit"])
    _check_positive("memory_limit", params["memory_limit"])
    _check_sizes(params["min_cluster_size"], params["max_cluster_size"])
    _check_distance(params["distance"])
    _check_jobs(params["n_jobs"])
    _check_seed(params["random_state"])
    if not isinstance(params["verbose"], bool | np.bool_):
        check_integer("verbose", params["verbose"], 0, others="or a bool")


def refuse_metric(distance: str, n_features: int) -> None:
    """Raise ValueError for a metric that this many features cannot have."""
    if distance == "haversine" and n_features != 2:
        raise ValueError(
            'distance="haversine" is between latitudes and longitudes in radians and needs these two columns only; the '
            f"table has {n_features} feature{'s' * (n_features != 1)}: leave out the others or choose another metric."
        )


def resolve_sizes(least: float, most: float | None, total: float) -> SizeBounds:
    """Minimum and maximum weight of a cluster, from rows (int) or shares (float)."""
    low = _resolve_size("min_cluster_size", least, total, math.ceil)
    high = total if most is None else _resolve_size("max_cluster_size", most, total, math.floor)
    if most is not None and high < low:
        raise ValueError(f"max_cluster_size ({high:.10g} rows) must not be below min_cluster_size ({low:.10g} rows).")
    return SizeBounds((max(low, 1.0), high))


def resolve_clusters(n_clusters: Any, max_clusters: int, bounds: SizeBounds, total: float, n_rows: int
                     ) -> tuple[int, int]:  # fmt: skip
    """The range of K to search, or a ValueError when the sizes cannot be met."""
    least, most = (2, max_clusters) if n_clusters == "auto" else (int(n_clusters), int(n_clusters))
    needed = max(least, 2)
    if n_rows < needed:
        raise ValueError(f"Cannot make {least} clusters from n_samples = {n_rows}; at least {needed} rows are needed.")
    if least * bounds.least > total:
        raise ValueError(
            f"{least} clusters of at least {bounds.least:.10g} rows need {least * bounds.least:.10g} rows, there are "
            f"{total:.10g}; lower min_cluster_size or n_clusters."
        )
    fewest = math.ceil(total / bounds.most)
    if fewest > most:
        raise ValueError(
            f"Clusters of at most {bounds.most:.10g} rows need at least {fewest} clusters for {total:.10g} rows; raise "
            "max_cluster_size, n_clusters or max_clusters."
        )
    low, high = max(least, fewest), min(most, int(total // bounds.least), n_rows)
    if low > high:
        raise ValueError(
            f"No number of clusters lets all of {total:.10g} rows be in clusters of {bounds.least:.10g} to "
            f"{bounds.most:.10g} rows; widen min_cluster_size and max_cluster_size."
        )
    return low, high


def _resolve_size(name: str, value: Any, total: float, rounding: Callable[[float], int]) -> float:
    _check_size(name, value)
    if isinstance(value, numbers.Integral):
        return float(value)
    share = float(value) * total
    nearest = round(share)  # 0.02 * 150 is 3.0000000000000004 nowhere but in floating point
    return float(nearest if abs(share - nearest) < 1e-9 * max(share, 1.0) else rounding(share))


def _check_sizes(least: Any, most: Any) -> None:
    """As far as can be told without the rows: a share and a number of rows are compared when they are there."""
    _check_size("min_cluster_size", least)
    if most is None:
        return
    _check_size("max_cluster_size", most)
    if isinstance(least, numbers.Integral) == isinstance(most, numbers.Integral) and most < least:
        what = "rows" if isinstance(most, numbers.Integral) else "of the rows"
        raise ValueError(
            f"max_cluster_size ({most:.10g} {what}) must not be below min_cluster_size ({least:.10g} {what})."
        )


def _check_size(name: str, value: Any) -> None:
    is_number = _is_number(value) and value > 0
    if not (is_number and (isinstance(value, numbers.Integral) or value < 1)):
        raise ValueError(
            f"{name} must be a number of rows (an integer >= 1) or a share between 0 and 1; got {value!r}."
        )


def _check_jobs(value: Any) -> None:
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if value is not None and (not is_integer or value == 0):
        raise ValueError(f"n_jobs must be an integer >= 1, -1 for all cores, or None; got {value!r}.")


def _check_seed(value: Any) -> None:
    if value is None or value is np.random or isinstance(value, np.random.RandomState):
        return
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or not 0 <= int(value) < 2**32:
        raise ValueError(
            f"random_state must be an integer from 0 to {2**32 - 1}, a numpy.random.RandomState or None; got {value!r}."
        )


def _check_distance(value: Any) -> None:
    if isinstance(value, str) and value in ("gower", "precomputed", *WHITENED):
        return
    if _is_word(value, "wminkowski"):
        raise ValueError(
            'distance must be a metric without weights, and "wminkowski" needs them: use "minkowski" on columns that '
            'are multiplied by them first, or distance="precomputed".'
        )
    try:
        pairwise_distances(np.eye(2, dtype=bool), metric=value if isinstance(value, str) else None)
    except InvalidParameterError:
        raise ValueError(
            'distance must be a metric of scikit-learn or SciPy such as "euclidean" or "cityblock", "gower" or '
            f'"precomputed"; got {value!r}.'
        ) from None
    except ValueError:  # a metric that asks something of the data
        return


def _check_positive(name: str, value: Any, may_be_zero: bool = False) -> None:
    if value is None:
        return
    if not _is_number(value) or value < 0 or (value == 0 and not may_be_zero):
        raise ValueError(f"{name} must be a {'non-negative' if may_be_zero else 'positive'} number or None; "
                         f"got {value!r}.")  # fmt: skip


def _is_number(value: Any) -> bool:
    """A number that a float can be, and no boolean."""
    try:
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _is_word(value: Any, word: str) -> bool:
    """Arrays are compared element by element, and are no word."""
    return isinstance(value, str) and value == word
