"""Docstrings of the public names: their examples run, and every parameter is told of."""

from __future__ import annotations

import doctest
import inspect
import re
import sys

import pytest

import polyclust
from polyclust import plot

PUBLIC = [getattr(polyclust, name) for name in polyclust.__all__]
TOLD = [
    polyclust.Binariser,
    polyclust.Clause,
    polyclust.Explanation,
    polyclust.PolytopeClustering,
    polyclust.Rule,
    polyclust.Term,
    polyclust.explain_labels,
    plot.draw_families,
    plot.PolytopeDisplay.from_estimator,
    plot.PolytopeDisplay.from_explanation,
    plot.SilhouetteDisplay.from_estimator,
]


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda t: t.__name__)
def test_examples_give_what_they_show(thing):
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    for example in finder.find(thing, thing.__name__, module=sys.modules[thing.__module__]):
        runner.run(example)
    assert runner.failures == 0


@pytest.mark.parametrize("name", ["Binariser", "Explanation", "PolytopeClustering", "explain_labels"])
def test_what_people_call_has_an_example(name):
    assert ">>> " in getattr(polyclust, name).__doc__


@pytest.mark.parametrize("thing", TOLD, ids=lambda t: t.__qualname__)
def test_every_parameter_is_told_of(thing):
    entries = re.findall(r"(?m)^ *(\w+(?:, \w+)*)(?: : .*)?$", thing.__doc__.partition("----------")[2])
    told = {name for entry in entries for name in entry.split(", ")}
    assert set(inspect.signature(thing).parameters) <= told
