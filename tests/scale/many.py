"""Tables with enough rows for a sample, in memory and in partitions."""

from __future__ import annotations

import numpy as np
import pandas as pd


def blobs_with_noise(n, seed=0):
    """Numbers and a category."""
    rng = np.random.default_rng(seed)
    blob = rng.integers(0, 5, n)
    values = rng.uniform(-8, 8, (5, 3))[blob] + rng.normal(size=(n, 3))
    is_noise = rng.random(n) < 0.05
    values[is_noise] = rng.uniform(-12, 12, (is_noise.sum(), 3))
    table = pd.DataFrame(values, columns=["width", "height", "depth"])
    table["colour"] = np.where(rng.random(n) < 0.3, "red", np.array(["red", "blue", "green"])[blob % 3])
    return table


def mixed_table(n, seed=0):
    """All kinds of columns; some values, such as the rare colour, are in a few rows only."""
    table = blobs_with_noise(n, seed)
    rng = np.random.default_rng(seed)
    table["visits"] = np.where(table["depth"] > 0, 1, rng.integers(0, 9, n))
    table["member"] = table["width"] > 0
    table["size"] = pd.Categorical(np.where(table["height"] > 2, "large", "small"), categories=["small", "large"])
    table.loc[table.index[-3:], "colour"] = "pink"
    return table


def clusters_around_holes(n, seed=0):
    """Three clusters, each pair told apart by an axis of its own; rows in the two holes between them have no weight."""
    x, y, z = np.random.default_rng(seed).uniform(0, 10, size=(3, n))
    is_in = [(x < 5) & (y < 5), (x >= 5) & (z < 5), (y >= 5) & (z >= 5)]
    place = np.select(is_in, [0.0, 50.0, 100.0], 25.0)
    return pd.DataFrame({"x": x, "y": y, "z": z, "place": place, "weight": np.any(is_in, axis=0) * 1.0})


def assert_same_fit(lazy, model, labels):
    """The fit on partitions is the fit in memory."""
    assert lazy.hyperplanes_ == model.hyperplanes_
    assert (np.asarray(labels) == model.labels_).all()
    assert [r.size for r in lazy.explanation_.rules] == [r.size for r in model.explanation_.rules]
    assert [str(r) for r in lazy.explanation_.rules] == [str(r) for r in model.explanation_.rules]
    assert abs(lazy.score_ - model.score_) < 1e-6
    assert lazy.explanation_.is_exact
    assert not lazy.is_optimal_
