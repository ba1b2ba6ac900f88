"""Python source that places rows exactly as predict does: one function that needs nothing but Python."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from polyclust.explain.clauses import list_rule_columns, list_terms
from polyclust.explain.explanation import Clause, Explanation, Rule, Term
from polyclust.explain.spelling import format_number, spell_count
from polyclust.explain.summary import say_written
from polyclust.explain.wording import is_true_or_false
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.render.placing import covers_space, list_outside_columns, refuse_export
from polyclust.table.features import Column, Feature

__all__ = ["render_python"]

LINE_LENGTH = 88
NAME_LENGTH = 24
TAKEN = {"assign", "row", "needed", "value", "violations", "any", "float", "max", "min", "Mapping"}

Names = Mapping[Column, str]

HEADER = '''"""The cluster of a row, by the rules that polyclust found. Needs nothing but Python."""

from collections.abc import Mapping


def assign(row: Mapping) -> int | None:
'''
RETURNS = {
    "covered": "Return the cluster of a row, or None if a value that is needed is missing.",
    "none": "Return the cluster of a row, -1 outside all, None if a needed value is missing.",
    "nearest": "Return the cluster that holds the row or is nearest; None if a value is missing.",
}


def render_python(explanation: Explanation) -> str:
    """Write the source of ``assign(row: Mapping) -> int | None``.

    The row's keys are the labels of the table's columns. A value that is None or NaN in a column that the
    rules read gives None, unless the column has a fill; columns that no rule reads may be absent.
    """
    refuse_export(explanation, "Python")
    outside = "covered" if covers_space(explanation) else explanation.outside
    first, later = list_rule_columns(explanation), list_outside_columns(explanation)
    names = _name_columns((*first, *later))
    written = say_written((*first, *later))
    lines = [f'    """{RETURNS[outside]}"""', *([f"    # {written}"] if written else []), *_read_columns(first, names)]
    for rule in explanation.rules:
        lines += _write_rule(rule, names)
    if outside == "none":
        lines += ["", "    return -1"]
    if outside == "nearest":
        lines += _write_nearest(explanation, later, names)
    return HEADER + "\n".join(lines) + "\n"


# --- names and values as Python writes them


def quote(value: Hashable) -> str:
    """The literal of a value, text between double quotes where that needs no more escapes."""
    if not isinstance(value, str | int | float | bool):
        raise ValueError(
            f"The value {value!r} is of type {type(value).__name__}, which cannot be written as source; "
            "turn the column into text or numbers."
        )
    text = repr(value)
    return f'"{text[1:-1]}"' if isinstance(value, str) and '"' not in value else text


def _name_columns(columns: Iterable[Column]) -> dict[Column, str]:
    """A variable for each column: its name in ASCII letters, cut short, made unique."""
    names: dict[Column, str] = {}
    taken = set(TAKEN)
    for position, column in enumerate(columns):
        plain = unicodedata.normalize("NFKD", column.name).encode("ascii", "ignore").decode()
        word = re.sub(r"\W+", "_", plain).strip("_")[:NAME_LENGTH].strip("_")
        if not word or word[0].isdigit() or keyword.iskeyword(word) or re.fullmatch(r"[dv]\d+", word):
            word = f"column_{word or position}"
        name, count = word, 2
        while name in taken:
            name, count = f"{word}_{count}", count + 1
        taken.add(name)
        names[column] = name
    return names


def _read_columns(columns: Sequence[Column], names: Names) -> list[str]:
    """Look up, fill, return None for what is missing, and turn numbers into floats."""
    lines: list[str] = []
    for column in columns:
        name = names[column]
        lines.append(f"    {name} = row[{quote(column.label)}]")
        if column.fill is not None:
            lines += [f"    if {name} is None or {name} != {name}:", f"        {name} = {quote(column.fill)}"]
    needed = [names[c] for c in columns if c.fill is None]
    if needed:
        lines += _write_bracketed("    needed = (", [f"{n}" for n in needed], ")")
        lines += ["    if any(value is None or value != value for value in needed):", "        return None"]
    return lines + [f"    {names[c]} = float({names[c]})" for c in columns if c.kind != "category"]


# --- rules


def _write_rule(rule: Rule, names: Names) -> list[str]:
    title = f"cluster {rule.cluster}" + (f" {quote(rule.name)}" if rule.name else "")
    lines = ["", f"    # {title}: {spell_count(rule.size, 'row')}"]
    if not rule.clauses:
        return [*lines, f"    return {rule.cluster}"]
    conditions = [_write_clause(clause, names) for clause in rule.clauses]
    whole = f"    if {' and '.join(conditions)}:"
    if len(whole) <= LINE_LENGTH:
        return [*lines, whole, f"        return {rule.cluster}"]
    parts = [f"{'and ' * (i > 0)}{condition}" for i, condition in enumerate(conditions)]
    body = [line for part in parts for line in _break_sum(part)]
    return [*lines, "    if (", *body, "    ):", f"        return {rule.cluster}"]


def _write_clause(clause: Clause, names: Names) -> str:
    is_upper = clause.comparison == "≥"
    if is_true_or_false(clause, "level") or is_true_or_false(clause, "cut"):
        return _write_test(clause.terms[0].feature, names, is_upper)
    comparison = ">=" if is_upper else "<"
    return f"{_write_sum(clause.terms, names)} {comparison} {format_number(clause.threshold)}"


def _write_sum(terms: Sequence[Term], names: Names) -> str:
    text = _write_term(terms[0].coefficient, terms[0], names)
    for term in terms[1:]:
        text += f" {'+' if term.coefficient >= 0 else '-'} {_write_term(abs(term.coefficient), term, names)}"
    return text


def _write_term(coefficient: float, term: Term, names: Names) -> str:
    feature = term.feature
    is_test = feature.kind in ("level", "cut")
    value = f"({_write_test(feature, names, True)})" if is_test else names[feature.column]
    if term.unit != 1:
        value = f"({value} / {format_number(term.unit)})"
    return value if coefficient == 1 and not is_test else f"{format_number(coefficient)} * {value}"


def _write_test(feature: Feature, names: Names, is_upper: bool) -> str:
    name = names[feature.column]
    if feature.kind == "cut":
        level = format_number(float(feature.level))  # type: ignore[arg-type]
        return f"{name} {'>=' if is_upper else '<'} {level}"
    return f"{name} {'==' if is_upper else '!='} {quote(feature.level)}"


# --- rows that no polytope holds


def _write_nearest(explanation: Explanation, columns: Sequence[Column], names: Names) -> list[str]:
    """The sum of distances to the wrong side of each cluster's hyperplanes; the first of the least."""
    lines = ["", "    # In no polytope: how far on the wrong side of each cluster's hyperplanes, in all."]
    lines += _read_columns(columns, names)
    distances: dict[object, str] = {}
    for h in explanation.hyperplanes:
        if _cut(h) not in distances:
            number = len(distances)
            distances[_cut(h)] = f"d{number}"
            lines += _write_distance(h, number, explanation, names)
    sums = [
        _write_violation(explanation.hyperplanes, cluster, lambda h: distances[_cut(h)])
        for cluster in range(explanation.n_clusters)
    ]
    lines += _write_bracketed("    violations = (", sums, ")")
    return [*lines, "    return violations.index(min(violations))"]


