"""Clusters that are levels of a category read by their own level, not by all the others that they do not have."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from polyclust import explain_labels

COLOURS = ["red", "green", "blue", "white", "black"]


def make_cells(n_colours, flags=(False,)):
    """Every colour with and without the flag, some rows of each."""
    cells = list(itertools.product(COLOURS[:n_colours], flags))
    table = pd.DataFrame(cells * 4, columns=["colour", "flag"]).assign(age=np.arange(4 * len(cells)) % 7)
    return table, np.tile(np.arange(len(cells)), 4)


@pytest.mark.parametrize("n_colours", [3, 4, 5])
@pytest.mark.parametrize("limits", [(1, 1), (2, 2), (None, None)])
def test_every_cluster_is_told_by_its_own_level(n_colours, limits):
    table, labels = make_cells(n_colours)
    table = table.drop(columns="flag")
    explanation = explain_labels(table, labels, max_terms=limits[0], max_coefficient=limits[1])
    texts = explanation.to_text()
    assert all(f'colour = "{colour}"' in texts for colour in COLOURS[:n_colours])
    assert "∉" not in texts
    assert "≠" not in texts
    assert [len(rule.clauses) for rule in explanation.rules] == [1] * n_colours
    assert (explanation.predict(table) == labels).all()


def test_two_levels_need_one_of_them_only():
    table, labels = make_cells(2)
    explanation = explain_labels(table.drop(columns="flag"), labels)
    assert sorted(len(rule.clauses) for rule in explanation.rules) == [1, 1]


def test_so_are_levels_with_and_without_a_flag():
    table, labels = make_cells(4, flags=(False, True))
    explanation = explain_labels(table, labels)
    assert "∉" not in explanation.to_text()
    assert [len(rule.clauses) for rule in explanation.rules] == [2] * 8
    assert (explanation.predict(table) == labels).all()


def test_a_cluster_of_several_levels_is_still_what_the_others_are_not():
    table, labels = make_cells(5)
    labels = np.minimum(labels, 2)  # blue, white and black are one cluster
    explanation = explain_labels(table.drop(columns="flag"), labels)
    assert 'colour ∉ {"green", "red"}' in explanation.to_text()
    assert (explanation.predict(table) == labels).all()
