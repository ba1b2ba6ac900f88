"""What the numbers say: won, tied and lost, how far from the ceiling, how long, what differs from the paper."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.aims import list_aims
from benchmarks.comparison import (
    DEFAULTS,
    FAMILIES,
    IN_THE_PAPER,
    LEFT_OUT,
    ORDER,
    TIE,
    Study,
    Tally,
    list_beaten_by_shorter_trees,
    list_shortfalls,
    tally,
    tally_paper,
)
from benchmarks.lengths import ANY_TREE, average, compare_lengths, find_length, list_common, name_rival
from benchmarks.markdown import NOTHING, render_table, show_seconds, title
from benchmarks.methods.kmeans import STARTS
from benchmarks.problem import LARGE

NO_ROWS = "No row of polyclust has been measured yet: `make bench`.\n"
FEW = 3  # names that a sentence can hold
RIVALS = {"best tree": ("tree",), "best method without explanation": ("plain",)}


def show_tally(result: Tally) -> str:
    """Counts, and the names of what is lost while they are few."""
    lost = f" ({', '.join(result.lost)})" if 0 < len(result.lost) <= FEW else ""
    return f"{len(result.won)} won, {len(result.tied)} tied, {len(result.lost)} lost{lost}"


def summary(study: Study) -> str:
    """What is won, tied and lost, and which of the wins are outlier cuts."""
    rows = []
    for protocol in ORDER:
        for method in study.families(protocol):
            for what, kinds in RIVALS.items():
                rivals = study.methods(protocol, kinds)
                rows.append([protocol, title(method), what, *_count(study, protocol, method, rivals)])
    for method in (m for m in DEFAULTS if m in study.methods("paper")):
        rows.append(["paper", title(method), "the paper's value for it", *_count(study, "paper", method, None)])
    header = ["protocol", "method", "against", "won", "tied", "lost", "won by an outlier cut (its smallest cluster)"]
    return render_table(header, rows) if rows else NO_ROWS


def _count(study: Study, protocol: str, method: str, rivals: list[str] | None) -> list[str]:
    """Cells of one line of the summary; no rivals: the paper's values."""
    result = tally_paper(study, method) if rivals is None else tally(study, protocol, method, rivals)
    cuts = [
        f"{data} ({study.value(protocol, data, method, 'smallest'):.0f} of {study.n_rows(data)})"
        for data in result.won
        if study.is_outlier_cut(protocol, data, method)
    ]
    return [
        _number_and_names(result.won),
        str(len(result.tied)),
        _number_and_names(result.lost),
        _number_and_names(cuts),
    ]


