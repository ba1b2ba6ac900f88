"""A real cluster of worker processes: the same clusters as one process, lazy labels, whatever happens to a worker."""

from __future__ import annotations

import os
import pickle
import signal
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from many import assert_same_fit, blobs_with_noise, mixed_table

from polyclust import PolytopeClustering

N_ROWS = 60_000


def fit(table, **options):
    return PolytopeClustering(random_state=0, n_init=1, max_clusters=6, **options).fit(table)


@pytest.fixture(scope="module")
def workers():
    """Two worker processes."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def table():
    return mixed_table(N_ROWS)


@pytest.fixture(scope="module")
def model(table):
    return fit(table)


@pytest.fixture(scope="module")
def lazy(table, workers):
    return fit(dd.from_pandas(table, npartitions=7))


@pytest.mark.usefixtures("workers")
def test_a_frame_on_two_workers_is_fitted_as_in_memory(table, model, lazy):
    assert isinstance(lazy.labels_, dd.Series)
    labels = lazy.labels_.compute()
    assert labels.index.equals(table.index)
    assert_same_fit(lazy, model, labels)
    low, high = lazy.score_interval_
    assert low < lazy.score_ < high < low + 0.05
    assert lazy.n_features_in_ == 7
    assert lazy.feature_names_in_.tolist() == table.columns.tolist()
    assert lazy.explanation_.to_sql("t") == model.explanation_.to_sql("t")


@pytest.mark.usefixtures("workers")
def test_other_rows_are_placed_lazily(table, model, lazy):
    frame = dd.from_pandas(table[table.columns[::-1]], npartitions=3)
    for place in (lazy, lazy.explanation_):
        assert (place.predict(frame).compute() == model.labels_).all()
        inside = place.contains(frame)
        assert isinstance(inside, dd.DataFrame)
        assert (inside.compute().to_numpy() == model.contains(table)).all()
        assert (inside.sum(axis=1).compute() == 1).all()
        assert (place.violation(frame).compute().to_numpy() == model.violation(table)).all()


@pytest.mark.usefixtures("workers")
def test_rules_are_evaluated_on_the_workers(table, model, lazy):
    frame = dd.from_pandas(table, npartitions=4)
    weights = da.from_array(np.arange(N_ROWS) % 3, chunks=N_ROWS // 4)
    wrong = frame["visits"].astype(int) % 2
    found = lazy.explanation_.evaluate(frame, wrong, sample_weight=weights).compute()
    expected = model.explanation_.evaluate(table, table["visits"] % 2, sample_weight=np.arange(N_ROWS) % 3)
    pd.testing.assert_frame_equal(found.drop(columns="name"), expected.drop(columns="name"))


def test_a_kept_model_leaves_the_table_behind(table, lazy, tmp_path):
    kept = pickle.dumps(lazy)
    assert len(kept) < 50_000
    again = pickle.loads(kept)
    assert not hasattr(again, "labels_")
    assert again.predict(table.head(50)).tolist() == lazy.predict(table.head(50)).tolist()
    lazy.save(tmp_path / "model.json")
    loaded = PolytopeClustering.load(tmp_path / "model.json")
    assert loaded.predict(table.head(50)).tolist() == again.predict(table.head(50)).tolist()


def test_starts_run_on_the_workers(workers):
    rows = blobs_with_noise(N_ROWS).drop(columns="colour")
    lent = PolytopeClustering(n_clusters=3, random_state=0, n_init=4).fit(dd.from_pandas(rows, npartitions=3))
    done = workers.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.task_prefixes))
    assert any("run_kmeans" in name for name in done), done
    alone = PolytopeClustering(n_clusters=3, random_state=0, n_init=4).fit(rows)
    assert_same_fit(lent, alone, lent.labels_.compute())


def load_or_die(rows, folder, n_before):
    """The rows; but the worker that reads one more part than n dies, once."""
    (Path(folder) / f"{os.getpid()}-{len(os.listdir(folder))}-{rows[0, 0]}").touch()
    if len(os.listdir(folder)) > n_before and not (Path(folder) / "died").exists():
        (Path(folder) / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


def test_a_worker_that_dies_in_the_middle_changes_nothing(workers, tmp_path):
    values = blobs_with_noise(N_ROWS).drop(columns="colour").to_numpy()
    before = set(workers.scheduler_info()["workers"])
    rows = da.from_array(values, chunks=(9000, 2)).map_blocks(load_or_die, str(tmp_path), 26, dtype=float)
    lazy = fit(rows)
    assert (tmp_path / "died").exists()
    assert_same_fit(lazy, fit(values), lazy.labels_.compute())
    assert isinstance(lazy.labels_, da.Array)
    workers.wait_for_workers(2, timeout=30)
    assert set(workers.scheduler_info()["workers"]) != before


def test_one_worker_gives_the_same(table, model):
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
        client.as_current(),
    ):
        lazy = fit(dd.from_pandas(table, npartitions=4))
        assert_same_fit(lazy, model, lazy.labels_.compute())
