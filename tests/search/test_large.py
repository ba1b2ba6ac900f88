"""More rows than distances can be held for: the sample, the way back to all rows, the tree, the estimate, the whole."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

from naive import silhouette_of_repeats
from polyclust import PolytopeClustering, fitting
from polyclust.errors import PolyclustWarning
from polyclust.geometry.hyperplane import Hyperplane, find_members, place_rows
from polyclust.hyperplanes.reading import read_hyperplanes
from polyclust.hyperplanes.threshold import choose_threshold
from polyclust.search import estimate, settling
from polyclust.search.cuts import grow_cuts
from polyclust.search.distances import measure_distances
from polyclust.search.estimate import estimate_silhouette
from polyclust.search.settling import choose_rows, place_anew, settle_rows
from polyclust.table.features import Column, Feature
from strategies import matrices, partitioned_points, weights_for


def numbers(n_features):
    return tuple(Feature(Column(f"x{p}", "number", p), "number") for p in range(n_features))


def axis_plane(feature, threshold, above, below):
    return Hyperplane((feature,), (1.0,), (1.0,), threshold, 1.0, above, below)


def parts(raw, labels, hyperplanes):
    """Whether every pair has a hyperplane with all of one cluster above it and all of the other below."""
    pairs = {frozenset((h.above, h.below)) for h in hyperplanes}
    assert pairs == {frozenset(p) for p in combinations(range(int(labels.max()) + 1), 2)}
    return all(
        (h.value(raw[labels == h.above]) >= h.threshold).all() and (h.value(raw[labels == h.below]) < h.threshold).all()
        for h in hyperplanes
    )


# the sample ----------------------------------------------------------------------------------------------------------


def chosen_weights(key, weights, n_most, seed):
    rows, stands_for = choose_rows(key, weights, n_most, seed)
    return {tuple(key[r] + 0.0): w for r, w in zip(rows, stands_for, strict=True)}


@settings(deadline=None, max_examples=60)
@given(st.data(), matrices(st.integers(4, 30)), st.integers(1, 12), st.integers(0, 2**31 - 2))
def test_sample_is_of_distinct_rows_whatever_their_order(data, key, n_most, seed):
    weights = data.draw(weights_for(len(key)))
    order = np.array(data.draw(st.permutations(range(len(key)))))
    chosen = chosen_weights(key, weights, n_most, seed)
    distinct = {tuple(row) for row in key + 0.0}
    assert set(chosen) <= distinct
    assert len(chosen) == min(n_most, len(distinct))
    assert chosen == chosen_weights(key[order], weights[order], n_most, seed)


@settings(deadline=None, max_examples=60)
@given(st.data(), matrices(st.integers(4, 30)), st.integers(1, 12), st.integers(0, 2**31 - 2))
def test_copies_of_a_row_are_one_row_of_their_weight(data, key, n_most, seed):
    weights = data.draw(weights_for(len(key)))
    repeated = np.repeat(key, weights.astype(int), axis=0)
    assert chosen_weights(key, weights, n_most, seed) == chosen_weights(repeated, np.ones(len(repeated)), n_most, seed)


def test_sample_stands_for_all_rows_on_average():
    rng = np.random.default_rng(0)
    key, weights = rng.normal(size=(400, 2)), rng.lognormal(0, 1.5, 400)
    is_right = key[:, 0] > 0.3
    found = np.empty((300, 2))
    for seed in range(300):
        rows, stands_for = choose_rows(key, weights, 60, seed)
        found[seed] = stands_for.sum(), stands_for[is_right[rows]].sum()
    error = found.std(axis=0) / np.sqrt(300)
    assert (np.abs(found.mean(axis=0) - [weights.sum(), weights[is_right].sum()]) < 4 * error).all()
    assert (error < 0.02 * weights.sum()).all()


def test_a_heavy_row_is_always_in_the_sample():
    key = np.vstack([np.arange(500.0)[:, None], np.full((500, 1), 7.5)])
    for seed in range(20):
        chosen = chosen_weights(key, np.ones(1000), 50, seed)
        assert chosen[(7.5,)] == 500


# back to all rows ----------------------------------------------------------------------------------------------------


@st.composite
def samples_of_rows(draw):
    """Rows, hyperplanes read from some of them, and how many clusters there are."""
    some, labels, n_clusters = draw(partitioned_points(st.integers(12, 20)))
    tree = grow_cuts(some, labels, n_clusters, numbers(some.n_features))
    leaves = tree.label_rows(some.raw, some.weights, 1.0)
    is_sampled = np.array(draw(st.lists(st.booleans(), min_size=len(some), max_size=len(some))))
    inside = np.unique(leaves[is_sampled])
    assume(len(inside) > 1)
    codes = np.searchsorted(inside, leaves[is_sampled])
    planes = read_hyperplanes(some.raw[is_sampled], codes, len(inside), numbers(some.n_features))
    return some.raw, planes, len(inside), is_sampled, codes


@settings(deadline=None, max_examples=150)
@given(samples_of_rows(), st.sampled_from([3, 100_000]))
def test_every_row_is_settled_where_hyperplanes_still_part_the_clusters(drawn, rows_at_once):
    raw, planes, n_clusters, is_sampled, codes = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "ROWS_AT_ONCE", rows_at_once)
        labels = settle_rows(raw, planes, n_clusters)
        if labels is None:
            assert not find_members(raw, planes, n_clusters).any(axis=1).all()
            return
        placed = place_anew(raw, labels, planes, n_clusters, numbers(raw.shape[1]))
    assert placed is not None
    assert labels[is_sampled].tolist() == codes.tolist()
    members = find_members(raw, planes, n_clusters)
    assert members[members.any(axis=1), labels[members.any(axis=1)]].all()
    assert parts(raw, labels, placed)
    assert place_rows(raw, placed, n_clusters, "none").tolist() == labels.tolist()


@settings(deadline=None, max_examples=60)
@given(samples_of_rows())
def test_thresholds_are_the_roundest_that_all_rows_leave(drawn):
    raw, planes, n_clusters, *_ = drawn
    labels = settle_rows(raw, planes, n_clusters)
    assume(labels is not None)
    for old, h in zip(planes, place_anew(raw, labels, planes, n_clusters, numbers(raw.shape[1])), strict=True):
        assert (h.features, h.coefficients, h.above, h.below) == (old.features, old.coefficients, old.above, old.below)
        same = [p for p in planes if (p.features, p.threshold) == (old.features, old.threshold)]
        low = max(p.value(raw[labels == p.below]).max() for p in same)
        high = min(p.value(raw[labels == p.above]).min() for p in same)
        if low >= high:
            low, high = h.value(raw[labels == h.below]).max(), h.value(raw[labels == h.above]).min()
        assert h.threshold == choose_threshold(low, high)


WINDMILL = [  # four boxes around an empty middle, 4..6 by 4..6
    axis_plane(0, 4.0, 1, 0), axis_plane(0, 6.0, 2, 0), axis_plane(1, 4.0, 3, 0),
    axis_plane(1, 4.0, 2, 1), axis_plane(1, 6.0, 3, 1), axis_plane(0, 6.0, 2, 3),
]  # fmt: skip


def windmill_rows(n, seed):
    raw = np.random.default_rng(seed).uniform(0, 10, (n, 2))
    return raw[find_members(raw, WINDMILL, 4).any(axis=1)]


def test_a_row_between_the_boxes_joins_the_nearest():
    raw = np.vstack([windmill_rows(300, 0), [[5.0, 4.3]]])
    assert not find_members(raw[-1:], WINDMILL, 4).any()
    labels = settle_rows(raw, WINDMILL, 4)
    placed = place_anew(raw, labels, WINDMILL, 4, numbers(2))
    assert parts(raw, labels, placed)
    assert find_members(raw, placed, 4).sum(axis=1).tolist() == [1] * len(raw)


def test_rows_that_fit_nowhere_are_admitted():
    planes = [axis_plane(0, 5.0, 1, 0), axis_plane(0, 5.0, 2, 0), axis_plane(1, 5.0, 2, 1), axis_plane(2, 5.0, 3, 0)]
    planes += [axis_plane(2, 5.0, 3, 1), axis_plane(2, 5.0, 3, 2)]
    raw = np.array([[1, 1, 1], [9, 1, 1], [9, 9, 1], [1, 1, 9]], dtype=float)
    assert settle_rows(raw, planes, 4).tolist() == [0, 1, 2, 3]
    crossed = [axis_plane(0, 5.0, 1, 0), axis_plane(1, 5.0, 2, 0), axis_plane(2, 5.0, 2, 1)]
    # 0: x < 5, y < 5; 1: x >= 5, z < 5; 2: y >= 5, z >= 5
    corners = np.array([[4.99, 4.99, 0], [5, 0, 4.99], [0, 5, 5]])
    lost = np.array([[2.0, 7.0, 2.0]])  # not 0 (y), not 1 (x), not 2 (z)
    assert settle_rows(corners, crossed, 3).tolist() == [0, 1, 2]
    blocking = np.array([[2.5, 4.99, 0], [5, 0, 2.0], [0, 5, 5], [9, 9, 2.1]])
    assert settle_rows(np.vstack([corners, blocking, lost]), crossed, 3) is None


def test_planes_of_one_cut_part_company_where_all_rows_ask_for_it():
    planes = [axis_plane(0, 5.0, 1, 0), axis_plane(0, 5.0, 3, 2), axis_plane(1, 5.0, 2, 0)]
    planes += [axis_plane(1, 5.0, 3, 1), axis_plane(1, 5.0, 2, 1), axis_plane(1, 5.0, 3, 0)]
    raw = np.array([[1, 0], [3, 0], [4, 0], [9, 0], [1, 9], [6, 9], [7, 9], [9, 9]], dtype=float)
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    placed = place_anew(raw, labels, planes, 4, numbers(2))
    assert [h.threshold for h in placed[:2]] == [3.5, 6.5]
    assert parts(raw, labels, placed)
    labels[1], labels[2] = 1, 0
    assert place_anew(raw, labels, planes, 4, numbers(2)) is None


def test_whole_features_keep_whole_thresholds_unless_coefficients_are_not():
    features = tuple(Feature(Column(n, "integer", n), "integer") for n in "ab")
    raw, labels = np.array([[0, 1], [4, 1], [5, 2], [9, 3]], dtype=float), np.array([0, 0, 1, 1])
    assert place_anew(raw, labels, [axis_plane(0, 4.5, 1, 0)], 2, features)[0].threshold == 5
    oblique = Hyperplane((0, 1), (0.5, 0.25), (1.0, 1.0), 2.6, 1.0, 1, 0)
    assert place_anew(raw, labels, [oblique], 2, features)[0].threshold == 2.5


# the tree ------------------------------------------------------------------------------------------------------------


def leaves_of(tree, box):
    """The boxes of the leaves, in their order, by walking the tree."""
    if tree.is_leaf:
        return [box]
    low, high = box
    low_above, high_below = low.copy(), high.copy()
    low_above[tree.feature] = max(low[tree.feature], tree.threshold)
    high_below[tree.feature] = min(high[tree.feature], tree.threshold)
    return leaves_of(tree.below, (low, high_below)) + leaves_of(tree.above, (low_above, high))


@settings(deadline=None, max_examples=100)
@given(partitioned_points(), matrices(st.integers(4, 30), st.just(3)), st.integers(1, 8))
def test_the_tree_covers_space_and_keeps_the_minimum(drawn, others, least):
    some, labels, n_clusters = drawn
    tree = grow_cuts(some, labels, n_clusters, numbers(some.n_features))
    raw = np.vstack([some.raw, others[:, : some.n_features]])
    weights = np.ones(len(raw))
    found = tree.label_rows(raw, weights, least)
    boxes = leaves_of(tree, (np.full(some.n_features, -np.inf), np.full(some.n_features, np.inf)))
    inside = np.stack([((raw >= low) & (raw < high)).all(axis=1) for low, high in boxes], axis=1)
    assert (inside.sum(axis=1) == 1).all()
    assert inside.argmax(axis=1).tolist() == found.tolist()
    assert np.bincount(found).min() >= least or len(boxes) == 1
    assert np.bincount(found, minlength=len(boxes)).min() > 0
    planes = read_hyperplanes(raw, found, len(boxes), numbers(some.n_features)) if len(boxes) > 1 else ()
    assert len(boxes) == 1 or parts(raw, found, planes)


def test_the_tree_says_clusters_that_cuts_can_say():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), 20)
    raw = np.array([[0, 0], [0, 9], [9, 0], [9, 9.0]])[labels] + rng.uniform(0, 3, (80, 2))
    points = fitting.Points(measure_distances(raw, "euclidean"), np.ones(80), raw, raw, raw)
    tree = grow_cuts(points, labels, 4, numbers(2))
    found = tree.label_rows(raw, np.ones(80), 20)
    assert len(set(zip(labels.tolist(), found.tolist(), strict=True))) == 4
    joined = tree.label_rows(raw, np.ones(80), 21)
    assert sorted(np.bincount(joined)) == [40, 40]


# the estimate --------------------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(estimate, "ROWS_AT_ONCE", 250)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("shares", [(0.5, 0.3, 0.2), (0.9, 0.07, 0.03), (0.25, 0.25, 0.25, 0.25)])
@pytest.mark.usefixtures("few_references")
def test_the_estimate_is_unbiased_and_its_interval_true(shares, metric):
    space, labels = skewed_blobs(3, shares)
    exact = silhouette_score(space, labels, metric=metric)
    weights = np.ones(len(space))
    found = [
        estimate_silhouette(lambda rows: space[rows], metric, weights, labels, len(shares), seed) for seed in range(150)
    ]
    scores = np.array([e.score for e in found])
    assert abs(scores.mean() - exact) < 3.5 * scores.std() / np.sqrt(150)
    assert np.mean([e.low <= exact <= e.high for e in found]) >= 0.88
    assert scores.std() < 0.05


@pytest.mark.usefixtures("few_references")
def test_the_estimate_counts_weights_as_rows():
    space, labels = skewed_blobs(5)
    weights = np.random.default_rng(0).integers(1, 4, len(space)).astype(float)
    exact = silhouette_of_repeats(measure_distances(space, "euclidean"), labels, weights)
    found = [estimate_silhouette(lambda rows: space[rows], "euclidean", weights, labels, 3, s) for s in range(80)]
    assert abs(np.mean([e.score for e in found]) - exact) < 3.5 * np.std([e.score for e in found]) / np.sqrt(80)
    assert np.mean([e.low <= exact <= e.high for e in found]) >= 0.88


def test_the_interval_stays_within_what_a_silhouette_can_be():
    space = np.repeat([[0.0], [1.0]], 20, axis=0)
    found = estimate_silhouette(
        lambda rows: space[rows], "euclidean", np.ones(40), np.repeat([0, 1], 20).astype(np.intp), 2, 0
    )
    assert (found.score, found.low, found.high) == (1.0, 1.0, 1.0)


# the whole -----------------------------------------------------------------------------------------------------------


def blobs_with_noise(n, seed=0):
    rng = np.random.default_rng(seed)
    blob = rng.integers(0, 5, n)
    values = rng.uniform(-8, 8, (5, 3))[blob] + rng.normal(size=(n, 3))
    is_noise = rng.random(n) < 0.05
    values[is_noise] = rng.uniform(-12, 12, (is_noise.sum(), 3))
    table = pd.DataFrame(values, columns=["width", "height", "depth"])
    table["colour"] = np.where(rng.random(n) < 0.3, "red", np.array(["red", "blue", "green"])[blob % 3])
    return table


def assert_exact(model, table, least, weights=None):
    """Predictions are the labels, every row lies in one polytope, sizes hold and decide the order."""
    weights = np.ones(len(table)) if weights is None else weights
    assert (model.predict(table) == model.labels_).all()
    assert (model.contains(table).sum(axis=1) == 1).all()
    sizes = np.bincount(model.labels_, weights=weights, minlength=model.n_clusters_)
    assert len(sizes) == model.n_clusters_
    assert sizes.min() >= least
    assert (np.diff(sizes) <= 0).all()
    assert [r.size for r in model.explanation_.rules] == sizes.tolist()
    assert not model.is_optimal_


@pytest.fixture
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(fitting, "MANY_ROWS", 600)
    monkeypatch.setattr(fitting, "N_SAMPLED", 300)


@pytest.mark.parametrize("options", [{}, {"max_terms": 2, "max_coefficient": 3, "n_init": 1}])
def test_twenty_four_thousand_rows(options):
    table = blobs_with_noise(24_000)
    model = PolytopeClustering(random_state=0, **options).fit(table)
    assert_exact(model, table, 480)
    low, high = model.score_interval_
    assert low < model.score_ < high < low + 0.05
    part = np.random.default_rng(1).choice(len(table), 5000, replace=False)
    exact = silhouette_score(model.scaled(table.iloc[part]), model.labels_[part])
    assert low - 0.015 < exact < high + 0.015


FAMILIES = [
    {},
    {"max_terms": 2, "max_coefficient": 3, "n_init": 1},
    {"max_terms": None, "max_coefficient": None, "n_init": 1},
    {"distance": "gower"},
    {"distance": "cityblock", "scale": "standard"},
    {"explain_with": ["width", "colour"]},
    {"n_clusters": 7, "min_cluster_size": 0.05},
]


@pytest.mark.parametrize("options", FAMILIES, ids=str)
@pytest.mark.usefixtures("few_rows_are_many")
def test_every_family_is_exact_on_all_rows(options):
    table = blobs_with_noise(1500, seed=2)
    model = PolytopeClustering(random_state=0, **options).fit(table)
    assert_exact(model, table, 1500 * options.get("min_cluster_size", 0.02))
    assert model.n_clusters_ == options.get("n_clusters", model.n_clusters_)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
@pytest.mark.usefixtures("few_rows_are_many")
def test_structureless_rows_are_told_apart_too(seed):
    raw = np.random.default_rng(seed).normal(size=(1500, 4))
    model = PolytopeClustering(n_clusters=9, min_cluster_size=0.05, n_init=1, random_state=seed).fit(raw)
    assert_exact(model, raw, 75)


@pytest.mark.parametrize("options", [{}, {"n_clusters": 6, "min_cluster_size": 0.08}])
@pytest.mark.filterwarnings("ignore:Only . clusters were found")
@pytest.mark.usefixtures("few_rows_are_many")
def test_the_tree_is_exact_on_all_rows(options, monkeypatch):
    monkeypatch.setattr(fitting, "settle_rows", lambda *_: None)  # as if a row fitted nowhere
    table = blobs_with_noise(1500, seed=6)
    model = PolytopeClustering(random_state=0, n_init=1, **options).fit(table)
    assert model.n_clusters_ > 1
    assert_exact(model, table, 1500 * options.get("min_cluster_size", 0.02))


@pytest.mark.usefixtures("few_rows_are_many")
def test_order_of_rows_does_not_matter():
    table = blobs_with_noise(1500, seed=3)
    order = np.random.default_rng(0).permutation(len(table))
    model = PolytopeClustering(random_state=0, n_init=1).fit(table)
    other = PolytopeClustering(random_state=0, n_init=1).fit(table.iloc[order])
    assert (model.labels_[order] == other.labels_).all()


@pytest.mark.usefixtures("few_rows_are_many")
def test_weights_are_copies():
    table = blobs_with_noise(900, seed=4)
    weights = np.random.default_rng(0).integers(0, 4, len(table))
    repeated = table.loc[np.repeat(np.arange(len(table)), weights)]
    model = PolytopeClustering(random_state=0, n_init=1).fit(table, sample_weight=weights)
    other = PolytopeClustering(random_state=0, n_init=1).fit(repeated)
    assert (model.predict(repeated) == other.labels_).all()
    assert model.hyperplanes_ == other.hyperplanes_
    assert np.bincount(model.labels_, weights=weights).min() >= 0.02 * weights.sum()


@pytest.mark.usefixtures("few_rows_are_many")
def test_few_distinct_rows_are_all_in_the_sample():
    raw = np.repeat([[0.0], [1.0], [2.0], [7.0]], [700, 190, 80, 30], axis=0)
    model = PolytopeClustering(random_state=0).fit(raw)
    assert_exact(model, raw, 20)
    assert model.n_clusters_ == 4
    assert model.score_ == 1.0


@pytest.mark.usefixtures("few_rows_are_many")
def test_other_criteria_are_those_of_all_rows():
    raw = blobs_with_noise(1000, seed=5).drop(columns="colour")
    options = {"n_clusters": 3, "n_init": 1, "random_state": 0}
    for criterion, score in (("calinski_harabasz", calinski_harabasz_score), ("davies_bouldin", davies_bouldin_score)):
        model = PolytopeClustering(criterion=criterion, **options).fit(raw)
        assert_exact(model, raw, 20)
        assert model.score_ == pytest.approx(score(model.scaled(raw), model.labels_), rel=1e-9)
        assert not hasattr(model, "score_interval_")


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_criterion_of_ones_own_takes_many_rows():
    seen = []

    def largest_gap(space, labels):
        seen.append(len(space))
        return float(np.linalg.norm(space[labels == 0].mean(axis=0) - space[labels == 1].mean(axis=0)))

    raw = np.random.default_rng(0).normal(size=(900, 2))
    model = PolytopeClustering(2, criterion=largest_gap, n_init=1, random_state=0).fit(raw)
    assert_exact(model, raw, 18)
    assert model.score_ == pytest.approx(largest_gap(model.scaled(raw), model.labels_))
    assert set(seen) == {300, 900}


@pytest.mark.usefixtures("few_rows_are_many")
def test_the_largest_size_holds_on_all_rows():
    raw = np.random.default_rng(0).normal(size=(1500, 3))
    model = PolytopeClustering(max_cluster_size=0.3, n_init=1, random_state=0).fit(raw)
    assert_exact(model, raw, 30)
    assert np.bincount(model.labels_).max() <= 450


@pytest.mark.usefixtures("few_rows_are_many")
def test_fewer_clusters_than_asked_for_are_owned_up_to():
    raw = np.repeat([[0.0], [1.0]], [995, 5], axis=0)
    with pytest.warns(PolyclustWarning, match="Only 1 cluster was found where 2 were asked for"):
        model = PolytopeClustering(2, random_state=0).fit(raw)
    assert model.labels_.max() == 0


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_finite_weight_takes_many_rows():
    table = blobs_with_noise(900, seed=7).drop(columns="colour")
    model = PolytopeClustering(4, representation_weight=0.1, n_init=1, random_state=0).fit(table)
    sizes = np.bincount(model.labels_, minlength=4)
    assert sizes.min() >= 18
    assert (np.diff(sizes) <= 0).all()
    assert model.explanation_.fidelity == pytest.approx((model.predict(table) == model.labels_).mean())


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_cluster_that_all_rows_leave_too_small_is_given_up(monkeypatch):
    table = blobs_with_noise(900, seed=7).drop(columns="colour")
    monkeypatch.setattr(fitting, "place_rows", lambda raw, *_: np.zeros(len(raw), dtype=np.intp))
    model = PolytopeClustering(4, representation_weight=0.1, n_init=1, random_state=0).fit(table)
    assert np.bincount(model.labels_, minlength=model.n_clusters_).min() >= 18
