"""ScoresDisplay: why this number of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from polyclust.palette import PALETTE
from polyclust.plot.style import (
    GREY,
    axis_name,
    criterion_name,
    give_axes,
    is_minimised,
    number_text,
    set_title,
    tidy_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ScoresDisplay"]


@dataclass
class ScoresDisplay:
    """The best score found for every number of clusters tried, with the chosen one marked.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Set by :meth:`plot`.
    """

    scores: dict[int, float]
    chosen: int
    criterion: str = "silhouette"
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(cls, model: Any, ax: Axes | None = None) -> ScoresDisplay:
        """Draw ``scores_`` of a fitted PolytopeClustering."""
        check_is_fitted(model, "scores_")
        scores = {int(k): float(s) for k, s in sorted(model.scores_.items())}
        return cls(scores, int(model.n_clusters_), criterion_name(model.criterion)).plot(ax)

    def plot(self, ax: Axes | None = None) -> ScoresDisplay:
        """Draw in these axes or in a figure of its own."""
        self.figure_, self.ax_ = give_axes(ax, (6.4, 4.0))
        counts = list(self.scores)
        values = list(self.scores.values())
        self.ax_.plot(counts, values, color=PALETTE[0], linewidth=1.6, marker="o", markersize=5, zorder=2)
        if self.chosen in self.scores:
            self._mark_chosen()
        self.ax_.set(xlabel="number of clusters", ylabel=axis_name(self.criterion))
        self.ax_.set_xticks(_thin_ticks(counts))
        self.ax_.margins(x=0.06, y=0.18)
        self.ax_.grid(axis="y", color=GREY, alpha=0.2, linewidth=0.6)
        tidy_axes(self.ax_)
        set_title(self.ax_, self._headline())
        return self

    def _mark_chosen(self) -> None:
        best = self.scores[self.chosen]
        self.ax_.plot(
            self.chosen,
            best,
            marker="o",
            markersize=12,
            markerfacecolor="none",
            markeredgecolor=PALETTE[1],
            markeredgewidth=2,
            zorder=3,
        )
        self.ax_.annotate(
            number_text(best),
            (self.chosen, best),
            xytext=(0, -18 if is_minimised(self.criterion) else 10),
            textcoords="offset points",
            ha="center",
            fontsize=9,
            fontweight="bold",
        )

    def _headline(self) -> str:
        if len(self.scores) < 2:
            return f"{self.chosen} cluster{'s' * (self.chosen != 1)}, the only number found"
        return f"{self.chosen} clusters chosen; {min(self.scores)} to {max(self.scores)} tried"


def _thin_ticks(counts: Sequence[int]) -> list[int]:
    step = -(-len(counts) // 15)
    return list(counts[::step]) if step else []
