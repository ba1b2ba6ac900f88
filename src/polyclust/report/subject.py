"""What a report is about: the clustered rows, the explanation and how they came to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from polyclust.explain.explanation import Explanation
from polyclust.table.kinds import FoundColumn

__all__ = ["ReportSubject"]


@dataclass(frozen=True)
class ReportSubject:
    """Everything the page shows.

    Parameters
    ----------
    title, source : what people read: "Clusters of customers", "customers.csv"
    table : the clustered rows, complete, one column per column used
    labels : the cluster of each of these rows
    scaled : the clustering space, one line per row, for the silhouettes
    ids : what each row is called, or None: by its number in the file
    row_numbers : the number of each row in the file, from 1
    scores : best score for each number of clusters tried
    found : every column of the file, used or not
    n_dropped : rows left out for missing values
    interval : where the score lies if it is estimated
    """

    title: str
    source: str
    table: pd.DataFrame
    labels: NDArray[np.intp]
    scaled: NDArray[np.float64]
    explanation: Explanation
    score: float
    scores: Mapping[int, float]
    sql: str
    python: str
    ids: Sequence[str] | None = None
    row_numbers: NDArray[np.intp] | None = None
    criterion: str = "silhouette"
    found: Sequence[FoundColumn] = ()
    n_dropped: int = 0
    fills: Mapping[str, object] = field(default_factory=dict)
    is_number_chosen: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    notes: Sequence[str] = ()
    date: str = ""
    metric: str = "euclidean"
    seed: int = 0
    interval: tuple[float, float] | None = None

    def name_of(self, cluster: int) -> str:
        """The name of a cluster, or its number where it has none."""
        return self.explanation.rules[cluster].name or f"Cluster {cluster}"
