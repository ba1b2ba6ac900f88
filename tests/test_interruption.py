"""Time limits and Ctrl-C end with the best found so far and a warning, never with nothing."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import calinski_harabasz_score

from polyclust import PolyclustWarning, PolytopeClustering
from polyclust.explain.build import build_explanation

LIMITS = [(1, 1), (2, 3), (None, None)]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("n_clusters", ["auto", 5])
def test_a_tiny_time_limit_still_gives_clusters(limits, n_clusters):
    X, _ = make_blobs(300, centers=6, n_features=4, random_state=0)
    model = PolytopeClustering(n_clusters, max_terms=limits[0], max_coefficient=limits[1], time_limit=1e-6)
    with pytest.warns(PolyclustWarning, match="ended early; the result is the best found so far"):
        model.fit(X)
    assert model.n_clusters_ >= 2
    assert (model.predict(X) == model.labels_).all()
    assert (model.contains(X).sum(axis=1) == 1).all()
    assert not model.is_optimal_
    if n_clusters != "auto":
        assert model.n_clusters_ == n_clusters


@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
def test_a_tiny_time_limit_on_many_rows_and_other_criteria():
    X, _ = make_blobs(1500, centers=4, n_features=3, random_state=0)
    for more in ({}, {"criterion": "dunn"}, {"representation_weight": 1.0}):
        model = PolytopeClustering(time_limit=1e-6, **more).fit(X)
        assert model.n_clusters_ >= 2


@pytest.mark.skipif(os.name == "nt", reason="signals to oneself work differently there")
@pytest.mark.filterwarnings("ignore::polyclust.errors.SmallClusterWarning")
def test_an_interrupt_ends_sweeps_of_a_slow_criterion():
    n_calls = itertools.count(1)

    def tightness(X, labels):
        if next(n_calls) == 3_000:
            signal.raise_signal(signal.SIGINT)
        return -sum(X[labels == k].var() for k in np.unique(labels))

    X = np.random.default_rng(0).normal(size=(20, 5))
    limits = {"max_terms": 4, "max_coefficient": 3, "n_init": 1, "random_state": 0}
    model = PolytopeClustering(3, criterion=tightness, **limits)
    with pytest.warns(PolyclustWarning, match="ended early"):
        model.fit(X)
    assert (model.predict(X) == model.labels_).all()
    assert next(n_calls) < 10_000  # a sweep along all directions calls several times as often


@pytest.mark.skipif(os.name == "nt", reason="signals to oneself work differently there")
def test_an_interrupt_while_rules_are_worded_loses_nothing(monkeypatch):
    def build(*args, **options):
        signal.raise_signal(signal.SIGINT)
        return build_explanation(*args, **options)

    monkeypatch.setattr("polyclust.estimator.build_explanation", build)
    X, _ = make_blobs(100, centers=3, random_state=0)
    model = PolytopeClustering(random_state=0)
    with pytest.warns(PolyclustWarning, match="ended early"):
        model.fit(X)
    assert (model.predict(X) == model.labels_).all()


LATE = {
    "40 clusters": {"n_clusters": 40, "min_cluster_size": 2},
    "two terms": {
        "n_clusters": 12,
        "max_terms": 2,
        "max_coefficient": 3,
        "min_cluster_size": 5,
        "max_cluster_size": 0.2,
    },
    "real": {"n_clusters": 7, "max_terms": None, "max_coefficient": None},
    "dunn": {"n_clusters": 5, "criterion": "dunn"},
    "errors": {"n_clusters": 6, "representation_weight": 0.1, "max_terms": None, "max_coefficient": None},
    "gower": {"n_clusters": 6, "distance": "gower"},
}


@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
@pytest.mark.parametrize("n_rows", [300, 1200])
@pytest.mark.parametrize("more", LATE.values(), ids=LATE)
def test_clusters_that_are_late_are_what_was_asked_for(more, n_rows):
    X, _ = make_blobs(n_rows, centers=6, n_features=4, random_state=0)
    model = PolytopeClustering(time_limit=1e-6, random_state=0, **more).fit(X)
    assert model.n_clusters_ == more["n_clusters"]
    sizes = np.bincount(model.labels_)
    assert sizes.min() >= more.get("min_cluster_size", 0.02 * n_rows)
    assert sizes.max() <= more.get("max_cluster_size", 1.0) * n_rows
    if "representation_weight" not in more:
        assert (model.predict(X) == model.labels_).all()
        assert (model.contains(X).sum(axis=1) == 1).all()


@pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")
@pytest.mark.parametrize("n_rows", [200, 1500])
def test_a_criterion_is_not_called_much_once_time_is_up(n_rows):
    X, _ = make_blobs(n_rows, centers=4, n_features=6, random_state=0)
    calls = []

    def criterion(rows, labels):
        calls.append(len(rows))
        return calinski_harabasz_score(rows, labels)

    PolytopeClustering(criterion=criterion, time_limit=1e-6, random_state=0).fit(X)
    assert len(calls) <= 20


def test_a_generous_time_limit_changes_nothing():
    X, _ = make_blobs(80, centers=3, random_state=0)
    limited = PolytopeClustering(time_limit=600, random_state=0).fit(X)
    assert limited.labels_.tolist() == PolytopeClustering(random_state=0).fit(X).labels_.tolist()


INTERRUPTED = """
    import os, signal, threading, warnings
    import numpy as np
    from polyclust import PolyclustWarning, PolytopeClustering
    from polyclust.progress import listen_to_progress

    X = np.random.default_rng(0).normal(size=(1500, 8))
    sent = []

    def interrupt(report):
        if report.done == 2 and not sent:
            sent.append(report.phase)
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings(record=True) as caught, listen_to_progress(interrupt):
        warnings.simplefilter("always")
        model = PolytopeClustering(random_state=0, n_init=100, max_terms=2, max_coefficient=3).fit(X)
    assert sent
    assert signal.getsignal(signal.SIGINT) is before
    assert (model.predict(X) == model.labels_).all()
    assert model.n_clusters_ >= 2
    told = [str(w.message) for w in caught if issubclass(w.category, PolyclustWarning)]
    assert any("ended early" in sentence for sentence in told), told
    print("best so far", model.n_clusters_)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals to oneself work differently there")
def test_an_interrupt_ends_with_the_best_so_far():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("best so far")


def test_fits_in_threads_need_no_signals():
    from concurrent.futures import ThreadPoolExecutor

    X, _ = make_blobs(60, centers=3, random_state=0)
    with ThreadPoolExecutor(1) as pool:
        labels = pool.submit(lambda: PolytopeClustering(random_state=0, n_init=1).fit(X).labels_).result()
    assert np.array_equal(labels, PolytopeClustering(random_state=0, n_init=1).fit(X).labels_)