def _cut(hyperplane: Hyperplane) -> object:
    return hyperplane.direction, hyperplane.threshold, hyperplane.norm


def _write_distance(h: Hyperplane, number: int, explanation: Explanation, names: Names) -> list[str]:
    value = _write_sum(list_terms(h, explanation.features), names)
    lines = []
    if not value.isidentifier():
        whole = f"    v{number} = {value}"
        is_long = len(whole) > LINE_LENGTH
        lines = [f"    v{number} = (", *_break_sum(value), "    )"] if is_long else [whole]
        value = f"v{number}"
    sign, size = ("-", h.threshold) if h.threshold >= 0 else ("+", -h.threshold)
    return [*lines, f"    d{number} = ({value} {sign} {format_number(size)}) / {format_number(h.norm)}"]


def _write_violation(hyperplanes: Iterable[Hyperplane], cluster: int, name: Callable[[Hyperplane], str]) -> str:
    own = [h for h in hyperplanes if cluster in (h.above, h.below)]
    return " + ".join(f"max({'-' * (h.above == cluster)}{name(h)}, 0)" for h in own)


# --- lines no longer than the formatter's


def _write_bracketed(opening: str, items: Sequence[str], closing: str) -> list[str]:
    whole = f"{opening}{', '.join(items)}{',' * (len(items) == 1)}{closing}"
    if len(whole) <= LINE_LENGTH:
        return [whole]
    body = [line for item in items for line in _break_sum(f"{item},")]
    return [opening, *body, f"    {closing}"]


def _break_sum(text: str) -> list[str]:
    """One line if it fits, else one per term and one for the comparison; strings are never broken."""
    indent = " " * 8
    if len(indent + text) <= LINE_LENGTH or '"' in text or "'" in text:
        return [indent + text]
    return [indent + part for part in re.split(r" (?=(?:\+|-|>=|<) )", text)]
