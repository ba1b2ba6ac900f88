"""The section "Family or search?" of SPEED.md: a table, and what follows from it by rule."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.markdown import NOTHING, render_table, show_seconds
from benchmarks.speed.contestants import BEST, SPARSE
from benchmarks.speed.families import ENTRANTS, FEW, GENERAL, MANY, TERMS, THREE, name_entrant
from benchmarks.speed.figures import Figures
from benchmarks.speed.jobs import TABLES
from benchmarks.speed.rows import Row
from benchmarks.speed.verdicts import show_gain

LEAST_TOLD = 0.002  # smaller differences of means are not told from none
CAVEAT = (
    "That is evidence, not proof: k-means' clusters are among the starts, and general hyperplanes part them as they "
    "are while few terms do not, so few terms are the harder search as well as the smaller family."
)
MISSING = 'Not measured on every table: `python -m benchmarks.speed --only "families/*"`.\n'

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Standing:
    """Silhouettes of a family above k-means' best, one for every table, with few starts and with many."""

    few: Floats
    many: Floats

    @property
    def by_starts(self) -> Floats:
        """What more starts gain."""
        return self.many - self.few

    @property
    def better(self) -> Floats:
        """The better of both on every table: no search here found more."""
        return np.maximum(self.few, self.many)

    @property
    def is_level(self) -> bool:
        """Whether the better of both reaches k-means' best on average."""
        return bool(self.better.mean() >= -LEAST_TOLD)


Standings = dict[str, Standing]  # of every family


def compare_families(figures: Figures) -> Standings | None:
    """None while something is missing, since means over different tables say nothing."""
    gains = {who: [figures.gain("families", case.name, who, BEST) for case in TABLES] for who in ENTRANTS}
    if any(gain is None for every in gains.values() for gain in every):
        return None
    known = {who: np.array(every, dtype=float) for who, every in gains.items()}
    return {family: Standing(known[name_entrant(family, FEW)], known[name_entrant(family, MANY)]) for family in TERMS}


def render_families(figures: Figures) -> str:
    """The table and the sentences below it."""
    standings = compare_families(figures)
    if standings is None:
        return MISSING
    sentences = [describe_starts(standings), describe_terms(standings), judge_limit(standings)]
    return "\n".join([describe_tables(), tabulate_families(figures, standings), " ".join(sentences) + "\n"])


def describe_tables() -> str:
    """What was run on what."""
    case = TABLES[0]
    return (
        f"{len(TABLES)} tables of {case.n_rows} rows, each by a seed of its own: {case.n_features} features, "
        f"{case.n_blobs} blobs, {100 * case.noise:g}% noise. Means over the tables, in brackets the extremes. "
        f"{THREE}: three terms with coefficients up to {TERMS[THREE]['max_coefficient']}; {GENERAL}: any hyperplanes. "
        "A larger `n_init` means more starts and less racing.\n"
    )


def tabulate_families(figures: Figures, standings: Standings) -> str:
    """A line for k-means' best, and one for every family with few and with many starts."""
    lines = [tabulate_rows(figures, BEST, NOTHING, NOTHING)]
    for who, (family, n_init) in ENTRANTS.items():
        standing = standings[family]
        if n_init == FEW:
            lines.append(tabulate_rows(figures, who, show_mean(standing.few), NOTHING))
        else:
            by_starts = f"{show_mean(standing.by_starts)} ({show_range(standing.by_starts)})"
            lines.append(tabulate_rows(figures, who, show_mean(standing.many), by_starts))
    header = ["who", "silhouette", "to k-means' best", f"n_init={MANY} over {FEW}", "k", "seconds"]
    return render_table(header, lines)


def tabulate_rows(figures: Figures, who: str, to_best: str, by_starts: str) -> list[str]:
    """Means over the tables, and every k."""
    rows: list[Row] = [row for case in TABLES if (row := figures.best("families", case.name, who))]
    silhouette = f"{np.mean([row.silhouette for row in rows]):.4f}"
    seconds = show_seconds(float(np.mean([row.seconds for row in rows])))
    return [who, silhouette, to_best, by_starts, ", ".join(str(row.k) for row in rows), seconds]


def show_mean(gains: Floats) -> str:
    return show_gain(-gains.mean())


def show_range(gains: Floats) -> str:
    return f"{show_gain(-gains.min())} to {show_gain(-gains.max())}"


def describe_starts(standings: Standings) -> str:
    """What more starts gain in each family."""
    means = ", ".join(f"{show_mean(standing.by_starts)} ({family})" for family, standing in standings.items())
    single = show_range(np.concatenate([standing.by_starts for standing in standings.values()]))
    return f"`n_init={MANY}` instead of {FEW} changes the mean silhouette by {means}, on a single table by {single}."


def describe_terms(standings: Standings) -> str:
    """What each family gains over the one before it."""
    steps = ", ".join(
        f"{show_mean(standings[more].better - standings[less].better)} ({less} to {more})"
        for less, more in pairwise(standings)
    )
    return f"More terms change it, by the better of both `n_init` on each table, by {steps}."


def judge_limit(standings: Standings) -> str:
    """Whether the figures speak for the family or for the search as what keeps two terms below k-means' best."""
    sparse, general = standings[SPARSE], standings[GENERAL]
    found = f"{SPARSE} with `n_init={FEW}` ends {say_distance(sparse.few)} k-means' best"
    if sparse.few.mean() >= -LEAST_TOLD:
        return f"{found}: there is no gap to explain."
    found = f"{found}, by the better of both {say_distance(sparse.better)} ({count_reached(sparse)})"
    if sparse.is_level:
        return f"{found}. This speaks for the search as the limit, not for the family."
    found = f"{found}; {GENERAL} ends {say_distance(general.better)}"
    if not general.is_level:
        return (
            f"{found}, although its hyperplanes part k-means' clusters as they are: there it is the search that falls "
            "short, and with two terms it may be, so the figures do not tell."
        )
    return f"{found}. {weigh_starts(sparse)}"


def say_distance(gains: Floats) -> str:
    """The mean as a distance below or above."""
    mean = gains.mean()
    return f"{abs(mean):.4f} {'below' if mean < 0 else 'above'}"


def count_reached(standing: Standing) -> str:
    """On how many tables k-means' best was reached; what was found once is in the family for certain."""
    n_reached, n_tables = int((standing.better >= 0).sum()), len(standing.better)
    if not n_reached:
        return f"below on all {n_tables} tables"
    return f"not below on {n_reached} of {n_tables} tables, where the family is not the limit"


def weigh_starts(sparse: Standing) -> str:
    """What more starts close of the gap, and how steady the search is, beside the gap that is left."""
    left = -sparse.better.mean()
    closed = (sparse.better - sparse.few).mean()
    unsteady = np.abs(sparse.by_starts).max()
    if unsteady >= left:
        return f"But `n_init` alone changes {SPARSE} by {unsteady:.4f} on one table: too much to tell which it is."
    if closed >= LEAST_TOLD:
        share = f"The search has a share, since more starts close {closed:.4f}; what is left speaks for the family."
    else:
        share = f"More starts close {closed:.4f} of it: this speaks for the family as the limit, not for the search."
    return f"{share} {CAVEAT}"
