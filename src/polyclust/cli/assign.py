"""``polyclust assign``: label new rows by the rules of a model, in chunks, however large the file."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import typer

from polyclust.cli.bars import count_rows
from polyclust.cli.guard import collect_warnings, complain
from polyclust.cli.preparing import head_ids
from polyclust.explain.explanation import Explanation
from polyclust.explain.rows import read_rows
from polyclust.explain.spelling import format_count, spell_count
from polyclust.explain.summary import format_tenths
from polyclust.files import open_standard_output, open_whole, refuse_input_as_output
from polyclust.geometry.hyperplane import find_members, place_rows
from polyclust.model_file import ModelParts, load_model
from polyclust.render.placing import list_read_columns
from polyclust.table.features import Column
from polyclust.table.kinds import Wishes, is_identifier
from polyclust.table.missing import fill_missing
from polyclust.table.read import iterate_chunks
from polyclust.table.read_text import find_decimal_mark
from polyclust.table.source import TableError, TableSource
from polyclust.table.unseen import UnseenLevels
from polyclust.table.values import convert_to_column

__all__ = ["Tally", "read_model", "refuse_output", "run_assign"]

CHUNK_ROWS = 50_000
DRIFT_POINTS = 0.05
DRIFT_ERRORS = 3  # standard errors of a share


@dataclass
class Tally:
    """What has been seen so far."""

    counts: np.ndarray[Any, np.dtype[np.intp]]
    n_rows: int = 0
    n_missing: int = 0
    n_outside: int = 0
    unseen: UnseenLevels = field(default_factory=UnseenLevels)
    notes: dict[str, None] = field(default_factory=dict)


def read_model(path: Path) -> ModelParts:
    """The model of a file, or one sentence."""
    if path.is_dir():
        path = path / "model.json"
    if not path.exists():
        raise TableError(f"{path} does not exist: give the model.json that 'polyclust fit' wrote.")
    with path.open("rb") as stream:
        if not stream.read(100).lstrip().startswith(b"{"):
            raise TableError(f"{path} is not a model: give the model.json that 'polyclust fit' wrote.")
    return load_model(path)


def refuse_output(output: Path | None, *inputs: str | Path) -> None:
    """Raise TableError if labels cannot be written there, before any work is done."""
    refuse_input_as_output(output, *inputs)
    if output is not None and output.suffix.lower() not in (".csv", ".txt", "") and not output.exists():
        raise TableError(f"-o {output}: labels are written as csv; give a name that ends in .csv.")


def run_assign(parts: ModelParts, source: TableSource, output: Path | None, id_name: str | None, quiet: bool) -> int:
    """The whole command; the exit code."""
    tally = Tally(np.zeros(parts.explanation.n_clusters, dtype=np.intp))
    pieces = _label_chunks(parts.explanation, source, id_name, tally)
    with count_rows(quiet, "labelling") as bar:
        for_bar = (lambda: bar.update(bar.task_ids[0], completed=tally.n_rows)) if bar else (lambda: None)
        with open_standard_output() if output is None else open_whole(output) as stream:
            _write_pieces(pieces, stream, for_bar)
    if not quiet:
        for note in (*tally.notes, *filter(None, [tally.unseen.sentence])):
            complain(f"note: {note}")
        typer.echo(_summarise(parts, tally, output), err=True)
    return 0


def _write_pieces(pieces: Iterator[pd.DataFrame], stream: IO[bytes], after_each: Any) -> None:
    for number, piece in enumerate(pieces):
        stream.write(piece.to_csv(index=False, header=number == 0).encode())
        after_each()


def _label_chunks(
    explanation: Explanation, source: TableSource, id_name: str | None, tally: Tally
) -> Iterator[pd.DataFrame]:
    text_columns = [c.name for c in explanation.columns if c.kind == "category"]
    if id_name is not None:
        text_columns.append(id_name)
    for chunk in iterate_chunks(source, CHUNK_ROWS, text_columns):
        chunk.columns = pd.Index([str(c) for c in chunk.columns])
        if tally.n_rows == 0:
            _refuse_lacking(explanation, chunk, source)
            id_name = id_name or _find_id(chunk, explanation, source)
        _refuse_unknown_id(chunk, id_name, source)
        with collect_warnings() as notes:
            labelled = _label_chunk(explanation, chunk, source, id_name, tally)
        tally.notes.update(dict.fromkeys(notes))
        yield labelled
    if tally.n_rows == 0:
        raise TableError(f"{source.name} has no rows to label.")


def _refuse_lacking(explanation: Explanation, chunk: pd.DataFrame, source: TableSource) -> None:
    lacking = [c.name for c in list_read_columns(explanation) if c.name not in chunk.columns]
    if lacking:
        raise TableError(
            f"{source.name} lacks {len(lacking)} column{'s' * (len(lacking) > 1)} that the rules use "
            f"({', '.join(map(repr, lacking[:5]))}{', …' if len(lacking) > 5 else ''}): {_say_remedy(lacking, chunk)}."
        )


def _say_remedy(lacking: Sequence[str], chunk: pd.DataFrame) -> str:
    """What to do, with the name that the first of the columns probably has now."""
    names = {" ".join(str(name).casefold().split()): str(name) for name in chunk.columns}
    alike = difflib.get_close_matches(" ".join(lacking[0].casefold().split()), names, n=1)
    them = "them" if len(lacking) > 1 else "it"
    return f"add or rename {them}" + (f" ({names[alike[0]]!r} may be {lacking[0]!r})" if alike else "")


def _refuse_unknown_id(chunk: pd.DataFrame, id_name: str | None, source: TableSource) -> None:
    if id_name is not None and id_name not in chunk.columns:
        Wishes(id=id_name).refuse_unknown(chunk.columns.tolist(), source.name)


def _find_id(chunk: pd.DataFrame, explanation: Explanation, source: TableSource) -> str | None:
    """The first column outside the model that looks like an identifier and has no gaps."""
    known = {c.name for c in explanation.columns}
    if len(chunk) < 2:
        return None
    whole = (c for c in chunk.columns if c not in known and chunk[c].is_unique and chunk[c].notna().all())
    return next((c for c in whole if is_identifier(chunk[c], c, find_decimal_mark(source))), None)


def _label_chunk(
    explanation: Explanation, chunk: pd.DataFrame, source: TableSource, id_name: str | None, tally: Tally
) -> pd.DataFrame:
    labels, is_complete, n_outside = _place_chunk(explanation, chunk, source, tally)
    placed = labels[is_complete]
    tally.counts += np.bincount(placed[placed >= 0], minlength=len(tally.counts))
    tally.n_missing += int((~is_complete).sum())
    tally.n_outside += n_outside
    numbers = np.arange(tally.n_rows + 1, tally.n_rows + len(chunk) + 1)
    tally.n_rows += len(chunk)
    clusters = pd.Series(labels, dtype="Int64").where(pd.Series(is_complete))
    names = np.array([rule.name for rule in explanation.rules] + [""], dtype=object)
    return pd.DataFrame(
        {
            head_ids(id_name): numbers if id_name is None else chunk[id_name].to_numpy(),
            "cluster": clusters,
            "name": np.where(is_complete, names[labels], ""),
        }
    )


def _place_chunk(
    explanation: Explanation, chunk: pd.DataFrame, source: TableSource, tally: Tally
) -> tuple[np.ndarray[Any, np.dtype[np.intp]], np.ndarray[Any, np.dtype[np.bool_]], int]:
    """Labels, which rows have every value that a rule uses, and how many lie in no polytope."""
    columns = list_read_columns(explanation)
    planes = sorted({f for h in explanation.hyperplanes for f in h.features})
    used = [f for f in planes if explanation.features[f].column in columns]
    features = [explanation.features[f] for f in used]
    rows = _convert_chunk(chunk, columns, source, tally.n_rows)
    is_complete = rows.notna().all(axis=1).to_numpy(dtype=bool)
    raw = np.zeros((int(is_complete.sum()), len(explanation.features)))
    raw[:, used] = read_rows(rows[is_complete], columns, features, tally.unseen)
    members = find_members(raw, explanation.hyperplanes, explanation.n_clusters)
    labels = np.full(len(chunk), -1, dtype=np.intp)
    labels[is_complete] = place_rows(raw, explanation.hyperplanes, explanation.n_clusters, explanation.outside)
    return labels, is_complete, int((~members.any(axis=1)).sum())


def _convert_chunk(chunk: pd.DataFrame, columns: Sequence[Column], source: TableSource, offset: int) -> pd.DataFrame:
    decimal = find_decimal_mark(source)
    converted = {c.name: convert_to_column(chunk[c.name], c, source.name, offset, decimal) for c in columns}
    rows = pd.DataFrame(converted, index=chunk.index).reset_index(drop=True)
    return fill_missing(rows, {c.name: c.fill for c in columns if c.fill is not None})


def _has_drifted(now: float, before: float, n_rows: int) -> bool:
    """Whether a share has changed by so much that it matters, and by more than so few rows do by chance."""
    by_chance = DRIFT_ERRORS * math.sqrt(before * (1 - before) / n_rows) + 1 / n_rows
    return abs(now - before) > max(DRIFT_POINTS, by_chance)


def _summarise(parts: ModelParts, tally: Tally, output: Path | None) -> str:
    rules = parts.explanation.rules
    total = max(int(tally.counts.sum()), 1)
    width = max(len(rule.name) for rule in rules)
    lines = [f"{spell_count(tally.n_rows, 'row')} labelled" + (f", written to {output}" if output else "")]
    lines.append(f"  cluster  {'name':<{width}}  {'rows':>9}  share now  at fit")
    drifted = []
    for rule, count, before in zip(rules, tally.counts, parts.shares, strict=True):
        now = count / total
        mark = "  changed" if _has_drifted(now, before, total) else ""
        drifted += [str(rule.cluster)] if mark else []
        shares = f"{format_tenths(now):>9}  {format_tenths(before):>6}{mark}"
        lines.append(f"  {rule.cluster:>7}  {rule.name:<{width}}  {format_count(count):>9}  {shares}")
    where = "the nearest cluster" if parts.explanation.outside == "nearest" else "no cluster (-1)"
    lines.append(
        f"  outside every polytope: {spell_count(tally.n_outside, 'row')} "
        f"({format_tenths(tally.n_outside / max(tally.n_rows, 1))}), put in {where}"
    )
    if tally.n_missing:
        lines.append(
            f"  missing a value that a rule uses: {spell_count(tally.n_missing, 'row')}, left without a cluster"
        )
    if drifted:
        lines.append(
            f"  drift: the share of cluster{'s' * (len(drifted) > 1)} {', '.join(drifted)} differs by more than "
            f"{100 * DRIFT_POINTS:g} percentage points from the fit; consider fitting again"
        )
    return "\n".join(lines)
