"""What to search for and how hard."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from polyclust.search.family import Family
from polyclust.search.fates import Counting
from polyclust.search.points import FEW_POINTS, Points
from polyclust.search.scoring import Scorer, SizeBounds

__all__ = ["BEYOND", "SearchPlan", "is_costly"]

USUAL_STARTS = STARTS_OF_A_GROUPING = 10
CELLS_OF_A_START = 6e5
CELLS_OF_A_LATTICE = 1e9
CELLS_OF_ALL_AXES = 3.5e6
FEW_COUNTS = 3
BEYOND = 2
SHAKES = 10
CELLS_OF_A_SHAKE, CLUSTERS_OF_A_SHAKE = 6e6, 10
CELLS_OF_MORE_SHAKES = 1e6
ScorerMaker = Callable[[Points], Scorer]


@dataclass(frozen=True)
class SearchPlan:
    """What to search for and how hard."""

    n_clusters: tuple[int, int]
    family: Family
    make_scorer: ScorerMaker
    n_init: int
    seed: int
    bounds: SizeBounds
    is_called: bool = False  # the criterion is a function, called for every candidate
    alternates: bool = True  # whether Algorithm 1 makes starts too
    n_jobs: int = 1  # of the starts
    is_sample: bool = False  # the points stand for many more rows

    def n_starts(self, points: Points) -> int:
        """Random starts for every K: the fewer, the more a sweep of all axes costs."""
        n_cells = points.n_features * len(points) ** 2
        if self.is_called:
            return 1
        return max(1, math.ceil(self.n_init * min(1.0, CELLS_OF_A_START / n_cells)))

    @property
    def effort(self) -> float:
        """How much more than usual a sweep of all directions may cost."""
        return max(1.0, self.n_init / USUAL_STARTS)

    @property
    def patience(self) -> int:
        """After how many starts of a K in vain its other starts, which score less, are left out."""
        return max(3, math.ceil(self.n_init / 2))

    def share_out(self) -> list[SearchPlan]:
        """Plans for several groupings of the points with a share of the starts each."""
        n_plans = max(1, self.n_init // STARTS_OF_A_GROUPING)
        n_each = min(self.n_init, STARTS_OF_A_GROUPING)
        return [replace(self, n_init=n_each, seed=self.seed + n, alternates=False) for n in range(n_plans)]

    def both_ways(self, points: Points) -> list[Counting]:
        """How rows count when starts are made legal: by losses, then alike; by losses only where starts cost much.

        To a criterion that is called all losses are alike.
        """
        is_dear = len(points) > FEW_POINTS and is_costly(points, self.family)
        return ["alone"] if is_dear or self.is_called else ["alone", "alike"]

    @property
    def _is_narrow(self) -> bool:
        """Whether few K are asked for: then fewer ways lead to each, and more is tried for it."""
        return self.n_clusters[1] - self.n_clusters[0] < FEW_COUNTS

    def goes_beyond(self, n_clusters: int) -> bool:
        """Whether there may be clusters more than were asked for on the way: for few K, or if the most do best."""
        return self._is_narrow or n_clusters == self.n_clusters[1]

    def n_shakes(self, points: Points) -> int:
        """After how many shakes in vain the best is left as it is: the fewer, the more one costs.

        Most are for few K or small tables, and for the family whose rules are the simplest: what it finds leads the
        others.
        """
        is_simplest = self.family.find_simpler(points.n_features) is None
        n_cells = points.n_features * len(points) ** 2
        n_each = SHAKES if self._is_narrow else min(max(CELLS_OF_MORE_SHAKES / n_cells, 1.0), SHAKES)
        n_usual = self.n_init * (n_each if is_simplest else 1.0)
        share = min(1.0, CELLS_OF_A_SHAKE / n_cells) * min(1.0, CLUSTERS_OF_A_SHAKE / self.n_clusters[1])
        return math.ceil(n_usual * share)

    @property
    def n_polished(self) -> int:
        """How many of the pool are improved with the whole family."""
        return 2 + math.ceil(self.n_init / USUAL_STARTS)

    @property
    def usual(self) -> SearchPlan | None:
        """The same with the usual number of starts; None where no more are asked for."""
        return replace(self, n_init=USUAL_STARTS) if self.n_init > USUAL_STARTS else None


def is_costly(points: Points, family: Family) -> bool:
    """Whether every sweep counts: many points, or a lattice far too large to sweep whole."""
    n_oblique = 0 if family.oblique is None else len(family.oblique)
    n_pairs = float(len(points)) ** 2
    return points.n_features * n_pairs > CELLS_OF_ALL_AXES or n_oblique * n_pairs > CELLS_OF_A_LATTICE