def _number_and_names(names: tuple[str, ...] | list[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "0"


def aims_table(study: Study) -> str:
    """What was aimed at and what the rows say."""
    words = {True: "yes", False: "**no**", None: NOTHING}
    rows = [[aim.words, aim.measured, words[aim.is_met]] for aim in list_aims(study)]
    return render_table(["aim", "measured", "met"], rows) if rows else NO_ROWS


def headline_lines(study: Study, protocol: str = "practical") -> str:
    """A few sentences for those in a hurry."""
    families = study.families(protocol)
    if not families:
        return NO_ROWS
    lines = [_outcome_line(study, protocol, method) for method in families]
    lines += [_ceiling_line(study, protocol, families), _length_line(study, protocol), _seconds_line(study, protocol)]
    return "".join(f"* {line}\n" for line in lines if line)


def _outcome_line(study: Study, protocol: str, method: str) -> str:
    parts = [
        f"{show_tally(tally(study, protocol, method, study.methods(protocol, kinds)))} against the {what} of each set"
        for what, kinds in RIVALS.items()
        if study.methods(protocol, kinds)
    ]
    lost = tally(study, protocol, method, study.methods(protocol, ("tree",))).lost
    beaten = {data for data, _, _ in list_beaten_by_shorter_trees(study, protocol, method)}
    longer = len(lost) - len(beaten.intersection(lost))
    rest = f"; of the {len(lost)} trees that are better {longer} need more clauses" if lost else ""
    return f"**{title(method)}**: {'; '.join(parts)}{rest}."


def _ceiling_line(study: Study, protocol: str, methods: list[str]) -> str:
    shown = []
    for method in methods:
        gaps = {d: gap for d, gap in list_shortfalls(study, protocol, method).items() if d != LEFT_OUT}
        if gaps:
            shown.append(f"{title(method)} {sum(gaps.values()) / len(gaps):.4f}")
    return f"**Below the ceiling** on average ({LEFT_OUT} left out): {', '.join(shown)}." if shown else ""


def _length_line(study: Study, protocol: str) -> str:
    """Mean clauses per cluster of each method that explains, shortest first."""
    methods = study.main_methods(protocol, ("tree", "polytopes"))
    names = list_common(study, protocol, methods)
    if not names:
        return ""
    means = {m: average([length for d in names if (length := find_length(study, protocol, d, m))]) for m in methods}
    shown = []
    for method in sorted(methods, key=lambda m: means[m].clauses):
        terms = means[method].terms_per_clause
        of = f" (of {terms:.2f} terms)" if terms > 1 else ""
        shown.append(f"{title(method)} {means[method].clauses:.2f}{of}")
    return f"**Clauses per cluster**, mean of {len(names)} sets: {', '.join(shown)}."


def _seconds_line(study: Study, protocol: str) -> str:
    """Geometric means of the total seconds, over the sets where all these methods have a row."""
    methods = [m for m in ("hclust", "kmeans", "exkmc-5", "icot", *FAMILIES) if m in study.methods(protocol)]
    seconds = {m: [study.value(protocol, d, m, "seconds_total") for d in study.names(protocol)] for m in methods}
    columns = [i for i in range(len(study.names(protocol))) if all(seconds[m][i] for m in methods)]
    if not columns:
        return ""
    means = {m: float(np.exp(np.mean([np.log(seconds[m][i]) for i in columns]))) for m in methods}  # type: ignore[arg-type]
    shown = ", ".join(f"{title(m)} {show_seconds(means[m])}" for m in sorted(methods, key=means.__getitem__))
    starts = f"k-means, also under trees, {STARTS[0]} starts for each k, {STARTS[1]} from {LARGE} rows on"
    return f"**Seconds** for all k and starts ({starts}), one thread, geometric mean of {len(columns)} sets: {shown}."


def ceiling_table(study: Study) -> str:
    """Distance to the best silhouettes known, one set left out of the means and shown."""
    rows = []
    for protocol in ORDER:
        for method in study.methods(protocol, ("polytopes",)):
            gaps = list_shortfalls(study, protocol, method)
            counted = {data: gap for data, gap in gaps.items() if data != LEFT_OUT}
            if not counted:
                continue
            worst = max(counted, key=counted.__getitem__)
            mean = sum(counted.values()) / len(counted)
            apart = f"{round(gaps[LEFT_OUT], 4) + 0.0:.4f}" if LEFT_OUT in gaps else NOTHING
            shown = [f"{mean:.4f}", f"{counted[worst]:.4f} ({worst})", str(len(counted)), apart]
            rows.append([protocol, title(method), *shown])
    header = ["protocol", "method", "mean below the ceiling", "worst", "sets", LEFT_OUT]
    return render_table(header, rows) if rows else "No ceiling or no row of polyclust at hand.\n"


def shorter_tree_lines(study: Study) -> str:
    """Where a tree of no more clauses scores higher than MPC-1."""
    lines = [
        f"* {protocol}, {data}: {title(rival)} is better by {gap:.4f}\n"
        for protocol in ORDER
        for data, rival, gap in list_beaten_by_shorter_trees(study, protocol, "mpc-1")
    ]
    return "".join(lines) or f"None does by {TIE} or more.\n"


def length_verdicts(study: Study, protocol: str) -> str:
    """Ours against every tree: means of both, on how many sets ours is no longer, and the verdict."""
    rows = []
    for method in study.families(protocol):
        for rival in [*study.methods(protocol, ("tree",)), ANY_TREE]:
            contest = compare_lengths(study, protocol, method, rival)
            if contest is None:
                continue
            ours, theirs = contest.ours, contest.theirs
            rows.append(
                [
                    title(method),
                    name_rival(rival),
                    f"{ours.clauses:.2f} / {theirs.clauses:.2f}",
                    f"{ours.terms_per_clause:.2f} / {theirs.terms_per_clause:.2f}",
                    f"{ours.terms:.2f} / {theirs.terms:.2f}",
                    f"{len(contest.no_longer)} of {len(contest.names)}",
                    "yes" if ours.is_within(theirs) else "no",
                ]
            )
    header = ["ours", "theirs", "clauses per cluster", "terms per clause", "terms per cluster", "sets where no longer",
              "no longer on average"]  # fmt: skip
    return render_table(header, rows) if rows else NO_ROWS


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


def atom_line(study: Study) -> str:
    """The eleventh cluster that the paper's Atom value needs."""
    eleven = study.cell("paper", "atom", "mpc-2-k11")
    ten = study.silhouette("paper", "atom", "mpc-2")
    theirs, k, ceiling = (
        study.paper("atom", "mpc-2"),
        study.paper("atom", "mpc-2", "k"),
        study.ceiling("paper", "atom"),
    )
    if not eleven or study.silhouette("paper", "atom", "mpc-2-k11") is None or ten is None:
        return f"Atom with K ≤ 11: {NOTHING} (not measured: `python -m benchmarks.run --methods mpc-2-k11`).\n"
    above = f", above the ceiling {ceiling:.4f} for K ≤ 10" if theirs and ceiling and theirs > ceiling else ""
    printed = f" The paper prints {theirs:.3f} at K = {k:.0f}{above}." if theirs and k else ""
    more = f"{eleven['silhouette']:.4f} with K ≤ 11 (K = {eleven['k']:.0f})"
    return f"Atom, MPC-2: {ten:.4f} with K ≤ 10, {more}.{printed}\n"


def remark_lines(study: Study) -> str:
    """Cells without a solution, cut short or with a remark, and why; one line for each method."""
    lines = []
    for method, group in study.results.groupby("method", sort=False):
        remarks: dict[str, list[str]] = {}
        for row in group.itertuples():
            remark = _remark(row)
            if remark:
                remarks.setdefault(remark, []).append(f"{row.data} ({row.protocol})")
        lines += [f"* {title(str(method))}, {remark}: {', '.join(cells)}\n" for remark, cells in remarks.items()]
    return "".join(lines) or "None.\n"


def _remark(row: object) -> str:
    """Empty for a cell that went as it should."""
    status, note, is_cut = row.status, row.note, row.is_cut  # type: ignore[attr-defined]
    parts = [] if status == "ok" else ["no solution" if status == "none" else str(status)]
    if note and not pd.isna(note):
        parts.append(str(note).removeprefix("no allowed solution; "))
    if is_cut is True or str(is_cut) == "True":
        parts.append(f"stopped after {row.budget:.0f} s")  # type: ignore[attr-defined]
    return "; ".join(parts)
