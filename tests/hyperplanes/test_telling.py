"""Which features of a wide table take part in sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyclust.hyperplanes.lattice import count_directions
from polyclust.hyperplanes.telling import FEW_LISTED, MOST_LISTED, choose_telling, count_summed


@pytest.mark.parametrize("largest", [1, 3, 5])
def test_all_features_are_summed_as_long_as_their_sums_can_be_listed(largest):
    counts = [count_summed(n, largest) for n in range(2, 500)]
    for n, counted in enumerate(counts, start=2):
        if count_directions(n, 2, largest) <= MOST_LISTED:
            assert counted == n
        else:
            assert count_directions(counted, 2, largest) <= FEW_LISTED < count_directions(counted + 1, 2, largest)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_the_share_between_clusters_chooses(seed, n_features):
    random = np.random.default_rng(seed)
    raw = random.integers(-3, 4, size=(12, 6)) * 10.0 ** random.integers(-150, 150, size=6)
    weights = random.integers(1, 4, size=12).astype(float)
    several = [np.r_[0, random.integers(-1, 3, size=11)], random.integers(0, 2, size=12)]
    chosen = choose_telling(raw, weights, several, n_features)
    shares = np.mean([[share_between(column, weights, labels) for column in raw.T] for labels in several], axis=0)
    assert (np.diff(chosen) > 0).all()
    assert len(chosen) == n_features
    left = np.setdiff1d(np.arange(6), chosen)
    assert shares[chosen].min() >= shares[left].max(initial=-1.0) - 1e-9


def share_between(column, weights, labels):
    """One less the variance that is left within clusters, row by row."""
    some = [(x, w, c) for x, w, c in zip(column.tolist(), weights.tolist(), labels.tolist(), strict=True) if c >= 0]
    largest = max((abs(x) for x, _, _ in some), default=0.0)
    some = [(x / largest, w, c) for x, w, c in some] if largest else []

    def scatter(rows):
        mean = sum(x * w for x, w, _ in rows) / sum(w for _, w, _ in rows)
        return sum(w * (x - mean) ** 2 for x, w, _ in rows)

    if not some or scatter(some) < 1e-20:
        return 0.0
    clusters = {c for _, _, c in some}
    return 1.0 - sum(scatter([row for row in some if row[2] == c]) for c in clusters) / scatter(some)
