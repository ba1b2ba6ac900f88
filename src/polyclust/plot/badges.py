"""Badges: the label of a cluster on a white plate among its rows, none covering another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyclust.plot.polygons import View
from polyclust.plot.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

__all__ = ["draw_badge", "spread_places"]

# In shares of the view, whose height is about 0.7 of its width.
LEAST_DISTANCE = 0.055
ASPECT = np.array([1.0, 0.7])
MAX_ROUNDS = 200


def draw_badge(ax: Axes, place: Floats, text: str, color: str) -> None:
    """A label that can be read on any colour."""
    ax.text(
        float(place[0]),
        float(place[1]),
        text,
        ha="center",
        va="center",
        fontsize=9,
        fontweight="bold",
        color=INK,
        zorder=5,
        bbox={
            "boxstyle": "circle,pad=0.25" if len(text) < 3 else "round,pad=0.25",
            "facecolor": "white",
            "edgecolor": color,
            "linewidth": 1.6,
            "alpha": 0.92,
        },
    )


def spread_places(places: Floats, view: View) -> Floats:
    """Push places (n x 2) apart until labels there do not cover each other, within the view."""
    corner = np.array([view[0], view[2]])
    size = np.array([view[1] - view[0], view[3] - view[2]])
    turns = np.arange(len(places))
    nudge = 1e-3 * np.column_stack([np.cos(turns), np.sin(turns)])  # equal places must part somewhere
    at = (places - corner) / size + nudge
    for _ in range(MAX_ROUNDS):
        gap = (at[:, None, :] - at[None, :, :]) * ASPECT
        distance = np.linalg.norm(gap, axis=2)
        np.fill_diagonal(distance, np.inf)
        if distance.min() >= LEAST_DISTANCE:
            break
        push = (np.maximum(LEAST_DISTANCE - distance, 0.0) / distance)[:, :, None] * gap
        at = np.clip(at + 0.5 * push.sum(axis=1) / ASPECT, 0.03, 0.97)
    return np.asarray(at * size + corner)
