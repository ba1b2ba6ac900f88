"""The eight tables of the UCI kind, from their unreduced originals.

`read` gives the features as the world has them, without leaks. `read_as_paper` gives the numbers that the
paper's runs used: the class among wine's and zoo's features, framingham scaled before incomplete rows were
dropped.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.datasets import load_wine

from benchmarks.datasets.scaling import scale_columns
from benchmarks.datasets.source import check_shape, explain_absence, fetch, read_csv

# rows and columns of the original, its class included
SHAPES = {
    "iris": (150, 5),
    "wine": (178, 14),
    "zoo": (101, 17),
    "seeds": (210, 8),
    "libras": (360, 91),
    "framingham": (4240, 16),
    "bank": (4521, 17),
    "spam": (4601, 58),
}
NAMES = tuple(SHAPES)
# iris, zoo, seeds, libras_move, bank-marketing (the file of 4521 rows, columns V1..V16) and spambase on OpenML;
# wine comes with scikit-learn; of framingham no public source of this form is known
OPENML_IDS = {"iris": 61, "zoo": 62, "seeds": 1499, "libras": 299, "bank": 1558, "spam": 44}

NOTES = {
    "wine": "paper: the class is a feature and proline is missing",
    "zoo": "paper: the class is a feature",
    "framingham": "paper: scaled by the bounds of all 4240 rows, then 3658 complete rows kept",
    "bank": "7 numbers and 9 categories, one-hot with every level: 51 columns",
}

BANK_COLUMNS = [
    "age", "job", "marital", "education", "default", "balance", "housing", "loan",
    "contact", "day", "month", "duration", "campaign", "pdays", "previous", "poutcome",
]  # fmt: skip


def read(name: str, folder: Path | None) -> pd.DataFrame:
    """The features without the class, raw, complete rows only."""
    return _original(name, folder).drop(columns="label").dropna().reset_index(drop=True)


def read_as_paper(name: str, folder: Path | None) -> pd.DataFrame:
    """The numbers that reproduce the paper's columns, scaled."""
    table = _original(name, folder)
    features = table.drop(columns="label")
    if name == "wine":
        features = features.drop(columns="proline")
        features.insert(0, "class_leaked", _as_codes(table["label"]))
    if name == "zoo":
        features["type_leaked"] = _as_codes(table["label"])
    scaled = scale_columns(features)
    return scaled.dropna().reset_index(drop=True)


def _original(name: str, folder: Path | None) -> pd.DataFrame:
    table = read_csv(folder, f"full/{name}.csv")
    if table is None:
        table = _fetch_original(name)
    table = table.drop(columns=["animal", "animal_name"], errors="ignore")
    return check_shape(name, table, *SHAPES[name])


def _fetch_original(name: str) -> pd.DataFrame:
    if name == "wine":
        return _bundled_wine()
    if name not in OPENML_IDS:
        reason = "the file is not in the data folder and no public source of this version is known"
        raise explain_absence(name, reason, f"full/{name}.csv")
    table = fetch(name, OPENML_IDS[name])
    if name == "bank" and table.shape[1] == len(BANK_COLUMNS) + 1:
        table.columns = [*BANK_COLUMNS, "label"]
    return table.apply(_plain_column)


def _bundled_wine() -> pd.DataFrame:
    bunch = load_wine(as_frame=True)
    renamed = {"od280/od315_of_diluted_wines": "od280_od315"}
    return bunch.data.rename(columns=renamed).assign(label=bunch.target + 1)


def _plain_column(column: pd.Series) -> pd.Series:
    """true/false as 1/0, categories of numbers as numbers, other categories as text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if set(column.dropna().astype(str).str.lower()) <= {"true", "false"}:
        return column.astype(str).str.lower().eq("true").astype(int)
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers if numbers.notna().equals(column.notna()) else column


def _as_codes(label: pd.Series) -> pd.Series:
    """Classes as 1, 2, ... in their own order."""
    if pd.api.types.is_numeric_dtype(label.dtype):
        return label
    return pd.Series(pd.factorize(label, sort=True)[0] + 1, index=label.index)
