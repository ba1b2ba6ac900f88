"""Render benchmarks/RESULTS.md from the stored results: python -m benchmarks.tables"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.comparison import (
    Study,
    Tally,
    list_beaten_by_shorter_trees,
    list_shortfalls,
    open_study,
    tally,
    tally_paper,
)
from benchmarks.datasets import PROTOCOLS
from benchmarks.methods import METHODS
from benchmarks.results import FOLDER, read_all

PAGE = Path(__file__).resolve().parent / "RESULTS.md"
INTRODUCTION = Path(__file__).resolve().parent / "pages" / "results.md"
IN_THE_PAPER = ("kmeans", "gmm", "hclust", "dbscan", "icot", "exkmc-1", "exkmc-5", "mpc-1", "mpc-2")
FAMILIES = ("mpc-1", "mpc-2", "mpc-general")
NOTHING = "–"
TIE_SHOWN = 0.00005


def render_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def show(value: float | None, pattern: str = "{:.4f}") -> str:
    """A number, or a dash."""
    return NOTHING if value is None else pattern.format(value)


def show_seconds(value: float | None) -> str:
    """Three significant digits, no exponent."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def title(method: str) -> str:
    return METHODS[method].title


def silhouette_table(study: Study, protocol: str) -> str:
    """A row per data set, a column per method, the ceiling last."""
    methods = [m for m in study.methods(protocol) if not m.startswith("mpc-") or m in FAMILIES]
    rows = []
    for data in study.names(protocol):
        scores = {m: study.silhouette(protocol, data, m) for m in methods}
        best = max((s for s in scores.values() if s is not None), default=None)
        cells = [_mark(study, protocol, data, m, scores[m], best) for m in methods]
        rows.append([data, *cells, show(study.ceiling(protocol, data))])
    return render_table(["data", *map(title, methods), "ceiling"], rows)


def _mark(
    study: Study, protocol: str, data: str, method: str, score: float | None, best: float | None
) -> str:
    """Bold for the best, * for an outlier cut, ~ for a cell that was cut short by its budget."""
    if score is None or best is None:
        return NOTHING
    text = show(score)
    text = f"**{text}**" if best - score < 0.00005 else text
    text += "\\*" if study.is_outlier_cut(protocol, data, method) else ""
    return text + ("~" if study.value(protocol, data, method, "is_cut") else "")


def paper_table(study: Study) -> str:
    """Ours, the paper's and the difference, for the paper's nine methods."""
    methods = [m for m in IN_THE_PAPER if m in study.methods("paper")]
    rows = []
    for data in study.names("paper"):
        row = [data]
        for method in methods:
            ours, theirs = study.silhouette("paper", data, method), study.paper(data, method)
            if ours is None or theirs is None:
                row.append(f"{show(ours, '{:.3f}')} / {show(theirs, '{:.3f}')}")
            else:
                row.append(f"{ours:.3f} / {theirs:.3f} ({round(ours, 3) - theirs:+.3f})")
        rows.append(row)
    return render_table(["data", *map(title, methods)], rows)


def cluster_table(study: Study, protocol: str) -> str:
    """Number of clusters and size of the smallest."""
    methods = [m for m in study.methods(protocol) if not m.startswith("mpc-") or m in FAMILIES]
    rows = []
    for data in study.names(protocol):
        cells = []
        for method in methods:
            k, smallest = (study.value(protocol, data, method, c) for c in ("k", "smallest"))
            cells.append(NOTHING if k is None else f"{k:.0f} ({smallest:.0f})")
        rows.append([data, *cells])
    return render_table(["data", *map(title, methods)], rows)


def seconds_table(study: Study, protocol: str) -> str:
    """Seconds per run and in total."""
    methods = study.methods(protocol)
    rows = []
    for data in study.names(protocol):
        cells = []
        for method in methods:
            run, total = (
                study.value(protocol, data, method, c) for c in ("seconds_per_run", "seconds_total")
            )
            cells.append(NOTHING if total is None else f"{show_seconds(run)} / {show_seconds(total)}")
        rows.append([data, *cells])
    return render_table(["data", *map(title, methods)], rows)


def explanation_table(study: Study, protocol: str) -> str:
    """Clauses per cluster, terms per clause and fidelity of every method that explains."""
    methods = [m for m in study.methods(protocol, ("tree", "polytopes")) if m not in ("mpc-2-k11",)]
    rows = []
    for data in study.names(protocol):
        rows.append([data, *(_explanation_cell(study, protocol, data, method) for method in methods)])
    return render_table(["data", *map(title, methods)], rows)


