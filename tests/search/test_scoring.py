"""Scorers: whatever is kept up to date equals what is computed anew; sweeps equal brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score

from naive import dunn as naive_dunn
from naive import gower, silhouette_of_repeats
from polyclust.kernels.silhouette import IMPOSSIBLE
from polyclust.search.criteria import make_criterion
from polyclust.search.distances import gower_coordinates, measure_distances
from polyclust.search.grouping import Groups
from polyclust.search.partition import join_labels, member_mask, order_by_size
from polyclust.search.points import Points, order_projections
from polyclust.search.scoring import CallScorer, DispersionScorer, SilhouetteScorer, SizeBounds
from polyclust.search.sweeping import DunnScorer, SpreadScorer
from polyclust.table.encode import fit_encoder
from strategies import COLUMNS, frames, labels_for, partitioned_points

ANY_SIZE = SizeBounds((1.0, np.inf))
SWEEPERS = {"calinski_harabasz": DispersionScorer, "davies_bouldin": SpreadScorer, "dunn": DunnScorer}


def assert_same(partition, expected):
    assert partition.labels.tolist() == expected.labels.tolist()
    assert partition.n_clusters == expected.n_clusters
    assert partition.sizes == pytest.approx(expected.sizes)
    assert partition.score == pytest.approx(expected.score, abs=1e-9)
    assert partition.sums == pytest.approx(expected.sums, rel=1e-9, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(partitioned_points(), st.data())
def test_changed_merged_and_split_partitions_equal_those_made_from_scratch(drawn, data):
    points, labels, n_clusters = drawn
    scorer = SilhouetteScorer(points, ANY_SIZE)
    partition = scorer.start(labels, n_clusters)
    assert partition.score == pytest.approx(silhouette_of_repeats(points.distances, labels, points.weights), abs=1e-6)
    other = data.draw(labels_for(len(points), n_clusters))
    assert_same(scorer.change(partition, other, n_clusters), scorer.start(other, n_clusters))
    i, j = sorted(data.draw(st.permutations(range(n_clusters)))[:2])
    joined = join_labels(labels, i, j, n_clusters)
    if n_clusters > 2:
        assert_same(scorer.merge(partition, i, j), scorer.start(joined, n_clusters - 1))
    pairs = list(itertools.combinations(range(n_clusters), 2))
    merged = [scorer.merge(partition, *pair).score for pair in pairs]
    assert scorer.score_merges(partition, pairs) == pytest.approx(merged, abs=1e-12)
    rows = np.flatnonzero(labels == i)
    if len(rows) > 1:
        split = labels.copy()
        split[rows[: len(rows) // 2]] = n_clusters
        assert_same(scorer.change(partition, split, n_clusters + 1), scorer.start(split, n_clusters + 1))


@settings(deadline=None, max_examples=40)
@given(
    partitioned_points(n_columns=st.integers(1, 6)),
    st.booleans(),
    st.sampled_from([(1.0, np.inf), (3.0, np.inf), (2.0, 8.0)]),
)
def test_a_scan_scores_every_cut_as_scikit_learn_does(drawn, is_split, bounds):
    points, labels, n_clusters = drawn
    scorer = SilhouetteScorer(points, SizeBounds(bounds))
    partition = scorer.start(labels, n_clusters)
    j = None if is_split else 1
    orders = points.order_along_axes(member_mask(partition, 0, j))
    scores = scorer.scan(partition, 0, j, orders)
    for d, p in np.ndindex(*scores.shape):
        low, up = orders.rows[d, : p + 1], orders.rows[d, p + 1 :]
        sizes = points.weights[low].sum(), points.weights[up].sum()
        is_allowed = orders.is_end[d, p] and min(sizes) >= bounds[0] and max(sizes) <= bounds[1]
        if is_allowed:
            changed = labels.copy()
            changed[low], changed[up] = 0, n_clusters
            expected = silhouette_of_repeats(points.distances, changed, points.weights)
            assert scores[d, p] == pytest.approx(expected, abs=5e-4)
        else:
            assert scores[d, p] == IMPOSSIBLE


@settings(deadline=None, max_examples=60)
@given(partitioned_points(n_columns=st.integers(1, 6)), st.floats(-0.5, 0.9))
def test_a_scan_with_a_floor_finds_what_scores_more(drawn, floor):
    points, labels, n_clusters = drawn
    scorer = SilhouetteScorer(points, ANY_SIZE)
    partition = scorer.start(labels, n_clusters)
    orders = points.order_along_axes(member_mask(partition, 0, 1))
    every, some = scorer.scan(partition, 0, 1, orders), scorer.scan(partition, 0, 1, orders, floor)
    is_left_out = (some == IMPOSSIBLE) & (every > IMPOSSIBLE)
    assert (every[is_left_out] <= floor + 1e-5).all()
    assert some[~is_left_out] == pytest.approx(every[~is_left_out], abs=1e-5)


def test_threads_do_not_change_a_scan():
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(500, 12)).round(2)
    distances = measure_distances(raw, "euclidean")
    points = Points(distances, np.ones(500), raw, raw, raw)
    labels = (raw[:, 0] > 0).astype(np.intp)
    alone, together = (SilhouetteScorer(points, ANY_SIZE, n) for n in (1, 2))
    orders = points.order_along_axes(np.ones(500, dtype=bool))
    partition = alone.start(labels, 2)
    assert (alone.scan(partition, 0, 1, orders) == together.scan(partition, 0, 1, orders)).all()


@settings(deadline=None, max_examples=60)
@given(partitioned_points())
def test_criteria_are_those_of_scikit_learn_with_repeated_rows(drawn):
    points, labels, n_clusters = drawn
    repeated = np.repeat(np.arange(len(points)), points.weights.astype(int))
    rows, codes = points.coordinates[repeated], labels[repeated]
    assume(n_clusters < len(repeated))
    found = make_criterion("calinski_harabasz", points)(labels)
    assert found == pytest.approx(calinski_harabasz_score(rows, codes), rel=1e-6)
    assert make_criterion("dunn", points)(labels) == pytest.approx(naive_dunn(points.distances, labels))
    centers = np.array([rows[codes == k].mean(axis=0) for k in range(n_clusters)])
    gaps = np.linalg.norm(centers[:, None] - centers[None], axis=2) + np.eye(n_clusters)
    assume(gaps.min() > 1e-6)  # scikit-learn divides rounding errors by each other where two centers coincide
    expected = davies_bouldin_score(rows, codes)
    assert make_criterion("davies_bouldin", points)(labels) == pytest.approx(-expected, rel=1e-6, abs=1e-9)
    seen = {}
    made = make_criterion(lambda X, codes: seen.update(X=X, codes=codes) or 3.0, points)
    assert made(labels) == 3.0
    assert seen["X"].tolist() == rows.tolist()
    assert seen["codes"].tolist() == codes.tolist()


@settings(deadline=None, max_examples=30)
@given(partitioned_points(), st.booleans())
def test_a_scan_by_calls_holds_true_scores_within_the_bounds(drawn, is_split):
    points, labels, n_clusters = drawn
    scorer = CallScorer(points, SizeBounds((2.0, np.inf)), make_criterion("calinski_harabasz", points))
    partition = scorer.start(labels, n_clusters)
    j = None if is_split else 1
    orders = points.order_along_axes(member_mask(partition, 0, j))
    scores = scorer.scan(partition, 0, j, orders)
    upper = n_clusters if j is None else 1
    for d, p in np.argwhere(scores > IMPOSSIBLE):
        changed = labels.copy()
        changed[orders.rows[d, : p + 1]], changed[orders.rows[d, p + 1 :]] = 0, upper
        assert orders.is_end[d, p]
        assert min(points.weights[changed == 0].sum(), points.weights[changed == upper].sum()) >= 2
        assert scores[d, p] == scorer.start(changed, upper + 1).score


@settings(deadline=None, max_examples=60)
@given(partitioned_points(), st.booleans(), st.sampled_from([1.0, 2.0]), st.sampled_from(sorted(SWEEPERS)))
def test_a_scan_in_one_sweep_gives_every_cut_its_score(drawn, is_split, least, criterion):
    points, labels, n_clusters = drawn
    bounds = SizeBounds((least, np.inf))
    scorer = SWEEPERS[criterion](points, bounds, make_criterion(criterion, points))
    partition = scorer.start(labels, n_clusters)
    j = None if is_split else 1
    orders = points.order_along_axes(member_mask(partition, 0, j))
    scores = scorer.scan(partition, 0, j, orders)
    upper = n_clusters if j is None else 1
    for d, p in np.ndindex(scores.shape):
        changed = labels.copy()
        changed[orders.rows[d, : p + 1]], changed[orders.rows[d, p + 1 :]] = 0, upper
        sizes = points.weights[changed == 0].sum(), points.weights[changed == upper].sum()
        is_allowed = orders.is_end[d, p] and min(sizes) >= least
        expected = scorer.start(changed, n_clusters + is_split).score if is_allowed else IMPOSSIBLE
        assert scores[d, p] == pytest.approx(expected, rel=1e-6)


@settings(deadline=None, max_examples=50)
@given(partitioned_points(n_rows=st.integers(8, 24)), st.data())
def test_distance_sums_of_groups_are_exact_for_unions_of_groups(drawn, data):
    points, _, _ = drawn
    n_groups = data.draw(st.integers(3, len(points)))
    code = data.draw(labels_for(len(points), n_groups))
    groups = Groups(points, code)
    assert groups.points.weights == pytest.approx(np.bincount(code, weights=points.weights))
    labels = data.draw(labels_for(n_groups, 2))
    coarse = SilhouetteScorer(groups.points, ANY_SIZE).start(labels, 2)
    fine = SilhouetteScorer(points, ANY_SIZE).start(groups.spread(labels), 2)
    assert coarse.sizes == pytest.approx(fine.sizes)
    for g in range(n_groups):
        inside = code == g
        mean = np.average(fine.sums[:, inside], axis=1, weights=points.weights[inside])
        assert coarse.sums[:, g] == pytest.approx(mean, rel=1e-4, abs=1e-4)


@settings(deadline=None, max_examples=50)
@given(frames(n_rows=st.integers(5, 15), kinds=tuple(k for k in COLUMNS if k != "zero_one")))
@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
def test_gower_is_the_mean_of_what_the_columns_say(table):
    _, encoded = fit_encoder(table)
    found = measure_distances(gower_coordinates(encoded.raw, encoded.features), "gower")
    assert found == pytest.approx(gower(table), abs=1e-6)


def test_distances_are_measured_in_blocks_of_float32(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(157, 4)) + 1e6  # far from the origin
    monkeypatch.setattr("polyclust.search.distances.ROWS_AT_ONCE", 10)
    monkeypatch.setattr("polyclust.search.distances.VALUES_AT_ONCE", 1)  # 64 rows, the fewest
    expected = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    found = measure_distances(rows, "euclidean")
    assert found.dtype == np.float32
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-5)
    city = measure_distances(rows, "cityblock", rows[:5])
    assert city == pytest.approx(np.abs(rows[:, None] - rows[None, :5]).sum(axis=2), rel=1e-5)


def test_projections_of_rounding_size_apart_are_not_parted():
    orders = order_projections(np.array([4, 7, 9], dtype=np.int32), np.array([[0.3, 0.1 + 0.2, 0.5]]))
    assert orders.rows.tolist() == [[4, 7, 9]]
    assert orders.is_end.tolist() == [[False, True, False]]


@given(st.data())
def test_labels_by_size(data):
    n = data.draw(st.integers(2, 20))
    labels = data.draw(labels_for(n, data.draw(st.integers(1, min(4, n)))))
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), dtype=float)
    ordered = order_by_size(labels, weights)
    sizes = np.bincount(ordered, weights=weights)
    assert (np.diff(sizes) <= 0).all()
    assert len(pd.unique(ordered)) == len({*zip(labels.tolist(), ordered.tolist(), strict=True)})
    for size in np.unique(sizes):
        ties = np.flatnonzero(sizes == size)
        firsts = [int(np.argmax(ordered == k)) for k in ties]
        assert firsts == sorted(firsts)
