"""The page without a browser: everything escaped, all in one file, small enough, honest about samples."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import silhouette_samples

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.report import ReportSubject, render_report
from polyclust.report.clarity import judge, measure_clarity
from polyclust.report.content import gather_content
from polyclust.report.picture import choose_axes, draw_sample
from polyclust.report.profile import draw_up_profile, spell_share


class Outline(HTMLParser):
    """Tags, headings, links and the embedded data of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.headings: list[int] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.labelled_by: list[str] = []
        self.data = ""
        self._is_data = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.links += [values[k] or "" for k in ("src", "href") if k in values]
        self.ids += [values["id"] or ""] if "id" in values else []
        self.labelled_by += [values["aria-labelledby"] or ""] if "aria-labelledby" in values else []
        self._is_data = values.get("id") == "report-data"
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_data(self, data: str) -> None:
        if self._is_data:
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self._is_data = False


@pytest.fixture(scope="module")
def page(customers_subject: ReportSubject) -> str:
    return render_report(customers_subject)


def test_one_file_that_asks_for_nothing(page: str) -> None:
    outline = Outline(page)
    assert outline.links
    assert all(link.startswith("#") for link in outline.links)
    assert {link[1:] for link in outline.links} <= set(outline.ids)
    assert "default-src 'none'" in page
    assert len(page.encode()) < 6_000_000


def test_headings_and_names_are_sound(page: str) -> None:
    outline = Outline(page)
    assert outline.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(outline.headings, outline.headings[1:], strict=False))
    assert len(outline.ids) == len(set(outline.ids))
    assert set(outline.labelled_by) <= set(outline.ids)


def test_cards_say_name_size_and_rule(page: str, customers_subject: ReportSubject) -> None:
    from html import escape

    for rule in customers_subject.explanation.rules:
        assert escape(rule.name, quote=False) in page
    assert page.count('<article class="card"') == customers_subject.explanation.n_clusters
    assert "All 600 rows are drawn" in page


EVIL = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "a & b \"c\" 'd'",
    "{{ 7 * 7 }}",
]


def test_names_and_values_from_the_table_stay_text(build_subject) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=EVIL[:3])
    table[EVIL[3]] = rng.choice(EVIL, 60)
    labels = (table[EVIL[0]] > 0).to_numpy(dtype=np.intp)
    ids = [EVIL[i % 4] for i in range(60)]
    page = render_report(
        build_subject(table, labels, ids=ids, title=EVIL[1], source=EVIL[0], command=EVIL[1], notes=EVIL)
    )
    outline = Outline(page)
    assert outline.tags.count("script") == 3
    assert "img" not in outline.tags
    assert "49" not in re.findall(r"<title>(.*?)</title>", page)[0]
    data = json.loads(outline.data)
    assert [c["name"] for c in data["columns"]] == EVIL
    assert data["ids"] == ids
    embedded = page.split('id="report-data">')[1].split("</script>")[0]
    assert "<" not in embedded


def test_a_hundred_thousand_rows_stay_under_ten_megabytes(build_subject) -> None:
    rng = np.random.default_rng(1)
    n_rows = 100_000
    table = pd.DataFrame(rng.normal(size=(n_rows, 40)), columns=[f"measurement_{i}" for i in range(40)])
    table["kind"] = rng.choice(["first", "second", "third"], n_rows)
    labels = (table["measurement_0"] > 2.3).to_numpy(dtype=np.intp)
    planes = [Hyperplane((0,), (1.0,), (1.0,), 2.3, 1.0, 1, 0)]
    subject = build_subject(table, labels, planes, ids=[f"row-{i:032d}" for i in range(n_rows)])
    page = render_report(subject)
    assert len(page.encode()) < 10_000_000
    data = json.loads(Outline(page).data)
    drawn = len(data["labels"])
    assert 500 <= drawn <= 3_100
    assert f"{drawn} of 100\u202f000 rows are drawn, chosen at random" in page
    assert "of 100\u202f000 rows drawn at random" in page
    assert data["labels"].count(1) >= 30


