"""Families: which simpler one is searched before."""

import numpy as np
import pytest

from polyclust.search.family import MOST_SIMPLER, AxisFamily, LatticeFamily, choose_family


def family_of(n_features, max_terms, max_coefficient):
    return choose_family(n_features, max_terms, max_coefficient, np.zeros(n_features), np.ones(n_features))


@pytest.mark.parametrize(("n_features", "largest"), [(2, 3), (30, 3), (60, 1)])
def test_real_coefficients_begin_with_two_terms(n_features, largest):
    simpler = family_of(n_features, None, None).find_simpler(n_features)
    assert isinstance(simpler, LatticeFamily)
    assert (simpler.max_terms, simpler.max_coefficient, simpler.is_complete) == (2, largest, True)
    assert len(simpler.oblique) <= MOST_SIMPLER
    assert simpler.find_simpler(n_features) is None
    assert np.abs(simpler.oblique.coefficients).max() == largest


def test_three_terms_begin_with_two_of_the_same_coefficients():
    simpler = family_of(5, 3, 2).find_simpler(5)
    twice = family_of(5, 2, 2)
    assert simpler.oblique.features.tolist() == twice.oblique.features.tolist()
    assert simpler.oblique.coefficients.tolist() == twice.oblique.coefficients.tolist()


@pytest.mark.parametrize(("n_features", "limits"), [(3, (1, 1)), (3, (2, 3)), (200, (None, None)), (1, (None, None))])
def test_others_begin_with_the_axes(n_features, limits):
    assert family_of(n_features, *limits).find_simpler(n_features) is None


def test_one_feature_leaves_no_choice():
    assert isinstance(family_of(1, None, None), AxisFamily)
