"""A tree that is better on more rows: what rows would fare elsewhere, and cuts that use it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from blockwise import axis_plane, in_blocks, numbers, plain_space
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.metrics import silhouette_samples, silhouette_score

from polyclust import PolytopeClustering, fitting
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.hyperplanes.reading import read_hyperplanes
from polyclust.scale import polishing
from polyclust.scale.blocks import Placing
from polyclust.scale.cuts import CutTree
from polyclust.scale.extending import extend_clusters
from polyclust.scale.polishing import Limits, Polished, grow_polished, measure_fates, score_some
from polyclust.scale.settling import settle_rows
from polyclust.search.scoring import SizeBounds
from strategies import partitioned_points

ANY_SIZE = SizeBounds((0.0, 1.0))


@settings(max_examples=60)
@given(partitioned_points(most=4), st.sampled_from(["euclidean", "cityblock"]))
def test_fates_are_silhouettes_by_mean_distances_to_the_references(drawn, metric):
    some, labels, n_clusters = drawn
    rows = in_blocks(some.raw, some.weights).blocks[0]
    fates = measure_fates(rows, labels, plain_space(some.n_features, metric), n_clusters).alone
    power = 2 if metric == "euclidean" else 1
    for t, k in itertools.product(range(len(rows)), range(n_clusters)):
        away = (np.abs(some.raw - some.raw[t]) ** power).sum(axis=1) ** (1 / power)
        means = [np.average(away[labels == c], weights=some.weights[labels == c]) for c in range(n_clusters)]
        nearest = min(np.delete(means, k))
        top = max(means[k], nearest)
        assert fates[t, k] == pytest.approx((nearest - means[k]) / top if top else 0.0, abs=1e-5)


@settings(max_examples=60)
@given(partitioned_points(most=4), st.sampled_from(["euclidean", "cityblock"]))
def test_trees_are_judged_by_the_silhouettes_of_some_rows_among_all(drawn, metric):
    some, labels, n_clusters = drawn
    rows = in_blocks(some.raw).blocks[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(polishing, "N_JUDGED", 5)
        score = score_some(rows, labels, plain_space(some.n_features, metric), n_clusters)
    each = silhouette_samples(some.raw, labels, metric=metric) if 1 < n_clusters < len(rows) else np.zeros(len(rows))
    assert score == pytest.approx(each[:5].mean(), abs=1e-5)


def make_noisy(n_rows, seed, n_features=6, n_clusters=4):
    """Clusters with noise all around, so that hardly any cut is clean."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-1, 1, (n_clusters, n_features))
    rows = centres[rng.integers(0, n_clusters, n_rows)] + rng.normal(scale=0.15, size=(n_rows, n_features))
    is_noise = rng.random(n_rows) < 0.1
    rows[is_noise] = rng.uniform(-1.5, 1.5, (is_noise.sum(), n_features))
    return rows


