"""Where the tables come from: a folder of CSV files, scikit-learn, or OpenML."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pandas as pd
from sklearn.datasets import fetch_openml

ENVIRONMENT_VARIABLE = "POLYCLUST_DATA"
REPOSITORY = Path(__file__).resolve().parents[2]
NEIGHBOUR = REPOSITORY.parent / "shared" / "data"


class DataNotFoundError(RuntimeError):
    """A table is neither in the data folder nor at a public source that could be reached."""


def find_folder(given: str | Path | None = None) -> Path | None:
    """The data folder: the one given, else the environment's, else the one beside the repository."""
    named = given or os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise DataNotFoundError(
                f"The data folder {str(folder)!r} does not exist; check --data or {ENVIRONMENT_VARIABLE}."
            )
        return folder
    return NEIGHBOUR if NEIGHBOUR.is_dir() else None


def read_csv(folder: Path | None, *names: str) -> pd.DataFrame | None:
    """The first of the files that is there, with its last column `label`."""
    for name in names if folder else ():
        path = folder / name  # type: ignore[operator]
        if path.is_file():
            return pd.read_csv(path)
    return None


def fetch(name: str, data_id: int) -> pd.DataFrame:
    """A table from OpenML, its class in the last column `label`; where no class is declared it is the last column."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of retries; the last failure is told below
            bunch = fetch_openml(data_id=data_id, as_frame=True, parser="auto")
    except OSError as error:  # no network, no such page, a broken download
        raise explain_absence(
            name, f"OpenML's table {data_id} could not be fetched ({error})", f"full/{name}.csv"
        ) from error
    except ValueError as error:  # withdrawn, or not what was announced
        raise explain_absence(
            name, f"OpenML's table {data_id} could not be read ({error})", f"full/{name}.csv"
        ) from error
    if bunch.target is None:
        return bunch.data.rename(columns={bunch.data.columns[-1]: "label"})
    return bunch.data.assign(label=bunch.target)


def explain_absence(name: str, reason: str, file: str) -> DataNotFoundError:
    """One sentence: what is missing, why, and what to do."""
    return DataNotFoundError(
        f"No data for {name!r}: {reason}; give the folder that holds {file} with --data or {ENVIRONMENT_VARIABLE}."
    )


def check_shape(name: str, frame: pd.DataFrame, n_rows: int, n_columns: int) -> pd.DataFrame:
    """Refuse a table that is not the one the paper used."""
    if frame.shape != (n_rows, n_columns):
        raise DataNotFoundError(
            f"The table {name!r} has {frame.shape[0]} rows and {frame.shape[1]} columns, not {n_rows} and "
            f"{n_columns}: it is another version; give the right one with --data or {ENVIRONMENT_VARIABLE}."
        )
    return frame
