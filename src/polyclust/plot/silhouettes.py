"""SilhouetteDisplay: how well each row sits in its cluster, cluster by cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import silhouette_samples
from sklearn.utils.validation import check_is_fitted

from polyclust.explain.spelling import format_count
from polyclust.plot.scene import name_clusters
from polyclust.plot.style import GREY, cluster_color, give_axes, line_color, number_text, set_title, tidy_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

__all__ = ["SilhouetteDisplay"]

# A cluster is drawn at least this share of the rows high, so that small ones can be seen and named.
LEAST_HEIGHT = 0.045
POINTS_PER_INCH = 72
TWO_LINES = 28.0  # points that a label of two lines takes


@dataclass
class SilhouetteDisplay:
    """One bar per row, sorted within each cluster, clusters from the largest down.

    The silhouette of a row is near 1 well inside its cluster, near 0 between two, below 0 nearer to another.
    Rows in no polytope are left out.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Set by :meth:`plot`.
    """

    silhouettes: Floats
    labels: Labels
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        ax: Axes | None = None,
        *,
        distances: Any = None,
        sample_size: int = 5000,
        random_state: int = 0,
    ) -> SilhouetteDisplay:
        """Draw the silhouettes of the rows of X in the model's scaled features and distance.

        Parameters
        ----------
        model : PolytopeClustering
            A fitted one.
        X : array or frame
            Rows as for ``fit`` or ``predict``, labelled by ``model.predict(X)``.
        ax : matplotlib Axes or None
            Where to draw; None: a figure of its own.
        distances : array of n x n numbers or None
            Instead of distances between the scaled features.
        sample_size : int
            The most rows that are compared; more are sampled, and the title says so.
        random_state : int
            Of the sample.
        """
        check_is_fitted(model, "explanation_")
        labels = np.asarray(model.predict(X), dtype=np.intp)
        placed = np.flatnonzero(labels >= 0)
        keep = _sample(placed, sample_size, random_state)
        present = np.unique(labels[keep])
        if not 2 <= len(present) < len(keep):
            raise ValueError(
                f"A silhouette needs at least two clusters and more rows than clusters; X has "
                f"{len(keep)} row{'s' * (len(keep) != 1)} in {len(present)} cluster{'s' * (len(present) != 1)}."
            )
        values = _measure(model, X, labels, keep, distances)
        sizes = tuple(int((labels == k).sum()) for k in range(model.n_clusters_))
        return cls(values, labels[keep], name_clusters(model.explanation_), sizes).plot(ax)

    @property
    def mean(self) -> float:
        """The mean silhouette of the rows shown."""
        return float(self.silhouettes.mean())

    def plot(self, ax: Axes | None = None) -> SilhouetteDisplay:
        """Draw in these axes or in a figure of its own."""
        n_clusters = len(self.sizes)
        self.figure_, self.ax_ = give_axes(ax, (8.0, max(3.6, 1.8 + 0.42 * n_clusters)))
        least = LEAST_HEIGHT * len(self.labels)
        gap = 0.015 * len(self.labels)
        top, middles = 0.0, []
        for cluster in range(n_clusters):
            values = np.sort(self.silhouettes[self.labels == cluster])[::-1]
            height = max(float(len(values)), least)
            self._draw_cluster(cluster, values, top, height)
            middles.append(top + height / 2)
            top += height + gap
        self._finish(middles, top - gap)
        return self

    def _draw_cluster(self, cluster: int, values: Floats, top: float, height: float) -> None:
        if not len(values):
            return
        color = cluster_color(cluster)
        edges = np.linspace(top, top + height, len(values) + 1)
        self.ax_.stairs(values, edges, orientation="horizontal", fill=True, color=color, alpha=0.8, zorder=2)
        mean = float(values.mean())
        self.ax_.plot([mean, mean], [top, top + height], color=line_color(), linewidth=1.4, zorder=3)

    def _finish(self, middles: list[float], bottom: float) -> None:
        low = float(self.silhouettes.min())
        left = min(-0.05, 1.1 * low)
        self.ax_.set(xlim=(left, 1.0), ylim=(bottom, 0.0), xlabel="silhouette of a row")
        between = ", " if self._is_crowded(middles, bottom) else "\n"
        self.ax_.set_yticks(middles, labels=[self._tick(k, between) for k in range(len(middles))])
        self.ax_.axvline(0.0, color=GREY, linewidth=0.8, zorder=1)
        self.ax_.axvline(self.mean, color=line_color(), linewidth=1.1, linestyle=(0, (5, 4)), zorder=4)
        tidy_axes(self.ax_)
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.spines["left"].set_visible(False)
        self.figure_.draw_without_rendering()  # names take their room, and the title is wrapped to what is left
        set_title(self.ax_, f"Mean silhouette {number_text(self.mean)} (dashed)", self.describe())

    def describe(self) -> str:
        """One line that says what is drawn."""
        n_shown, n_placed = len(self.labels), sum(self.sizes)
        text = "rows sorted within each cluster; solid line: the cluster's mean"
        sampled = f"; {format_count(n_shown)} of {format_count(n_placed)} rows sampled"
        return text if n_shown == n_placed else text + sampled

    def _is_crowded(self, middles: list[float], bottom: float) -> bool:
        """Whether labels of two lines would run into each other."""
        height = self.ax_.get_window_extent().height / self.ax_.figure.dpi * POINTS_PER_INCH
        return bool(np.diff(middles).min(initial=bottom) / bottom * height < TWO_LINES)

    def _tick(self, cluster: int, between: str) -> str:
        values = self.silhouettes[self.labels == cluster]
        mean = number_text(float(values.mean())) if len(values) else "no row"
        return f"{self.names[cluster]} ({format_count(self.sizes[cluster])}){between}mean {mean}"


def _sample(rows: NDArray[np.intp], most: int, seed: int) -> NDArray[np.intp]:
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, size=most, replace=False))


def _measure(model: Any, X: Any, labels: Labels, keep: NDArray[np.intp], distances: Any) -> Floats:
    """scikit-learn's silhouettes of the kept rows, each compared with the kept rows."""
    if distances is not None:
        matrix = np.asarray(distances)
        if matrix.shape != (len(labels), len(labels)):
            raise ValueError(
                f"distances must be square with one row per row of X ({len(labels)}); got shape {matrix.shape}."
            )
        return np.asarray(silhouette_samples(matrix[np.ix_(keep, keep)], labels[keep], metric="precomputed"))
    if model.distance == "precomputed":
        raise ValueError(
            "The model was fitted with precomputed distances; give those between the rows of X as distances=."
        )
    coordinates, metric = model._locate(X)
    return np.asarray(silhouette_samples(coordinates[keep], labels[keep], metric=metric))