@pytest.mark.parametrize("terms", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_better_than_what_it_replaces(terms, seed):
    raw = make_noisy(1500, seed)
    rows = in_blocks(raw).blocks[0]
    features, space = numbers(6), plain_space(6)
    labels = (raw[:, 0] > np.median(raw[:, 0])).astype(int) + 2 * (raw[:, 1] > np.median(raw[:, 1]))
    found = Placing(read_hyperplanes(raw, labels, 4, features), 4)
    bounds = SizeBounds((np.bincount(labels).min() / len(raw), 0.5))
    polished, *_ = grow_polished(rows, found, features, space, Limits(terms, 3, bounds))
    assert polished.is_better
    tree = polished.tree
    leaves = tree.list_leaves()
    assert sorted(leaf.cluster for leaf in leaves) == [0, 1, 2, 3]
    placed = np.array([leaf.cluster for leaf in leaves])[tree.label_rows(raw)]
    assert silhouette_score(raw, placed) > silhouette_score(raw, labels)
    assert bounds.hold_for(np.bincount(placed) / len(raw))
    assert max(len(plane.features) for plane in tree.list_hyperplanes()) <= terms


def test_what_cannot_be_better_stays():
    raw = np.repeat([[0.0, 0.0], [9.0, 9.0]], 50, axis=0) + np.random.default_rng(0).uniform(0, 1, (100, 2))
    rows, space = in_blocks(raw).blocks[0], plain_space(2)
    kept = Placing((axis_plane(0, 5.0, above=1, below=0),), 2)
    polished, faithful = grow_polished(rows, kept, numbers(2), space, Limits(1, 1, ANY_SIZE))
    assert not polished.is_better
    assert faithful.gain == 0.0
    assert faithful.tree.label_rows(raw).tolist() == kept.label(raw).tolist()
    empty = Placing((axis_plane(0, 50.0, above=1, below=0),), 2)
    assert list(grow_polished(rows, empty, numbers(2), space, Limits(1, 1, ANY_SIZE))) == []


def test_kmeans_is_parted_too_where_it_scores_more():
    """Three clusters, of which two were found as one."""
    centres = np.repeat([[0.0, 0.0], [9.0, 0.0], [9.0, 9.0]], 60, axis=0)
    raw = centres + np.random.default_rng(0).uniform(-1, 1, centres.shape)
    rows, space = in_blocks(raw).blocks[0], plain_space(2)
    found = Placing((axis_plane(0, 5.0, above=1, below=0),), 2)
    trees = list(grow_polished(rows, found, numbers(2), space, Limits(1, 1, ANY_SIZE, counts=(2, 3))))
    assert [each.n_clusters for each in trees] == [3, 2, 2]
    assert trees[0].gain > 0.1
    assert np.bincount(trees[0].tree.label_rows(raw)).tolist() == [60, 60, 60]


def test_the_last_tree_keeps_rows_where_they_are_whatever_they_are_worth_there():
    """Boxes that share no cut of all rows with k-means, and whose noise would be worth more elsewhere."""
    random = np.random.default_rng(0)
    raw = np.vstack([random.normal(centre, 0.3, (80, 2)) for centre in ([0, 0], [4, 0], [0, 4])])
    raw = np.vstack([raw, random.uniform(-4, 8, (60, 2))])
    planes = (
        axis_plane(0, 1.2, above=1, below=0),
        axis_plane(1, 1.2, above=2, below=0),
        axis_plane(0, 1.2, above=1, below=2),
    )
    found, rows = Placing(planes, 3), in_blocks(raw).blocks[0]
    *others, faithful = grow_polished(rows, found, numbers(2), plain_space(2), Limits(1, 1, ANY_SIZE))
    leaves = faithful.tree.list_leaves()
    placed = np.array([leaf.cluster for leaf in leaves])[faithful.tree.label_rows(raw)]
    assert (placed == found.label(raw)).all()
    assert faithful.gain == pytest.approx(0.0, abs=1e-12)
    assert others[0].gain > 0.0


@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
def test_more_clusters_than_there_are_do_not_cost_many_rows_their_score():
    """What a sample leads to cannot be kept for all rows here; one term scores .41, so two may not score less."""
    random = np.random.default_rng(1)
    raw = make_blobs(24_000, 3, centers=7, cluster_std=1.4, random_state=1)[0]
    raw = raw @ np.linalg.qr(random.normal(size=(3, 3)))[0]
    one, two = (PolytopeClustering(15, max_terms=terms, max_coefficient=3, random_state=0).fit(raw) for terms in (1, 2))
    assert one.n_clusters_ == two.n_clusters_ == 15
    assert two.score_ > max(one.score_, 0.35) - 0.005
    assert np.bincount(two.labels_).min() >= 480
    assert (two.predict(raw) == two.labels_).all()


def test_a_second_tree_is_not_grown_unless_asked_for(monkeypatch):
    grown = []
    grow = polishing._Study.grow
    monkeypatch.setattr(polishing._Study, "grow", lambda *given: grown.append(True) or grow(*given))
    centres = np.repeat([[0.0, 0.0], [9.0, 0.0], [9.0, 9.0]], 60, axis=0)
    raw = centres + np.random.default_rng(0).uniform(-1, 1, centres.shape)
    rows, space = in_blocks(raw).blocks[0], plain_space(2)
    found = Placing((axis_plane(0, 5.0, above=1, below=0),), 2)
    trees = grow_polished(rows, found, numbers(2), space, Limits(1, 1, ANY_SIZE, counts=(3,)))
    assert next(trees).n_clusters == 3
    assert len(grown) == 1


@pytest.mark.parametrize("terms", [1, 2])
def test_more_rows_make_the_rules_of_many_better(terms, monkeypatch):
    options = {"max_terms": terms, "n_clusters": 7, "min_cluster_size": 0.02, "random_state": 0}
    gains = []
    for X in (make_noisy(25_000, seed, n_features=12, n_clusters=7) for seed in range(3)):
        polished = PolytopeClustering(**options).fit(X)
        assert (polished.predict(X) == polished.labels_).all()
        assert (polished.contains(X).sum(axis=1) == 1).all()
        assert np.bincount(polished.labels_).min() >= 500
        with monkeypatch.context() as patch:
            patch.setattr(fitting, "N_POLISHED", fitting.N_SAMPLED)
            plain = PolytopeClustering(**options).fit(X)
        scaled = ((X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)))[:6000]
        before, after = (silhouette_score(scaled, model.labels_[:6000]) for model in (plain, polished))
        gains.append(after - before)
    assert np.mean(gains) > 0


