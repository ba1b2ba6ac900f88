"""Results beside the paper's, beside the ceiling and beside each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from benchmarks.datasets import NAMES, DataNotFoundError, find_folder
from benchmarks.methods import METHODS

PUBLISHED = Path(__file__).resolve().parent / "published" / "paper.csv"
IN_THE_PAPER = ("kmeans", "gmm", "hclust", "dbscan", "icot", "exkmc-1", "exkmc-5", "mpc-1", "mpc-2")
DEFAULTS = ("mpc-1", "mpc-2")
FAMILIES = (*DEFAULTS, "mpc-general")
MORE_STARTS = {"mpc-1": "mpc-1-100", "mpc-2": "mpc-2-100"}
REMARKS = ("mpc-2-k11",)  # measured for one sentence, not for the tables: its clusters are more than allowed
ORDER = ("practical", "paper")  # of the protocols on the page
KINDS = ("plain", "tree", "polytopes")
LEFT_OUT = "spam"  # of means to the ceiling: that ceiling is a ball around outliers that sits on the size bound
TIE = 0.0005  # silhouettes closer than this are called equal
OUTLIER_SHARE = 0.02  # a cluster no larger than this, rounded up to whole rows, makes the solution an outlier cut


@dataclass
class Study:
    """All tables that the report needs, indexed by (protocol, data, method) and the like."""

    results: pd.DataFrame
    published: pd.DataFrame
    ceilings: pd.DataFrame | None
    _index: dict = field(init=False, repr=False)

    def __post_init__(self) -> None:
        records = self.results.to_dict("records")
        self._index = {(r["protocol"], r["data"], r["method"]): r for r in records}

    def cell(self, protocol: str, data: str, method: str) -> dict | None:
        """The stored row, or None when it was not measured."""
        return self._index.get((protocol, data, method))

    def value(self, protocol: str, data: str, method: str, column: str) -> float | None:
        """One number of a row; None when there is none."""
        found = (self.cell(protocol, data, method) or {}).get(column)
        return None if found is None or pd.isna(found) else found

    def silhouette(self, protocol: str, data: str, method: str) -> float | None:
        return self.value(protocol, data, method, "silhouette")

    def methods(self, protocol: str, kinds: tuple[str, ...] = KINDS) -> list[str]:
        """Methods that choose k and have a row under the protocol, in the order of the tables."""
        present = {key[2] for key in self._index if key[0] == protocol} - set(REMARKS)
        choosing = {name: method for name, method in METHODS.items() if not method.has_fixed_count}
        return [name for name, method in choosing.items() if name in present and method.kind in kinds]

    def main_methods(self, protocol: str, kinds: tuple[str, ...] = KINDS) -> list[str]:
        """Those that stand in every table: all but polyclust with more starts."""
        return [name for name in self.methods(protocol, kinds) if name not in MORE_STARTS.values()]

    def families(self, protocol: str) -> list[str]:
        """Families of polyclust with a row."""
        return [name for name in FAMILIES if name in self.methods(protocol)]

    def names(self, protocol: str) -> list[str]:
        present = {key[1] for key in self._index if key[0] == protocol}
        return [name for name in NAMES if name in present]

    def paper(self, data: str, method: str, column: str = "silhouette") -> float | None:
        """What the paper prints."""
        rows = self.published[(self.published["data"] == data) & (self.published["method"] == method)]
        return None if rows.empty or pd.isna(rows[column].iloc[0]) else float(rows[column].iloc[0])

    def ceiling(self, protocol: str, data: str) -> float | None:
        """The best silhouette known, polytopes or not."""
        if self.ceilings is None:
            return None
        rows = self.ceilings[(self.ceilings["dataset"] == data) & (self.ceilings["protocol"] == protocol)]
        return None if rows.empty else float(rows["silhouette"].iloc[0])

    def n_rows(self, data: str) -> int | None:
        """Rows of a data set, from the sizes of any solution."""
        is_solved = (self.results["data"] == data) & (self.results["status"] == "ok")
        sizes = self.results.loc[is_solved, "sizes"]
        return None if sizes.empty else sum(int(size) for size in str(sizes.iloc[0]).split("/"))

    def is_outlier_cut(self, protocol: str, data: str, method: str) -> bool:
        """Whether the smallest cluster holds no more than 2% of the rows, the least that *practical* allows."""
        smallest, n_rows = self.value(protocol, data, method, "smallest"), self.n_rows(data)
        return smallest is not None and n_rows is not None and smallest <= math.ceil(OUTLIER_SHARE * n_rows)

    def best(self, protocol: str, data: str, methods: list[str]) -> str | None:
        """Who has the highest silhouette; of equals the one with fewer clauses, then the first of the tables."""
        scores = {m: s for m in methods if (s := self.silhouette(protocol, data, m)) is not None}

        def rank(method: str) -> tuple[float, float]:
            clauses = self.value(protocol, data, method, "clauses_per_cluster")
            return round(scores[method], 6), -(clauses or 0.0)

        return max(scores, key=rank) if scores else None


@dataclass(frozen=True)
class Tally:
    """Data sets won, tied and lost."""

    won: tuple[str, ...]
    tied: tuple[str, ...]
    lost: tuple[str, ...]


def tally(study: Study, protocol: str, method: str, rivals: list[str]) -> Tally:
    """The method against the best of its rivals on every data set where both have a solution."""
    outcome: dict[str, list[str]] = {"won": [], "tied": [], "lost": []}
    for data in study.names(protocol):
        ours = study.silhouette(protocol, data, method)
        theirs = [s for r in rivals if (s := study.silhouette(protocol, data, r)) is not None]
        if ours is None or not theirs:
            continue
        difference = ours - max(theirs)
        outcome["tied" if abs(difference) < TIE else "won" if difference > 0 else "lost"].append(data)
    return Tally(*(tuple(outcome[key]) for key in ("won", "tied", "lost")))


def tally_paper(study: Study, method: str) -> Tally:
    """Our values against the paper's for the same method, to three decimals."""
    outcome: dict[str, list[str]] = {"won": [], "tied": [], "lost": []}
    for data in study.names("paper"):
        ours, theirs = study.silhouette("paper", data, method), study.paper(data, method)
        if ours is None or theirs is None:
            continue
        difference = round(round(ours, 3) - theirs, 3)
        outcome["tied" if difference == 0 else "won" if difference > 0 else "lost"].append(data)
    return Tally(*(tuple(outcome[key]) for key in ("won", "tied", "lost")))


