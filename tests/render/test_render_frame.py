"""The tidy table: one row per clause."""

import numpy as np
from rendered_examples import check_golden, explain_minimal, explain_one, explain_people

from explain.strategies import make_case
from rule_parser import evaluate_rule


def test_golden():
    check_golden("explanation.csv", explain_people().to_frame().to_csv(index=False))


def test_one_row_per_clause():
    explanation = explain_people()
    frame = explanation.to_frame()
    assert len(frame) == explanation.n_clauses
    assert frame.groupby("cluster").size().tolist() == [r.n_clauses for r in explanation.rules]
    assert frame["n_terms"].sum() == explanation.n_terms
    assert not frame["is_minimal"].any()
    assert explain_minimal().to_frame()["is_minimal"].all()


def test_a_cluster_without_clauses_keeps_its_row():
    frame = explain_one().to_frame()
    assert frame["text"].tolist() == ["every row"]
    assert np.isnan(frame["threshold"].iloc[0])


def test_the_rows_together_are_the_rules():
    table, labels, explanation = make_case(3, 6, 2, cuts=True)
    for k, rows in explanation.to_frame().groupby("cluster"):
        held = np.logical_and.reduce([evaluate_rule(t, table, explanation.columns) for t in rows["text"]])
        np.testing.assert_array_equal(held, labels == k)
