"""An explanation as a LaTeX table (booktabs), everything from the data escaped."""

from __future__ import annotations

from polyclust.explain.explanation import Explanation
from polyclust.explain.spelling import THIN_SPACE, squeeze_spaces
from polyclust.explain.summary import RuleSummary, summarise

__all__ = ["escape_latex", "render_latex"]

_REPLACEMENTS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "≥": r"\ensuremath{\geq}",
    "≤": r"\ensuremath{\leq}",
    "≠": r"\ensuremath{\neq}",
    "∈": r"\ensuremath{\in}",
    "∉": r"\ensuremath{\notin}",
    "·": r"\ensuremath{\cdot}",
    "−": r"\ensuremath{-}",
    "–": "--",
    THIN_SPACE: r"\,",
    "-": "{-}",
}


def render_latex(explanation: Explanation) -> str:
    """A tabular that needs the package booktabs and, for double quotes, the font encoding T1."""
    summary = summarise(explanation)
    lines = [
        r"% needs \usepackage{booktabs} and \usepackage[T1]{fontenc}",
        r"\begin{tabular}{llrp{0.6\linewidth}}",
        r"\toprule",
        r"cluster & name & rows & rule \\",
        r"\midrule",
        *(_render_row(rule) for rule in summary.rules),
        r"\midrule",
        *(_render_line(note) for note in (f"{summary.headline}.", *summary.notes)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_REPLACEMENTS.get(character, character) for character in squeeze_spaces(text))


def _render_row(rule: RuleSummary) -> str:
    conditions = r" \textsc{and} ".join(escape_latex(condition) for condition in rule.conditions)
    notes = "".join(rf" \emph{{({escape_latex(note)})}}" for note in rule.notes)
    size = f"{rule.rows} ({rule.share})"
    cells = [escape_latex(rule.title), escape_latex(rule.name), escape_latex(size), conditions + notes]
    return " & ".join(cells) + r" \\"


def _render_line(text: str) -> str:
    return rf"\multicolumn{{4}}{{p{{\linewidth}}}}{{{escape_latex(text)}}} \\"
