"""What all pictures share: colours, markers, fonts, titles, and the one place where matplotlib is loaded."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from polyclust.palette import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "GREY",
    "INK",
    "add_legend",
    "axis_name",
    "cluster_color",
    "cluster_marker",
    "criterion_name",
    "give_axes",
    "is_minimised",
    "line_color",
    "load_pyplot",
    "number_text",
    "set_title",
    "shorten",
    "shorten_all",
    "tidy_axes",
]

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
INK = "#222222"
GREY = "#767676"


def load_pyplot() -> ModuleType:
    """matplotlib.pyplot, or one sentence that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Plots need matplotlib; install it with: pip install polyclust[plot]") from None
    return plt


def give_axes(ax: Axes | None, size: tuple[float, float]) -> tuple[Figure, Axes]:
    """The user's axes, or new ones in a figure of this size (inches)."""
    plt = load_pyplot()
    if ax is not None and not hasattr(ax, "get_figure"):
        raise TypeError(f"ax must be matplotlib axes or None; got {type(ax).__name__}.")
    if ax is not None:
        return ax.get_figure(root=True), ax  # type: ignore[return-value]
    return plt.subplots(figsize=size, layout="constrained")  # type: ignore[no-any-return]


def cluster_color(cluster: int) -> str:
    """A colour that people with any colour vision can tell from its neighbours; −1 (no cluster) is grey."""
    return GREY if cluster < 0 else PALETTE[cluster % len(PALETTE)]


def cluster_marker(cluster: int) -> str:
    """A second sign beside the colour: colours come round after 10 clusters, markers after 11."""
    return "x" if cluster < 0 else MARKERS[cluster % len(MARKERS)]


def line_color() -> str:
    """The colour of text in the user's style, dark or light, for lines that must be seen on any colour."""
    return str(load_pyplot().rcParams["text.color"])


def set_title(ax: Axes, headline: str, note: str = "") -> None:
    """A title that starts at the left edge of the axes, the note on a line of its own."""
    width = ax.get_position().width * ax.get_figure(root=True).get_figwidth()  # type: ignore[union-attr]
    lines = [line for text in (headline, note) for line in textwrap.wrap(text, max(24, int(13.5 * width)))]
    ax.set_title(_no_mathtext("\n".join(lines)), x=0.0, ha="left", fontsize=10.5, linespacing=1.4)


def tidy_axes(ax: Axes) -> None:
    """Light spines on two sides only."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(color=GREY, labelsize=9)


def shorten(text: str, width: int = 40) -> str:
    """Names of any length and content on one line that fits; a $ is a $, not mathematics."""
    line = " ".join(text.split())
    return _no_mathtext(line if len(line) <= width else line[: width - 1].rstrip() + "…")


def shorten_all(texts: Sequence[str], width: int) -> list[str]:
    """The same for several; those that begin alike are cut in the middle, so that they stay apart."""
    cut = [shorten(text, width) for text in texts]
    return [_cut_middle(text, width) if cut.count(short) > 1 else short for text, short in zip(texts, cut, strict=True)]


def _cut_middle(text: str, width: int) -> str:
    line = " ".join(text.split())
    if len(line) <= width:
        return _no_mathtext(line)
    return _no_mathtext(f"{line[: (width - 1) // 2].rstrip()}…{line[-(width // 2) :].lstrip()}")


def number_text(value: float) -> str:
    """A figure for a chart label: three decimals, a true minus sign."""
    return f"{value:.3f}".replace("-", "−")


def add_legend(ax: Axes, outside: bool, shift: float = 0.01) -> None:
    """Beside axes of our own; inside axes of the user, whose figure may have no room."""
    from matplotlib.collections import PathCollection

    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0 + shift, 1.0)} if outside else {"loc": "best"}
    legend = ax.legend(fontsize=9, frameon=not outside, framealpha=0.85, **place)
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):
            handle.set(alpha=1.0, sizes=[34.0])


def criterion_name(criterion: Any) -> str:
    """What people read on an axis."""
    if callable(criterion):
        return str(getattr(criterion, "__name__", "criterion"))
    return {"calinski_harabasz": "Calinski–Harabasz", "davies_bouldin": "Davies–Bouldin", "dunn": "Dunn"}.get(
        criterion, str(criterion)
    )


def is_minimised(criterion: str) -> bool:
    """Whether a criterion, by the name people read, is better when lower."""
    return criterion == "Davies–Bouldin"


def axis_name(criterion: str) -> str:
    """The criterion on an axis, with its direction where it is not the usual one."""
    return f"{criterion} (lower is better)" if is_minimised(criterion) else criterion


def _no_mathtext(text: str) -> str:
    return text.replace("\\$", "$").replace("$", "\\$")
