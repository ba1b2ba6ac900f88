"""Every picture of these tests is drawn without a screen, and none may stay open."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fitted_models import FittedModel, axes_of, separate


@pytest.fixture(autouse=True)
def _close_figures():
    plt.close("all")  # another file on the same worker may have drawn
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def flowers() -> pd.DataFrame:
    """Three groups in two of three columns."""
    rng = np.random.default_rng(0)
    length = np.concatenate([rng.normal(1.5, 0.15, 40), rng.normal(4.2, 0.3, 50), rng.normal(5.6, 0.4, 45)])
    width = np.concatenate([rng.normal(0.2, 0.05, 40), rng.uniform(0.9, 1.6, 50), rng.uniform(1.8, 2.5, 45)])
    return pd.DataFrame({"length": length, "width": width, "sepal": rng.normal(5, 1, 135)})


@pytest.fixture(scope="session")
def flower_model(flowers) -> FittedModel:
    groups = np.repeat([1, 0, 2], [40, 50, 45])
    planes = separate(flowers.to_numpy(), groups, axes_of(3))
    return FittedModel().fit(flowers, planes, 3, names=["middling", "short", "wide"])


@pytest.fixture(scope="session")
def animals() -> pd.DataFrame:
    """Booleans, an integer column and a category."""
    rng = np.random.default_rng(1)
    n = 120
    milk = np.arange(n) % 3 == 0
    return pd.DataFrame(
        {
            "milk": milk,
            "legs": np.where(milk, 4, rng.choice([0, 2, 6], n)),
            "home": rng.choice(["sea", "land", "air"], n),
            "weight": rng.lognormal(2, 1, n),
        }
    )
