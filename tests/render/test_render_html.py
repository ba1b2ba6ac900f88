"""The HTML fragment: everything from the data stays text."""

from html.parser import HTMLParser

from rendered_examples import PEOPLE, check_golden, explain_minimal, explain_one, explain_people

from explain.strategies import make_case
from rule_parser import evaluate_rule


class Reader(HTMLParser):
    """Tags, and the text of code elements."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.conditions, self.rules, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("br",):
            self.open.append(tag)
        if tag == "tr":
            self.rules.append([])
        if tag == "code":
            self.rules[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "code":
            self.rules[-1][-1] += data


def test_golden():
    check_golden("explanation.html", explain_people().to_html())


def test_notebooks_show_it():
    explanation = explain_people()
    assert explanation._repr_html_() == explanation.to_html()


def test_a_script_in_a_column_name_stays_text():
    explanation = explain_people().with_names(["<img src=x onerror=alert(1)>", "b", "c", "d"])
    reader = Reader(explanation.to_html())
    assert {tag for tag, _ in reader.tags} == {
        "section", "style", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "br", "span", "code",
    }  # fmt: skip
    assert not reader.open
    assert any(PEOPLE.columns[4].split()[0] in condition for rule in reader.rules for condition in rule)


def test_nothing_comes_from_outside():
    for _, attributes in Reader(explain_people().to_html()).tags:
        assert not {"src", "href", "onclick", "onerror", "style"} & set(attributes)
    assert "url(" not in explain_people().to_html()


def test_what_it_says():
    text = explain_people().to_html()
    assert "probably a cap of outliers" in text
    assert "precision" in text
    assert "Minimal rules" in explain_minimal().to_html()
    assert "every row" in explain_one().to_html()


def test_the_rules_on_the_page_are_the_rules():
    for seed in range(5):
        frame, labels, explanation = make_case(seed, 5, 2, cuts=True)
        rules = [rule for rule in Reader(explanation.to_html()).rules if rule]
        for k, conditions in enumerate(rules):
            text = " AND ".join(conditions)
            assert (evaluate_rule(text, frame, explanation.columns) == (labels == k)).all()