def list_shortfalls(study: Study, protocol: str, method: str) -> dict[str, float]:
    """How far below the ceiling, by data set."""
    shortfalls = {}
    for data in study.names(protocol):
        ours, ceiling = study.silhouette(protocol, data, method), study.ceiling(protocol, data)
        if ours is not None and ceiling is not None:
            shortfalls[data] = ceiling - ours
    return shortfalls


def list_beaten_by_shorter_trees(study: Study, protocol: str, method: str) -> list[tuple[str, str, float]]:
    """(data, tree method, how much better) of trees with at most as many clauses that score higher."""
    beaten = []
    for data in study.names(protocol):
        ours = study.silhouette(protocol, data, method)
        clauses = study.value(protocol, data, method, "clauses_per_cluster")
        for rival in study.methods(protocol, ("tree",)):
            theirs = study.silhouette(protocol, data, rival)
            length = study.value(protocol, data, rival, "clauses_per_cluster")
            if None in (ours, clauses, theirs, length):
                continue
            if theirs - ours >= TIE and length <= clauses:  # type: ignore[operator]
                beaten.append((data, rival, theirs - ours))  # type: ignore[operator]
    return beaten


def open_study(results: pd.DataFrame, data: Path | None = None) -> Study:
    """Results with the published values and, when the folder anchors/ lies beside the data, the ceilings."""
    return Study(results, pd.read_csv(PUBLISHED), _read_ceilings(data))


def _read_ceilings(data: Path | None) -> pd.DataFrame | None:
    try:
        folder = find_folder(data)
    except DataNotFoundError:
        return None
    path = folder.parent / "anchors" / "best_known.csv" if folder else None
    return pd.read_csv(path) if path and path.is_file() else None