def _explanation_cell(study: Study, protocol: str, data: str, method: str) -> str:
    columns = ("clauses_per_cluster", "terms_per_cluster", "fidelity")
    clauses, terms, fidelity = (study.value(protocol, data, method, c) for c in columns)
    if clauses is None or terms is None or fidelity is None:
        return NOTHING
    return f"{clauses:.1f} × {terms / clauses if clauses else 0.0:.1f}, {fidelity:.3f}"


def sizes_list(study: Study, protocol: str) -> str:
    """Sizes of the solutions that cut off outliers, so that everybody can judge them."""
    lines = []
    for data in study.names(protocol):
        for method in study.methods(protocol):
            if study.is_outlier_cut(protocol, data, method):
                cell = study.cell(protocol, data, method) or {}
                lines.append(
                    f"* {data}, {title(method)}: {cell['silhouette']:.4f} with sizes {cell['sizes']}\n"
                )
    return "".join(lines) or "None.\n"


def show_tally(result: Tally) -> str:
    """Counts, and names where they are few or matter."""
    lost = f" ({', '.join(result.lost)})" if result.lost else ""
    return f"{len(result.won)} won, {len(result.tied)} tied, {len(result.lost)} lost{lost}"


def summary(study: Study) -> str:
    """What is won, tied and lost."""
    rows = []
    for method in FAMILIES:
        if method in IN_THE_PAPER and method in study.methods("paper"):
            rows.append(
                ["paper", title(method), "the paper's value for it", show_tally(tally_paper(study, method))]
            )
    for protocol in PROTOCOLS:
        groups = {
            "best tree (ICOT, ExKMC, CART, Kauri)": study.methods(protocol, ("tree",)),
            "best method without explanation": study.methods(protocol, ("plain",)),
        }
        for method in (m for m in FAMILIES if m in study.methods(protocol)):
            for what, rivals in groups.items():
                rows.append(
                    [protocol, title(method), what, show_tally(tally(study, protocol, method, rivals))]
                )
    return render_table(["protocol", "method", "against", "outcome"], rows) if rows else _no_rows()


def _no_rows() -> str:
    return "No row of polyclust has been measured yet: `make bench`.\n"


def ceiling_lines(study: Study) -> str:
    """Distance to the best silhouettes known, spam left out and named."""
    lines = []
    for protocol in PROTOCOLS:
        for method in (m for m in FAMILIES if m in study.methods(protocol)):
            shortfalls = list_shortfalls(study, protocol, method)
            counted = {data: gap for data, gap in shortfalls.items() if data != "spam"}
            if not counted:
                continue
            worst = max(counted, key=counted.__getitem__)
            mean = sum(counted.values()) / len(counted)
            spam = f"; spam {shortfalls['spam']:+.4f}" if "spam" in shortfalls else ""
            lines.append(
                f"* {protocol}, {title(method)}: {mean:.4f} below the ceiling on average, "
                f"{counted[worst]:.4f} at worst ({worst}), over {len(counted)} sets{spam}\n"
            )
    return "".join(lines) or "No ceiling or no row of polyclust at hand.\n"


def shorter_tree_lines(study: Study) -> str:
    """Where a tree of no more clauses scores higher than MPC-1."""
    lines = [
        f"* {protocol}, {data}: {title(rival)} is better by {gap:.4f}\n"
        for protocol in PROTOCOLS
        for data, rival, gap in list_beaten_by_shorter_trees(study, protocol, "mpc-1")
    ]
    return "".join(lines) or "None.\n"


def difference_lines(study: Study) -> str:
    """Comparators whose value is not the paper's to three decimals."""
    lines = []
    for method in (m for m in IN_THE_PAPER if m not in FAMILIES and m in study.methods("paper")):
        result = tally_paper(study, method)
        higher = f"higher than printed: {', '.join(result.won)}" if result.won else ""
        lower = f"lower: {', '.join(result.lost)}" if result.lost else ""
        rest = "; ".join(part for part in (higher, lower) if part) or "no difference"
        lines.append(f"* {title(method)}: {len(result.tied)} equal; {rest}\n")
    return "".join(lines)


