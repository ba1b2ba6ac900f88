"""Clauses in words, and the words read back: labels = rules = parsed text, digit for digit."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from explain.strategies import HARD_LEVELS, HARD_NAMES, make_case
from polyclust.explain.explanation import Clause, Term
from polyclust.explain.spelling import format_number, spell_columns, spell_count, spell_level, spell_name
from polyclust.explain.wording import word_rule
from polyclust.table.features import Column, Feature
from rule_parser import evaluate_rule, parse_rule, unescape

HAIR, EGGS, SMOKER = (Feature(Column(n, "boolean", n), "boolean") for n in ("hair", "eggs", "smoker"))
COLOUR = Column("colour", "category", "colour", ("red", "blue", "green"))
RED, BLUE, GREEN = (Feature(COLOUR, "level", level) for level in COLOUR.levels)
LEGS = Feature(Column("legs", "integer", "legs"), "integer")
AGE = Feature(Column("age", "number", "age"), "number")
OLD, OLDER = (Feature(AGE.column, "cut", v) for v in (40.0, 60.0))
COLUMNS = (HAIR.column, EGGS.column, SMOKER.column, COLOUR, LEGS.column, AGE.column)


def at_least(threshold, *terms):
    return Clause(tuple(t if isinstance(t, Term) else Term(1.0, t) for t in terms), "≥", threshold)


def below(threshold, *terms):
    return dataclasses.replace(at_least(threshold, *terms), comparison="<")


@pytest.mark.parametrize(
    ("clauses", "text"),
    [
        ([], "every row"),
        ([at_least(1, HAIR)], "hair"),
        ([below(1, HAIR)], "NOT hair"),
        ([below(1, HAIR), at_least(1, EGGS)], "NOT hair AND eggs"),
        ([at_least(1, HAIR), below(1, HAIR)], "hair AND NOT hair"),
        ([at_least(1, RED)], 'colour = "red"'),
        ([below(1, RED)], 'colour ≠ "red"'),
        ([below(1, RED), at_least(1, LEGS), below(1, BLUE)], 'colour ∉ {"red", "blue"} AND legs ≥ 1'),
        ([at_least(1, RED, BLUE)], 'colour ∈ {"red", "blue"}'),
        ([below(1, RED, BLUE), below(1, GREEN)], 'colour ∉ {"red", "blue", "green"}'),
        ([at_least(2, HAIR, RED)], 'hair + (colour = "red") ≥ 2'),
        ([at_least(1, LEGS)], "legs ≥ 1"),
        ([at_least(18, AGE), below(40, AGE)], "18 ≤ age < 40"),
        ([at_least(2, LEGS), below(5, LEGS)], "2 ≤ legs < 5"),
        ([at_least(4, LEGS), below(5, LEGS)], "legs = 4"),
        ([at_least(0, LEGS), below(1, LEGS), at_least(1, HAIR)], "legs = 0 AND hair"),
        ([at_least(-2, LEGS), below(-1, LEGS)], "legs = -2"),
        ([at_least(4.5, LEGS), below(5.5, LEGS)], "4.5 ≤ legs < 5.5"),
        ([at_least(4, AGE), below(5, AGE)], "4 ≤ age < 5"),
        ([at_least(4, Term(2.0, LEGS)), below(5, Term(2.0, LEGS))], "4 ≤ 2·legs < 5"),
        ([below(40, AGE)], "age < 40"),
        ([at_least(2, EGGS, HAIR)], "eggs + hair ≥ 2"),
        ([at_least(2, EGGS, HAIR, SMOKER), below(3, EGGS, HAIR, SMOKER)], "2 ≤ eggs + hair + smoker < 3"),
        ([at_least(2.6, Term(2.0, AGE, 50.0), Term(3.0, SMOKER))], "2·(age/50) + 3·smoker ≥ 2.6"),
        ([below(-0.5, Term(1.0, AGE, 0.1), Term(-2.5, LEGS))], "(age/0.1) − 2.5·legs < -0.5"),
        ([at_least(1, Term(-1.0, AGE), Term(1.0, LEGS))], "−age + legs ≥ 1"),
        ([at_least(1, OLD)], "age ≥ 40"),
        ([below(1, OLD)], "age < 40"),
        ([at_least(1, OLD), below(1, OLDER)], "40 ≤ age < 60"),
        ([at_least(2, OLD, SMOKER)], "(age ≥ 40) + smoker ≥ 2"),
        ([at_least(2, HAIR)], "hair ≥ 2"),
        ([at_least(2, RED)], '(colour = "red") ≥ 2'),
        ([at_least(2.5, Term(2.0, AGE))], "2·age ≥ 2.5"),
        ([at_least(5e-324, AGE)], "age ≥ 5e-324"),
        ([at_least(1e22, AGE)], "age ≥ 1e+22"),
        ([at_least(0.1 + 0.2, AGE)], "age ≥ 0.30000000000000004"),
    ],
)
def test_words(clauses, text):
    assert word_rule(clauses) == text
    parsed = parse_rule(text, COLUMNS)
    assert word_rule(parsed) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(-0.0)
@example(2.0**53 - 1)
@example(1e16)
def test_numbers_read_back(value):
    text = format_number(value)
    assert float(text) == value
    assert not text.endswith(".0")


@given(st.text(st.characters(codec=None), max_size=12))
def test_names_read_back(name):
    column = Column(name, "number", name)
    text = word_rule([at_least(3, Feature(column, "number"))])
    assert text.isprintable()
    assert parse_rule(text, [column])[0].terms[0].feature.column == column


@given(st.lists(st.text(max_size=6), min_size=1, max_size=4, unique=True))
def test_levels_read_back(levels):
    column = Column("c", "category", "c", tuple(levels))
    clause = at_least(1, *(Feature(column, "level", level) for level in levels))
    assert parse_rule(word_rule([clause]), [column]) == (clause,)


@pytest.mark.parametrize("name", HARD_NAMES)
def test_hard_names_beside_each_other(name):
    columns = [Column(n, "boolean", n) for n in HARD_NAMES]
    clause = at_least(2, *(Feature(c, "boolean") for c in columns if c.name != name))
    assert parse_rule(word_rule([clause]), columns) == (clause,)
    for wanted in (at_least(1.0, Feature(Column(name, "boolean", name), "boolean")),):
        assert parse_rule(word_rule([wanted]), columns) == (wanted,)


def test_plain_names_stay_plain():
    for name in (
        "petal length (cm)",
        "age",
        "x0",
        "Größe",
        "bill_depth_mm",
        "dotted.name-1",
        "hours per week",
    ):
        assert spell_name(name) == name
    for name in ("", "1", "a b (", "x  y", "NOT z", "a AND b", "every row", "a,b", " x"):
        assert spell_name(name) == f"`{name}`"


def test_columns_that_collide_after_encoding_stay_apart():
    odd = Column('a = "b"', "boolean", 'a = "b"')
    plain = Column("a", "category", "a", ("b", "c"))
    texts = [
        word_rule([at_least(1, Feature(odd, "boolean"))]),
        word_rule([at_least(1, Feature(plain, "level", "b"))]),
    ]
    assert texts == ['`a = "b"`', 'a = "b"']
    frame = pd.DataFrame({'a = "b"': [True, False, True], "a": ["c", "b", "b"]})
    assert evaluate_rule(texts[0], frame, [odd, plain]).tolist() == [True, False, True]
    assert evaluate_rule(texts[1], frame, [odd, plain]).tolist() == [False, True, True]


def test_columns_of_the_same_name_carry_their_position():
    columns = [Column("1", "number", 1), Column("1", "number", "1")]
    clauses = (at_least(3.0, Feature(columns[1], "number")), below(2.0, Feature(columns[0], "number")))
    text = word_rule(clauses, spell_columns(columns))
    assert text == "`1`@1 ≥ 3 AND `1`@0 < 2"
    assert parse_rule(text, columns) == clauses


def test_levels_that_are_not_text():
    column = Column("code", "category", "code", (3, 2.5, True, "3", "true", pd.Interval(0, 1), "(0, 1]"))
    spelled = [spell_level(level, column) for level in column.levels]
    assert spelled == ["3", "2.5", "true", '"3"', '"true"', 'Interval("(0, 1]")', '"(0, 1]"']
    for level, text in zip(column.levels, spelled, strict=True):
        parsed = parse_rule(f"code ≠ {text}", [column])
        assert parsed[0].terms[0].feature.level is level
    lonely = Column("bin", "category", "bin", (pd.Interval(0, 1), pd.Interval(1, 2)))
    assert word_rule([at_least(1, Feature(lonely, "level", lonely.levels[0]))]) == 'bin = "(0, 1]"'


@pytest.mark.parametrize(
    "text",
    [
        "", "hair AND", "AND hair", "hair eggs", "hair ≥", "nosuch ≥ 1", 'colour = "pink"', "colour ≥ 1",
        "age", "hair + eggs", "3 ≤ age", "3 ≤ age ≤ 4", "age > 3", 'colour ∈ {"red"', "NOT age", "`age",
        "2·(age/50",
        "legs = 4.5", "legs ≠ 4", "age = 4",
    ],
)  # fmt: skip
def test_what_is_not_a_rule_is_refused(text):
    with pytest.raises(ValueError, match="Not a rule over these columns"):
        parse_rule(text, COLUMNS)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 10), st.integers(1, 3), st.booleans())
def test_labels_rules_and_parsed_text_agree(seed, n_clusters, max_terms, cuts):
    frame, labels, explanation = make_case(seed, n_clusters, max_terms, cuts)
    assert (explanation.predict(frame) == labels).all()
    assert explanation.is_exact
    members = explanation.contains(frame)
    for rule in explanation.rules:
        text = explanation.word_rule(rule.cluster)
        held = evaluate_rule(text, frame, explanation.columns)
        np.testing.assert_array_equal(held, labels == rule.cluster)
        np.testing.assert_array_equal(held, members[:, rule.cluster])


def test_text_is_evaluated_without_the_encoder():
    """A second reader that knows only pandas, for rules of single columns."""
    frame, labels, explanation = make_case(11, 6, 1)
    by_name = {spelled: column.label for column, spelled in explanation.vocabulary.items()}
    for rule in explanation.rules:
        held = pd.Series(True, index=frame.index)
        for clause in rule.clauses:
            feature = clause.terms[0].feature
            values = frame[by_name[explanation.vocabulary[feature.column]]]
            values = (values == feature.level) if feature.kind == "level" else values
            is_above = values.astype(float) >= clause.threshold
            held &= is_above if clause.comparison == "≥" else ~is_above
        assert (held == (labels == rule.cluster)).all()


def test_unescape_is_the_inverse_of_spelling():
    for text in [*HARD_NAMES, *HARD_LEVELS]:
        column = Column("c", "category", "c", (text,))
        assert unescape(spell_level(text, column)[1:-1]) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1 row"), (2.0, "2 rows"), (9999, "9999 rows"), (1234567, "1\u202f234\u202f567 rows"),
        (sum([0.1] * 10), "1 row"), (sum([0.1] * 47), "4.7 rows"), (300 / 47, "6.38 rows"), (0.01234, "0.0123 rows"),
        (99999.999999999, "100\u202f000 rows"), (12345.678, "12345.68 rows"),
    ],
)  # fmt: skip
def test_counts_do_not_show_how_weights_were_rounded(number, text):
    assert spell_count(number, "row") == text


def test_negative_zero_prints_as_zero():
    assert format_number(-0.0) == "0"
    assert math.copysign(1, float(format_number(-0.0))) == 1
