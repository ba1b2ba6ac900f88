"""The sample: of distinct rows, right on average, and the same however the rows lie in blocks."""

from __future__ import annotations

import numpy as np
from blockwise import cuts_of, in_blocks
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import choose_rows_slowly
from polyclust.scale import sampling
from polyclust.scale.sampling import choose_nested
from strategies import matrices, weights_for


def choose_rows(blocks, n_most, seed):
    return choose_nested(blocks, (n_most,), seed)[0]


def chosen_weights(key, weights, n_most, seed, cuts=()):
    sample = choose_rows(in_blocks(key, weights, cuts), n_most, seed)
    return {tuple(row + 0.0): w for row, w in zip(sample.raw, sample.weights, strict=True)}


@settings(max_examples=60)
@given(st.data(), matrices(st.integers(4, 30)), st.integers(1, 12), st.integers(0, 2**31 - 2))
def test_sample_is_of_distinct_rows_whatever_their_order(data, key, n_most, seed):
    weights = data.draw(weights_for(len(key)))
    order = np.array(data.draw(st.permutations(range(len(key)))))
    chosen = chosen_weights(key, weights, n_most, seed)
    distinct = {tuple(row) for row in key + 0.0}
    assert set(chosen) <= distinct
    assert len(chosen) == min(n_most, len(distinct))
    assert chosen == chosen_weights(key[order], weights[order], n_most, seed)


@settings(max_examples=60)
@given(st.data(), matrices(st.integers(4, 30)), st.integers(1, 12), st.integers(0, 2**31 - 2))
def test_copies_of_a_row_are_one_row_of_their_weight(data, key, n_most, seed):
    weights = data.draw(weights_for(len(key)))
    repeated = np.repeat(key, weights.astype(int), axis=0)
    assert chosen_weights(key, weights, n_most, seed) == chosen_weights(repeated, np.ones(len(repeated)), n_most, seed)


@settings(max_examples=200)
@given(st.data(), matrices(st.integers(4, 40)), st.integers(1, 12), st.integers(0, 2**31 - 2))
def test_blocks_do_not_change_the_sample(data, key, n_most, seed):
    weights = data.draw(weights_for(len(key)))
    cuts = data.draw(cuts_of(len(key), 6))
    whole = choose_rows(in_blocks(key, weights), n_most, seed)
    parted = choose_rows(in_blocks(key, weights, cuts), n_most, seed)
    assert (whole.raw + 0.0).tolist() == (parted.raw + 0.0).tolist()
    assert whole.weights.tolist() == parted.weights.tolist()
    assert parted.clustered is parted.raw
    assert chosen_weights(key, weights, n_most, seed, cuts) == choose_rows_slowly(
        key, weights, n_most, lambda row: int(sampling._hash_rows(in_blocks(row[None]).blocks[0], seed)[0])
    )


@settings(max_examples=60)
@given(st.data(), matrices(st.integers(4, 40)), st.integers(1, 20), st.integers(1, 20), st.integers(0, 2**31 - 2))
def test_nested_samples_are_the_samples_of_their_sizes(data, key, n_some, n_others, seed):
    weights = data.draw(weights_for(len(key)))
    sizes = max(n_some, n_others), min(n_some, n_others)
    blocks = in_blocks(key, weights, data.draw(cuts_of(len(key))))
    for nested, n_most in zip(choose_nested(blocks, sizes, seed), sizes, strict=True):
        alone = choose_rows(blocks, n_most, seed)
        assert nested.raw.tolist() == alone.raw.tolist()
        assert nested.weights.tolist() == alone.weights.tolist()


def test_copies_in_blocks_where_they_are_not_among_the_heaviest_count_too():
    rng = np.random.default_rng(0)
    key = np.round(rng.normal(size=(20_000, 1)), 3)  # some values occur forty times, others once
    cuts = np.sort(rng.integers(0, len(key), 30))
    blocks, n_missed = in_blocks(key, cuts=cuts), 0
    for seed in range(10):
        whole = chosen_weights(key, np.ones(len(key)), 60, seed)
        assert whole == chosen_weights(key, np.ones(len(key)), 60, seed, cuts)
        first_look = sampling._join([sampling._find_heaviest(b, seed, 61) for b in blocks.blocks])
        seen = dict(zip(first_look.hashes.tolist(), first_look.weights, strict=True))
        hashes = {row: int(sampling._hash_rows(in_blocks(np.array([row])).blocks[0], seed)[0]) for row in whole}
        n_missed += sum(seen.get(hashes[row], 0.0) < (key[:, 0] == row[0]).sum() for row in whole)
    assert n_missed > 0


@settings(max_examples=60)
@given(st.data(), matrices(st.integers(4, 30), st.just(3)), st.integers(1, 12))
def test_what_is_clustered_and_what_explains_are_both_fetched(data, values, n_most):
    cuts = data.draw(cuts_of(len(values)))
    sample = choose_rows(in_blocks(values[:, :1].copy(), cuts=cuts, clustered=values), n_most, 0)
    assert (sample.clustered[:, :1] == sample.raw).all()
    assert {tuple(r) for r in sample.clustered + 0.0} <= {tuple(r) for r in values + 0.0}
    assert len(sample) == min(n_most, len(np.unique(values + 0.0, axis=0)))


def test_sample_stands_for_all_rows_on_average():
    rng = np.random.default_rng(0)
    key, weights = rng.normal(size=(400, 2)), rng.lognormal(0, 1.5, 400)
    is_right = key[:, 0] > 0.3
    found = np.empty((300, 2))
    for seed in range(300):
        sample = choose_rows(in_blocks(key, weights), 60, seed)
        found[seed] = sample.weights.sum(), sample.weights[sample.raw[:, 0] > 0.3].sum()
    error = found.std(axis=0) / np.sqrt(300)
    assert (np.abs(found.mean(axis=0) - [weights.sum(), weights[is_right].sum()]) < 4 * error).all()
    assert (error < 0.02 * weights.sum()).all()


def test_a_heavy_row_is_always_in_the_sample():
    key = np.vstack([np.arange(500.0)[:, None], np.full((500, 1), 7.5)])
    for seed in range(20):
        chosen = chosen_weights(key, np.ones(1000), 50, seed)
        assert chosen[(7.5,)] == 500
