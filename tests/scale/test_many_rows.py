"""More rows than distances can be held for, from fit to labels."""

from __future__ import annotations

import numpy as np
import pytest
from blockwise import axis_plane, in_blocks
from many import blobs_with_noise
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

from polyclust import PolytopeClustering, fitting
from polyclust.errors import PolyclustWarning
from polyclust.scale import extending
from polyclust.scale.blocks import Placing
from polyclust.scale.extending import extend_loosely
from polyclust.scale.tallies import Tally
from polyclust.search.scoring import SizeBounds


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
    monkeypatch.setattr(fitting, "N_POLISHED", 600)


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
    monkeypatch.setattr(extending, "settle_rows", lambda *_: None)  # as if a row fitted nowhere
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


@pytest.mark.filterwarnings("ignore::polyclust.errors.SmallClusterWarning")
@pytest.mark.usefixtures("few_rows_are_many")
def test_an_interval_does_not_outlive_its_fit():
    raw = np.random.default_rng(0).normal(size=(900, 2))
    model = PolytopeClustering(2, n_init=1, random_state=0).fit(raw)
    assert hasattr(model, "score_interval_")
    assert not hasattr(model.fit(raw[:100]), "score_interval_")


@pytest.mark.usefixtures("few_rows_are_many")
def test_the_largest_size_holds_on_all_rows():
    raw = np.random.default_rng(0).normal(size=(1500, 3))
    model = PolytopeClustering(max_cluster_size=0.3, n_init=1, random_state=0).fit(raw)
    assert_exact(model, raw, 30)
    assert np.bincount(model.labels_).max() <= 450


@pytest.mark.usefixtures("few_rows_are_many")
@pytest.mark.parametrize(("most", "is_broken"), [(0.12, True), (0.3, False)])
def test_a_larger_cluster_than_allowed_is_owned_up_to(most, is_broken, recwarn):
    raw = np.random.default_rng(2).exponential(size=(2400, 4)) ** 2
    model = PolytopeClustering(10, max_cluster_size=most, n_init=1, random_state=0).fit(raw)
    large = [f"{k} ({size} rows)" for k, size in enumerate(np.bincount(model.labels_)) if size > most * 2400]
    assert bool(large) == is_broken
    words = f"Larger than max_cluster_size allows ({most * 2400:g} rows): cluster {', '.join(large)}; "
    said = [str(w.message) for w in recwarn if "max_cluster_size" in str(w.message)]
    assert said == [f"{words}raise it, or ask for more clusters."] * is_broken


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
    few = Tally(np.array([[880.0, 10, 5, 5]]), np.ones((1, 4), dtype=np.intp), np.arange(4))
    monkeypatch.setattr(extending, "tally_all", lambda *_: few)  # as if all rows had left them
    model = PolytopeClustering(4, representation_weight=0.1, n_init=1, random_state=0).fit(table)
    assert np.bincount(model.labels_, minlength=model.n_clusters_).min() >= 18
    assert (model.contains(table).sum(axis=1) == 1).all()


def test_rules_that_may_err_are_renamed_until_the_largest_comes_first():
    planes = (axis_plane(0, 2.0, 1, 0), axis_plane(0, 5.0, 2, 0), axis_plane(0, 5.0, 2, 1))
    raw = np.repeat([0.0, 3.0, 9.0], [3, 5, 9])[:, None]
    found = extend_loosely(in_blocks(raw, cuts=[4]), Placing(planes, 3), SizeBounds((1.0, 17.0)))
    assert found.tally.total_sizes.tolist() == [9, 5, 3]
    assert found.placing.label(raw).tolist() == [2] * 3 + [1] * 5 + [0] * 9
    assert extend_loosely(in_blocks(raw), Placing(planes, 3), SizeBounds((4.0, 17.0))) is None
