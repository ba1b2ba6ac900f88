"""The report in a real headless Chromium: it draws, answers clicks and asks the network for nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.report import ReportSubject, render_report

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
DRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="no Chromium found: install the Debian packages chromium and chromium-driver",
)
webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-prefers-reduced-motion",
)


class Browser:
    """A Chromium with one page open."""

    def __init__(self, profile: Path) -> None:
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def open(self, page: Path, width: int = 1280, height: int = 900, is_phone: bool = False) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get(page.as_uri())
        self.wait("return document.documentElement.dataset.ready === 'yes'")

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 30).until(lambda d: d.execute_script(script))

    def choose(self, select: str, value: object) -> None:
        self.run(
            "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change', {bubbles: true}))",
            select,
            str(value),
        )

    def collect_logs(self) -> None:
        self.complaints += [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            is_request = message["method"] == "Network.requestWillBeSent"
            # The browser's own start page asks for things too.
            if is_request and message["params"]["documentURL"].startswith("file:"):
                self.requests.append(message["params"]["request"]["url"])


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, customers_subject: ReportSubject) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_report(customers_subject), encoding="utf-8")
    return path


TRACES = "return document.getElementById('scatter').data.map(t => [t.meta, t.opacity, t.x.length])"


def test_draws_without_complaint_or_request(browser: Browser, page: Path) -> None:
    browser.open(page)
    charts = browser.run("return [...document.querySelectorAll('.js-plotly-plot .main-svg')].length")
    assert charts >= 4
    for chart in ("scatter", "silhouette", "pair-chart", "scores"):
        drawn = f"#{chart} .trace path"
        assert browser.run("return document.querySelectorAll(arguments[0]).length", drawn) > 0, chart
    assert browser.run("return document.querySelectorAll('.card').length") == 4
    assert sum(n for _, _, n in browser.run(TRACES)) == 600
    browser.run("document.querySelectorAll('.copy').forEach(b => b.click())")
    browser.collect_logs()
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_one_cluster_is_drawn_without_what_compares_clusters(browser: Browser, build_subject, tmp_path: Path) -> None:
    table = pd.DataFrame({"a": np.arange(20.0), "b": np.arange(20.0) % 3})
    subject = build_subject(table, np.zeros(20, dtype=np.intp), scores={1: -1.0})
    page = tmp_path / "one.html"
    page.write_text(render_report(subject), encoding="utf-8")
    browser.open(page)
    browser.driver.find_element("css selector", '.card[data-cluster="0"] .card-button').click()
    assert sum(n for _, _, n in browser.run(TRACES)) == 20
    browser.collect_logs()
    assert browser.complaints == []


def test_a_click_on_a_card_highlights_its_rows(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert {opacity for _, opacity, _ in browser.run(TRACES)} == {0.85}
    n_areas = browser.run("return document.getElementById('scatter').layout.shapes.length")
    browser.driver.find_element("css selector", '.card[data-cluster="2"] .card-button').click()
    assert {cluster for cluster, opacity, _ in browser.run(TRACES) if opacity > 0.5} == {2}
    assert browser.run("return document.getElementById('scatter').layout.shapes.length") < n_areas
    assert browser.run("return document.querySelectorAll('.card.is-chosen').length") == 1
    pressed = "return [...document.querySelectorAll('.card-button')].map(b => b.ariaPressed)"
    assert browser.run(pressed) == ["false", "false", "true", "false"]
    browser.driver.find_element("css selector", "body").send_keys("\ue00c")  # Escape
    assert {opacity for _, opacity, _ in browser.run(TRACES)} == {0.85}


def test_the_keyboard_chooses_a_card(browser: Browser, page: Path) -> None:
    browser.open(page)
    button = browser.driver.find_element("css selector", '.card[data-cluster="1"] .card-button')
    browser.run("arguments[0].focus()", button)
    button.send_keys("\ue007")  # Enter
    assert {cluster for cluster, opacity, _ in browser.run(TRACES) if opacity > 0.5} == {1}


def test_choosing_features_changes_axes_areas_and_words(
    browser: Browser, page: Path, customers_subject: ReportSubject
) -> None:
    browser.open(page)
    names = customers_subject.table.columns.tolist()
    x, y = names.index("orders_per_year"), names.index("channel")
    before = browser.run("return document.getElementById('scatter-text').textContent")
    browser.choose("x-feature", x)
    browser.choose("y-feature", y)
    layout = browser.run(
        "const l = document.getElementById('scatter').layout;"
        "return [l.xaxis.title.text, l.yaxis.title.text, l.yaxis.ticktext]"
    )
    assert layout == ["orders_per_year", "channel", ["app", "store", "web"]]
    words = browser.run("return document.getElementById('scatter-text').textContent")
    assert words != before
    assert "orders_per_year across and channel up" in words
    browser.driver.find_element("id", "swap").click()
    assert browser.run("return document.getElementById('scatter').layout.xaxis.title.text") == "channel"


def test_areas_hold_every_row_of_their_cluster(browser: Browser, page: Path, customers_subject: ReportSubject) -> None:
    """A rectangle in the picture is the shadow of the rule: bounds read from it hold all rows."""
    browser.open(page)
    names = customers_subject.table.columns.tolist()
    browser.choose("x-feature", names.index("age"))
    browser.choose("y-feature", names.index("average_basket"))
    for cluster in range(4):
        browser.driver.find_element("css selector", f'.card[data-cluster="{cluster}"] .card-button').click()
        paths = browser.run("return document.getElementById('scatter').layout.shapes.map(s => s.path)")
        assert len(paths) == 1
        corners = [tuple(map(float, p.split(","))) for p in paths[0].strip("MZ").split("L")]
        rows = customers_subject.table[customers_subject.labels == cluster]
        for axis, name in enumerate(("age", "average_basket")):
            values = [corner[axis] for corner in corners]
            assert min(values) <= rows[name].min()
            assert rows[name].max() <= max(values)
    clauses = customers_subject.explanation.rules[3].clauses
    bound = next(c.threshold for c in clauses if c.terms[0].feature.name == "average_basket")
    assert max(corner[1] for corner in corners) == pytest.approx(bound)


def test_choosing_a_pair_says_what_tells_them_apart(
    browser: Browser, page: Path, customers_subject: ReportSubject
) -> None:
    browser.open(page)
    for i, j in ((0, 1), (3, 1), (2, 3)):
        browser.choose("pair-first", i)
        browser.choose("pair-second", j)
        plane = next(h for h in customers_subject.explanation.hyperplanes if {h.above, h.below} == {i, j})
        expected = str(customers_subject.explanation.pairwise(plane.above, plane.below).condition)
        said = browser.run("return document.getElementById('pair-text').textContent")
        assert expected in said
        assert customers_subject.name_of(i) in said
        assert browser.run("return document.getElementById('pair-chart').data.length") == 2
        heads = browser.run("return document.getElementById('pair-head-first').textContent")
        assert heads == customers_subject.name_of(i)
    browser.choose("pair-second", 2)
    browser.choose("pair-first", 2)
    assert "two different" in browser.run("return document.getElementById('pair-text').textContent")


@pytest.mark.parametrize(("width", "is_phone"), [(1280, False), (390, True)])
def test_nothing_is_wider_than_the_window(browser: Browser, page: Path, width: int, is_phone: bool) -> None:
    browser.open(page, width, 844, is_phone)
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_texts_of_charts_fit_a_phone(browser: Browser, build_subject, tmp_path: Path) -> None:
    long = "how likely is it that you would recommend this product to a friend or colleague"
    table = pd.DataFrame({long: [1.0, 2.0, 8.0, 9.0] * 5, "other " + long: [3.0, 1.0, 2.0, 4.0] * 5})
    planes = [Hyperplane((0,), (1.0,), (1.0,), 5.0, 1.0, 1, 0)]
    subject = build_subject(table, np.array([0, 0, 1, 1] * 5), planes)
    (tmp_path / "report.html").write_text(render_report(subject), encoding="utf-8")
    browser.open(tmp_path / "report.html", 390, is_phone=True)
    texts = "#scatter .xtitle, #pair-chart .xtitle, #pair-chart .legendtext"
    edges = browser.run(
        "return [...document.querySelectorAll(arguments[0])].map(t => { const box = t.getBoundingClientRect(), "
        "chart = t.closest('.chart').getBoundingClientRect(); "
        "return [box.left - chart.left, chart.right - box.right]})",
        texts,
    )
    assert len(edges) == 4
    assert min(min(pair) for pair in edges) >= 0


def test_levels_that_begin_alike_are_told_apart_on_the_axis(browser: Browser, build_subject, tmp_path: Path) -> None:
    levels = [f"Coalition reported together in {where}" for where in ("spring", "autumn", "winter")]
    table = pd.DataFrame({"poll": levels * 10, "share": np.tile([1.0, 5.0, 9.0], 10)})
    path = tmp_path / "levels.html"
    path.write_text(render_report(build_subject(table, np.tile([0, 1, 2], 10))), encoding="utf-8")
    browser.open(path)
    browser.choose("x-feature", 0)
    ticks = browser.run("return document.getElementById('scatter').layout.xaxis.ticktext")
    assert len(set(ticks)) == 3
    assert all(len(tick) <= 24 for tick in ticks)


def test_long_words_are_all_seen_and_fit_a_phone(browser: Browser, build_subject, tmp_path: Path) -> None:
    words = ("Anlagenbau", "Pumpen", "Bank", "Food", "Verwaltung")
    levels = [f"{word}unternehmensberatungsgesellschaft" for word in words]
    table = pd.DataFrame({"branch": levels * 10, "share": np.tile(np.arange(5.0), 10)})
    path = tmp_path / "words.html"
    path.write_text(render_report(build_subject(table, np.tile(np.arange(5), 10))), encoding="utf-8")
    shown = "return [...document.querySelectorAll('#scatter .xtick text')].map(t => getComputedStyle(t).display)"
    for width, is_phone in ((1280, False), (390, True)):
        browser.open(path, width, 844, is_phone)
        browser.choose("x-feature", 0)
        assert browser.run(shown) == ["block"] * 5
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_what_also_differs_is_not_what_the_rule_said(browser: Browser, build_subject, tmp_path: Path) -> None:
    table = pd.DataFrame({"plan": ["free"] * 30 + ["paid"] * 30, "size": list("abc") * 10 + list("cde") * 10})
    table["visits"] = np.arange(60)
    path = tmp_path / "pair.html"
    path.write_text(render_report(build_subject(table, np.repeat([0, 1], 30))), encoding="utf-8")
    browser.open(path)
    said = browser.run("return document.getElementById('pair-text').textContent")
    assert "plan" in said
    first_cells = "return [...document.querySelectorAll('#pair-table tbody th')].map(e => e.textContent.split(' ')[0])"
    assert sorted(browser.run(first_cells)) == ["size", "visits"]
    assert browser.run("return document.getElementById('pair-chart').layout.barmode") == "overlay"


@pytest.mark.parametrize("height", ["same", "other"])
def test_what_does_not_differ_is_not_called_different(
    browser: Browser, build_subject, tmp_path: Path, height: str
) -> None:
    table = pd.DataFrame({"plan": ["free"] * 30 + ["paid"] * 30, "pet": ["cat", "dog"] * 30})
    table["height"] = np.tile([170.0, 180.0], 30) + (np.repeat([0.0, 20.0], 30) if height == "other" else 0.0)
    path = tmp_path / "alike.html"
    path.write_text(render_report(build_subject(table, np.repeat([0, 1], 30))), encoding="utf-8")
    browser.open(path)
    shown = "return [...document.querySelectorAll('#pair-table tbody th')].map(e => e.textContent)"
    assert browser.run(shown) == (["height"] if height == "other" else [])
    assert browser.run("return document.getElementById('pair-table').hidden") == (height == "same")


def test_names_that_begin_alike_are_told_apart_in_charts(browser: Browser, build_subject, tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"region": ["in the north-western provinces on the coast", "abroad"] * 40, "letters": list("aabb") * 20}
    )
    path = tmp_path / "names.html"
    path.write_text(render_report(build_subject(table, np.tile([0, 1, 2, 3], 20))), encoding="utf-8")
    for width in (1280, 390):
        browser.open(path, width, is_phone=width < 720)
        names = browser.run("return document.getElementById('silhouette').layout.yaxis.ticktext")
        assert len(set(names)) == 4, names
        assert len(set(browser.run("return document.getElementById('scatter').data.map(d => d.name)"))) == 4
        browser.choose("pair-second", 2)
        assert len(set(browser.run("return document.getElementById('pair-chart').data.map(d => d.name)"))) == 2


def test_features_that_no_rule_uses_have_no_areas_and_say_so(
    browser: Browser, page: Path, customers_subject: ReportSubject
) -> None:
    browser.open(page)
    used = {t.feature.column.name for r in customers_subject.explanation.rules for c in r.clauses for t in c.terms}
    names = customers_subject.table.columns.tolist()
    first, second, *_ = (names.index(name) for name in names if name not in used)
    browser.choose("x-feature", first)
    browser.choose("y-feature", second)
    words = "return document.getElementById('scatter-text').textContent"
    shapes = "return document.getElementById('scatter').layout.shapes.length"
    assert browser.run(shapes) == 0
    assert "no areas are drawn" in browser.run(words)
    assert "shadow" not in browser.run(words)
    browser.driver.find_element("css selector", '.card[data-cluster="1"] .card-button').click()
    assert browser.run(shapes) == 1
    assert "the whole picture" in browser.run(words)


def test_the_profile_of_ten_clusters_fits_screen_and_paper(browser: Browser, build_subject, tmp_path: Path) -> None:
    labels = np.repeat(np.arange(10), 20)
    table = pd.DataFrame({"turnover": 1000.0 * labels, "channel": [f"shop{k}" for k in labels]})
    path = tmp_path / "ten.html"
    path.write_text(render_report(build_subject(table, labels)), encoding="utf-8")
    browser.open(path)
    table_width = "const s = document.querySelector('#profile .scroll'); return [s.scrollWidth, s.clientWidth]"
    wide, window = browser.run(table_width)
    assert wide <= window
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    size = {"width": 720, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wide, window = browser.run(table_width)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert wide <= window


def test_words_without_end_do_not_push_the_profile_out_of_sight(
    browser: Browser, build_subject, tmp_path: Path
) -> None:
    table = pd.DataFrame({"code": np.repeat(["L" * 300, "M" * 300], 20), "x": np.arange(40.0)})
    path = tmp_path / "endless.html"
    path.write_text(render_report(build_subject(table, np.repeat([0, 1], 20))), encoding="utf-8")
    browser.open(path)
    assert browser.run("return document.querySelector('#profile .scroll').scrollWidth") <= 1080


def test_names_from_the_table_stay_text(browser: Browser, build_subject, tmp_path: Path) -> None:
    evil = ["<b>bold</b>", "</script><script>window.hit = 1</script>", "<img src=x onerror='window.hit = 1'>"]
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=evil)
    table["kind"] = [evil[i % 3] for i in range(50)]
    subject = build_subject(table, (table[evil[0]] > 0).to_numpy(dtype=np.intp), ids=[evil[i % 3] for i in range(50)])
    path = tmp_path / "evil.html"
    path.write_text(render_report(subject), encoding="utf-8")
    browser.open(path)
    for feature in range(4):
        browser.choose("x-feature", feature)
    browser.run("Plotly.Fx.hover('scatter', [{curveNumber: 0, pointNumber: 0}])")
    assert browser.run("return window.hit === undefined")
    assert browser.run("return document.querySelectorAll('main img').length") == 0
    browser.choose("x-feature", 0)
    assert "<b>bold</b>" in browser.run("return document.querySelector('#scatter .xtitle').textContent")
    browser.collect_logs()
    assert browser.complaints == []


def test_prints_on_paper(browser: Browser, page: Path) -> None:
    browser.open(page)
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(printed["data"]) > 50_000
