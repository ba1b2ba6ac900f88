"""Printed rules read back: the text alone, with the table's columns, gives the clauses again.

rule      = "every row" | condition { " AND " condition }
condition = [ "NOT" ] boolean
          | category ( "=" | "≠" ) value | category ( "∈" | "∉" ) "{" value { "," value } "}"
          | sum ( "≥" | "<" ) number | number "≤" sum "<" number | integer "=" number
sum       = [ "−" ] term { ( "+" | "−" ) term }          term = [ number "·" ] atom
atom      = name | "(" name "/" number ")" | "(" name "≥" number ")" | "(" category "=" value ")"
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from naive import hold_clauses
from polyclust.explain.explanation import Clause, Comparison, Term
from polyclust.explain.rows import read_rows
from polyclust.explain.spelling import BARE_NAME, EVERY_ROW, spell_columns, spell_level
from polyclust.table.columns import open_table
from polyclust.table.features import Column, Feature

__all__ = ["evaluate_rule", "parse_rule", "unescape"]

_PATTERNS = {
    "keyword": r"(?:AND|NOT)\b",
    "name": rf"(?:{BARE_NAME.pattern}|`(?:\\.|[^`\\])*`)(?:@\d+)?",
    "text": r'"(?:\\.|[^"\\])*"',
    "number": r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf)",
    "sign": r"[≥<≤=≠∈∉{},()/·+−]",
}
_TOKEN = re.compile(
    r"\s*(?:" + "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()) + ")", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]+)\}|(.))", re.DOTALL)

Token = tuple[str, str]
END: Token = ("end", "")


def parse_rule(text: str, columns: Sequence[Column]) -> tuple[Clause, ...]:
    """The clauses of a printed rule. Raises ValueError where the text is not a rule over the columns."""
    if text.strip() == EVERY_ROW:
        return ()
    return _Reader(text, columns).read_rule()


def evaluate_rule(text: str, X: Any, columns: Sequence[Column]) -> NDArray[np.bool_]:
    """For which rows of the table a printed rule holds."""
    clauses = parse_rule(text, columns)
    features = tuple(dict.fromkeys(term.feature for clause in clauses for term in clause.terms))
    if not features:
        return np.ones(open_table(X).n_rows, dtype=bool)
    return hold_clauses(clauses, read_rows(X, columns, features), features)


def unescape(text: str) -> str:
    """A name or a value without the backslashes that spelling puts before quotes and invisible characters."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)


