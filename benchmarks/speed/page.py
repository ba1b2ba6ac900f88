"""SPEED.md: an introduction, verdicts, and a table for every study."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path

from benchmarks import kernels
from benchmarks.markdown import NOTHING, show, show_seconds
from benchmarks.markdown import render_table as render_rows
from benchmarks.speed.cases import Case
from benchmarks.speed.chart import CHART
from benchmarks.speed.contestants import BEST, FAMILIES, GRID, MINIBATCH
from benchmarks.speed.family_verdict import render_families
from benchmarks.speed.figures import Figures, least_rows, most_bytes
from benchmarks.speed.jobs import COUNTS, RACES, SETS, SIZES, WIDTHS
from benchmarks.speed.races import SEARCHES
from benchmarks.speed.start import DEPENDENCIES, EMPTY, ESTIMATOR, FIRST, LATER, PACKAGE, WARM
from benchmarks.speed.verdicts import lost_by_racing, render_verdicts, show_gain

PAGES = Path(__file__).resolve().parents[1] / "pages"
INTRODUCTION = PAGES / "speed.md"
SECTIONS = ("speed-remarks.md", "distributed.md", "warehouse.md")  # written by hand or by other benchmarks


def render_table(header: list[str], rows: list[list[str]]) -> str:
    """A table, or a sentence where there is nothing to show yet."""
    return render_rows(header, rows) if rows else "Not measured.\n"


def render_page(figures: Figures, folder: Path) -> str:
    """The page; studies that were not run yet have empty tables."""
    return "\n".join(
        [
            INTRODUCTION.read_text(encoding="utf-8"),
            describe_run(figures),
            f"![Ratios and growth]({CHART})\n",
            "## Targets\n",
            render_verdicts(figures),
            "## Against the k-means grid\n",
            compare(figures, "sets", SETS, (GRID, *FAMILIES)),
            "## More rows: 20 features, 8 blobs, 5% noise\n",
            compare(figures, "sizes", SIZES, (MINIBATCH, *FAMILIES, BEST)),
            describe_growth(figures),
            "### Memory and minimum size\n",
            tabulate_memory(figures),
            "## More features, more clusters: 5000 rows, 5% noise\n",
            compare(figures, "widths", WIDTHS, (GRID, *FAMILIES)),
            compare(figures, "counts", COUNTS, (GRID, *FAMILIES)),
            describe_losses(figures),
            "## The first run: import, compilation and fit apart\n",
            tabulate_start(figures),
            "## The kernel\n",
            kernels.quote(folder),
            "## Races beside exhaustive search\n",
            tabulate_races(figures),
            "## Family or search?\n",
            render_families(figures),
            *(path.read_text(encoding="utf-8") for name in SECTIONS if (path := PAGES / name).is_file()),
        ]
    )


def describe_run(figures: Figures) -> str:
    """Where, which study on which days, and whether the machine was at rest."""
    studies = sorted({row.study for row in figures.rows})
    hours = {s: sorted({row.ended[:13] for row in figures.rows if row.study == s and row.ended}) for s in studies}
    when = "; ".join(f"*{study}* {' to '.join(sorted({h[0], h[-1]}))}h" for study, h in hours.items() if h)
    busy = f"{figures.count_busy()} of {len(figures.rows)} runs were held up by other work on the machine"
    measured = when.replace("T", ", ") or "none yet"
    return (
        f"Measured on {kernels.name_processor()}, Python {platform.python_version()}; {busy}. Day and hour of each "
        f"study, whose figures are those of the search as it was then (it may have changed in between): {measured}.\n"
    )


def compare(figures: Figures, study: str, cases: Iterable[Case], contestants: tuple[str, ...]) -> str:
    """Seconds, ratios and scores beside the first contestant's."""
    peer, rows = contestants[0], []
    for case in cases:
        for who in contestants:
            row = figures.best(study, case.name, who)
            if row:
                share = NOTHING if who == BEST else show(figures.ratio(study, case.name, who, peer), "{:.2f}")
                gain = show(figures.gain(study, case.name, who, peer), "{:+.4f}")
                numbers = [show_seconds(row.seconds), share, f"{row.silhouette:.4f}", gain]
                rows.append([case.name, who, *numbers, f"{row.k} ({row.smallest})"])
    return render_table(["data", "who", "seconds", "ratio", "silhouette", "to the grid", "k (smallest)"], rows)


