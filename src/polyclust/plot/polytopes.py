"""PolytopeDisplay: the rows and the polytopes of their clusters in two features, in original units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from polyclust.explain.explanation import Explanation
from polyclust.explain.quality import number_labels
from polyclust.explain.rows import read_rows
from polyclust.explain.spelling import format_count
from polyclust.geometry.hyperplane import place_rows
from polyclust.plot.badges import draw_badge, spread_places
from polyclust.plot.scene import (
    Scene,
    build_scene,
    choose_features,
    count_usage,
    find_features,
    label_clusters,
    name_clusters,
)
from polyclust.plot.style import (
    GREY,
    add_legend,
    cluster_color,
    cluster_marker,
    give_axes,
    set_title,
    shorten,
    shorten_all,
    tidy_axes,
)
from polyclust.table.features import Feature

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Labels = NDArray[np.intp]

__all__ = ["PolytopeDisplay", "prepare_model"]


@dataclass
class PolytopeDisplay:
    """Rows and polytopes in two features.

    Made by :meth:`from_estimator` or :meth:`from_explanation`; the title says what the polygons are:

    * exact: no hyperplane uses another feature, so the polygons are the rules;
    * projection: no hyperplane mixes shown and hidden features, so the polygons are the polytopes' shadows;
      where two overlap, a hidden feature tells the clusters apart;
    * slice: each polytope where the hidden features have the medians of its cluster.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Set by :meth:`plot`.
    kind_ : {"exact", "projection", "slice"}
        What the polygons are.
    """

    scene: Scene
    names: tuple[str, ...]
    badges: tuple[str, ...]
    sizes: tuple[int, ...]
    n_rows: int
    _colors: Sequence[int] = field(init=False, repr=False, default=())
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        features: Sequence[object] | None = None,
        ax: Axes | None = None,
        *,
        sample_size: int = 5000,
        random_state: int = 0,
    ) -> PolytopeDisplay:
        """Draw a fitted PolytopeClustering on the rows of X, coloured by ``model.predict(X)``.

        Parameters
        ----------
        model : PolytopeClustering
            A fitted one.
        X : array or frame
            Rows as for ``fit`` or ``predict``.
        features : sequence or None
            One or two column names, feature names or positions; None: the two most used.
        ax : matplotlib Axes or None
            Where to draw; None: a figure of its own.
        sample_size : int
            The most rows drawn as points.
        random_state : int
            Of the sample and the jitter.
        """
        display = prepare_model(model, X, features, sample_size=sample_size, random_state=random_state)
        return display.plot(ax)

    @classmethod
    def from_explanation(
        cls,
        explanation: Explanation,
        X: Any,
        features: Sequence[object] | None = None,
        ax: Axes | None = None,
        *,
        labels: Any = None,
        sample_size: int = 5000,
        random_state: int = 0,
    ) -> PolytopeDisplay:
        """Draw an explanation, such as that of ``explain_labels``.

        Parameters
        ----------
        explanation : Explanation
        X : array or frame
            Rows with the columns of the explanation.
        features, ax, sample_size, random_state
            As for :meth:`from_estimator`.
        labels : sequence of n labels or None
            The clusters of the rows; None: those that the polytopes give. Rows whose label the explanation does not
            know count as in no cluster.
        """
        display = cls.prepare(explanation, X, features, labels, sample_size=sample_size, random_state=random_state)
        return display.plot(ax)

    @classmethod
    def prepare(
        cls,
        explanation: Explanation,
        X: Any,
        features: Sequence[object] | None = None,
        labels: Any = None,
        *,
        sample_size: int = 5000,
        random_state: int = 0,
        raw: NDArray[np.float64] | None = None,
    ) -> PolytopeDisplay:
        """The display before it is drawn, without matplotlib. ``raw``: the explaining features of X."""
        if raw is None:
            raw = read_rows(X, explanation.columns, explanation.features)
        labels = _number_labels(explanation, raw, labels)
        if features is None:
            shown = choose_features(explanation.hyperplanes, raw, labels)
        else:
            shown = find_features(explanation.features, features, count_usage(explanation.hyperplanes))
        scene = build_scene(explanation, raw, labels, shown, random_state)
        sizes = tuple(int((labels == k).sum()) for k in range(explanation.n_clusters))
        return cls(
            scene=_thin(scene, sample_size, random_state),
            names=name_clusters(explanation),
            badges=tuple(shorten(text, 8) for text in label_clusters(explanation)),
            sizes=sizes,
            n_rows=len(raw),
        )

    @property
    def kind_(self) -> str:
        """What the polygons are: "exact", "projection" or "slice"."""
        return self.scene.kind

    def plot(
        self,
        ax: Axes | None = None,
        *,
        legend: bool = True,
        title: str | None = None,
        colors: Sequence[int] | None = None,
    ) -> PolytopeDisplay:
        """Draw in these axes or in a figure of its own.

        ``title`` replaces the first line only; ``colors`` are positions in the palette, one per cluster.
        """
        self._colors = range(len(self.sizes)) if colors is None else colors
        self.figure_, self.ax_ = give_axes(ax, (8.0, max(5.0, 0.8 + 0.22 * len(self.sizes))))
        x_low, x_high, y_low, y_high = self.scene.view
        self.ax_.set(xlim=(x_low, x_high), ylim=(y_low, y_high))
        for cluster in range(len(self.sizes)):
            self._draw_polygon(cluster)
        for cluster in np.unique(self.scene.labels):
            self._draw_rows(int(cluster))
        self._draw_badges()
        _label_axes(self.ax_, self.scene.shown)
        tidy_axes(self.ax_)
        set_title(self.ax_, title or self._headline(), self.describe())
        if legend:
            add_legend(self.ax_, outside=ax is None)
        return self

    def describe(self) -> str:
        """One line that says what the polygons and points are."""
        if self.kind_ == "exact":
            text = "exact: the polygons are the rules"
        elif self.kind_ == "projection":
            text = "projection: where polygons overlap, other features tell the clusters apart"
        else:
            at = f"other features at each cluster's medians{self._describe_moved()}"
            text = f"slice: {at}, so polygons may overlap"
        n_drawn = len(self.scene.labels)
        drawn = f"; {format_count(n_drawn)} of {format_count(self.n_rows)} rows drawn"
        return text if n_drawn == self.n_rows else text + drawn

    def _describe_moved(self) -> str:
        moved = self.scene.moved
        if not moved:
            return ""
        which = f"cluster{'s' * (len(moved) > 1)} {', '.join(self.badges[k] for k in moved)}"
        return f" ({which}: at the row nearest them)"

    def _headline(self) -> str:
        names = " and ".join(shorten_all([f.name for f in self.scene.shown], 30))
        return f"{len(self.sizes)} cluster{'s' * (len(self.sizes) != 1)} in {names}"

    def _draw_polygon(self, cluster: int) -> None:
        from matplotlib.patches import Polygon

        corners = self.scene.polygons[cluster]
        if not len(corners):
            return
        color = self._color(cluster)
        self.ax_.add_patch(Polygon(corners, facecolor=color, alpha=0.13, linewidth=0, zorder=1))
        edge = Polygon(corners, facecolor="none", edgecolor=color, linewidth=3.2, zorder=2)
        self.ax_.add_patch(edge)
        edge.set_clip_path(edge)  # the inner half of the line, so that neighbours both show their edge

    def _draw_rows(self, cluster: int) -> None:
        scene, color = self.scene, self._color(cluster)
        is_mine = scene.labels == cluster
        size = float(np.clip(6000 / max(len(scene.labels), 1), 7, 26))
        rim = self.ax_.get_facecolor() if size > 12 else color  # a rim would eat smaller markers
        for is_drawn, is_filled in ((is_mine & scene.is_inside, True), (is_mine & ~scene.is_inside, False)):
            if not is_drawn.any():
                continue
            self.ax_.scatter(
                scene.points[is_drawn, 0],
                scene.points[is_drawn, 1],
                s=size,
                marker=cluster_marker(self._position(cluster)),
                color=color if is_filled or cluster < 0 else "none",
                edgecolors=None if cluster < 0 else (rim if is_filled else color),
                linewidths=0.4 if is_filled else 0.9,
                alpha=0.85,
                zorder=3,
                label=self._row_label(cluster, is_filled, bool((is_mine & scene.is_inside).any())),
            )

    def _color(self, cluster: int) -> str:
        return cluster_color(self._position(cluster))

    def _position(self, cluster: int) -> int:
        """Where in the palette the cluster's colour and marker stand."""
        return cluster if cluster < 0 else self._colors[cluster]

    def _row_label(self, cluster: int, is_filled: bool, has_filled: bool) -> str:
        if cluster < 0:
            return f"in no cluster ({format_count(self.n_rows - sum(self.sizes))})"
        label = f"{self.names[cluster]} ({format_count(self.sizes[cluster])})"
        if is_filled:
            return label
        return "_outside" if has_filled else label

    def _draw_badges(self) -> None:
        """The label of each cluster where its rows are."""
        clusters = [int(k) for k in np.unique(self.scene.labels) if k >= 0]
        if clusters:
            middles = [np.median(self.scene.points[self.scene.labels == k], axis=0) for k in clusters]
            places = spread_places(np.array(middles), self.scene.view)
            for cluster, place in zip(clusters, places, strict=True):
                draw_badge(self.ax_, place, self.badges[cluster], self._color(cluster))


