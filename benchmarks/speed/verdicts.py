"""What was asked, what was found, and whether it was met: computed from the figures, never typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.markdown import render_table
from benchmarks.speed.cases import Case
from benchmarks.speed.contestants import AXIS, BEST, FAMILIES, GRID, MINIBATCH, SPARSE
from benchmarks.speed.figures import Figures, largest_case, least_rows, most_bytes
from benchmarks.speed.jobs import RACES, SETS, SIZES
from benchmarks.speed.races import EXHAUSTIVE, RACED, UNRACED

MOST_RATIO = {AXIS: (0.8, 0.5), SPARSE: (1.2, 0.8)}  # asked, aimed at
MOST_LOSS = 0.002
MOST_EXPONENT = 1.1
MOST_SHARE_OF_MINIBATCH = 0.2
MOST_BELOW_BEST = 0.005
MOST_OVERHEAD = 1.0
MOST_LOST_BY_RACING = 0.002


@dataclass(frozen=True)
class Verdict:
    """One line of the table; the value that is furthest from what was asked decides."""

    asked: str
    found: str
    is_met: bool | None
    is_partial: bool = False
    aim: str = ""

    @property
    def words(self) -> str:
        if self.is_met is None:
            return "not measured"
        met = "met where compared" if self.is_partial else "met"
        return (met if self.is_met else "**missed**") + self.aim


Measure = Callable[[str], float | None]  # of a case
Words = Callable[[float], str]


def judge(
    asked: str,
    names: Iterable[str],
    measure: Measure,
    most: float,
    words: Words = "{:.2f}".format,
    aim: float | None = None,
) -> Verdict:
    """Whether the measure is at most this in every case; the worst case is named, those without one are counted.

    A case has none where it was not run, and where its peer has no solution of the minimum size.
    """
    every = {name: measure(name) for name in names}
    values = {name: value for name, value in every.items() if value is not None}
    if not values:
        return Verdict(asked, "–", None)
    worst = max(values, key=lambda name: values[name])
    missing = len(every) - len(values)
    found = f"{words(values[worst])} ({worst})" + (f"; {missing} not compared" if missing else "")
    aimed = "" if aim is None else f"; {sum(v <= aim for v in values.values())} of {len(values)} at most {aim:g}"
    return Verdict(asked, found, values[worst] <= most, bool(missing), aimed)


def show_gain(loss: float) -> str:
    """A loss as a signed difference to the other's score."""
    return f"{0.0 - round(loss, 4):+.4f}"


def name_all(cases: Iterable[Case]) -> list[str]:
    return [case.name for case in cases]


def list_verdicts(figures: Figures) -> Iterator[Verdict]:
    """In the order of the page."""
    yield from _judge_sets(figures)
    yield from _judge_sizes(figures)
    yield judge(
        f"a second process: first fit over a later one < {MOST_OVERHEAD:g} s",
        FAMILIES, figures.overhead, MOST_OVERHEAD, "{:.2f} s".format,
    )  # fmt: skip
    yield judge_races(figures)


def _judge_sets(figures: Figures) -> Iterator[Verdict]:
    for who, (most, aim) in MOST_RATIO.items():
        yield judge(
            f"{who} ≤ {most:g} of the k-means grid on each set", name_all(SETS),
            lambda name, who=who: figures.ratio("sets", name, who, GRID), most, aim=aim,
        )  # fmt: skip
    yield judge(
        f"{SPARSE}'s silhouette at most {MOST_LOSS:g} below the grid's on each set", name_all(SETS),
        lambda name: turn(figures.gain("sets", name, SPARSE, GRID)), MOST_LOSS, show_gain,
    )  # fmt: skip


def _judge_sizes(figures: Figures) -> Iterator[Verdict]:
    yield judge(
        f"time ≤ n^{MOST_EXPONENT:g} from 10⁴ rows on", FAMILIES, figures.growth, MOST_EXPONENT, "n^{:.2f}".format
    )
    largest = largest_case().name
    yield judge(
        f"{largest}: ≤ {MOST_SHARE_OF_MINIBATCH:g} of the MiniBatchKMeans grid", FAMILIES,
        lambda who: figures.ratio("sizes", largest, who, MINIBATCH), MOST_SHARE_OF_MINIBATCH, "{:.3f}".format,
    )  # fmt: skip
    yield judge(
        f"{SPARSE}'s silhouette at most {MOST_BELOW_BEST:g} below k-means' best at each size", name_all(SIZES),
        lambda name: turn(figures.gain("sizes", name, SPARSE, BEST)), MOST_BELOW_BEST, show_gain,
    )  # fmt: skip
    yield judge(
        "peak memory ≤ 2 × input + 1 GB", name_all(SIZES),
        lambda name: most_of(figures, name, lambda row: row.peak_bytes / most_bytes(row)), 1.0, "{:.2f} of it".format,
    )  # fmt: skip
    yield judge(
        "the minimum size holds on all rows", name_all(SIZES),
        lambda name: most_of(figures, name, lambda row: least_rows(row) / row.smallest), 1.0,
        "minimum / smallest cluster = {:.2f}".format,
    )  # fmt: skip


def most_of(figures: Figures, case: str, value: Callable) -> float | None:
    """The larger value of the two families."""
    rows = [figures.best("sizes", case, who) for who in FAMILIES]
    return max((value(row) for row in rows if row), default=None)


def turn(value: float | None) -> float | None:
    """A gain as a loss."""
    return None if value is None else -value


def lost_by_racing(figures: Figures, name: str) -> float | None:
    """How far the raced search is below the best of the finished searches without races; None if none finished."""
    raced = figures.best("races", name, RACED)
    others = [figures.best("races", name, search) for search in (UNRACED, EXHAUSTIVE)]
    scores = [row.silhouette for row in others if row and not row.note]
    return max(scores) - raced.silhouette if raced and scores else None


def judge_races(figures: Figures) -> Verdict:
    """Sets whose exhaustive search did not finish are left out, not counted as met."""
    names = [name for name in name_all(RACES) if lost_by_racing(figures, name) is not None]
    asked = f"raced at most {MOST_LOST_BY_RACING:g} below exhaustive, {len(names)} sets where that finished"
    return judge(asked, names, lambda name: lost_by_racing(figures, name), MOST_LOST_BY_RACING, show_gain)


def render_verdicts(figures: Figures) -> str:
    """The table; the case that is furthest from what was asked is the one shown."""
    rows = [[verdict.asked, verdict.found, verdict.words] for verdict in list_verdicts(figures)]
    return render_table(["target", "worst case found", "verdict"], rows)