def test_a_tree_of_wrong_sizes_is_not_taken():
    raw = np.arange(100.0)[:, None]
    kept = Placing((axis_plane(0, 49.5, above=1, below=0),), 2)
    tree = CutTree(axis_plane(0, 30.0, above=1, below=0), CutTree(cluster=0), CutTree(cluster=1))
    for least, most, expected in ((10, 100, [70, 30]), (40, 100, [50, 50]), (10, 60, [50, 50])):
        better = [Polished(CutTree(tree.cut, tree.below, tree.above), 2, gain=0.1)]
        bounds = SizeBounds((least, most))
        extended = extend_clusters(in_blocks(raw), kept, numbers(1), bounds, [CutTree()], better)
        assert extended.tally.total_sizes.tolist() == expected


def test_a_tree_of_wrong_sizes_is_mended():
    """What is a small cluster among all rows looked large enough among some."""
    rng = np.random.default_rng(0)
    raw = np.sort(np.concatenate([rng.normal(0, 1, 900), rng.normal(8, 1, 900), rng.uniform(-4, 24, 200)]))[:, None]
    few = in_blocks(np.sort(rng.choice(raw[:, 0], 400, replace=False))[:, None]).blocks[0]
    found = Placing(tuple(axis_plane(0, at, above=k + 1, below=k) for k, at in enumerate((4.0, 12.0))), 3)
    planes = (*found.hyperplanes, axis_plane(0, 12.0, above=2, below=0))
    for least in (60, 120, 200):
        shares = SizeBounds((least / len(raw), 1.0))
        polished, *_ = grow_polished(few, Placing(planes, 3), numbers(1), plain_space(1), Limits(1, 1, shares))
        sizes = np.bincount(polished.tree.label_rows(raw))
        mended = polished.mend(sizes * [0.9, 1.0, 0.7] / len(raw))
        assert mended.n_clusters == 3
        leaves = np.bincount(mended.tree.label_rows(few.raw)) / len(few)
        was = np.bincount(polished.tree.label_rows(few.raw)) / len(few)
        expected = leaves / was * sizes / len(raw) * [0.9, 1.0, 0.7]
        assert expected.min() >= shares.least


@pytest.mark.parametrize("n_mended", [1, 2, 3])
def test_trees_are_mended_until_their_sizes_hold_but_not_for_ever(n_mended):
    raw = np.arange(100.0)[:, None]
    kept = Placing((axis_plane(0, 49.5, above=1, below=0),), 2)
    seen = []

    def make(at, gain=0.1):
        def mend(shares):
            seen.append(shares.tolist())
            return make(at + 5, gain)

        return Polished(CutTree(axis_plane(0, at, above=1, below=0), CutTree(), CutTree()), 2, gain, mend)

    bounds = SizeBounds((15 + 5 * n_mended, 100))
    extended = extend_clusters(in_blocks(raw), kept, numbers(1), bounds, [CutTree()], [make(15)])
    is_in_time = n_mended <= 2
    assert extended.tally.total_sizes.tolist() == ([85 - 5 * n_mended, 15 + 5 * n_mended] if is_in_time else [50, 50])
    assert seen == [[0.15, 0.85], [0.2, 0.8], [0.25, 0.75]][:n_mended]
    worse = make(15, gain=0.0)
    better = Polished(worse.tree, 2, 0.1, lambda _: worse)
    extended = extend_clusters(in_blocks(raw), kept, numbers(1), bounds, [CutTree()], [better])
    assert extended.tally.total_sizes.tolist() == [50, 50]


