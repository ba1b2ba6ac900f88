"""Words beside the points of a chart, moved apart so that none covers another or a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

DISTANCES = (7, 13, 20, 28, 37, 47, 58, 70, 84)  # points from the marker to the words, nearest first
ANGLES = np.deg2rad([0, 45, -45, 90, -90, 135, -135, 180, 22, -22, 67, -67, 112, -112, 157, -157])
LEADER_FROM = 11  # points: nearer words need no line
CLEARLY = 4  # points by which words must be nearer to their own point than to any other
MARKER_SIZE = 9  # points kept free around a marker
PADDING = 1.5  # pixels around words
CROSSING = 40  # what a line through words or another line costs, in points of distance
AMBIGUOUS = 14  # what words as near to another point cost
FORBIDDEN = 10_000.0


@dataclass(frozen=True)
class Caption:
    """Words that belong to a point of the chart."""

    words: str
    x: float
    y: float
    colour: str
    is_bold: bool = False

    @property
    def weight(self) -> str:
        return "bold" if self.is_bold else "normal"


@dataclass(frozen=True)
class Place:
    """Where words go: the box they fill and the line to their point, in pixels."""

    box: Bbox
    start: np.ndarray
    end: np.ndarray


def write_captions(ax: Axes, captions: Sequence[Caption], size: float = 8.5) -> list[Bbox]:
    """Write all captions; the boxes they fill, in pixels. The limits of the axes must not change afterwards."""
    points = ax.transData.transform([(caption.x, caption.y) for caption in captions])
    chart = Chart(points, ax.bbox, ax.figure.dpi / 72)
    placed: list[Place] = []
    for index in _order_by_crowding(points):
        place = _find_place(chart, index, _measure(ax, captions[index], size), placed)
        placed.append(place)
        _write(ax, captions[index], size, place, chart.needs_line(index, place))
    return [place.box for place in placed]


@dataclass(frozen=True)
class Chart:
    """The points, the box that the words must stay in, and pixels per typographic point."""

    points: np.ndarray
    inside: Bbox
    pixels: float

    def markers(self) -> list[Bbox]:
        reach = MARKER_SIZE * self.pixels / 2
        return [Bbox([point - reach, point + reach]) for point in self.points]

    def is_ambiguous(self, index: int, place: Place) -> bool:
        """Whether another point is as near to the words as their own."""
        reaches = [_distance(point, place.box) for point in self.points]
        others = [reach for number, reach in enumerate(reaches) if number != index]
        return bool(others) and min(others) < reaches[index] + CLEARLY * self.pixels

    def needs_line(self, index: int, place: Place) -> bool:
        is_far = _distance(self.points[index], place.box) > LEADER_FROM * self.pixels
        return is_far or self.is_ambiguous(index, place)


def _measure(ax: Axes, caption: Caption, size: float) -> tuple[float, float]:
    """Width and height of the words, in pixels."""
    text = ax.text(caption.x, caption.y, caption.words, fontsize=size, fontweight=caption.weight)
    extent = text.get_window_extent(ax.figure.canvas.get_renderer())  # type: ignore[attr-defined]
    text.remove()
    return extent.width, extent.height


def _write(ax: Axes, caption: Caption, size: float, place: Place, has_line: bool) -> None:
    centre = ((place.box.x0 + place.box.x1) / 2, (place.box.y0 + place.box.y1) / 2)
    line = {"arrowstyle": "-", "color": caption.colour, "linewidth": 0.7, "alpha": 0.8, "shrinkA": 0, "shrinkB": 3}
    ax.annotate(
        caption.words, (caption.x, caption.y), centre, textcoords="figure pixels", ha="center", va="center",
        fontsize=size, fontweight=caption.weight, color=caption.colour, arrowprops=line if has_line else None, zorder=4,
    )  # fmt: skip


def _distance(point: np.ndarray, box: Bbox) -> float:
    """From a point to the nearest edge of a box; 0 inside."""
    beyond = np.maximum(np.maximum(box.min - point, point - box.max), 0)
    return float(np.hypot(*beyond))


def _order_by_crowding(points: np.ndarray) -> list[int]:
    """Points in company first: they have the least choice."""
    gaps = np.sort(np.linalg.norm(points[:, None] - points[None], axis=2), axis=1)
    return [int(index) for index in np.argsort(gaps[:, :4].mean(axis=1), kind="stable")]


def _find_place(chart: Chart, index: int, size: tuple[float, float], placed: list[Place]) -> Place:
    """The nearest free box, lines that cross counting as distance; the least bad one when none is free."""
    costs = []
    for distance, angle in product(DISTANCES, ANGLES):
        place = _put(chart.points[index], size, distance * chart.pixels, float(angle))
        costs.append((distance + _count_clashes(chart, index, place, placed), place))
    return min(costs, key=lambda cost: cost[0])[1]


def _put(point: np.ndarray, size: tuple[float, float], distance: float, angle: float) -> Place:
    """A box whose nearest edge lies in a direction, at a distance."""
    direction = np.array([np.cos(angle), np.sin(angle)])
    half = np.array(size) / 2 + PADDING
    centre = point + direction * distance + direction * half
    return Place(Bbox([centre - half, centre + half]), point, centre - direction * half)


def _count_clashes(chart: Chart, index: int, place: Place, placed: list[Place]) -> float:
    """Covering words or points, or leaving the chart, is never worth a short way; crossing lines sometimes is."""
    box, inside = place.box, chart.inside
    cost = 0.0 if (inside.min <= box.min).all() and (box.max <= inside.max).all() else FORBIDDEN
    cost += AMBIGUOUS * chart.is_ambiguous(index, place)
    for number, marker in enumerate(chart.markers()):
        cost += FORBIDDEN * marker.overlaps(box)
        cost += CROSSING * (number != index and _crosses(place, marker))
    for other in placed:
        cost += FORBIDDEN * other.box.overlaps(box)
        cost += CROSSING * (_crosses(place, other.box) + _crosses(other, box) + _lines_cross(place, other))
    return cost


def _crosses(place: Place, box: Bbox) -> bool:
    """Whether the line of a place runs through a box."""
    along = place.start + np.linspace(0.1, 0.95, 12)[:, None] * (place.end - place.start)
    return bool(((along > [box.x0, box.y0]) & (along < [box.x1, box.y1])).all(axis=1).any())


def _lines_cross(one: Place, other: Place) -> bool:
    def side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float(np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])))

    return (
        side(one.start, one.end, other.start) * side(one.start, one.end, other.end) < 0
        and side(other.start, other.end, one.start) * side(other.start, other.end, one.end) < 0
    )