def prepare_model(model: Any, X: Any, features: Sequence[object] | None, **options: Any) -> PolytopeDisplay:
    """The display of a fitted model before it is drawn."""
    check_is_fitted(model, "explanation_")
    raw, labels = model._encode_explaining(X), model.predict(X)
    return PolytopeDisplay.prepare(model.explanation_, X, features, labels, raw=raw, **options)


def _number_labels(explanation: Explanation, raw: NDArray[np.float64], labels: Any) -> Labels:
    """Labels as numbers 0..K-1, −1 for none."""
    if labels is None:
        return place_rows(raw, explanation.hyperplanes, explanation.n_clusters, explanation.outside)
    return number_labels(labels, explanation.cluster_labels, explanation.n_clusters, len(raw))


def _thin(scene: Scene, most: int, seed: int) -> Scene:
    """The same scene with fewer points."""
    if len(scene.labels) <= most:
        return scene
    keep = np.sort(np.random.default_rng(seed).choice(len(scene.labels), size=most, replace=False))
    return replace(
        scene,
        points=scene.points[keep],
        exact_points=scene.exact_points[keep],
        labels=scene.labels[keep],
        is_inside=scene.is_inside[keep],
    )


def _label_axes(ax: Axes, shown: Sequence[Feature]) -> None:
    names = shorten_all([feature.name for feature in shown], 60)
    for axis, feature, name in zip((ax.xaxis, ax.yaxis), shown, names, strict=False):
        axis.set_label_text(name)
        if feature.is_binary:
            axis.set_ticks([0, 1], labels=["no", "yes"])
    if len(shown) == 1:
        ax.yaxis.set_ticks([])
        ax.set_ylabel("rows, spread at random", color=GREY)
