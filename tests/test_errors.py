"""Warnings point at the user's line, whatever lies between it and the place where they arise."""

from __future__ import annotations

import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from polyclust import PolyclustWarning, PolytopeClustering, explain_labels

ROWS = pd.DataFrame({"a": [0.0, 1, 2, 10, 11, 12], "still": 1.0, "colour": ["red", "red", "blue"] * 2})
MODEL = PolytopeClustering(2, min_cluster_size=3, random_state=0, n_init=1)
CONSTANT = "Columns with one value only are ignored: still."
UNSEEN = "Column 'colour' holds values not seen at fit ('pink') in 6 rows; they are placed by their other columns."
SMALL = (
    "No larger than min_cluster_size allows, so probably a cap of outliers: cluster 0 (3 rows), 1 (3 rows); "
    "raise min_cluster_size to do without."
)


def predict_other_levels():
    with warnings.catch_warnings(action="ignore"):
        model = PolytopeClustering(2, random_state=0, explain_with=["colour"]).fit(ROWS)
    model.predict(ROWS.assign(colour="pink"))


@pytest.mark.parametrize(
    ("call", "sentences"),
    [
        (lambda: MODEL.fit(ROWS), [CONSTANT, SMALL]),
        (lambda: MODEL.fit_predict(ROWS), [CONSTANT, SMALL]),
        (lambda: make_pipeline("passthrough", MODEL).fit(ROWS), [CONSTANT, SMALL]),
        (lambda: MODEL.fit(dd.from_pandas(ROWS, npartitions=2)), [CONSTANT, SMALL]),
        (lambda: explain_labels(ROWS, np.repeat([0, 1], 3)), [CONSTANT]),
        (predict_other_levels, [UNSEEN]),
    ],
)
def test_a_warning_is_told_once_and_at_the_users_line(call, sentences):
    with pytest.warns(PolyclustWarning) as told:
        call()
    assert [str(warning.message) for warning in told] == sentences
    assert {warning.filename for warning in told} == {__file__}
