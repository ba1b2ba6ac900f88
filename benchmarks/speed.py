"""How fast, as ratios to k-means grids in the same run: python -m benchmarks.speed

Three studies: data sets of 3 600 to 5 000 rows; 10³ to 10⁶ rows; more features and more clusters.
Writes SPEED.md and a chart.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import typer
from rich.progress import Progress

from benchmarks.contestants import Case, Timing, measure
from benchmarks.markdown import render_table, show_seconds

PAGE = Path(__file__).resolve().parent / "SPEED.md"
INTRODUCTION = Path(__file__).resolve().parent / "pages" / "speed.md"
CHART = "figures/speed.png"
FAMILIES = ("MPC-1", "MPC-2")
GRID, MINIBATCH = "k-means grid", "MiniBatchKMeans grid"

SETS = [Case(name) for name in ("framingham", "spam", "bank", "engytime")]
SETS.append(Case("blobs 5000 × 20", 5000, 20, noise=0.0))
SIZES = [Case(f"blobs {n:,} × 20".replace(",", " "), n) for n in (10**3, 10**4, 10**5, 10**6)]
WIDTHS = [Case(f"{d} features", 5000, d) for d in (10, 50, 100)]
COUNTS = [Case(f"up to {k} clusters", 5000, 20, n_blobs=k, max_clusters=k) for k in (5, 10, 20)]

Timings = dict[tuple[str, str], Timing]


def list_jobs(repeats: int, most_rows: int) -> list[tuple[Case, str, int]]:
    """What is measured, in order; the largest tables once."""
    jobs = [(case, who, repeats) for case in SETS for who in (GRID, *FAMILIES)]
    for case in SIZES:
        if case.n_rows <= most_rows:
            often = repeats if case.n_rows <= 10**4 else 1
            jobs += [(case, who, often) for who in (MINIBATCH, *FAMILIES)]
    jobs += [(case, who, 1) for case in WIDTHS + COUNTS for who in (GRID, *FAMILIES)]
    return jobs


def run_jobs(jobs: list[tuple[Case, str, int]]) -> Timings:
    """Measure one after the other; repeats are inside a job."""
    timings: Timings = {}
    with Progress() as progress:
        bar = progress.add_task("starting", total=len(jobs))
        for case, who, repeats in jobs:
            progress.update(bar, description=f"{who} on {case.name}")
            timings[case.name, who] = measure(case, who, repeats)
            progress.advance(bar)
    return timings


def ratio(timings: Timings, case: str, who: str, peer: str) -> float:
    """Seconds as a share of the peer's."""
    return timings[case, who].seconds / timings[case, peer].seconds


def comparison_table(timings: Timings, cases: Iterable[Case], peer: str) -> str:
    """Seconds, ratios and scores beside the peer's."""
    rows = []
    for case in cases:
        if (case.name, peer) not in timings:
            continue
        for who in (peer, *FAMILIES):
            t = timings[case.name, who]
            gain = t.silhouette - timings[case.name, peer].silhouette
            share = ratio(timings, case.name, who, peer)
            numbers = [show_seconds(t.seconds), f"{share:.2f}", f"{t.silhouette:.4f}", f"{gain:+.4f}"]
            rows.append([case.name, who, *numbers, f"{t.k} ({t.smallest})"])
    header = ["data", "who", "seconds", "ratio", "silhouette", "to the grid", "k (smallest)"]
    return render_table(header, rows)


def memory_table(timings: Timings, cases: Iterable[Case]) -> str:
    """Peak memory beside the bound of twice the input and 1 GB."""
    rows = []
    for case in cases:
        for who in (MINIBATCH, *FAMILIES):
            t = timings.get((case.name, who))
            if t:
                bound = (2 * t.input_bytes + 1e9) / 1e6
                rows.append(
                    [
                        case.name,
                        who,
                        f"{t.input_bytes / 1e6:.1f}",
                        f"{t.peak_bytes / 1e6:.0f}",
                        f"{bound:.0f}",
                    ]
                )
    return render_table(["data", "who", "input, MB", "peak, MB", "2 × input + 1 GB"], rows)


def measure_growth(timings: Timings, who: str) -> float | None:
    """The exponent of n from 10⁴ rows on, by least squares on logarithms."""
    points = [
        (case.n_rows, timings[case.name, who].seconds)
        for case in SIZES
        if case.n_rows >= 10**4 and (case.name, who) in timings
    ]
    if len(points) < 2:
        return None
    logs = np.log(np.array(points))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def growth_lines(timings: Timings) -> str:
    """One sentence per family."""
    exponents = {who: measure_growth(timings, who) for who in (MINIBATCH, *FAMILIES)}
    return "".join(f"* {who}: n^{value:.2f}\n" for who, value in exponents.items() if value is not None)


def draw(timings: Timings, path: Path) -> None:
    """Ratios on the data sets, seconds against rows, ratios against features and clusters."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4.4))
    _draw_ratios(timings, SETS, left)
    for who in (MINIBATCH, *FAMILIES):
        points = [(c.n_rows, timings[c.name, who].seconds) for c in SIZES if (c.name, who) in timings]
        middle.plot(*zip(*points, strict=True), marker="o", label=who)
    middle.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds, one thread")
    middle.legend(fontsize=8)
    _draw_ratios(timings, WIDTHS + COUNTS, right)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _draw_ratios(timings: Timings, cases: list[Case], ax: plt.Axes) -> None:
    places = np.arange(len(cases))
    for shift, who in zip((-0.2, 0.2), FAMILIES, strict=True):
        ax.bar(places + shift, [ratio(timings, c.name, who, GRID) for c in cases], 0.4, label=who)
    ax.axhline(1.0, color="#8a8f98", linewidth=1)
    ax.set_xticks(places, [c.name for c in cases], rotation=20, fontsize=8)
    ax.set_ylabel("seconds / seconds of the k-means grid")
    ax.legend(fontsize=8)


def render(timings: Timings) -> str:
    """The page."""
    return f"""{INTRODUCTION.read_text(encoding="utf-8")}
![Ratios and growth]({CHART})

## Against the k-means grid

{comparison_table(timings, SETS, GRID)}
## More rows: 20 features, 8 blobs, 5 % noise

{comparison_table(timings, SIZES, MINIBATCH)}
Growth from 10⁴ rows on:

{growth_lines(timings)}
### Peak memory of the process

{memory_table(timings, SIZES)}
## More features, more clusters: 5000 rows, 5 % noise

{comparison_table(timings, WIDTHS + COUNTS, GRID)}"""


def main(
    repeats: Annotated[int, typer.Option(help="runs of each small job, the best counts")] = 3,
    most_rows: Annotated[int, typer.Option(help="leave out larger tables")] = 10**6,
    out: Annotated[Path, typer.Option(help="page to write")] = PAGE,
) -> None:
    """Measure, write and draw."""
    timings = run_jobs(list_jobs(repeats, most_rows))
    draw(timings, out.parent / CHART)
    out.write_text(render(timings), encoding="utf-8")
    typer.echo(f"Wrote {out}.")


if __name__ == "__main__":
    typer.run(main)
