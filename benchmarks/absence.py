"""Why a cell of the tables is empty."""

from __future__ import annotations

from benchmarks.comparison import Study
from benchmarks.methods import METHODS

REASONS = {
    "¹": "every clustering it proposed has a cluster below the protocol's least size",
    "²": "it found no clustering of 2 to 10 clusters",
    "³": "the time budget ended before the first clustering",
    "⁴": "a package is not installed",
    "⁵": "it failed; the message is among the remarks",
    "⁶": "not measured yet (`make bench` goes on where it stopped)",
    "⁷": "it found no clustering of that many clusters, none below the protocol's least size",
}
UNMEASURED = "⁶"


def find_mark(study: Study, protocol: str, data: str, method: str) -> str:
    """The mark of the reason for an empty cell."""
    cell = study.cell(protocol, data, method)
    if cell is None:
        return UNMEASURED
    if cell["status"] == "skipped":
        return "⁴"
    if cell["status"] == "failed":
        return "⁵"
    if METHODS[method].has_fixed_count:
        return "⁷"
    note = str(cell["note"])
    if "passed over" in note and not note.endswith("none"):
        return "¹"
    is_cut = study.value(protocol, data, method, "is_cut")
    return "³" if is_cut and not study.value(protocol, data, method, "n_runs") else "²"


def explain_marks(text: str) -> str:
    """A line that explains the marks of empty cells in a table; nothing when it has none."""
    used = [f"–{mark} {reason}" for mark, reason in REASONS.items() if f"–{mark}" in text]
    return f"\n{'; '.join(used)}.\n" if used else ""
