"""An explanation as Markdown: a table of clusters, safe whatever the columns are called."""

from __future__ import annotations

import re

from polyclust.explain.explanation import Explanation
from polyclust.explain.spelling import squeeze_spaces
from polyclust.explain.summary import RuleSummary, summarise

__all__ = ["render_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!~$^])")


def render_markdown(explanation: Explanation) -> str:
    """A headline, notes, and one row of a table per cluster."""
    summary = summarise(explanation)
    lines = [f"**{_escape(summary.headline)}**", ""]
    for note in summary.notes:
        lines += [f"> {_escape(note)}", ""]
    lines += ["| cluster | name | rows | share | rule |", "|---|---|---|---|---|"]
    lines += [_render_row(rule) for rule in summary.rules]
    return "\n".join(lines) + "\n"


def _render_row(rule: RuleSummary) -> str:
    notes = "".join(f"<br>*{_escape(note)}*" for note in rule.notes)
    conditions = " **AND** ".join(_code(condition) for condition in rule.conditions)
    cells = [_escape(rule.title), _escape(rule.name), rule.rows, rule.share, conditions + notes]
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """A code span with a fence longer than any run of backticks inside; a bar must not end the cell."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _escape(text: str) -> str:
    """Text that Markdown and the HTML made from it show as it is."""
    text = _SPECIAL.sub(r"\\\1", squeeze_spaces(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")
