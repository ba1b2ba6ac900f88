"""Render benchmarks/RESULTS.md and the headline of README.md from the stored results: python -m benchmarks.tables"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.absence import explain_marks, find_mark
from benchmarks.comparison import FAMILIES, IN_THE_PAPER, MORE_STARTS, ORDER, Study, open_study
from benchmarks.lengths import average, find_length, list_common
from benchmarks.markdown import EQUAL, NOTHING, bold_if, render_table, replace_between, show, show_seconds, title
from benchmarks.results import FOLDER, read_all
from benchmarks.same_count_tables import SAME_COUNT_TEXT, same_count_section, same_count_table
from benchmarks.verdicts import (
    aims_table,
    atom_line,
    ceiling_table,
    difference_lines,
    headline_lines,
    length_verdicts,
    remark_lines,
    shorter_tree_lines,
    summary,
)

PAGE = Path(__file__).resolve().parent / "RESULTS.md"
INTRODUCTION = PAGE.parent / "pages" / "results.md"
MARKERS = ("<!-- headline of the benchmark: made by make bench -->", "<!-- end of the headline -->")
PROTOCOL_TEXT = {
    "paper": "FCPS unscaled, the other files as the paper ran them (with the class among the features of "
    "wine and zoo; framingham scaled by the bounds of its full file), clusters of any size, k = 2..10.",
    "practical": "Without leaked columns, every number scaled to [0, 1], every cluster at least 2% of "
    "the rows (solutions with smaller ones are passed over), k = 2..10.",
}
COMPARED_WITH = {"mpc-general": "mpc-2"} | {more: base for base, more in MORE_STARTS.items()}
EXPLAINING = ("tree", "polytopes")


def tabulate(study: Study, protocol: str, methods: list[str], show_cell: Callable[[str, str], str]) -> str:
    """A row per data set, a column per method."""
    rows = [[data, *(show_cell(data, method) for method in methods)] for data in study.names(protocol)]
    return render_table(["data", *map(title, methods)], rows)


def headline_table(study: Study, protocol: str) -> str:
    """The table for those in a hurry: polyclust beside the best of each kind, the highest of a row in bold."""
    groups = [study.methods(protocol, ("plain",)), study.methods(protocol, ("tree",))]
    groups += [[method] for method in study.families(protocol)]
    rows = []
    for data in study.names(protocol):
        winners = [study.best(protocol, data, methods) for methods in groups]
        scores = [study.silhouette(protocol, data, w) if w else None for w in winners]
        best = max((s for s in scores if s is not None), default=0.0)
        cells = [
            NOTHING if s is None or w is None else _name_winner(study, protocol, data, w, bold_if(s, best))
            for s, w in zip(scores, winners, strict=True)
        ]
        rows.append([data, *cells, show(study.ceiling(protocol, data))])
    titles = ["best without explanation", "best tree", *map(title, study.families(protocol))]
    return render_table(["data", *titles, "ceiling"], rows)


def _name_winner(study: Study, protocol: str, data: str, method: str, score: str) -> str:
    marked = score + _list_marks(study, protocol, data, method)
    return marked if method in FAMILIES else f"{marked} {title(method)}"


def silhouette_table(study: Study, protocol: str) -> str:
    """A row per data set, a column per method, the ceiling last."""
    methods = study.main_methods(protocol)
    rows = []
    for data in study.names(protocol):
        scores = {m: study.silhouette(protocol, data, m) for m in methods}
        best = max((s for s in scores.values() if s is not None), default=0.0)
        cells = [_mark(study, protocol, data, m, scores[m], best) for m in methods]
        rows.append([data, *cells, show(study.ceiling(protocol, data))])
    return render_table(["data", *map(title, methods), "ceiling"], rows)


def _mark(study: Study, protocol: str, data: str, method: str, score: float | None, best: float) -> str:
    """Bold for the best, and marks."""
    if score is None:
        return NOTHING + find_mark(study, protocol, data, method)
    return bold_if(score, best) + _list_marks(study, protocol, data, method)


def _list_marks(study: Study, protocol: str, data: str, method: str) -> str:
    """* for an outlier cut, ~ for a cell that was cut short by its budget."""
    star = "\\*" if study.is_outlier_cut(protocol, data, method) else ""
    return star + ("~" if study.value(protocol, data, method, "is_cut") else "")


def beside_table(study: Study, protocol: str) -> str:
    """The defaults, ten times as many starts, and general hyperplanes side by side, each with its seconds."""
    methods = [each for base in ("mpc-1", "mpc-2") for each in (base, MORE_STARTS[base])] + ["mpc-general"]

    def show_cell(data: str, method: str) -> str:
        score, seconds = (study.value(protocol, data, method, c) for c in ("silhouette", "seconds_total"))
        if score is None:
            return NOTHING + find_mark(study, protocol, data, method)
        base = study.silhouette(protocol, data, COMPARED_WITH.get(method, method))
        gain = 0.0 if base is None else score - base
        change = f" ({gain:+.4f})" if abs(gain) >= EQUAL else ""
        return f"{score:.4f}{change}, {show_seconds(seconds)} s"

    return tabulate(study, protocol, methods, show_cell)


def length_table(study: Study, protocol: str) -> str:
    """How long and how faithful explanations are, over the data sets where every such method has one."""
    methods = study.main_methods(protocol, EXPLAINING)
    names = list_common(study, protocol, methods)
    rows = []
    for method in methods if names else ():
        mean = average([length for d in names if (length := find_length(study, protocol, d, method))])
        score, clusters = (_mean(study, protocol, names, method, c) for c in ("silhouette", "k"))
        fidelity = min(study.value(protocol, d, method, "fidelity") or 0.0 for d in names)
        lengths = [f"{clusters:.1f}", f"{mean.clauses:.2f}", f"{mean.terms_per_clause:.2f}"]
        rows.append([title(method), f"{score:.4f}", *lengths, f"{fidelity:.3f}"])
    columns = ["silhouette", "clusters", "clauses per cluster", "terms per clause", "least fidelity"]
    return render_table([f"means of {len(names)} sets", *columns], rows)


def _mean(study: Study, protocol: str, names: list[str], method: str, column: str) -> float:
    return sum(study.value(protocol, data, method, column) or 0.0 for data in names) / len(names)


def explanation_table(study: Study, protocol: str) -> str:
    """Clauses per cluster, terms per clause and, where it is not 1, the fidelity."""

    def show_cell(data: str, method: str) -> str:
        length = find_length(study, protocol, data, method)
        if length is None:
            return NOTHING + find_mark(study, protocol, data, method)
        fidelity = study.value(protocol, data, method, "fidelity")
        doubt = f" ({fidelity:.3f})" if fidelity is not None and fidelity < 1 else ""
        return f"{length.clauses:.1f} × {length.terms_per_clause:.1f}{doubt}"

    return tabulate(study, protocol, study.main_methods(protocol, EXPLAINING), show_cell)


def paper_table(study: Study) -> str:
    """Ours, the paper's and the difference, for the paper's nine methods."""

    def show_cell(data: str, method: str) -> str:
        ours, theirs = study.silhouette("paper", data, method), study.paper(data, method)
        if ours is None or theirs is None:
            return f"{show(ours, '{:.3f}')} / {show(theirs, '{:.3f}')}"
        difference = round(round(ours, 3) - theirs, 3)
        return f"{ours:.3f} / {theirs:.3f}" + (f" ({difference:+.3f})" if difference else "")

    return tabulate(study, "paper", [m for m in IN_THE_PAPER if m in study.methods("paper")], show_cell)


def cluster_table(study: Study, protocol: str) -> str:
    """Number of clusters and size of the smallest."""

    def show_cell(data: str, method: str) -> str:
        k, smallest = (study.value(protocol, data, method, c) for c in ("k", "smallest"))
        return NOTHING if k is None else f"{k:.0f} ({smallest:.0f})"

    return tabulate(study, protocol, study.main_methods(protocol), show_cell)


def seconds_table(study: Study, protocol: str) -> str:
    """Seconds per run and in total, and their sum over the data sets."""
    methods = study.methods(protocol)

    def show_cell(data: str, method: str) -> str:
        run, total = (study.value(protocol, data, method, c) for c in ("seconds_per_run", "seconds_total"))
        return NOTHING if total is None else f"{show_seconds(run)} / {show_seconds(total)}"

    sums = []
    for method in methods:
        totals = [study.value(protocol, data, method, "seconds_total") for data in study.names(protocol)]
        measured = [seconds for seconds in totals if seconds is not None]
        sums.append(show_seconds(sum(measured)) + ("" if len(measured) == len(totals) else f" ({len(measured)} sets)"))
    return tabulate(study, protocol, methods, show_cell) + f"| **all** | {' | '.join(sums)} |\n"


def outlier_list(study: Study, protocol: str) -> str:
    """Sizes of the solutions that cut off outliers, one line per data set, so that everybody can judge them."""
    lines = []
    for data in study.names(protocol):
        cuts: dict[str, list[str]] = {}
        for method in study.methods(protocol):
            if study.is_outlier_cut(protocol, data, method):
                cell = study.cell(protocol, data, method) or {}
                cuts.setdefault(f"{cell['silhouette']:.4f} with sizes {cell['sizes']}", []).append(title(method))
        if cuts:
            shown = "; ".join(f"{what} ({', '.join(methods)})" for what, methods in cuts.items())
            lines.append(f"* {data}: {shown}\n")
    return "".join(lines) or "None.\n"


def protocol_section(study: Study, protocol: str) -> str:
    """All tables of one protocol."""
    scores, lengths = silhouette_table(study, protocol), explanation_table(study, protocol)
    same_count = same_count_table(study, protocol)
    parts = [f"## Protocol *{protocol}*: all tables\n\n{PROTOCOL_TEXT[protocol]}\n"]
    if protocol != "practical":  # its headline opens the page
        parts.append(f"### The best of each kind\n\n{headline_table(study, protocol)}")
    parts.append(f"### Silhouette of every method\n\n{scores}{explain_marks(scores)}")
    if protocol == "paper":
        parts.append(f"### Ours / the paper's (difference)\n\n{paper_table(study)}")
    return "\n".join(
        [
            *parts,
            f"### Number of clusters (rows of the smallest)\n\n{cluster_table(study, protocol)}",
            f"### Outlier cuts and their sizes\n\n{outlier_list(study, protocol)}",
            "### Explanations: clauses per cluster × terms per clause (fidelity where below 1)\n\n"
            f"{lengths}{explain_marks(lengths)}",
            "### At the trees' numbers of clusters: silhouette, clauses per cluster (× terms per clause)\n\n"
            f"{same_count}{explain_marks(same_count)}",
            f"### Seconds: per run / total\n\n{seconds_table(study, protocol)}",
        ]
    )


def length_section(study: Study) -> str:
    """Means and verdicts of both protocols."""
    parts = [
        "## Length of the explanations\n\nNo longer: neither more clauses nor more terms per cluster. Ours / theirs, "
        "means over the sets where both explain; *best tree of each set* is the tree of the highest silhouette there. "
        "More clusters need more clauses, so their number stands beside. Every set: in the tables of the protocols.\n",
        SAME_COUNT_TEXT,
    ]
    for protocol in ORDER:
        parts.append(f"### *{protocol}*\n\n{length_table(study, protocol)}\n{length_verdicts(study, protocol)}")
        parts.append(same_count_section(study, protocol))
    parts.append(f"### Trees of no more clauses that score higher than MPC-1\n\n{shorter_tree_lines(study)}")
    return "\n".join(parts)


def beside_section(study: Study) -> str:
    """More starts, general hyperplanes, an eleventh cluster."""
    parts = [
        "## Beside the defaults: `n_init=100`, general hyperplanes, an eleventh cluster\n\nSilhouette, the difference "
        "to the default `n_init=10` of the same family (general hyperplanes: to MPC-2), and the seconds in total.\n"
    ]
    for protocol in ORDER:
        table = beside_table(study, protocol)
        parts.append(f"### *{protocol}*\n\n{table}{explain_marks(table)}")
    return "\n".join([*parts, atom_line(study)])


def render_page(study: Study) -> str:
    """The whole of RESULTS.md: first what it comes to, then the tables it comes from."""
    parts = [
        INTRODUCTION.read_text(encoding="utf-8"),
        f"## In short: protocol *practical*, default settings\n\n{headline_lines(study)}\n"
        f"{headline_table(study, 'practical')}\n![Quality against seconds](figures/quality_seconds.png)\n",
        f"## Won, tied, lost\n\n{summary(study)}",
        f"## What was aimed at\n\n{aims_table(study)}",
        f"## Distance to the ceiling\n\n{ceiling_table(study)}",
        length_section(study),
        beside_section(study),
        *(protocol_section(study, protocol) for protocol in ORDER),
        "## Where the paper is not reproduced\n\nTo three decimals, protocol *paper*; the reasons are in "
        f"[REPRODUCTION.md](REPRODUCTION.md).\n\n{difference_lines(study)}",
        f"## Cells without a solution, and remarks\n\n{remark_lines(study)}",
    ]
    return "\n".join(parts)


def write_headline(study: Study, page: Path) -> bool:
    """Put the headline between its markers on another page; whether it has them."""
    before = page.read_text(encoding="utf-8") if page.is_file() else ""
    headline = f"{headline_lines(study)}\n{headline_table(study, 'practical')}"
    after = replace_between(before, *MARKERS, headline)
    if after is None:
        return False
    page.write_text(after, encoding="utf-8")
    return True


def main(
    results: Annotated[Path, typer.Option(help="folder of the results")] = FOLDER,
    data: Annotated[Path | None, typer.Option(help="folder of the data; the ceilings lie beside it")] = None,
    out: Annotated[Path, typer.Option(help="page to write")] = PAGE,
    readme: Annotated[Path | None, typer.Option(help="page whose headline is renewed between its markers")] = None,
) -> None:
    """Write the page, and the headline of another."""
    study = open_study(read_all(results), data)
    out.write_text(render_page(study), encoding="utf-8")
    typer.echo(f"Wrote {out}.")
    if readme and write_headline(study, readme):
        typer.echo(f"Renewed the headline of {readme}.")
    elif readme:
        typer.echo(f"Error: {readme} lacks the markers of the headline, {MARKERS[0]} and {MARKERS[1]}.", err=True)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
