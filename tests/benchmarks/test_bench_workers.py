"""The rows of the study on worker processes: the same whenever they are read, and in partitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

workers = pytest.importorskip("benchmarks.workers")


def test_rows_are_made_again_the_same(monkeypatch):
    monkeypatch.setattr(workers, "PARTITION", 400)
    rows = workers.make_rows(1000)
    assert rows.chunks == ((400, 400, 200), (workers.N_COLUMNS,))
    first, again = rows.compute(), workers.make_rows(1000).compute()
    assert first.shape == (1000, 20)
    assert (first == again).all()
    assert len(np.unique(first, axis=0)) == 1000


def test_the_page_says_when_each_row_was_measured():
    table = pd.read_csv(workers.OUT)
    shown = [line.split(" | ")[-1].strip(" |") for line in workers.render_page(table).splitlines()[-len(table) :]]
    assert shown == table["day"].tolist()


def test_peaks_are_megabytes():
    assert 50 < workers.peak_megabytes() < 50_000


def test_labels_are_compared(monkeypatch):
    monkeypatch.setattr(workers, "PARTITION", 9000)
    assert workers.compare(21_000)
