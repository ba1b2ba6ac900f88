"""The estimated silhouette: unbiased, its interval true, the same in blocks; and criteria that sums give."""

from __future__ import annotations

import numpy as np
import pytest
from blockwise import cuts_of, in_blocks, plain_space
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

from naive import silhouette_of_repeats
from polyclust.scale import blocks, estimate
from polyclust.scale.dispersion import score_dispersion
from polyclust.scale.estimate import estimate_silhouette
from polyclust.scale.tallies import Tally, tally_block
from polyclust.search.distances import measure_distances


def skewed_blobs(seed, shares=(0.9, 0.07, 0.03), n=600):
    rng = np.random.default_rng(seed)
    labels = rng.choice(len(shares), size=n, p=shares)
    labels[: len(shares)] = np.arange(len(shares))
    space = np.array([[0, 0], [3, 0], [0, 4], [4, 4.0]])[labels] + rng.normal(0, 1, (n, 2))
    return space, labels


@pytest.fixture
def few_references(monkeypatch):
    monkeypatch.setattr(estimate, "N_REFERENCES", 8)
    monkeypatch.setattr(estimate, "N_CHEAP", 300)
    monkeypatch.setattr(estimate, "N_EXACT", 60)
    monkeypatch.setattr(blocks, "ROWS_AT_ONCE", 250)


def estimate_for(space, labels, weights, seed, metric="euclidean", cuts=()):
    placed = in_blocks(space, weights, cuts, labels=labels)
    tallies = placed.map(lambda block: tally_block(block, block.labels, int(labels.max()) + 1))
    tally = Tally.join(tallies, [len(b) for b in placed.blocks])
    return estimate_silhouette(placed, tally, plain_space(space.shape[1], metric), seed)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("shares", [(0.5, 0.3, 0.2), (0.9, 0.07, 0.03), (0.25, 0.25, 0.25, 0.25)])
@pytest.mark.usefixtures("few_references")
def test_the_estimate_is_unbiased_and_its_interval_true(shares, metric):
    space, labels = skewed_blobs(3, shares)
    exact = silhouette_score(space, labels, metric=metric)
    found = [estimate_for(space, labels, np.ones(600), seed, metric) for seed in range(150)]
    scores = np.array([e.score for e in found])
    assert abs(scores.mean() - exact) < 3.5 * scores.std() / np.sqrt(150)
    assert np.mean([e.low <= exact <= e.high for e in found]) >= 0.88
    assert scores.std() < 0.05


@pytest.mark.usefixtures("few_references")
def test_the_estimate_counts_weights_as_rows():
    space, labels = skewed_blobs(5)
    weights = np.random.default_rng(0).integers(1, 4, len(space)).astype(float)
    exact = silhouette_of_repeats(measure_distances(space, "euclidean"), labels, weights)
    found = [estimate_for(space, labels, weights, s) for s in range(80)]
    assert abs(np.mean([e.score for e in found]) - exact) < 3.5 * np.std([e.score for e in found]) / np.sqrt(80)
    assert np.mean([e.low <= exact <= e.high for e in found]) >= 0.88


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts_of(600), st.integers(0, 1000), st.booleans())
@pytest.mark.usefixtures("few_references")
def test_blocks_do_not_change_the_estimate(cuts, seed, is_weighted):
    space, labels = skewed_blobs(seed)
    weights = np.random.default_rng(seed).integers(1, 4, 600).astype(float) if is_weighted else np.ones(600)
    whole, parted = (estimate_for(space, labels, weights, seed, cuts=c) for c in ((), cuts))
    assert parted.score == pytest.approx(whole.score, abs=1e-6)
    assert parted.low == pytest.approx(whole.low, abs=1e-6)


def test_the_interval_stays_within_what_a_silhouette_can_be():
    space = np.repeat([[0.0], [1.0]], 20, axis=0)
    found = estimate_for(space, np.repeat([0, 1], 20).astype(np.intp), np.ones(40), 0)
    assert (found.score, found.low, found.high) == (1.0, 1.0, 1.0)


@settings(max_examples=30)
@given(cuts_of(200), st.integers(0, 1000))
def test_sums_over_blocks_give_the_criteria_of_scikit_learn(cuts, seed):
    space, labels = skewed_blobs(seed, n=200)
    weights = np.random.default_rng(seed).integers(1, 4, 200)
    placed = in_blocks(space, weights.astype(float), cuts, labels=labels)
    tally = Tally.join([tally_block(b, b.labels, 3) for b in placed.blocks], [len(b) for b in placed.blocks])
    repeated = space.repeat(weights, axis=0), labels.repeat(weights)
    found = score_dispersion("calinski_harabasz", placed, tally, plain_space(2))
    assert found == pytest.approx(calinski_harabasz_score(*repeated))
    found = score_dispersion("davies_bouldin", placed, tally, plain_space(2))
    assert found == pytest.approx(-davies_bouldin_score(*repeated))