def test_an_estimated_score_says_so(build_subject) -> None:
    table = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) % 3})
    labels = (table["a"] > 9).to_numpy(dtype=np.intp)
    assert "estimated: 0.401 to 0.602" in render_report(build_subject(table, labels, interval=(0.4011, 0.6019)))
    assert "estimated" not in render_report(build_subject(table, labels))


def test_one_cluster_and_one_column(build_subject) -> None:
    table = pd.DataFrame({"a": np.arange(20.0)})
    for score in (float("nan"), -1.0):
        one = render_report(build_subject(table, np.zeros(20, dtype=np.intp), scores={1: score}))
        assert "The 1 cluster" in one
        assert json.loads(Outline(one).data)["scores"] == []
        assert 'id="number"' not in one
        assert "there is nothing to tell apart" in one
        assert "(clarity 0.00 of 1)" not in one
        assert 'id="silhouette"' not in one
    two = render_report(build_subject(table, (table["a"] > 9).to_numpy(dtype=np.intp)))
    assert "The 2 clusters" in two


def test_clarity_is_scikit_learns(customers_subject: ReportSubject) -> None:
    s = customers_subject
    clarity = measure_clarity(s.scaled, s.labels, 4)
    expected = silhouette_samples(s.scaled, s.labels)
    assert clarity.average == pytest.approx(expected.mean())
    for k, cluster in enumerate(clarity.clusters):
        assert cluster.average == pytest.approx(expected[s.labels == k].mean())
        assert cluster.misplaced == pytest.approx((expected[s.labels == k] < 0).mean())
    assert [judge(v) for v in (0.8, 0.6, 0.3, 0.1)] == [
        "very clear",
        "clear",
        "blurred at the edges",
        "hard to tell from its neighbours",
    ]


def test_profile_is_averages_and_shares() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 10.0], "yes": [True, True, False, False], "c": list("aabb")})
    labels = np.array([0, 0, 0, 1])
    lines = {line.name: line for line in draw_up_profile(table, labels, 2)}
    assert lines["x"].averages == (2.0, 10.0)
    assert lines["x"].overall == 4.0
    assert lines["yes"].text(0) == "67%"
    assert lines["c = b"].text(1) == "100%"
    assert lines["x"].standing[1] == pytest.approx(6 / table["x"].std(ddof=0))


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (0.005, "< 1%"), (0.0051, "1%"), (0.9949, "99%"), (0.995, "> 99%"), (1, "100%")]
)
def test_shares_are_not_none_or_all_where_some_are_and_some_are_not(share: float, text: str) -> None:
    assert spell_share(share) == text


def test_the_sample_holds_some_of_every_cluster() -> None:
    labels = np.array([0] * 99_000 + [1] * 950 + [2] * 50)
    rows = draw_sample(labels, 10, seed=0)
    assert len(set(rows.tolist())) == len(rows) <= 3_100
    assert np.bincount(labels[rows]).min() >= 28
    assert (draw_sample(labels, 10, seed=0) == rows).all()


def test_averages_can_be_told_apart() -> None:
    table = pd.DataFrame(
        {
            "year": [2003.0, 2003.5, 2018.0, 2018.5],
            "offset": [1e9, 1e9 + 0.002, 1e9 + 0.02, 1e9 + 0.022],
            "value": [0.0, 21.57, 9015.0, 0.0],
            "tiny": [1.2345e-9, 1.2345e-9, 3e-9, 3e-9],
        }
    )
    lines = {line.name: line for line in draw_up_profile(table, np.array([0, 0, 1, 1]), 2)}
    assert [lines["year"].text(k) for k in (0, 1)] == ["2003.2", "2018.2"]
    offsets = [lines["offset"].text(k).replace("\u202f", " ") for k in (0, 1)]
    assert offsets == ["1 000 000 000.001", "1 000 000 000.021"]
    assert [lines["value"].text(k) for k in (0, 1)] == ["10.8", "4510"]
    assert lines["tiny"].text(0) == "1.23e-09"
    assert lines["value"].spell(0.0) == "0"


def test_cards_say_what_a_cluster_has_rather_than_what_it_lacks(build_subject) -> None:
    table = pd.DataFrame({"x": [0.0, 1, 0, 1, 9, 8, 9, 8], "answer": ["no"] * 4 + ["yes"] * 4})
    first, second = gather_content(build_subject(table, np.repeat([0, 1], 4)))["clusters"]
    assert any(line["text"] == "answer = no: 100%" for line in first["typical"])
    assert any(line["text"] == "answer = yes: 100%" for line in second["typical"])


