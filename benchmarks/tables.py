"""Render benchmarks/RESULTS.md from the stored results: python -m benchmarks.tables"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.comparison import FAMILIES, IN_THE_PAPER, Study, open_study
from benchmarks.datasets import PROTOCOLS
from benchmarks.markdown import NOTHING, render_table, show, show_seconds, title
from benchmarks.results import FOLDER, read_all
from benchmarks.verdicts import (
    ceiling_lines,
    difference_lines,
    failure_lines,
    shorter_tree_lines,
    special_lines,
    summary,
)

PAGE = Path(__file__).resolve().parent / "RESULTS.md"
INTRODUCTION = Path(__file__).resolve().parent / "pages" / "results.md"
PROTOCOL_TEXT = {
    "paper": "FCPS unscaled, the other files as the paper ran them (with the class among the features of "
    "wine and zoo; framingham scaled by the bounds of its full file), clusters of any size, k = 2..10.",
    "practical": "Without leaked columns, every number scaled to [0, 1], every cluster at least 2 % of "
    "the rows (solutions with smaller ones are passed over), k = 2..10.",
}


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


def _mark(study: Study, protocol: str, data: str, method: str, score: float | None, best: float | None) -> str:
    """Bold for the best, * for an outlier cut, ~ for a cell that was cut short by its budget."""
    if score is None or best is None:
        return NOTHING
    text = show(score)
    text = f"**{text}**" if best - score < 0.00005 else text
    text += "\\*" if study.is_outlier_cut(protocol, data, method) else ""
    return text + ("~" if study.value(protocol, data, method, "is_cut") else "")


def headline_table(study: Study, protocol: str) -> str:
    """The table for those in a hurry: polyclust beside the best of each kind."""
    kinds = {"best without explanation": ("plain",), "best tree": ("tree",)}
    families = [m for m in FAMILIES if m in study.methods(protocol)]
    rows = []
    for data in study.names(protocol):
        rivals = [_show_best(study, protocol, data, study.methods(protocol, kind)) for kind in kinds.values()]
        ours = [show(study.silhouette(protocol, data, method)) for method in families]
        rows.append([data, *rivals, *ours, show(study.ceiling(protocol, data))])
    return render_table(["data", *kinds, *map(title, families), "ceiling"], rows)


def _show_best(study: Study, protocol: str, data: str, methods: list[str]) -> str:
    """The highest silhouette and who reached it first in the order of the tables."""
    scores = {m: s for m in methods if (s := study.silhouette(protocol, data, m)) is not None}
    if not scores:
        return NOTHING
    best = max(scores, key=lambda method: round(scores[method], 6))
    return f"{scores[best]:.4f} ({title(best).split(',')[0]})"


def length_table(study: Study, protocol: str) -> str:
    """How long and how faithful explanations are, over the data sets where every such method has one."""
    methods = [m for m in study.methods(protocol, ("tree", "polytopes")) if m in FAMILIES or "mpc" not in m]
    columns = ("silhouette", "clauses_per_cluster", "terms_per_cluster", "fidelity")
    names = [
        data
        for data in study.names(protocol)
        if all(study.value(protocol, data, m, c) is not None for m in methods for c in columns)
    ]
    rows = []
    for method in methods if names else ():
        values = {c: [float(study.value(protocol, d, method, c) or 0.0) for d in names] for c in columns}
        means = {c: sum(v) / len(names) for c, v in values.items()}
        clauses, terms = means["clauses_per_cluster"], means["terms_per_cluster"]
        length = [f"{clauses:.2f}", f"{terms / clauses:.2f}" if clauses else NOTHING]
        rows.append([title(method), f"{means['silhouette']:.4f}", *length, f"{min(values['fidelity']):.3f}"])
    header = [
        f"{len(names)} data sets",
        "silhouette",
        "clauses per cluster",
        "terms per clause",
        "least fidelity",
    ]
    return render_table(header, rows)


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
            run, total = (study.value(protocol, data, method, c) for c in ("seconds_per_run", "seconds_total"))
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
                lines.append(f"* {data}, {title(method)}: {cell['silhouette']:.4f} with sizes {cell['sizes']}\n")
    return "".join(lines) or "None.\n"


def protocol_section(study: Study, protocol: str) -> str:
    """All tables of one protocol."""
    parts = [
        f"## Protocol *{protocol}*\n\n{PROTOCOL_TEXT[protocol]}\n",
        f"### In short\n\n{headline_table(study, protocol)}",
        f"### Silhouette of every method\n\n{silhouette_table(study, protocol)}",
    ]
    if protocol == "paper":
        parts.append(f"### Ours / the paper's (difference)\n\n{paper_table(study)}")
    parts += [
        f"### Number of clusters (rows of the smallest)\n\n{cluster_table(study, protocol)}",
        f"### Outlier cuts\n\n{sizes_list(study, protocol)}",
        f"### Length of the explanations, means\n\n{length_table(study, protocol)}",
        "### Explanations: clauses per cluster × terms per clause, fidelity\n\n" + explanation_table(study, protocol),
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