def special_lines(study: Study) -> str:
    """Rows measured for one remark: more starts, an eleventh cluster."""
    lines = []
    eleven = study.cell("paper", "atom", "mpc-2-k11")
    if eleven and study.silhouette("paper", "atom", "mpc-2-k11") is not None:
        lines.append(
            f"* Atom, MPC-2 with K ≤ 11: {eleven['silhouette']:.4f} at K = {eleven['k']:.0f} "
            "(the paper prints 0.617 at 9, which no clustering known reaches with K ≤ 10)\n"
        )
    for protocol in PROTOCOLS:
        for base in ("mpc-1", "mpc-2"):
            gains = _gains(study, protocol, base, f"{base}-100")
            if gains:
                named = ", ".join(
                    f"{data} {gain:+.4f}" for data, gain in gains.items() if abs(gain) >= TIE_SHOWN
                )
                lines.append(
                    f"* {protocol}, {title(base)}, n_init=100 against the default: {named or 'no change'}\n"
                )
    return "".join(lines) or "Not measured.\n"


def _gains(study: Study, protocol: str, base: str, other: str) -> dict[str, float]:
    pairs = {
        data: (study.silhouette(protocol, data, base), study.silhouette(protocol, data, other))
        for data in study.names(protocol)
    }
    return {data: b - a for data, (a, b) in pairs.items() if a is not None and b is not None}


def failure_lines(study: Study) -> str:
    """Cells without a solution, or with a remark, and why."""
    rows = study.results[(study.results["status"] != "ok") | study.results["note"].notna()]
    lines = []
    for (method, status, note), group in rows.fillna({"note": ""}).groupby(["method", "status", "note"]):
        cells = ", ".join(f"{r.data} ({r.protocol})" for r in group.itertuples())
        lines.append(f"* {title(method)}: {status}{f', {note}' if note else ''}: {cells}\n")
    return "".join(lines) or "None.\n"


PROTOCOL_TEXT = {
    "paper": "FCPS unscaled, the other files as the paper ran them (with the class among the features of "
    "wine and zoo; framingham scaled by the bounds of its full file), clusters of any size, k = 2..10.",
    "practical": "Without leaked columns, every number scaled to [0, 1], every cluster at least 2 % of "
    "the rows (solutions with smaller ones are passed over), k = 2..10.",
}


def protocol_section(study: Study, protocol: str) -> str:
    """All tables of one protocol."""
    parts = [
        f"## Protocol *{protocol}*\n\n{PROTOCOL_TEXT[protocol]}\n",
        f"### Silhouette\n\n{silhouette_table(study, protocol)}",
    ]
    if protocol == "paper":
        parts.append(f"### Ours / the paper's (difference)\n\n{paper_table(study)}")
    parts += [
        f"### Number of clusters (rows of the smallest)\n\n{cluster_table(study, protocol)}",
        f"### Outlier cuts\n\n{sizes_list(study, protocol)}",
        "### Explanations: clauses per cluster × terms per clause, fidelity\n\n"
        + explanation_table(study, protocol),
        f"### Seconds: per run / total\n\n{seconds_table(study, protocol)}",
    ]
    return "\n".join(parts)


def render_page(study: Study) -> str:
    """The whole of RESULTS.md."""
    parts = [
        INTRODUCTION.read_text(encoding="utf-8"),
        f"## Won, tied, lost\n\n{summary(study)}",
        f"### Below the ceiling\n\n{ceiling_lines(study)}",
        f"### Trees of no more clauses that score higher than MPC-1\n\n{shorter_tree_lines(study)}",
        f"### More starts, more clusters\n\n{special_lines(study)}",
        *(protocol_section(study, protocol) for protocol in PROTOCOLS),
        "## Where the paper is not reproduced\n\nTo three decimals, protocol *paper*; the reasons are in "
        f"[REPRODUCTION.md](REPRODUCTION.md).\n\n{difference_lines(study)}",
        f"## Cells without a solution, and remarks\n\n{failure_lines(study)}",
    ]
    return "\n".join(parts)


def main(
    results: Annotated[Path, typer.Option(help="folder of the results")] = FOLDER,
    data: Annotated[Path | None, typer.Option(help="folder of the data; the ceilings lie beside it")] = None,
    out: Annotated[Path, typer.Option(help="page to write")] = PAGE,
) -> None:
    """Write the page."""
    out.write_text(render_page(open_study(read_all(results), data)), encoding="utf-8")
    typer.echo(f"Wrote {out}.")


if __name__ == "__main__":
    typer.run(main)
