"""The text for terminals."""

from dataclasses import replace

import pytest
from rendered_examples import check_golden, explain_minimal, explain_one, explain_people

from explain.strategies import make_case
from rule_parser import evaluate_rule


def read_rules(text):
    """The rules as they stand in the text, lines joined."""
    blocks = text.split("\n\n")[1:]
    return [
        " ".join(line.strip() for line in block.splitlines()[2:] if not line.strip().startswith("! "))
        for block in blocks
    ]


def test_golden():
    check_golden("explanation.txt", explain_people().to_text())
    check_golden("minimal.txt", explain_minimal().to_text())


def test_what_it_says():
    text = str(explain_people())
    assert "4 clusters, 10 rows" in text
    assert "cluster 3" in text
    assert "1 row, 10%" in text
    assert "probably a cap of outliers" in text
    assert "coverage" in text
    assert "The rules place" in text
    assert "Minimal rules" not in text
    assert "Minimal rules" in explain_minimal().to_text()
    assert "every row" in explain_one().to_text()


def test_the_rules_in_the_text_are_the_rules():
    for seed in range(10):
        frame, labels, explanation = make_case(seed, 5, 2)
        rules = read_rules(explanation.to_text())
        assert len(rules) == explanation.n_clusters
        for k, rule in enumerate(rules):
            assert (evaluate_rule(rule, frame, explanation.columns) == (labels == k)).all()


def test_lines_fit_where_conditions_do():
    lines = explain_people().to_text().splitlines()
    assert all(len(line) <= 88 for line in lines if " AND " in line)


@pytest.mark.parametrize("width", [40, 80, 88])
def test_a_long_name_is_folded_to_the_width(width):
    plain = explain_people()
    long = "would recommend it to a colleague: not at all, feels listened to: strongly disagree, price: fair"
    named = replace(plain, rules=(replace(plain.rules[0], name=long), *plain.rules[1:]))
    heading, rule = named.to_text(width).split("\n\n")[1].split("─" * width)
    lines = heading.splitlines()
    assert all(len(line) <= width for line in lines)
    assert lines[-1].endswith("4 rows, 40%")
    assert len(lines[-1]) == width
    assert " ".join(heading.split()) == f"cluster 0: {long} 4 rows, 40%"
    assert "─" not in rule


def test_large_counts_are_grouped_in_every_form():
    plain = explain_people()
    sizes = (1_234_567.0, 10_000.0, 9_999.0, 1.5)
    large = replace(plain, rules=tuple(replace(r, size=s) for r, s in zip(plain.rules, sizes, strict=True)))
    for text in (large.to_text(), large.to_markdown(), large.to_html()):
        for count in ("1\u202f234\u202f567 rows", "10\u202f000 rows", "9999 rows", "1.5 rows"):
            assert count in text
    headline = large.to_markdown().splitlines()[0]
    assert "1254567.5 rows" in headline  # a fraction is printed as it is
    assert r"1\,234\,567 rows" in large.to_latex()
