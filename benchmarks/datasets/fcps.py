"""The fundamental clustering problems suite: nine generated data sets of two or three features."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.datasets.source import check_shape, explain_absence, read_csv

# rows and features of the copies that reproduce the paper; its own table of sizes is wrong for several
SHAPES = {
    "atom": (800, 3),
    "chainlink": (1000, 3),
    "engytime": (4096, 2),
    "hepta": (212, 3),
    "lsun": (404, 3),
    "target": (770, 2),
    "tetra": (400, 3),
    "twodiamonds": (800, 2),
    "wingnut": (1016, 2),
}
NAMES = tuple(SHAPES)

NOTES = {
    "atom": "three columns; the paper prints two",
    "chainlink": "three columns; the paper prints two",
    "lsun": "Lsun3D, 404 rows of three columns; the paper prints (400, 2)",
    "wingnut": "1016 rows; the paper prints 1070",
}


def read(name: str, folder: Path | None) -> pd.DataFrame:
    """The features of one set, raw."""
    table = read_csv(folder, f"{name}.csv", f"full/{name}.csv")
    if table is None:
        reason = (
            "the file is not in the data folder and no public source serves this version (the R package FCPS holds it)"
        )
        raise explain_absence(name, reason, f"{name}.csv")
    n_rows, n_features = SHAPES[name]
    return check_shape(name, table, n_rows, n_features + 1).drop(columns="label")
