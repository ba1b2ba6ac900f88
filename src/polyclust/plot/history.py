"""HistoryDisplay: how the search went, step by accepted step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from polyclust.palette import PALETTE
from polyclust.plot.style import (
    GREY,
    add_legend,
    axis_name,
    criterion_name,
    give_axes,
    is_minimised,
    line_color,
    number_text,
    set_title,
    tidy_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["HistoryDisplay"]

MOVE_MARKERS = {"start": "o", "shift": "D", "split": "^", "merge": "v"}
MOVE_COLORS = {"start": GREY, "shift": PALETTE[0], "split": PALETTE[1], "merge": PALETTE[2]}
OTHER_MARKERS = ("s", "P", "X", "h", "*")
OTHER_COLORS = (PALETTE[3], PALETTE[4], PALETTE[6], PALETTE[7], PALETTE[8])


@dataclass
class HistoryDisplay:
    """The score after every accepted step, marked by the kind of move.

    The dark line is the best so far, of ``n_asked`` clusters where a number was asked for: others are on the way to
    it. Steps on a sample or on groups of rows have scores of their own, so that the best may differ from ``final``, the
    score of all rows. The number of clusters stands behind in grey; dotted lines part the phases of the search.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Set by :meth:`plot`.
    """

    scores: tuple[float, ...]
    moves: tuple[str, ...]
    n_clusters: tuple[int, ...]
    phases: tuple[str, ...] = ()
    criterion: str = "silhouette"
    n_asked: int | None = None
    final: float | None = None
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(cls, model: Any, ax: Axes | None = None) -> HistoryDisplay:
        """Draw ``history_`` of a fitted PolytopeClustering."""
        check_is_fitted(model)
        if not hasattr(model, "history_"):
            raise ValueError("A model read from a file has no history of its search; fit a model to draw one.")
        records, name = list(model.history_), criterion_name(model.criterion)
        return cls(
            tuple(_read_score(r, name) for r in records),
            tuple(str(_read(r, "move")) for r in records),
            tuple(int(_read(r, "n_clusters")) for r in records),
            tuple(str(_read(r, "phase")) for r in records),
            name,
            model.n_clusters_ if model.n_clusters != "auto" else None,
            abs(model.score_) if is_minimised(name) else model.score_,
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> HistoryDisplay:
        """Draw in these axes or in a figure of its own."""
        self.figure_, self.ax_ = give_axes(ax, (8.0, 4.2))
        self._draw_lines()
        self._mark_phases()
        size = 46 if len(self.scores) <= 40 else 20 if len(self.scores) <= 100 else 11
        for at, move in enumerate(self._list_moves()):
            marked = [i for i, m in enumerate(self.moves) if m == move]
            marker, color = _sign_of(move, at)
            self.ax_.scatter(
                [i + 1 for i in marked],
                [self.scores[i] for i in marked],
                s=size,
                marker=marker,
                color=color,
                edgecolors=self.ax_.get_facecolor() if size > 30 else color,
                linewidths=0.5,
                zorder=3,
                label=f"{move} ({len(marked)})",
            )
        if self.n_clusters:
            self._draw_cluster_counts()
        self._finish(outside=ax is None)
        return self

    def _draw_lines(self) -> None:
        """The best so far, and a thin line along each run of steps that improve on one another."""
        n_steps = len(self.scores)
        if n_steps > 1:
            self.ax_.step(
                range(1, n_steps + 1),
                self._running_best(),
                where="post",
                color=line_color(),
                linewidth=1.3,
                zorder=2,
                label="best so far",
            )
        sign = -1 if is_minimised(self.criterion) else 1
        falls = [i for i in range(1, n_steps) if sign * (self.scores[i] - self.scores[i - 1]) < 0]
        for first, last in itertools.pairwise(sorted({0, *falls, *self._phase_starts(), n_steps})):
            self.ax_.plot(range(first + 1, last + 1), self.scores[first:last], color=GREY, lw=0.9, zorder=2)

    def _phase_starts(self) -> list[int]:
        return [i for i in range(1, len(self.phases)) if self.phases[i] != self.phases[i - 1]]

    def _mark_phases(self) -> None:
        """Dotted lines between phases; the name of a phase above where there is room."""
        n_steps, starts = len(self.scores), self._phase_starts()
        for first, last in itertools.pairwise([0, *starts, n_steps] if starts else []):
            if first:
                self.ax_.axvline(first + 0.5, color=GREY, linewidth=0.8, linestyle=":", zorder=1)
            if (last - first) / n_steps >= 0.012 * (len(self.phases[first]) + 2):
                self.ax_.annotate(
                    self.phases[first],
                    (first + 0.5, 1.0),
                    xycoords=self.ax_.get_xaxis_transform(),
                    xytext=(4, -3),
                    textcoords="offset points",
                    va="top",
                    fontsize=8,
                    color=GREY,
                )

    def _list_moves(self) -> list[str]:
        """The kinds of move made: those we know in their own order, then others as they came."""
        made = list(dict.fromkeys(self.moves))
        return [m for m in MOVE_MARKERS if m in made] + [m for m in made if m not in MOVE_MARKERS]

    def _draw_cluster_counts(self) -> None:
        """The number of clusters, as a grey shape behind the scores with its own scale on the right."""
        from matplotlib.ticker import MaxNLocator

        behind = self.ax_.twinx()
        edges = [at + 0.5 for at in range(len(self.n_clusters) + 1)]
        behind.stairs(self.n_clusters, edges, fill=True, color=GREY, alpha=0.16, linewidth=0)
        behind.set_ylim(0, 2 * max(self.n_clusters))
        behind.set_ylabel("number of clusters (grey)", color=GREY)
        behind.yaxis.set_major_locator(MaxNLocator(integer=True))
        behind.tick_params(color=GREY, labelcolor=GREY, labelsize=9)
        behind.spines[:].set_visible(False)
        self.ax_.set_zorder(behind.get_zorder() + 1)
        self.ax_.patch.set_visible(False)

    def _finish(self, outside: bool) -> None:
        from matplotlib.ticker import MaxNLocator

        self.ax_.set(
            xlabel="accepted step",
            ylabel=axis_name(self.criterion),
            xlim=(0.5, max(len(self.scores), 1) + 0.5),
        )
        self.ax_.margins(y=0.12)
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        tidy_axes(self.ax_)
        set_title(self.ax_, self._headline())
        if self.scores:
            add_legend(self.ax_, outside, shift=0.1)

    def _headline(self) -> str:
        if not self.scores:
            return "No step was accepted: the start was the best found"
        best, n = self._running_best(), len(self.scores)
        if math.isnan(best[-1]):
            return f"{n} accepted step{'s' if n > 1 else ''}, none to as many clusters as asked for"
        where = f"step {best.index(best[-1]) + 1} of {n}"
        headline = f"Best {self.criterion} {number_text(best[-1])} at accepted {where}"
        if self.final is None or number_text(self.final) == number_text(best[-1]):
            return headline
        return f"{headline}; {number_text(self.final)} in the end"

    def _running_best(self) -> list[float]:
        """NaN as long as nothing has the number of clusters that was asked for."""
        better = min if is_minimised(self.criterion) else max
        best, found = math.nan, []
        for score, n_clusters in zip(self.scores, self.n_clusters, strict=True):
            if self.n_asked in (None, n_clusters):
                best = score if math.isnan(best) else better(best, score)
            found.append(best)
        return found


def _sign_of(move: str, at: int) -> tuple[str, str]:
    """Marker and colour of a kind of move; kinds we do not know by name take the next free ones."""
    other = at % len(OTHER_MARKERS)
    return MOVE_MARKERS.get(move, OTHER_MARKERS[other]), MOVE_COLORS.get(move, OTHER_COLORS[other])


def _read(record: Any, name: str) -> Any:
    return record[name] if isinstance(record, Mapping) else getattr(record, name)


def _read_score(record: Any, criterion: str) -> float:
    """The score as people know it: a search that minimises may keep it with its sign changed."""
    score = float(_read(record, "score"))
    return abs(score) if is_minimised(criterion) else score
