"""PolytopeClustering as its users and scikit-learn's tools see it: how many clusters, and the same answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from naive import same_partition, silhouette_of_repeats
from polyclust import PolyclustWarning, PolytopeClustering

quietly = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


# How many clusters, and how large


@quietly  # the best five have a small one
def test_the_best_number_of_clusters_is_found_and_every_score_kept():
    X, truth = make_blobs(200, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], cluster_std=0.4, random_state=1)
    model = PolytopeClustering(max_clusters=6, random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert same_partition(model.labels_, truth)
    assert sorted(model.scores_) == [2, 3, 4, 5, 6]
    assert model.explanation_.n_clusters == 4
    for k in (2, 3, 5):
        exactly = PolytopeClustering(k, random_state=0).fit(X)
        assert exactly.n_clusters_ == k == len(np.unique(exactly.labels_))
        assert list(exactly.scores_) == [k]
        assert exactly.score_ <= model.score_


@pytest.mark.parametrize("seed", [8, 9])
def test_more_terms_do_not_score_less_than_one(seed):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 6, 900)
    flags = rng.random((6, 14)) ** 2
    X = np.column_stack([rng.normal(size=(900, 2)) + kind[:, None] % 3, rng.random((900, 14)) < flags[kind]])
    settings = {"max_clusters": 10, "n_init": 2, "random_state": 0}
    one, two = (PolytopeClustering(max_terms=t, max_coefficient=2, **settings).fit(X).score_ for t in (1, 2))
    assert two >= one


@quietly
@pytest.mark.parametrize("seed", [3, 4])
def test_nor_do_they_on_many_booleans(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((780, 60)) < rng.random(60) ** 3).astype(float)
    X = X[:, X.std(axis=0) > 0]
    settings = {"max_clusters": 3, "n_init": 1, "random_state": 0}
    one, two = (PolytopeClustering(max_terms=t, max_coefficient=c, **settings).fit(X) for t, c in ((1, 1), (2, 3)))
    assert two.score_ >= one.score_


@quietly
@pytest.mark.parametrize(("n_rows", "seed"), [(150, 9), (800, 5)])
def test_families_do_not_score_less_than_the_sums_of_two_terms_in_them(n_rows, seed):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 5, n_rows)
    flags = rng.random((n_rows, 4)) < rng.random((5, 4))[kind]
    X = np.column_stack([rng.normal(size=(n_rows, 2)) + 2 * kind[:, None] % 3, flags])
    two, three, real = (
        PolytopeClustering(max_clusters=6, max_terms=t, max_coefficient=c, n_init=2, random_state=0).fit(X)
        for t, c in ((2, 3), (3, 3), (None, None))
    )
    assert three.score_ >= two.score_
    assert real.score_ >= two.score_
    assert (real.predict(X) == real.labels_).all()


@pytest.mark.parametrize(("n_rows", "n_terms"), [(150, 1), (150, 2), (800, 2)])
def test_more_starts_do_not_score_less(n_rows, n_terms):
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 5, n_rows)
    flags = rng.random((n_rows, 4)) < rng.random((5, 4))[kind]
    X = np.column_stack([rng.normal(size=(n_rows, 2)) + 2 * kind[:, None] % 3, flags])
    usual, more = (
        PolytopeClustering(max_clusters=6, max_terms=n_terms, max_coefficient=n_terms, n_init=n, random_state=0).fit(X)
        for n in (10, 20)
    )
    assert more.score_ >= usual.score_


def test_one_cluster_is_the_whole_table(iris):
    model = PolytopeClustering(1).fit(iris)
    assert model.n_clusters_ == 1
    assert not model.labels_.any()
    assert model.hyperplanes_ == ()
    assert model.contains(iris).all()


# The same answer


@quietly
@pytest.mark.parametrize("limits", [(1, 1), (2, 3), (None, None)])
def test_the_same_seed_gives_the_same_labels_whatever_n_jobs(limits):
    X = load_wine().data
    model = PolytopeClustering(max_terms=limits[0], max_coefficient=limits[1], random_state=3, n_init=2, max_clusters=5)
    first = clone(model).fit(X)
    again = clone(model).fit(X)
    threads = clone(model).set_params(n_jobs=2).fit(X)
    assert first.labels_.tolist() == again.labels_.tolist() == threads.labels_.tolist()
    assert first.hyperplanes_ == again.hyperplanes_ == threads.hyperplanes_
    assert first.score_ == again.score_ == threads.score_
    generator = clone(model).set_params(random_state=np.random.RandomState(3)).fit(X)
    assert generator.labels_.tolist() == first.labels_.tolist()


def test_rows_of_no_weight_are_only_predicted(iris):
    weights = np.ones(150)
    weights[100:] = 0
    model = PolytopeClustering(random_state=0).fit(iris, sample_weight=weights)
    alone = PolytopeClustering(random_state=0).fit(iris[:100])
    assert model.labels_[:100].tolist() == alone.labels_.tolist()
    assert model.labels_.tolist() == model.predict(iris).tolist()
    assert model.score_ == pytest.approx(alone.score_, abs=1e-6)
    assert sum(r.size for r in model.explanation_.rules) == 100


# Among scikit-learn's tools


@quietly
def test_in_a_pipeline_and_a_grid_search():
    X = load_wine(as_frame=True).data.iloc[:, :4]
    pipe = make_pipeline(StandardScaler(), PolytopeClustering(n_init=1, random_state=0, max_clusters=3))
    labels = pipe.fit_predict(X)
    assert (pipe.predict(X) == labels).all()
    pipe[0].set_output(transform="pandas")
    named = pipe.fit(X)
    assert named[-1].feature_names_in_.tolist() == X.columns.tolist()
    assert any(name in named[-1].explanation_.to_text() for name in X.columns)
    grid = GridSearchCV(PolytopeClustering(n_init=1, random_state=0), {"n_clusters": [2, 3]}, cv=2).fit(X)
    best = max(grid.cv_results_["mean_test_score"])
    assert grid.best_score_ == pytest.approx(best)
    assert grid.best_estimator_.n_clusters_ in (2, 3)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()


def test_before_fit_nothing_is_promised(iris):
    model = PolytopeClustering()
    for method in ("predict", "contains", "violation", "score", "scaled"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(model, method)(iris)
    with pytest.raises(ValueError, match="not fitted"):
        model.save("nowhere.json")


def test_a_failed_fit_leaves_nothing_half_done(iris):
    model = PolytopeClustering()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(iris.assign(hole=[np.nan] + [0.0] * 149))
    assert not hasattr(model, "labels_")
    assert not hasattr(model, "hyperplanes_")


@quietly
def test_a_saved_model_predicts_the_same(customers, tmp_path):
    model = PolytopeClustering(random_state=0, max_terms=2, max_coefficient=3, n_init=1).fit(customers)
    model.save(tmp_path / "model.json")
    loaded = PolytopeClustering.load(tmp_path / "model.json")
    assert loaded.predict(customers).tolist() == model.labels_.tolist()
    assert loaded.contains(customers).tolist() == model.contains(customers).tolist()
    assert loaded.violation(customers).tolist() == model.violation(customers).tolist()
    assert loaded.hyperplanes_ == model.hyperplanes_
    assert loaded.score_ == model.score_
    assert loaded.scores_ == model.scores_
    assert loaded.get_params() == model.get_params()
    assert loaded.score(customers) == pytest.approx(model.score_, abs=1e-5)


def test_the_history_holds_the_accepted_steps(iris):
    model = PolytopeClustering(random_state=0, n_init=1).fit(iris)
    assert model.history_
    assert max(s.score for s in model.history_) == pytest.approx(model.score_, abs=1e-9)
    assert all(s.seconds >= 0 and s.n_clusters >= 1 and s.move for s in model.history_)


def test_progress_is_told_on_standard_error(iris, capfd):
    PolytopeClustering(n_init=1, random_state=0, max_clusters=3).fit(iris)
    assert capfd.readouterr() == ("", "")
    PolytopeClustering(n_init=1, random_state=0, max_clusters=3, verbose=1).fit(iris)
    out, err = capfd.readouterr()
    assert out == ""
    assert "axes" in err


def test_a_memory_limit_refuses_before_the_search(iris):
    with pytest.raises(ValueError, match="more than memory_limit allows"):
        PolytopeClustering(memory_limit=1000).fit(iris)
    PolytopeClustering(memory_limit=10**6, n_init=1, max_clusters=3).fit(iris)


def test_an_unseen_category_is_placed_by_the_rest(customers):
    few = customers[["age", "city"]]
    model = PolytopeClustering(3, random_state=0, n_init=1, explain_with=["age", "city"]).fit(few)
    new = pd.DataFrame({"age": [25, 70], "city": ["Paris", "Rome"]})
    with pytest.warns(PolyclustWarning, match=r"'city' holds values not seen at fit \('Paris'\) in 1 row;"):
        labels = model.predict(new)
    known = model.violation(pd.DataFrame({"age": [25.0], "city": ["Oslo"]}))
    rest = model.violation(pd.DataFrame({"age": [25.0], "city": ["Rome"]}))
    assert labels.shape == (2,)
    assert labels[0] in {int(known.argmin()), int(rest.argmin())}
    with pytest.warns(PolyclustWarning) as told:
        model.score(pd.concat([few[:50], new]))
    assert len(told) == 1


@quietly
@pytest.mark.parametrize("weight", [0.0, 0.5, 10.0])
def test_a_finite_representation_weight_says_how_far_it_is_from_exact(iris, weight):
    model = PolytopeClustering(3, representation_weight=weight, random_state=0, n_init=1).fit(iris)
    agreement = float((model.predict(iris) == model.labels_).mean())
    assert model.explanation_.fidelity == pytest.approx(agreement)
    expected = metrics.silhouette_score(model.scaled(iris), model.labels_)
    assert model.score_ == pytest.approx(expected, abs=1e-5)
    exact = PolytopeClustering(3, random_state=0, n_init=1).fit(iris)
    if weight == 0.0:
        assert model.score_ >= exact.score_ - 1e-3


def test_silhouettes_of_the_naive_twin_are_those_of_scikit_learn(iris):
    D = metrics.pairwise_distances(iris)
    np.fill_diagonal(D, 0.0)
    labels = np.arange(150) % 3
    assert silhouette_of_repeats(D, labels, np.ones(150)) == pytest.approx(
        metrics.silhouette_score(D, labels, metric="precomputed")
    )
