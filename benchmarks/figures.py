"""Draw the figures: python -m benchmarks.figures

quality_seconds.png : every method's silhouette below the best known against its seconds, per protocol
families.png        : the paper's first figure on data of our own, three families of hyperplane
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import typer
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from benchmarks.captions import Caption, write_captions
from benchmarks.comparison import LEFT_OUT, ORDER, Study, open_study
from benchmarks.markdown import title
from benchmarks.methods import METHODS
from benchmarks.results import FOLDER, read_all

FIGURES = Path(__file__).resolve().parent / "figures"
# colours of Okabe and Ito, told apart by the colour-blind; shapes tell them apart in grey
COLOURS = {"plain": "#5c6370", "tree": "#c05000", "polytopes": "#0060a8"}
SHAPES = {"plain": "o", "tree": "^", "polytopes": "D"}
WORDS = {"plain": "no explanation", "tree": "tree", "polytopes": "polytopes (polyclust)"}
LEAST_GAP = 0.0005  # drawn for methods that are nowhere below the best known
CLUSTER_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
CLUSTER_SHAPES = ("o", "^", "s", "D", "v")
Limits = tuple[tuple[float, float], tuple[float, float]]
GRID = 400  # points of the shading along each axis
DPI = 150
FAMILIES: dict[str, dict[str, Any]] = {
    "axis-parallel: each condition looks at one feature": {},
    "scorecard: sums with coefficients 1 and −1": {"max_terms": 2, "max_coefficient": 1, "units": "none"},
    "general: sums with any coefficients": {"max_terms": None, "max_coefficient": None, "units": "none"},
}


@dataclass(frozen=True)
class Spot:
    """A method in the figure: geometric mean of its total seconds, mean gap to the best known, sets it solved."""

    method: str
    seconds: float
    gap: float
    n_solved: int


def find_reference(study: Study, protocol: str, data: str) -> float:
    """The ceiling, or the best silhouette of any method where it is higher or no ceiling is at hand."""
    scores = [study.silhouette(protocol, data, method) for method in study.methods(protocol)]
    return max([s for s in (*scores, study.ceiling(protocol, data)) if s is not None])


def list_counted(study: Study, protocol: str) -> list[str]:
    """The data sets of the means: those of the page's mean distances to the ceiling."""
    return [data for data in study.names(protocol) if data != LEFT_OUT]


def place_method(study: Study, protocol: str, method: str) -> Spot | None:
    """Where the method stands, over the sets on which it has a solution; None when there is none."""
    names = [d for d in list_counted(study, protocol) if study.silhouette(protocol, d, method) is not None]
    if not names:
        return None
    gaps = [find_reference(study, protocol, d) - (study.silhouette(protocol, d, method) or 0.0) for d in names]
    seconds = [study.value(protocol, d, method, "seconds_total") or 1e-3 for d in names]
    return Spot(method, float(np.exp(np.mean(np.log(seconds)))), float(np.mean(gaps)), len(names))


def place_methods(study: Study, protocol: str) -> list[Spot]:
    """All methods with a solution."""
    spots = [place_method(study, protocol, method) for method in study.methods(protocol)]
    return [spot for spot in spots if spot is not None]


def draw_quality(study: Study, protocol: str, ax: Axes, limits: Limits | None = None) -> list[Bbox]:
    """One point per method, hollow when it solved some sets only; the boxes that its captions fill."""
    n_sets = len(list_counted(study, protocol))
    spots = place_methods(study, protocol)
    for spot in spots:
        kind = METHODS[spot.method].kind
        fill = COLOURS[kind] if spot.n_solved == n_sets else "white"
        look = {"edgecolors": COLOURS[kind], "facecolors": fill, "marker": SHAPES[kind]}
        ax.scatter(spot.seconds, max(spot.gap, LEAST_GAP), s=46, linewidths=1.3, zorder=3, **look)
    _prepare_axes(ax, f"Protocol {protocol}, {n_sets} data sets ({LEFT_OUT} left out)", limits or find_limits(spots))
    return write_captions(ax, [_caption(spot, n_sets) for spot in spots]) if spots else []


def _caption(spot: Spot, n_sets: int) -> Caption:
    kind = METHODS[spot.method].kind
    words = title(spot.method) if spot.n_solved == n_sets else f"{title(spot.method)} ({spot.n_solved} sets)"
    return Caption(words, spot.seconds, max(spot.gap, LEAST_GAP), COLOURS[kind], kind == "polytopes")


def find_limits(spots: list[Spot]) -> Limits:
    """Seconds and gaps that hold all points, with room for words."""
    seconds, gaps = [s.seconds for s in spots] or [1.0], [max(s.gap, LEAST_GAP) for s in spots] or [0.01]
    return (min(seconds) / 1.8, max(seconds) * 3.0), (max(gaps) * 1.4, min(gaps) / 1.4)


