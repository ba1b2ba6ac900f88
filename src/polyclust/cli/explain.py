"""``polyclust explain``: the rules of a model in the form that is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from polyclust.cli.assign import read_model
from polyclust.cli.checking import speak_of_options
from polyclust.cli.explain_form import Form
from polyclust.cli.terminal import fit_terminal
from polyclust.explain.explanation import Explanation
from polyclust.files import refuse_input_as_output, write_whole

__all__ = ["run_explain"]


def run_explain(
    model: Path,
    form: Form,
    pair: tuple[int, int] | None,
    table: Sequence[str],
    dialect: str,
    column: str,
    output: Path | None,
) -> int:
    """The whole command; the exit code."""
    if pair is not None and form is not Form.text:
        raise ValueError(f"--pair is printed as text only: leave out --format {form.value}.")
    refuse_input_as_output(output, model, model / "model.json")
    explanation = read_model(model).explanation
    text = _render(explanation, form, table, dialect, column) if pair is None else f"{explanation.pairwise(*pair)}\n"
    if output is None:
        typer.echo(text, nl=not text.endswith("\n"))
    else:
        write_whole(output, text)
    return 0


def _render(explanation: Explanation, form: Form, table: Sequence[str], dialect: str, column: str) -> str:
    if form is Form.sql:
        try:
            return explanation.to_sql(table, dialect=dialect, column=column)
        except ValueError as error:
            raise ValueError(speak_of_options(str(error))) from error
    if form is Form.text:
        return explanation.to_text(fit_terminal())
    return str(getattr(explanation, f"to_{form.value}")())