def test_the_profile_leaves_out_the_many_values_that_do_not_differ(build_subject) -> None:
    table = pd.DataFrame({"x": np.repeat([0.0, 9.0], 60), "town": [f"town {i}" for i in range(30)] * 4})
    table.loc[table["x"] == 9, "town"] = table["town"].replace({"town 7": "town 8"})
    content = gather_content(build_subject(table, np.repeat([0, 1], 60)))
    assert [line["name"] for line in content["profile"]] == ["x", "town = town 7"]
    assert content["n_profile_hidden"] == 29


def test_cards_count_one_row_and_many_rows(build_subject) -> None:
    page = render_report(build_subject(pd.DataFrame({"x": [0.0, 1, 2, 9]}), np.array([0, 0, 0, 1])))
    assert re.findall(r'class="size"><strong>(\d+)</strong> (\w+)', page) == [("3", "rows"), ("1", "row")]


def test_cards_know_columns_whatever_they_are_called(build_subject) -> None:
    table = pd.DataFrame({"a = 1": [0.0, 1, 0, 1, 9, 8, 9, 8], "a = 2": [5.0, 6, 5, 6, 1, 2, 1, 2]})
    first, _ = gather_content(build_subject(table, np.repeat([0, 1], 4)))["clusters"]
    assert [line["text"].split(":")[0] for line in first["typical"]] == ["a = 1", "a = 2"]


def test_the_largest_number_tried_is_said_to_be_the_largest(build_subject) -> None:
    table = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) % 3})
    labels = (table["a"] > 9).to_numpy(dtype=np.intp)
    for most, is_said in (("2", True), ("10", False)):
        text = gather_content(build_subject(table, labels, settings={"max_clusters": most}))["number_text"]
        assert ("--max-clusters" in text) is is_said


def test_the_number_asked_for_is_not_the_number_found(build_subject) -> None:
    table = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) % 3})
    labels = (table["a"] > 9).to_numpy(dtype=np.intp)
    for asked, said in (("5", "5 clusters were asked for and 2 found. "), ("2", "2 clusters were asked for. ")):
        subject = build_subject(table, labels, settings={"n_clusters": asked}, is_number_chosen=False, scores={2: 0.5})
        assert gather_content(subject)["number_text"].startswith(said)


def test_one_score_is_said_and_not_drawn(build_subject) -> None:
    table = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) % 3})
    labels = (table["a"] > 9).to_numpy(dtype=np.intp)
    for scores, is_drawn in (({2: 0.5}, False), ({2: 0.5, 3: 0.4}, True)):
        subject = build_subject(table, labels, settings={"n_clusters": "2"}, is_number_chosen=False, scores=scores)
        page = render_report(subject)
        assert ('id="scores"' in page) is is_drawn
        assert ("No other was tried." in page) is not is_drawn
        assert "2 clusters 0.500" in page


def test_what_was_filled_reads_as_in_the_rules(build_subject) -> None:
    table = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) % 3})
    subject = build_subject(table, (table["a"] > 9).to_numpy(dtype=np.intp), fills={"age": 69.0, "icu": "no"})
    assert gather_content(subject)["rows_text"] == "Missing values were replaced: age: 69; icu: no."


def test_a_silhouette_is_judged_as_it_is_shown() -> None:
    assert judge(0.504) == judge(0.496) == judge(0.5) != judge(0.506)


def test_the_picture_shows_first_what_tells_clusters_apart(build_subject) -> None:
    rng = np.random.default_rng(0)
    shop, card = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    table = pd.DataFrame({"x": rng.random(80), "shop": np.array(["web", "store"])[shop], "card": card == 1})
    subject = build_subject(table, 2 * shop + card)
    axes = choose_axes(table, list(table.columns), subject.labels, subject.explanation)
    assert axes == (1, 2)
    of_shops = build_subject(table, shop)
    assert choose_axes(table, list(table.columns), of_shops.labels, of_shops.explanation) == (1, 0)
