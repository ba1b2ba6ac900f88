"""What the numbers say: won, tied and lost, how far from the ceiling, what differs from the paper."""

from __future__ import annotations

from benchmarks.comparison import (
    FAMILIES,
    IN_THE_PAPER,
    Study,
    Tally,
    list_beaten_by_shorter_trees,
    list_shortfalls,
    tally,
    tally_paper,
)
from benchmarks.datasets import PROTOCOLS
from benchmarks.markdown import render_table, title

TIE_SHOWN = 0.00005


def show_tally(result: Tally) -> str:
    """Counts, and names where they are few or matter."""
    lost = f" ({', '.join(result.lost)})" if result.lost else ""
    return f"{len(result.won)} won, {len(result.tied)} tied, {len(result.lost)} lost{lost}"


def summary(study: Study) -> str:
    """What is won, tied and lost."""
    rows = []
    for method in FAMILIES:
        if method in IN_THE_PAPER and method in study.methods("paper"):
            rows.append(["paper", title(method), "the paper's value for it", show_tally(tally_paper(study, method))])
    for protocol in PROTOCOLS:
        groups = {
            "best tree (ICOT, ExKMC, CART, Kauri)": study.methods(protocol, ("tree",)),
            "best method without explanation": study.methods(protocol, ("plain",)),
        }
        for method in (m for m in FAMILIES if m in study.methods(protocol)):
            for what, rivals in groups.items():
                rows.append([protocol, title(method), what, show_tally(tally(study, protocol, method, rivals))])
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
                named = ", ".join(f"{data} {gain:+.4f}" for data, gain in gains.items() if abs(gain) >= TIE_SHOWN)
                lines.append(f"* {protocol}, {title(base)}, n_init=100 against the default: {named or 'no change'}\n")
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
