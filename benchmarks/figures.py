"""Draw the figures: python -m benchmarks.figures

quality_seconds.png : every method's silhouette below the best known against its seconds, per protocol
families.png        : the paper's first figure on data of our own, three families of hyperplane
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import typer
from matplotlib.axes import Axes

from benchmarks.comparison import Study, open_study
from benchmarks.datasets import PROTOCOLS
from benchmarks.methods import METHODS
from benchmarks.results import FOLDER, read_all

FIGURES = Path(__file__).resolve().parent / "figures"
COLOURS = {"plain": "#8a8f98", "tree": "#d98c21", "polytopes": "#2b6cb0"}
WORDS = {"plain": "no explanation", "tree": "tree", "polytopes": "polytopes"}
CLUSTER_COLOURS = ("#2b6cb0", "#d98c21", "#3f9b5f", "#a34fa3", "#c0392b")
FAMILIES: dict[str, dict[str, Any]] = {
    "axis-parallel: rules": {},
    "two terms, small integers: scorecards": {"max_terms": 2, "max_coefficient": 3},
    "general: linear conditions": {"max_terms": None, "max_coefficient": None},
}


def find_reference(study: Study, protocol: str, data: str) -> float:
    """The ceiling, or the best silhouette of any method where it is higher or no ceiling is at hand."""
    scores = [study.silhouette(protocol, data, method) for method in study.methods(protocol)]
    return max([s for s in (*scores, study.ceiling(protocol, data)) if s is not None])


def place_method(study: Study, protocol: str, method: str) -> tuple[float, float, int]:
    """Geometric mean of its total seconds, mean gap to the reference, and the number of sets it solved."""
    names = [d for d in study.names(protocol) if study.silhouette(protocol, d, method) is not None]
    gaps = [study.silhouette(protocol, d, method) - find_reference(study, protocol, d) for d in names]
    seconds = [study.value(protocol, d, method, "seconds_total") or 1e-3 for d in names]
    return float(np.exp(np.mean(np.log(seconds)))), float(np.mean(gaps)), len(names)


def draw_quality(study: Study, protocol: str, ax: Axes) -> Axes:
    """One point per method; hollow, with their number, when it has a solution on some data sets only."""
    n_sets = len(study.names(protocol))
    seen: set[str] = set()
    for method in study.methods(protocol):
        if not any(study.silhouette(protocol, data, method) is not None for data in study.names(protocol)):
            continue
        kind = METHODS[method].kind
        seconds, gap, n_solved = place_method(study, protocol, method)
        colour, is_whole = COLOURS[kind], n_solved == n_sets
        ax.scatter(seconds, gap, s=45, edgecolors=colour, facecolors=colour if is_whole else "none", zorder=3)
        words = method if is_whole else f"{method} ({n_solved})"
        ax.annotate(words, (seconds, gap), xytext=(5, 4), textcoords="offset points", fontsize=8)
        seen.add(kind)
    for kind in sorted(seen):
        ax.scatter([], [], s=45, color=COLOURS[kind], label=WORDS[kind])
    ax.set_xscale("log")
    ax.set_xlabel("seconds in total, one thread (geometric mean)")
    ax.set_ylabel("silhouette below the best known (mean)")
    ax.set_title(f"protocol {protocol}, {n_sets} data sets", fontsize=10)
    ax.grid(alpha=0.25)
    if seen:
        ax.legend(fontsize=8, loc="lower right")
    return ax


def make_figure_data(seed: int = 0) -> np.ndarray:
    """Three slanted clouds that no two vertical or horizontal lines separate well."""
    random = np.random.default_rng(seed)
    turn = np.array([[0.9, 0.75], [-0.25, 0.3]])
    centres = np.array([[2.0, 7.6], [5.2, 5.0], [8.2, 2.2]])
    clouds = [random.normal(size=(120, 2)) @ turn * 1.1 + centre for centre in centres]
    return np.vstack(clouds)


def draw_family(X: np.ndarray, name: str, settings: dict[str, Any], ax: Axes) -> Axes:
    """The polytopes as shaded regions, the rows on top."""
    from polyclust import PolytopeClustering

    model = PolytopeClustering(3, random_state=0, **settings).fit(X)
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    across, up = np.meshgrid(np.linspace(low[0], high[0], 320), np.linspace(low[1], high[1], 320))
    inside = np.asarray(model.contains(np.column_stack([across.ravel(), up.ravel()])))
    for k in range(model.n_clusters_):
        colour = CLUSTER_COLOURS[k % len(CLUSTER_COLOURS)]
        region = inside[:, k].reshape(across.shape).astype(float)
        ax.contourf(across, up, region, levels=[0.5, 1.5], colors=[colour], alpha=0.18)
        ax.contour(across, up, region, levels=[0.5], colors=[colour], linewidths=1.2)
        ax.scatter(*X[model.labels_ == k].T, s=9, color=colour)
    ax.set_title(f"{name}\nsilhouette {model.score_:.3f}", fontsize=10)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def save(figure: plt.Figure, path: Path) -> None:
    """Write the picture and let go of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
    typer.echo(f"Wrote {path}.")


def save_quality(study: Study, folder: Path) -> None:
    """Both protocols side by side."""
    figure, axes = plt.subplots(1, len(PROTOCOLS), figsize=(13, 5.2))
    for protocol, ax in zip(PROTOCOLS, axes, strict=True):
        draw_quality(study, protocol, ax)
    save(figure, folder / "quality_seconds.png")


def save_families(folder: Path) -> None:
    """The three families side by side."""
    X = make_figure_data()
    figure, axes = plt.subplots(1, len(FAMILIES), figsize=(13, 4.4))
    for (name, settings), ax in zip(FAMILIES.items(), axes, strict=True):
        draw_family(X, name, settings, ax)
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
