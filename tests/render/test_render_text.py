"""The text for terminals."""

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
