"""The README's examples run and print what it says; links and pictures of all pages are there."""

from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path

import pytest

from test_architecture import MAY_IMPORT

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
SMALL_PAGE = """
```python
print(6 * 7)
```
```text
41
```
```console
$ polyclust --version
polyclust 0
```
"""


@pytest.fixture
def make_samples(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module("make_samples")


def test_the_examples_print_what_the_page_says(make_samples):
    samples = make_samples.run_page((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(samples) >= 8
    for sample in samples:
        hidden = make_samples.DURATION.sub("T", sample.printed)
        assert hidden == make_samples.DURATION.sub("T", sample.written), sample.source


def test_the_rules_at_the_top_are_those_of_the_demo():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, top, rest = text.split("```", 2)
    rules = [line.rsplit("  ", 1)[0].strip() for line in top.splitlines()[1:]]
    assert len(rules) == 4
    for rule in rules:
        assert rule in rest


def test_the_comparison_at_the_top_is_that_of_the_command():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    top = text.split("| | silhouette | clauses | right |")[1].split("\n\n")[0]
    shown = [[cell.strip() for cell in line.split("|")[2:5]] for line in top.splitlines()[2:]]
    printed = text.split("polyclust compare polyclust-demo/customers.csv --max-clusters 6 --quiet")[1].split("\n\n")[0]
    measured = {tuple(line.split()[i] for i in (-6, -3, -2)) for line in printed.splitlines() if "%" in line}
    assert len(shown) == 4
    assert {tuple(cells) for cells in shown} <= measured


def test_outputs_that_are_wrong_are_found_and_put_right(make_samples):
    samples = make_samples.run_page(SMALL_PAGE)
    assert [s.is_current for s in samples] == [False, False]
    right = make_samples.update(SMALL_PAGE, samples)
    assert "\n42\n" in right
    assert all(s.is_current for s in make_samples.run_page(right))


def test_only_durations_may_differ(make_samples):
    hidden = make_samples.DURATION.sub("T", "silhouette 0.7387, found in 1.0 s\nk-means 0.7390 11 99.8%  0.88\n")
    assert hidden == "silhouette 0.7387, found in T\nk-means 0.7390 11 99.8%T\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_table_of_imports_is_the_one_that_is_tested():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("| room | may import |")[1].split("\n\n")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines()[2:]]
    assert {room.strip(" `"): set(re.findall("`([^`]+)`", rest)) for room, rest in rows} == MAY_IMPORT


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/method.md"])
def test_files_named_on_a_page_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    source = ROOT / "src" / "polyclust"
    for name in set(re.findall(r"`((?:\w+/)*\w+\.(?:py|js|jinja|html\.jinja))`", text)):
        places = (source / name, source / "search" / name, source / "report" / name, ROOT / "tests" / name, ROOT / name)
        assert any(place.exists() for place in places), name


def test_pictures_are_small_and_used():
    shown = {m for page in PAGES for m in re.findall(r"images/([\w-]+\.png)", page.read_text(encoding="utf-8"))}
    pictures = {p.name: p.stat().st_size for p in (ROOT / "docs" / "images").iterdir()}
    assert set(pictures) == shown
    assert max(pictures.values()) < 250_000


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(example, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out