def test_worse_trees_are_mended_only_as_long_as_no_other_is_as_good():
    raw = np.arange(100.0)[:, None]
    kept = Placing((axis_plane(0, 150.0, above=1, below=0),), 2)  # cannot be kept: nothing lies above
    asked = []

    def make(at, gain, then=-1.0):
        def mend(shares):
            asked.append(at)
            return make(40, then)

        return Polished(CutTree(axis_plane(0, at, above=1, below=0), CutTree(), CutTree()), 2, gain, mend)

    def extend(*polished, **options):
        asked.clear()
        return extend_clusters(
            in_blocks(raw), kept, numbers(1), SizeBounds((30, 100)), [CutTree()], polished, **options
        )

    good, wrong, hopeful = make(45, -0.2), make(10, -0.1), make(20, -0.1, then=-0.15)
    assert extend(good, wrong).tally.total_sizes.tolist() == [55, 45]
    assert asked == [10]
    assert extend(good, hopeful).tally.total_sizes.tolist() == [60, 40]
    assert extend(good, hopeful).lost == pytest.approx(0.15)  # what the mended tree lost
    assert extend(wrong, is_last=True).tally.total_sizes.tolist() == [60, 40]
    assert extend(wrong, is_last=False).tally.total_sizes.tolist() == [100]
    assert asked == []
    assert extend(good, make(10, 0.3)).lost == pytest.approx(0.5)


def test_a_tree_that_is_no_better_stands_in_for_polytopes_that_hold_too_few_rows():
    """Three clusters, each before the next: rows in the middle lie in none, and no hyperplane has room for them."""
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, 9.0]])
    raw = np.repeat(centres, 20, axis=0) + np.random.default_rng(0).uniform(-1, 1, (60, 2))
    planes = (
        Hyperplane((0, 1), (1.0, 3.0), (1.0, 1.0), 6.0, 1.0, above=1, below=0),
        Hyperplane((0, 1), (3.0, -2.0), (1.0, 1.0), 12.0, 1.0, above=1, below=2),
        Hyperplane((0, 1), (2.0, 3.0), (1.0, 1.0), 28.0, 1.0, above=2, below=0),
    )
    kept = Placing(planes, 3)
    everywhere = np.vstack([raw, np.random.default_rng(1).uniform(-3, 13, (3000, 2))])
    assert settle_rows(in_blocks(everywhere), planes, 3) is None
    tree = CutTree(axis_plane(1, 5.0, above=1, below=0), CutTree(axis_plane(0, 5.0, above=1, below=0)), CutTree())
    tree.below.below, tree.below.above = CutTree(), CutTree()
    asked = []

    def grow():
        asked.append(True)
        yield CutTree()

    polished = [Polished(tree, 3, gain=0.0)]
    extended = extend_clusters(in_blocks(everywhere), kept, numbers(2), SizeBounds((1, np.inf)), grow(), polished)
    sizes = np.bincount(tree.label_rows(everywhere))
    assert extended.tally.total_sizes.tolist() == sorted(sizes, reverse=True)
    assert not asked


def test_leaves_that_are_too_large_give_way_to_the_next_tree():
    raw = np.arange(100.0)[:, None]
    bounds = SizeBounds((10.0, 60.0))
    kept = Placing((axis_plane(0, 95.0, above=1, below=0),), 2)  # five rows are too few
    uneven, even = (CutTree(axis_plane(0, at, above=1, below=0), CutTree(), CutTree()) for at in (80.0, 50.0))
    extended = extend_clusters(in_blocks(raw), kept, numbers(1), bounds, [uneven, even])
    assert extended.tally.total_sizes.tolist() == [50.0, 50.0]
    extended = extend_clusters(in_blocks(raw), kept, numbers(1), bounds, [uneven])
    assert extended.tally.total_sizes.tolist() == [80.0, 20.0]


@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
@pytest.mark.parametrize("options", [{"criterion": "davies_bouldin"}, {"representation_weight": 0.1}])
def test_one_term_is_no_rival_where_silhouettes_do_not_judge(options, monkeypatch):
    """Every try is made out to be unsure; smaller Davies-Bouldin indexes are better, and errors have a price."""
    terms = []
    fit = fitting._fit_sampled

    def be_unsure(blocks, features, space, settings, journal):
        terms.append(settings.max_terms)
        return fit(blocks, features, space, settings, journal)._replace(is_sure=False)

    monkeypatch.setattr(fitting, "MANY_ROWS", 500)
    monkeypatch.setattr(fitting, "_fit_sampled", be_unsure)
    raw = make_blobs(800, 3, centers=3, random_state=0)[0]
    PolytopeClustering(3, max_terms=2, random_state=0, n_init=1, **options).fit(raw)
    assert terms == [2]
    terms.clear()
    PolytopeClustering(3, max_terms=2, random_state=0, n_init=1).fit(raw)
    assert terms == [2, 1]
