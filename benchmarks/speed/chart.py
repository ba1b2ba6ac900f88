"""The chart of SPEED.md: ratios on the data sets, seconds against rows, features and clusters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from benchmarks.speed.cases import Case
from benchmarks.speed.contestants import AXIS, FAMILIES, GRID, MINIBATCH, SPARSE
from benchmarks.speed.figures import FEWEST_OF_GROWTH, Figures
from benchmarks.speed.jobs import COUNTS, SETS, SIZES, WIDTHS
from benchmarks.speed.verdicts import MOST_EXPONENT, MOST_RATIO

CHART = "figures/speed.png"
COLOURS = {GRID: "#8a8f98", MINIBATCH: "#8a8f98", AXIS: "#2b6cb0", SPARSE: "#d98c21"}
WIDE_RANGE = 20  # of seconds on an axis: fewer ticks


def draw_chart(figures: Figures, path: Path) -> None:
    """Four panels; what was not measured is left out."""
    figure, axes = plt.subplots(2, 2, figsize=(11, 8))
    draw_ratios(figures, axes[0, 0])
    draw_growth(figures, "sizes", SIZES, lambda case: case.n_rows, MINIBATCH, axes[0, 1])
    draw_guide(figures, axes[0, 1])
    axes[0, 1].set(xlabel="rows", title="20 features, 8 blobs, 5% noise")
    draw_growth(figures, "widths", WIDTHS, lambda case: case.n_features, GRID, axes[1, 0])
    axes[1, 0].set(xlabel="features", title="5000 rows, 8 blobs, 5% noise")
    draw_growth(figures, "counts", COUNTS, lambda case: case.max_clusters, GRID, axes[1, 1])
    axes[1, 1].set(xlabel="clusters at most, and blobs", title="5000 rows, 20 features, 5% noise")
    for ax, cases, value in ((axes[1, 0], WIDTHS, "n_features"), (axes[1, 1], COUNTS, "max_clusters")):
        mark_values(ax, [getattr(case, value) for case in cases])
    for ax in axes.flat[1:]:
        if ax.lines:
            ax.legend(fontsize=9, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout(h_pad=2, w_pad=2)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_ratios(figures: Figures, ax: Axes) -> None:
    """Bars of both families per data set; a dashed line at what was asked of each."""
    places = np.arange(len(SETS))
    boxed = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    for shift, who in zip((-0.2, 0.2), FAMILIES, strict=True):
        most = MOST_RATIO[who][0]
        ratios = [figures.ratio("sets", case.name, who, GRID) or 0.0 for case in SETS]
        bars = ax.bar(places + shift, ratios, 0.38, color=COLOURS[who], label=f"{who} (target: ≤ {most:g})")
        ax.bar_label(bars, [f"{r:.2f}" if r else "" for r in ratios], fontsize=8, padding=3, bbox=boxed)
        ax.axhline(most, color=COLOURS[who], linestyle="--", linewidth=1)
    ax.axhline(1.0, color=COLOURS[GRID], linewidth=1)
    ax.set_xticks(places, [case.name.replace(" 5000", "\n5000") for case in SETS], fontsize=9)
    ax.set(ylabel="seconds / seconds of the k-means grid", title="against the k-means grid (below 1: faster)")
    ax.set_ylim(0, 1.35 * max(ax.get_ylim()[1], 1.2) / 1.05)
    ax.legend(fontsize=9, frameon=False, loc="upper left", ncols=2)


def draw_growth(
    figures: Figures, study: str, cases: list[Case], place: Callable[[Case], int], peer: str, ax: Axes
) -> None:
    """Seconds of everyone, both axes logarithmic."""
    for who in (peer, *FAMILIES):
        found = [(place(case), figures.best(study, case.name, who)) for case in cases]
        points = [(x, row.seconds) for x, row in found if row]
        if points:
            ax.plot(*zip(*points, strict=True), marker="o", color=COLOURS[who], label=who)
    ax.set(xscale="log", yscale="log", ylabel="processor seconds, one thread")
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high > WIDE_RANGE * low else (1, 1.5, 2, 3, 4, 5, 7)))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.grid(alpha=0.25)


def draw_guide(figures: Figures, ax: Axes) -> None:
    """The slope that was asked for, through MPC-2 at 10⁴ rows."""
    first = next(case for case in SIZES if case.n_rows == FEWEST_OF_GROWTH)
    row = figures.best("sizes", first.name, SPARSE)
    if row:
        rows = np.array([first.n_rows, SIZES[-1].n_rows], dtype=float)
        seconds = row.seconds * (rows / rows[0]) ** MOST_EXPONENT
        ax.plot(
            rows,
            seconds,
            color="#c0392b",
            linestyle=":",
            linewidth=1.2,
            label=f"$n^{{{MOST_EXPONENT:g}}}$ from {SPARSE} on",
        )


def mark_values(ax: Axes, values: list[int]) -> None:
    """Ticks at the measured values only."""
    ax.set_xticks(values, [str(value) for value in values])
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_minor_locator(LogLocator(subs=()))
