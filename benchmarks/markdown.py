"""Small pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.methods import METHODS

NOTHING = "–"
EQUAL = 0.00005  # not told apart by four decimals


def render_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def show(value: float | None, pattern: str = "{:.4f}") -> str:
    """A number, or a dash."""
    return NOTHING if value is None else pattern.format(value)


def bold_if(score: float, best: float) -> str:
    """Four decimals, in bold when no score is better."""
    return f"**{score:.4f}**" if best - score < EQUAL else f"{score:.4f}"


def show_seconds(value: float | None) -> str:
    """Three significant digits, no exponent."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def title(method: str) -> str:
    return METHODS[method].title


def replace_between(text: str, start: str, end: str, new: str) -> str | None:
    """The text with everything between two markers exchanged; None when it lacks them."""
    before, found_start, rest = text.partition(start)
    _, found_end, after = rest.partition(end)
    return f"{before}{start}\n\n{new}\n{end}{after}" if found_start and found_end else None
