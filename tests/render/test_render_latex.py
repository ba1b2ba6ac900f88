"""LaTeX: balanced, escaped, complete."""

import re

import pytest
from rendered_examples import check_golden, explain_minimal, explain_one, explain_people

from polyclust.render.latex import escape_latex


def test_golden():
    check_golden("explanation.tex", explain_people().to_latex())


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50%_a&b#c$d", r"50\%\_a\&b\#c\$d"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("a^b~c", r"a\textasciicircum{}b\textasciitilde{}c"),
        ("x ≥ 3", r"x \ensuremath{\geq} 3"),
        ("two\nlines", "two lines"),
    ],
)
def test_escapes(text, escaped):
    assert escape_latex(text) == escaped


def test_no_special_character_is_left_alone():
    body = explain_people().to_latex().split(r"\midrule")[1]
    assert not re.search(r"(?<!\\)[%#$_^~]", body)
    rows = body.strip().splitlines()
    assert all(len(re.findall(r"(?<!\\)&", row)) == 3 and row.endswith(r"\\") for row in rows)
    unescaped = re.sub(r"\\[{}]", "", body)
    assert unescaped.count("{") == unescaped.count("}")


def test_what_it_says():
    assert "probably a cap of outliers" in explain_people().to_latex()
    assert "Minimal rules" in explain_minimal().to_latex()
    assert "every row" in explain_one().to_latex()
