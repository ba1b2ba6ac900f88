"""draw_families: the same rows told by the three families of hyperplane, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.plot.polytopes import PolytopeDisplay, prepare_model
from polyclust.plot.scene import choose_features
from polyclust.plot.style import load_pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_families", "name_family"]


def name_family(hyperplanes: Sequence[Hyperplane]) -> str:
    """The simplest family that holds these hyperplanes."""
    if all(len(h.features) == 1 for h in hyperplanes):
        return "axis-parallel"
    is_whole = all(float(c).is_integer() for h in hyperplanes for c in h.coefficients)
    return "scorecard" if is_whole else "general"


def draw_families(
    models: Sequence[Any] | Mapping[str, Any],
    X: Any,
    features: Sequence[object] | None = None,
    axes: Sequence[Axes] | None = None,
    *,
    sample_size: int = 5000,
    random_state: int = 0,
) -> NDArray[np.object_]:
    """One picture per fitted model, on the same rows, features and scales.

    Parameters
    ----------
    models : sequence of fitted PolytopeClustering, or mapping of title to model
        Without titles a panel says which family its hyperplanes belong to.
    X : array or frame
        Rows as for ``fit``.
    features : sequence or None
        As for PolytopeDisplay; None: the two most used by all the models together.
    axes : sequence of matplotlib Axes or None
        As many as models; None: a figure of its own.
    sample_size, random_state
        As for PolytopeDisplay.

    Returns
    -------
    array of matplotlib Axes
        One per model.
    """
    titled = models if isinstance(models, Mapping) else {}
    fitted = list(titled.values()) if titled else list(models)
    if not fitted:
        raise ValueError("models must hold at least one fitted model; got none.")
    titles = list(titled) or [name_family(m.hyperplanes_) for m in fitted]
    displays = _prepare(fitted, X, features, sample_size, random_state)
    panels = _make_panels(len(fitted)) if axes is None else np.asarray(axes, dtype=object).ravel()
    if len(panels) != len(fitted):
        raise ValueError(f"axes must be as many as models ({len(fitted)}); got {len(panels)}.")
    for display, panel, model, title in zip(displays, panels, fitted, titles, strict=True):
        colors = _match_colors(displays[0].scene.labels, display.scene.labels, len(display.sizes))
        display.plot(panel, legend=False, title=f"{title}: {_summarize(model)}", colors=colors)
        if axes is None:
            panel.label_outer()
    return panels


def _prepare(
    models: Sequence[Any], X: Any, features: Sequence[object] | None, sample_size: int, seed: int
) -> list[PolytopeDisplay]:
    shared = _choose_shared(models, X) if features is None else features
    return [prepare_model(m, X, shared, sample_size=sample_size, random_state=seed) for m in models]


def _choose_shared(models: Sequence[Any], X: Any) -> list[str]:
    """The two features most used by all models that explain with the same features as the first."""
    first = models[0]
    names = [f.name for f in first.explanation_.features]
    alike = [m for m in models if [f.name for f in m.explanation_.features] == names]
    hyperplanes = [h for m in alike for h in m.hyperplanes_]
    return [names[i] for i in choose_features(hyperplanes, first._encode_explaining(X), first.predict(X))]


def _match_colors(reference: NDArray[np.intp], labels: NDArray[np.intp], n_clusters: int) -> list[int]:
    """The colour of the cluster in the first panel that shares most rows; colours of its own for the rest."""
    n_reference = int(max(reference.max(initial=-1), labels.max(initial=-1))) + 1
    shared = np.zeros((n_clusters, max(n_reference, n_clusters)))
    placed = (reference >= 0) & (labels >= 0)
    np.add.at(shared, (labels[placed], reference[placed]), 1.0)
    _, colors = linear_sum_assignment(shared, maximize=True)
    return [int(c) for c in colors]


def _summarize(model: Any) -> str:
    score = getattr(model, "score_", None)
    text = f"{model.n_clusters_} cluster{'s' * (model.n_clusters_ != 1)}"
    return text if score is None else f"{text}, score {score:.3f}"


def _make_panels(n: int) -> NDArray[np.object_]:
    plt = load_pyplot()
    _, panels = plt.subplots(
        1, n, figsize=(4.6 * n, 4.4), layout="constrained", sharex=True, sharey=True, squeeze=False
    )
    return np.asarray(panels[0], dtype=object)
