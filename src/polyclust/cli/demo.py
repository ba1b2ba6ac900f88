"""``polyclust demo``: the customers example, from a table to labels for new rows."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import typer

from polyclust.cli.checking import check_options
from polyclust.cli.fit import FitRequest, FitResult, run_fit
from polyclust.demo_data import make_customers
from polyclust.table.source import open_source

__all__ = ["run_demo"]

N_NEW_CUSTOMERS = 50


def run_demo(output: Path, seed: int, force: bool, quiet: bool) -> int:
    """The whole command; the exit code."""
    parameters = {"random_state": seed}
    check_options(parameters, output, force)
    customers = make_customers(seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "customers.csv"
        customers.to_csv(table, index=False)
        request = FitRequest(
            source=replace(open_source(str(table)), path="customers.csv"),
            output=output,
            parameters=parameters,
            command=f"polyclust fit customers.csv --seed {seed}",
            quiet=quiet,
        )
        code = run_fit(request, lambda result: _more_files(customers, result, seed))
    if not quiet:
        typer.echo(_say_next(output))
    return code


def _more_files(customers: pd.DataFrame, result: FitResult, seed: int) -> Mapping[str, str]:
    """The table itself, and new customers with the labels that the rules give them."""
    new = make_customers(N_NEW_CUSTOMERS, seed + 1)
    names = [rule.name for rule in result.explanation.rules]
    labels = result.explanation.predict(new)
    labelled = pd.DataFrame({"customer_id": new["customer_id"], "cluster": labels, "name": [names[k] for k in labels]})
    return {
        "customers.csv": customers.to_csv(index=False),
        "new_customers.csv": new.to_csv(index=False),
        "new_labels.csv": labelled.to_csv(index=False),
    }


def _say_next(output: Path) -> str:
    return (
        "\nNext, try:\n"
        f"  polyclust explain {output}/model.json --pair 0 1\n"
        f"  polyclust assign {output}/model.json {output}/new_customers.csv\n"
        f"  polyclust compare {output}/customers.csv --max-clusters 6"
    )
