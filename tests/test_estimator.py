"""PolytopeClustering as DESIGN describes it: scores, limits, seeds, explaining features, rows outside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from naive import best_axis_cut, dunn, lattice, same_partition, silhouette_of_repeats
from polyclust import Binariser, Explanation, PolyclustWarning, PolytopeClustering
from polyclust.search.distances import measure_distances
from strategies import TENTHS

quietly = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


@pytest.fixture(scope="module")
def iris():
    return load_iris(as_frame=True).data


@pytest.fixture(scope="module")
def customers():
    """Numbers, a whole number, a boolean, a category and text, in three loose groups."""
    rng = np.random.default_rng(5)
    group = rng.integers(0, 3, 120)
    return pd.DataFrame(
        {
            "age": np.array([25, 45, 68])[group] + rng.integers(-5, 6, 120),
            "income": np.array([20.5, 60.0, 35.0])[group] + rng.normal(size=120).round(2) * 4,
            "member": rng.random(120) < np.array([0.1, 0.9, 0.5])[group],
            "colour": pd.Categorical(np.array(["red", "green", "blue"])[(group + (rng.random(120) < 0.1)) % 3]),
            "city": np.array(["Rome", "Oslo", "Lima"], dtype=object)[(group + (rng.random(120) < 0.2)) % 3],
        }
    )


# Scores


@quietly
@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
@pytest.mark.parametrize("limits", [(1, 1), (2, 3), (None, None)])
def test_the_score_is_that_of_scikit_learn(customers, scale, limits):
    model = PolytopeClustering(scale=scale, max_terms=limits[0], max_coefficient=limits[1], random_state=0, n_init=2)
    model.fit(customers)
    space = model.scaled(customers)
    assert model.score_ == pytest.approx(metrics.silhouette_score(space, model.labels_), abs=1e-5)
    assert model.score(customers) == pytest.approx(model.score_, abs=1e-5)
    assert model.score_ == model.scores_[model.n_clusters_] == max(model.scores_.values())


@quietly
@pytest.mark.parametrize("spread", [1e-9, 1e-6, 1e-3])
def test_the_score_is_exact_where_differences_are_tiny(spread):
    """Small values beside booleans, and all but one row of a column close together."""
    rng = np.random.default_rng(1)
    small = rng.normal(0, spread, (80, 2))
    beside = pd.DataFrame({"a": small[:, 0], "b": small[:, 1], "is_c": rng.random(80) < 0.5})
    far = pd.DataFrame({"a": np.append(small[:, 0], 1.0), "b": np.append(small[:, 1], 1.0)})
    for table in (beside, far):
        model = PolytopeClustering(5, scale="none", min_cluster_size=1, n_init=2, random_state=0).fit(table)
        exact = cdist(model.scaled(table), model.scaled(table))  # scikit-learn's own lose digits here
        expected = metrics.silhouette_score(exact, model.labels_, metric="precomputed")
        assert model.score_ == pytest.approx(expected, abs=1e-7)


@quietly
def test_other_criteria_are_reported_as_scikit_learn_does(customers):
    small = {"max_clusters": 4, "n_init": 1, "random_state": 0}
    model = PolytopeClustering(criterion="calinski_harabasz", **small).fit(customers)
    space = model.scaled(customers)
    expected = metrics.calinski_harabasz_score(space, model.labels_)
    assert model.score_ == pytest.approx(expected, rel=1e-6)
    assert model.score(customers) == pytest.approx(expected, rel=1e-6)
    model = PolytopeClustering(criterion="davies_bouldin", **small).fit(customers)
    expected = metrics.davies_bouldin_score(space, model.labels_)
    assert model.score_ == pytest.approx(expected, rel=1e-6)
    assert model.score_ == min(model.scores_.values())
    assert model.score(customers) == pytest.approx(-expected, rel=1e-6)
    model = PolytopeClustering(criterion="dunn", **small).fit(customers)
    assert model.score_ == pytest.approx(dunn(measure_distances(space, "euclidean"), model.labels_), rel=1e-5)


@quietly
def test_a_criterion_of_ones_own_is_maximised(customers):
    def negative_inertia(X, labels):
        centers = np.array([X[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
        return -float(((X - centers[labels]) ** 2).sum())

    few = {"n_clusters": 3, "n_init": 1, "random_state": 0}
    own = PolytopeClustering(criterion=negative_inertia, **few).fit(customers)
    assert own.score_ == pytest.approx(negative_inertia(own.scaled(customers), own.labels_))
    other = PolytopeClustering(**few).fit(customers)
    assert own.score_ >= negative_inertia(other.scaled(customers), other.labels_) - 1e-9


def test_what_a_criterion_cannot_judge_is_worst(iris):
    def spread(X, labels):
        return np.nan if np.bincount(labels).min() <= 10 else float(X[:, 2] @ (labels == labels[0]))

    own = PolytopeClustering(criterion=spread, n_clusters=3, min_cluster_size=1, n_init=1, random_state=0).fit(iris)
    assert np.isfinite(own.score_)
    assert np.bincount(own.labels_).min() > 10


@quietly
@pytest.mark.parametrize("distance", ["cityblock", "cosine", "gower"])
def test_other_distances_are_those_of_scikit_learn(customers, distance):
    model = PolytopeClustering(distance=distance, n_init=1, max_clusters=4, random_state=0).fit(customers)
    assert (model.predict(customers) == model.labels_).all()
    assert model.score(customers) == pytest.approx(model.score_, abs=1e-5)
    if distance != "gower":
        expected = metrics.silhouette_score(model.scaled(customers), model.labels_, metric=distance)
        assert model.score_ == pytest.approx(expected, abs=1e-5)


@quietly
@pytest.mark.parametrize("distance", ["cosine", "russellrao"])
def test_equal_rows_that_a_metric_puts_apart(distance):
    kinds = np.array([[0, 0, 0], [1, 2, 0], [2, 1, 0], [0, 1, 3], [3, 0, 1]])
    X = np.repeat(kinds, [6, 6, 5, 4, 6], axis=0)
    for rows, weights in ((X, None), (kinds, [6, 6, 5, 4, 6])):
        model = PolytopeClustering(distance=distance, scale="none", min_cluster_size=1, max_clusters=4, random_state=0)
        model.fit(rows, sample_weight=weights)
        D = metrics.pairwise_distances(X > 0 if distance == "russellrao" else X, metric=distance)
        expected = metrics.silhouette_score(D, model.predict(X), metric="precomputed")
        assert model.score_ == pytest.approx(expected, abs=1e-5)
        assert model.score(X) == pytest.approx(expected, abs=1e-5)
        model.set_params(criterion="dunn", n_clusters=3).fit(rows, sample_weight=weights)
        np.fill_diagonal(D, 0.0)
        assert model.score_ == pytest.approx(dunn(D, model.predict(X)), rel=1e-5)
        assert model.score(X) == pytest.approx(model.score_, rel=1e-5)


def test_precomputed_distances_give_what_their_metric_gives():
    X, _ = make_blobs(90, centers=3, random_state=4)
    usual = PolytopeClustering(random_state=0).fit(X)
    D = metrics.pairwise_distances(MinMaxScaler().fit_transform(X))
    given_ = PolytopeClustering(distance="precomputed", random_state=0).fit(X, distances=D)
    assert given_.labels_.tolist() == usual.labels_.tolist()
    assert given_.score_ == pytest.approx(metrics.silhouette_score(D, given_.labels_, metric="precomputed"), abs=1e-5)
    assert (given_.predict(X) == given_.labels_).all()
    with pytest.raises(ValueError, match='distance="precomputed" does not give'):
        given_.score(X)


# How many clusters, and how large


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


# Proof


@quietly
@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=6, max_size=14), st.integers(1, 3))
def test_two_clusters_are_proved_against_brute_force(rows, least):
    X = np.array(rows)
    if len(np.unique(X, axis=0)) < 3:
        return
    model = PolytopeClustering(2, min_cluster_size=least, scale="none", units="none").fit(X)
    D = measure_distances(X, "euclidean")
    best = best_axis_cut(X, D, np.ones(len(X)), least)
    if not np.isfinite(best):
        assert model.n_clusters_ == 1
        return
    assert model.is_optimal_
    assert model.score_ == pytest.approx(best, abs=1e-5)


@quietly
def test_two_clusters_of_a_lattice_are_proved_against_brute_force():
    X = np.random.default_rng(8).integers(0, 12, size=(25, 2)).astype(float)
    model = PolytopeClustering(2, max_terms=2, max_coefficient=3, scale="none", units="none", min_cluster_size=3)
    model.fit(X)
    D = measure_distances(X, "euclidean")
    projected = np.stack([X @ w for w in lattice(2, 2, 3)], axis=1)
    assert model.is_optimal_
    assert model.score_ == pytest.approx(best_axis_cut(projected, D, np.ones(25), 3), abs=1e-5)


def test_nothing_else_is_called_optimal(iris):
    assert PolytopeClustering(2).fit(iris).is_optimal_
    assert not PolytopeClustering(3, n_init=1).fit(iris).is_optimal_
    assert not PolytopeClustering(max_clusters=3, n_init=1).fit(iris).is_optimal_
    general = PolytopeClustering(2, max_terms=None, max_coefficient=None, n_init=1)
    assert not general.fit(iris).is_optimal_
    assert not PolytopeClustering(2, criterion="dunn", n_init=1, min_cluster_size=5).fit(iris).is_optimal_


# What explains


@quietly
def test_columns_that_explain(customers):
    model = PolytopeClustering(explain_with=["age", "colour"], random_state=0, n_init=2).fit(customers)
    used = {model.explanation_.features[f].column.name for h in model.hyperplanes_ for f in h.features}
    assert used <= {"age", "colour"}
    assert (model.predict(customers) == model.labels_).all()
    expected = metrics.silhouette_score(model.scaled(customers), model.labels_)
    assert model.score_ == pytest.approx(expected, abs=1e-5)
    assert "SELECT" in model.explanation_.to_sql("customers")
    one = PolytopeClustering(explain_with="age", random_state=0, n_init=1).fit(customers)
    assert {f.column.name for f in one.explanation_.features} == {"age"}


@quietly
def test_the_binariser_explains_and_exports(customers):
    cuts = Binariser(thresholds={"age": [35, 57.5]})
    model = PolytopeClustering(explain_with=cuts, max_terms=2, random_state=0, n_init=2).fit(customers)
    assert (model.predict(customers) == model.labels_).all()
    assert {f.name for f in model.explanation_.features} >= {"age ≥ 35", "age ≥ 57.5", "member"}
    restored = Explanation.from_json(model.explanation_.to_json())
    assert restored.predict(customers).tolist() == model.labels_.tolist()
    assert not hasattr(cuts, "features_")  # the user's own object is left alone


@quietly
@pytest.mark.parametrize("explain_with", [Binariser(), StandardScaler()])
def test_transformers_count_rows_by_their_weights(customers, explain_with):
    numbers = customers[["age", "income"]]
    counts = np.arange(len(numbers)) % 3
    few = {"n_init": 1, "max_clusters": 4, "random_state": 0, "explain_with": explain_with}
    weighed = PolytopeClustering(**few).fit(numbers, sample_weight=counts)
    rows = np.repeat(np.arange(len(numbers)), counts)
    repeated = PolytopeClustering(**few).fit(numbers.iloc[rows])
    assert weighed.score_ == pytest.approx(repeated.score_, abs=1e-9)
    assert weighed.labels_[rows].tolist() == repeated.labels_.tolist()
    assert weighed.explanation_.to_text() == repeated.explanation_.to_text()


@quietly
def test_another_transformer_explains_and_says_why_it_is_not_exported(customers):
    numbers = customers[["age", "income"]]
    model = PolytopeClustering(explain_with=PCA(1), random_state=0, n_init=1).fit(numbers)
    assert (model.predict(numbers) == model.labels_).all()
    assert "pca0" in model.explanation_.to_text()
    for export in ("to_json", "to_python"):
        with pytest.raises(ValueError, match=r"cannot be exported .* PCA, which only Python can compute"):
            getattr(model.explanation_, export)()
    with pytest.raises(ValueError, match="PCA"):
        model.explanation_.to_sql("t")
    with pytest.raises(ValueError, match=r"its model can: .* PCA"):
        model.explanation_.predict(numbers)


@pytest.mark.parametrize("mask", [[True, False], np.array([False, True])])
def test_a_mask_is_no_list_of_columns(iris, mask):
    with pytest.raises(ValueError, match="names of columns, not a mask"):
        PolytopeClustering(2, explain_with=mask).fit(np.asarray(iris)[:, :2])


def test_dates_are_no_numbers_at_predict():
    X = pd.DataFrame({"a": np.repeat([0.0, 9.0], 20) + np.arange(40) / 50, "b": np.arange(40) % 7})
    model = PolytopeClustering(2, n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="'a' held numbers at fit"):
        model.predict(X.assign(a=pd.date_range("2020", periods=40)))


# Rows outside


def test_violation_is_the_sum_of_distances_to_the_wrong_sides_in_the_scaled_space():
    X, _ = make_blobs(120, centers=[[0, 0], [8, 0], [0, 30]], random_state=2)
    for limits in ((1, 1), (2, 3), (None, None)):
        model = PolytopeClustering(3, max_terms=limits[0], max_coefficient=limits[1], random_state=0, n_init=2).fit(X)
        others = np.random.default_rng(0).uniform(-20, 50, size=(200, 2))
        expected = np.zeros((200, 3))
        low, span = X.min(axis=0), np.ptp(X, axis=0)
        for h in model.hyperplanes_:
            w = np.zeros(2)
            for f, c, u in zip(h.features, h.coefficients, h.units, strict=True):
                w[f] = c / u * span[f]  # coefficients in the scaled space
            b = sum(c / u * low[f] for f, c, u in zip(h.features, h.coefficients, h.units, strict=True)) - h.threshold
            distance = ((others - low) / span @ w + b) / np.linalg.norm(w)
            expected[:, h.above] += np.maximum(-distance, 0)
            expected[:, h.below] += np.maximum(distance, 0)
        assert model.violation(others) == pytest.approx(expected, abs=1e-9)


def three_clusters_around_two_holes(n, seed=0):
    """Each pair is told apart by an axis of its own, so that no box holds two of the eight corners."""
    x, y, z = np.random.default_rng(seed).uniform(0, 10, size=(3, n))
    group = np.select([(x < 5) & (y < 5), (x >= 5) & (z < 5), (y >= 5) & (z >= 5)], [0, 1, 2], -1)
    place = np.select([group == 0, group == 1, group == 2], [0.0, 50.0, 100.0], 25.0)
    return np.column_stack([x, y, z, place]), group


def test_rows_in_no_polytope_go_to_the_least_violated_or_nowhere():
    X, group = three_clusters_around_two_holes(400)
    model = PolytopeClustering(3, explain_with=["x0", "x1", "x2"], random_state=0).fit(X[group >= 0])
    others, _ = three_clusters_around_two_holes(3000, seed=1)
    members = model.contains(others)
    assert members.sum(axis=1).max() <= 1
    is_lost = ~members.any(axis=1)
    assert is_lost.sum() > 300
    nearest = model.violation(others).argmin(axis=1)
    assert (model.predict(others)[is_lost] == nearest[is_lost]).all()
    assert (model.predict(others)[~is_lost] == members[~is_lost].argmax(axis=1)).all()
    nowhere = clone(model).set_params(outside="none").fit(X[group >= 0])
    assert (nowhere.predict(others)[is_lost] == -1).all()
    assert nowhere.explanation_.predict(others).tolist() == nowhere.predict(others).tolist()


@pytest.mark.parametrize("outside", ["nearest", "none"])
def test_rows_of_no_weight_that_lie_outside_are_predicted_too(outside):
    X, group = three_clusters_around_two_holes(400)
    model = PolytopeClustering(3, explain_with=["x0", "x1", "x2"], outside=outside, random_state=0)
    model.fit(X, sample_weight=group >= 0)
    is_lost = ~model.contains(X).any(axis=1)
    assert is_lost.sum() > 50
    assert (group[is_lost] < 0).all()
    assert model.labels_.tolist() == model.predict(X).tolist()
    assert (model.labels_[is_lost] == -1).all() == (outside == "none")
    assert model.explanation_.fidelity == 1


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
    with pytest.warns(PolyclustWarning, match=r"'city' holds values not seen at fit \('Paris'\) in 1 rows"):
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
    labels = np.arange(150) % 3
    assert silhouette_of_repeats(D, labels, np.ones(150)) == pytest.approx(
        metrics.silhouette_score(D, labels, metric="precomputed")
    )