def describe_growth(figures: Figures) -> str:
    """One sentence."""
    found = {who: figures.growth(who) for who in (MINIBATCH, *FAMILIES)}
    words = [f"{who} n^{value:.2f}" for who, value in found.items() if value is not None]
    return (
        f"Growth from 10⁴ rows on, fitted: {', '.join(words) or 'not measured'}. It is no law: up to 20 000 rows all "
        "distances are measured, beyond a sample carries the search.\n"
    )


def describe_losses(figures: Figures) -> str:
    """On how many of the tables with noise polyclust takes longer or scores less than the grid."""
    tables = [("sizes", case.name, MINIBATCH) for case in SIZES]
    tables += [(study, case.name, GRID) for study, cases in (("widths", WIDTHS), ("counts", COUNTS)) for case in cases]
    words = []
    for who in FAMILIES:
        ratios = [r for study, name, peer in tables if (r := figures.ratio(study, name, who, peer)) is not None]
        gains = [g for study, name, peer in tables if (g := figures.gain(study, name, who, peer)) is not None]
        n_slower, n_lower = sum(r > 1 for r in ratios), sum(round(g, 4) < 0 for g in gains)
        if ratios and gains:
            longer = f"takes longer than the grid on {n_slower} of {len(ratios)}"
            words.append(f"{who} {longer} and scores less on {n_lower}")
    return f"On the tables with noise (more rows, features, clusters) {'; '.join(words)}.\n" if words else ""


def tabulate_memory(figures: Figures) -> str:
    """Peak memory beside its bound, the smallest cluster beside the minimum."""
    rows = []
    for case in SIZES:
        for who in (MINIBATCH, *FAMILIES):
            row = figures.best("sizes", case.name, who)
            if row:
                megabytes = [f"{value / 1e6:.0f}" for value in (row.input_bytes, row.peak_bytes, most_bytes(row))]
                rows.append([case.name, who, *megabytes, str(row.smallest), str(least_rows(row))])
    header = ["data", "who", "input, MB", "peak, MB", "2 × input + 1 GB", "smallest cluster", "minimum"]
    return render_table(header, rows)


def tabulate_start(figures: Figures) -> str:
    """Seconds of every step of a fresh process, with an empty and with a warm cache."""
    steps = (PACKAGE, DEPENDENCIES, ESTIMATOR, FIRST, LATER)
    rows = []
    for family in FAMILIES:
        for state in (EMPTY, WARM):
            seconds = [figures.step(family, state, step) for step in steps]
            rows.append([family, state, *(show(s, "{:.3f}") for s in (*seconds, figures.overhead(family, state)))])
    return render_table(["family", "compiled kernels", *steps, "first − later"], rows)


def tabulate_races(figures: Figures) -> str:
    """The silhouette of MPC-2 by each search, what the race lost, and the seconds."""
    rows = []
    for case in RACES:
        found = [figures.best("races", case.name, search) for search in SEARCHES]
        if any(found):
            lost = lost_by_racing(figures, case.name)
            # what was cut short is no yardstick, but may show that there was something to be found
            scores = [
                NOTHING if not row or row.k == 0 else f"{row.silhouette:.4f}{'*' * bool(row.note)}" for row in found
            ]
            seconds = [NOTHING if not row or row.k == 0 else show_seconds(row.seconds) for row in found]
            rows.append([case.name, *scores, NOTHING if lost is None else show_gain(lost), " / ".join(seconds)])
    header = ["data", *SEARCHES, "raced − best finished", "seconds"]
    note = "\\* ended by the time limit, so no yardstick; – not run (too large) or none finished.\n"
    return render_table(header, rows) + "\n" + note if rows else "Not measured: `python -m benchmarks.speed --races`.\n"
