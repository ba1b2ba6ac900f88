"""Markdown: one table, safe whatever the columns are called."""

import re

from render.examples import check_golden, explain_minimal, explain_one, explain_people


def split_cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def test_golden():
    check_golden("explanation.md", explain_people().to_markdown())


def test_what_it_says():
    text = explain_people().to_markdown()
    assert "4 clusters, 10 rows" in text
    assert "probably a cap of outliers" in text
    assert "precision" in text
    assert "Minimal rules" in explain_minimal().to_markdown()
    assert "`every row`" in explain_one().to_markdown()


def test_every_row_has_five_cells_and_no_live_html():
    text = explain_people().to_markdown()
    rows = [line for line in text.splitlines() if line.startswith("| cluster ")]
    assert len(rows) == 5
    assert all(len(split_cells(row)) == 5 for row in rows)
    outside_code = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "<script" not in outside_code


def test_code_spans_hold_backticks():
    text = explain_people().to_markdown()
    assert "`` `<script>alert('x')</script> & $5_{a}%\\|\\``" in text
