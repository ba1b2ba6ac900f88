"""scikit-learn's own checks of an estimator: all of them, none expected to fail."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from polyclust import PolytopeClustering

# Small clusters and the like: the checks' tables are tiny. No other warning is let through.
pytestmark = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


@parametrize_with_checks([PolytopeClustering(random_state=0)])
def test_the_estimator_passes(estimator, check):
    check(estimator)
