"""An explanation for a terminal: one paragraph per cluster, lines of a fixed width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from polyclust.explain.explanation import Explanation
from polyclust.explain.summary import RuleSummary, summarise

__all__ = ["render_text"]

WIDTH = 88
INDENT = "  "


def render_text(explanation: Explanation, width: int = WIDTH) -> str:
    """Headline, notes, and for every cluster its size, its rule and what to know about it."""
    summary = summarise(explanation)
    blocks = ["\n".join((summary.headline, *(f"! {note}" for note in summary.notes)))]
    blocks += [_render_rule(rule, width) for rule in summary.rules]
    return "\n\n".join(blocks) + "\n"


def _render_rule(rule: RuleSummary, width: int) -> str:
    heading = f"{rule.title}: {rule.name}" if rule.name else rule.title
    rows = textwrap.wrap(heading, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False)
    size = f"{rule.rows}, {rule.share}"
    if len(rows[-1]) + len(size) + 2 > width:
        rows.append("")
    rows[-1] += size.rjust(width - len(rows[-1]))
    rows.append("─" * width)
    rows += _wrap(rule.conditions, width)
    rows += [f"{INDENT}! {note}" for note in rule.notes]
    return "\n".join(rows)


def _wrap(conditions: Sequence[str], width: int) -> list[str]:
    """Conditions on as few lines as fit; a condition is never broken, and AND begins each later line."""
    lines: list[str] = []
    for condition in conditions:
        if not lines:
            lines.append(f"{INDENT}{condition}")
        elif len(lines[-1]) + len(condition) + 5 <= width:
            lines[-1] += f" AND {condition}"
        else:
            lines.append(f"{INDENT}AND {condition}")
    return lines
