"""What every rendering says about an explanation, in words, before it is laid out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyclust.explain.clauses import list_rule_columns
from polyclust.explain.spelling import EVERY_ROW, Vocabulary, on_one_line, spell_count
from polyclust.explain.wording import word_conditions
from polyclust.table.features import Column

if TYPE_CHECKING:
    from polyclust.explain.explanation import Explanation, Rule

__all__ = ["RuleSummary", "Summary", "format_share", "format_tenths", "say_written", "summarise"]

MINIMAL_NOTE = "Minimal rules: the fewest clauses that hold the training rows; other rows may fall differently."
SHOWN_COLUMNS = 5  # of those whose numbers were read from text
NO_ROW_NOTE = "no row meets this rule"
CAP_NOTE = "as small as a cluster may be: probably a cap of outliers"


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """One cluster in words."""

    title: str
    name: str
    rows: str
    share: str
    conditions: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole explanation in words."""

    headline: str
    notes: tuple[str, ...]
    rules: tuple[RuleSummary, ...]


def summarise(explanation: Explanation) -> Summary:
    """The words that all renderings share."""
    total = sum(rule.size for rule in explanation.rules)
    vocabulary = explanation.vocabulary
    n_clusters, n_clauses = explanation.n_clusters, explanation.n_clauses
    return Summary(
        headline=(
            f"{spell_count(n_clusters, 'cluster')}, {spell_count(total, 'row')}, {spell_count(n_clauses, 'clause')}"
            + (f" with {spell_count(explanation.n_terms, 'term')}" if explanation.n_terms != n_clauses else "")
        ),
        notes=_list_notes(explanation),
        rules=tuple(_summarise_rule(rule, total, vocabulary) for rule in explanation.rules),
    )


def say_written(columns: Iterable[Column]) -> str:
    """What must be known where the rules run, if numbers were read from text; on one line, empty if none were."""
    texts = {repr(c.name): repr(" ".join(c.written.split())) for c in columns if c.written}
    if not texts:
        return ""
    if len(texts) == 1:
        ((name, text),) = texts.items()
        return f"Column {name} was read as a number from text such as {text}: where the rules run, it must be a number."
    named = [f"{name} ({text})" for name, text in texts.items()]
    more = f" and {len(named) - SHOWN_COLUMNS} more" if len(named) > SHOWN_COLUMNS else ""
    listed = ", ".join(named[:SHOWN_COLUMNS]) + more
    return f"Columns {listed} were read as numbers from such text: where the rules run, they must be numbers."


def format_share(share: float) -> str:
    """A percentage with as many digits as it takes not to read 0% or 100% unless it is."""
    if share != share:
        return "–"
    for n_digits in range(1, 15):
        text = f"{share:.{n_digits}%}"
        if share in (0, 1) or float(text[:-1]) not in (0, 100):
            return text.replace(".0%", "%")
    return f"{share:.1%}"


def format_tenths(share: float) -> str:
    """To a tenth of a percent, as columns of figures have it; 0.0% is none and 100.0% is all."""
    text = f"{share:.1%}"
    if text == "0.0%" and share > 0:
        return "< 0.1%"
    return "> 99.9%" if text == "100.0%" and share < 1 else text


def _summarise_rule(rule: Rule, total: float, vocabulary: Vocabulary) -> RuleSummary:
    return RuleSummary(
        title=f"cluster {rule.cluster}",
        name=on_one_line(rule.name),
        rows=spell_count(rule.size, "row"),
        share=format_share(rule.size / total if total else float("nan")),
        conditions=word_conditions(rule.clauses, vocabulary) or (EVERY_ROW,),
        notes=_list_rule_notes(rule),
    )


def _list_notes(explanation: Explanation) -> tuple[str, ...]:
    notes = [MINIMAL_NOTE] if explanation.is_minimal else []
    if explanation.fidelity < 1:
        notes.append(f"The rules place {format_share(explanation.fidelity)} of the rows where the labels do.")
    written = say_written(list_rule_columns(explanation))
    return (*notes, *explanation.advice, *([written] if written else []))


def _list_rule_notes(rule: Rule) -> tuple[str, ...]:
    notes = []
    if rule.precision != rule.precision:  # a share of nothing
        notes.append(NO_ROW_NOTE)
    elif rule.coverage != 1:
        notes.append(f"coverage {format_share(rule.coverage)}")
    if rule.precision < 1:
        notes.append(f"precision {format_share(rule.precision)}")
    if rule.is_at_minimum:
        notes.append(CAP_NOTE)
    return tuple(notes)
