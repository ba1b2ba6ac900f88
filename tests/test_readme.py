"""The README's examples run and print what it says; its pictures and links are there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [p for p in (ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md"))]


def load_samples():
    spec = importlib.util.spec_from_file_location("make_samples", ROOT / "docs" / "make_samples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def make_samples(monkeypatch_module):
    module = load_samples()
    monkeypatch_module.setitem(__import__("sys").modules, "make_samples", module)
    return module


def test_the_examples_print_what_the_page_says():
    module = load_samples()
    samples = module.run_page(README)
    assert len(samples) >= 8
    for sample in samples:
        assert module.DURATION.sub("T", sample.printed) == module.DURATION.sub("T", sample.written), sample.source
