"""Draw the figures: python -m benchmarks.figures

quality_seconds.png : mean silhouette of every method against its seconds, one panel per protocol
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


def common_names(study: Study, protocol: str, methods: list[str]) -> list[str]:
    """Data sets on which every one of the methods has a solution."""
    return [
        data
        for data in study.names(protocol)
        if all(study.silhouette(protocol, data, method) is not None for method in methods)
    ]


def choose_methods(study: Study, protocol: str) -> list[str]:
    """Methods measured on at least four fifths of the data sets; PAMSIL, cubic in the rows, often is not."""
    names = study.names(protocol)
    return [
        method
        for method in study.methods(protocol)
        if sum(study.silhouette(protocol, data, method) is not None for data in names) >= 0.8 * len(names)
    ]


def draw_quality(study: Study, protocol: str, ax: Axes) -> Axes:
    """One point per method: geometric mean of its total seconds, mean silhouette."""
    methods = choose_methods(study, protocol)
    names = common_names(study, protocol, methods)
    seen: set[str] = set()
    for method in methods if names else ():
        kind = METHODS[method].kind
        quality = np.mean([study.silhouette(protocol, data, method) for data in names])
        seconds = [study.value(protocol, data, method, "seconds_total") or 1e-3 for data in names]
        where = (float(np.exp(np.mean(np.log(seconds)))), float(quality))
        ax.scatter(*where, color=COLOURS[kind], s=45, label=None if kind in seen else WORDS[kind], zorder=3)
        ax.annotate(METHODS[method].name, where, xytext=(5, 4), textcoords="offset points", fontsize=8)
        seen.add(kind)
    ax.set_xscale("log")
    ax.set_xlabel("seconds in total, one thread (geometric mean)")
    ax.set_ylabel("silhouette (mean)")
    ax.set_title(f"protocol {protocol}, {len(names)} data sets", fontsize=10)
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