def _prepare_axes(ax: Axes, heading: str, limits: Limits) -> None:
    """Logarithmic both ways, the best at the top; limits fixed, since captions are placed in pixels."""
    ax.set_title(heading, fontsize=11, loc="left")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(*limits[0])
    ax.set_ylim(*limits[1])
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("seconds for all k and starts, one thread (geometric mean)  ← faster")
    ax.set_ylabel("mean distance below the best known silhouette  better →")
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_legend(figure: plt.Figure) -> None:
    marks = [
        Line2D([], [], linestyle="", marker=SHAPES[k], color=COLOURS[k], markersize=7, label=WORDS[k]) for k in WORDS
    ]
    hollow = Line2D([], [], linestyle="", marker="o", color="#5c6370", markerfacecolor="white", markersize=7)
    hollow.set_label("hollow: a solution on some sets only, the mean is over these")
    figure.legend(handles=[*marks, hollow], loc="lower center", ncols=4, fontsize=9, frameon=False)


def make_figure_data(seed: int = 0) -> np.ndarray:
    """Three slanted clouds whose borders run neither along an axis nor along a diagonal."""
    random = np.random.default_rng(seed)
    angle = np.deg2rad(66)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    clouds = []
    for place in (-2.4, 0.0, 2.4):
        lengths, widths = random.uniform(-2.0, 2.0, size=(110, 1)), random.normal(place, 0.35, size=(110, 1))
        clouds.append(5 + lengths * along + widths * across)
    return np.vstack(clouds)


def draw_family(X: np.ndarray, name: str, settings: dict[str, Any], ax: Axes) -> Axes:
    """The polytopes as shaded regions, the rows on top, the rules below; colours go from left to right."""
    from polyclust import PolytopeClustering

    model = PolytopeClustering(3, scale="none", random_state=0, **settings).fit(pd.DataFrame(X, columns=["x", "y"]))
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    across, up = np.meshgrid(np.linspace(low[0], high[0], GRID), np.linspace(low[1], high[1], GRID))
    inside = np.asarray(model.contains(pd.DataFrame({"x": across.ravel(), "y": up.ravel()})))
    from_left = sorted(range(model.n_clusters_), key=lambda k: X[model.labels_ == k, 0].mean())
    for line, (k, colour, shape) in enumerate(zip(from_left, CLUSTER_COLOURS, CLUSTER_SHAPES, strict=False)):
        region = inside[:, k].reshape(across.shape).astype(float)
        ax.contourf(across, up, region, levels=[0.5, 1.5], colors=[colour], alpha=0.16)
        ax.contour(across, up, region, levels=[0.5], colors=[colour], linewidths=1.2)
        ax.scatter(*X[model.labels_ == k].T, s=11, color=colour, marker=shape)
        rule = str(model.explanation_.rules[k])
        ax.text(0, -0.17 - 0.055 * line, rule, transform=ax.transAxes, fontsize=9.5, color=colour)
    ax.set_title(f"{name}\nsilhouette {model.score_:.3f}", fontsize=11)
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    return ax


def save(figure: plt.Figure, path: Path) -> None:
    """Write the picture and let go of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)
    typer.echo(f"Wrote {path}.")


def save_quality(study: Study, folder: Path) -> None:
    """Both protocols side by side, on the same scales."""
    figure, axes = plt.subplots(1, len(ORDER), figsize=(14, 7), dpi=DPI)
    figure.subplots_adjust(left=0.06, right=0.99, top=0.94, bottom=0.15, wspace=0.16)
    limits = find_limits([spot for protocol in ORDER for spot in place_methods(study, protocol)])
    for protocol, ax in zip(ORDER, axes, strict=True):
        draw_quality(study, protocol, ax, limits)
    _draw_legend(figure)
    save(figure, folder / "quality_seconds.png")


def save_families(folder: Path) -> None:
    """The three families side by side."""
    X = make_figure_data()
    figure, axes = plt.subplots(1, len(FAMILIES), figsize=(14, 5.6))
    for (name, settings), ax in zip(FAMILIES.items(), axes, strict=True):
        draw_family(X, name, settings, ax)
    figure.suptitle(
        "The same rows in three clusters, described by three kinds of rules (below each picture in its colours)"
    )
    figure.subplots_adjust(left=0.04, right=0.99, top=0.84, bottom=0.23, wspace=0.15)
    save(figure, folder / "families.png")


def main(
    results: Annotated[Path, typer.Option(help="folder of the results")] = FOLDER,
    out: Annotated[Path, typer.Option(help="folder of the pictures")] = FIGURES,
    data: Annotated[Path | None, typer.Option(help="folder of the data")] = None,
) -> None:
    """Draw all figures."""
    save_quality(open_study(read_all(results), data), out)
    save_families(out)


if __name__ == "__main__":
    typer.run(main)
