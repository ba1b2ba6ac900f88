"""Markdown: one table, safe whatever the columns are called, read back through a real parser."""

from html.parser import HTMLParser

from markdown_it import MarkdownIt
from rendered_examples import check_golden, explain_minimal, explain_one, explain_people

from explain.strategies import make_case
from rule_parser import evaluate_rule


class Page(HTMLParser):
    """What a parser makes of the Markdown: tags, cells per row, and the text of code spans per row."""

    def __init__(self, markdown):
        super().__init__()
        self.tags, self.cells, self.rules, self.is_code = set(), [], [], False
        self.feed(MarkdownIt("commonmark").enable("table").render(markdown))

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.is_code = tag == "code"
        if tag == "tr":
            self.cells.append(0)
            self.rules.append([])
        if tag in ("td", "th"):
            self.cells[-1] += 1
        if tag == "code":
            self.rules[-1].append("")

    def handle_endtag(self, tag):
        self.is_code = False

    def handle_data(self, data):
        if self.is_code:
            self.rules[-1][-1] += data


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
    named = explain_people().with_names(["<b>x</b>", "a|b", "**c**", "[d](javascript:alert)"])
    page = Page(named.to_markdown())
    assert page.cells == [5] * 5
    known = {"p", "strong", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "code", "em", "br"}
    assert page.tags <= known


def test_the_rules_in_the_document_are_the_rules():
    for seed in range(10):
        frame, labels, explanation = make_case(seed, 5, 2, cuts=True)
        rules = [rule for rule in Page(explanation.to_markdown()).rules if rule]
        assert len(rules) == explanation.n_clusters
        for k, conditions in enumerate(rules):
            text = " AND ".join(conditions)
            assert (evaluate_rule(text, frame, explanation.columns) == (labels == k)).all()