class _Reader:
    """A reader that looks one token ahead."""

    def __init__(self, text: str, columns: Sequence[Column]) -> None:
        self.text = text
        self.tokens = self._split(text)
        self.at = 0
        self.columns = {spelled: column for column, spelled in spell_columns(columns).items()}

    def _split(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        position, text = 0, text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                self._fail(f"{text[position : position + 12]!r} cannot be read")
            tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
            position = match.end()
        return tokens

    def _fail(self, problem: str) -> NoReturn:
        raise ValueError(f"Not a rule over these columns: {problem} in {self.text!r}.")

    @property
    def next(self) -> Token:
        """The token ahead."""
        return self.tokens[self.at] if self.at < len(self.tokens) else END

    def take(self, *expected: str) -> str:
        """Pass the token ahead; it must be of an expected kind, or be one of the expected words."""
        kind, word = self.next
        if expected and kind not in expected and word not in expected:
            self._fail(f"expected {' or '.join(expected)} and found {word or 'the end'}")
        self.at += 1
        return word

    def read_rule(self) -> tuple[Clause, ...]:
        """Conditions joined by AND up to the end."""
        clauses = self.read_condition()
        while self.next != END:
            self.take("AND")
            clauses += self.read_condition()
        return tuple(clauses)

    def read_condition(self) -> list[Clause]:
        """One condition: one or two clauses."""
        if self.next[1] == "NOT":
            self.take()
            return [Clause((self.read_boolean(),), "<", 1.0)]
        if self.next[0] == "number" and self.peek(1) == "≤":
            low = self.read_number()
            self.take("≤")
            terms = self.read_sum()
            self.take("<")
            return [Clause(terms, "≥", low), Clause(terms, "<", self.read_number())]
        if self.next[0] == "name" and self.peek(1) in tuple("=≠∈∉"):
            return self.read_integer() if self.is_integer_ahead() else [self.read_choice()]
        terms = self.read_sum()
        if self.next[1] in ("≥", "<"):
            comparison: Comparison = "≥" if self.take() == "≥" else "<"
            return [Clause(terms, comparison, self.read_number())]
        if len(terms) > 1 or terms[0].feature.kind != "boolean":
            self._fail("a sum is compared with nothing")
        return [Clause(terms, "≥", 1.0)]

    def peek(self, ahead: int) -> str:
        """The word further on."""
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else ""

    def read_number(self) -> float:
        """A threshold, coefficient or unit."""
        return float(self.take("number"))

    def read_column(self) -> Column:
        """A column by its printed name."""
        word = self.take("name")
        if word not in self.columns:
            self._fail(f"there is no column {unescape(word)}")
        return self.columns[word]

    def read_boolean(self) -> Term:
        """A boolean column."""
        column = self.read_column()
        if column.kind != "boolean":
            self._fail(f"{column.name} is not a boolean")
        return Term(1.0, Feature(column, "boolean"))

    def is_integer_ahead(self) -> bool:
        """Whether the name ahead is that of an integer column."""
        column = self.columns.get(self.next[1])
        return column is not None and column.kind == "integer"

    def read_integer(self) -> list[Clause]:
        """An integer column and the one number it must have: both of its bounds."""
        column = self.read_column()
        self.take("=")
        number = self.read_number()
        if not number.is_integer():
            self._fail(f"{column.name} holds whole numbers only")
        terms = (Term(1.0, Feature(column, "integer")),)
        return [Clause(terms, "≥", number), Clause(terms, "<", number + 1)]

    def read_choice(self) -> Clause:
        """A category and the values it must, or must not, have."""
        column = self.read_column()
        sign = self.take("=", "≠", "∈", "∉")
        levels = [self.read_level(column)] if sign in "=≠" else self.read_levels(column)
        terms = tuple(Term(1.0, Feature(column, "level", level)) for level in levels)
        return Clause(terms, "≥" if sign in "=∈" else "<", 1.0)

    def read_levels(self, column: Column) -> list[Hashable]:
        """Values in braces."""
        self.take("{")
        levels = [self.read_level(column)]
        while self.take(",", "}") == ",":
            levels.append(self.read_level(column))
        return levels

    def read_level(self, column: Column) -> Hashable:
        """A value of the category, found by how it is printed."""
        word = self.take("text", "number", "name")
        if self.next[1] == "(":
            word += self.take("(") + self.take("text") + self.take(")")
        levels = [level for level in column.levels if spell_level(level, column) == word]
        if not levels:
            self._fail(f"{column.name} has no value {word}")
        return levels[0]

    def read_sum(self) -> tuple[Term, ...]:
        """Terms with their signs."""
        terms = [self.read_term(-1.0 if self.next[1] == "−" and self.take() else 1.0)]
        while self.next[1] in ("+", "−"):
            terms.append(self.read_term(1.0 if self.take() == "+" else -1.0))
        return tuple(terms)

    def read_term(self, sign: float) -> Term:
        """A coefficient, if any, and what it multiplies."""
        coefficient = 1.0
        if self.next[0] == "number":
            coefficient = self.read_number()
            self.take("·")
        if self.next[1] != "(":
            column = self.read_column()
            return Term(sign * coefficient, Feature(column, self.kind_in_sum(column)))
        self.take("(")
        feature, unit = self.read_inner()
        self.take(")")
        return Term(sign * coefficient, feature, unit)

    def read_inner(self) -> tuple[Feature, float]:
        """What stands in brackets: a feature with its unit, a cut or a value of a category."""
        column = self.read_column()
        sign = self.take("/", "≥", "=")
        if sign == "=":
            return Feature(column, "level", self.read_level(column)), 1.0
        if sign == "≥":
            return Feature(column, "cut", self.read_number()), 1.0
        return Feature(column, self.kind_in_sum(column)), self.read_number()

    def kind_in_sum(self, column: Column) -> Any:
        """A category cannot be added up."""
        if column.kind == "category":
            self._fail(f"{column.name} is a category and has no size")
        return column.kind
