"""Run the README's examples and put what they print back into it.

``python docs/make_samples.py`` rewrites the outputs in README.md; ``--check`` only says which differ.

* A ``python`` block followed by a ``text`` block: the second is what the first prints. All blocks share their names, in
  the order of the page, as a reader who types them along would have it.
* A ``console`` block: lines after ``$ `` are commands, the others what they print. ``polyclust`` is run for real,
  ``| head -n N`` keeps the first N lines.

Durations differ from run to run, so they are not compared.
"""

# ruff: noqa: T201 - printing is what this file is for

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from polyclust.cli.app import app
from polyclust.kernels.compilation import NOTICE

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"\b\d+\.\d+ s\b|(?<=%)\s+\d+\.\d\d$", re.MULTILINE)
HEAD = re.compile(r"\s*\|\s*head -n (\d+)$")


@dataclass(frozen=True)
class Sample:
    """A piece of the page, where it stands, and what was printed when it ran."""

    source: str
    start: int
    end: int
    written: str
    printed: str

    @property
    def is_current(self) -> bool:
        """Whether the page says what was printed, durations aside."""
        return DURATION.sub("T", self.written) == DURATION.sub("T", self.printed)


def run_page(text: str) -> list[Sample]:
    """Run every example of a page, in order, in a folder of its own."""
    with working_folder():
        return list(_run_blocks(text))


@contextlib.contextmanager
def working_folder() -> Iterator[None]:
    """A temporary folder that holds the examples, as the working directory."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _run_blocks(text: str) -> Iterator[Sample]:
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = list(FENCE.finditer(text))
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        language, body = block.groups()
        if language == "python":
            printed = run_python(body, names)
            if following is not None and following[1] == "text" and not text[block.end() : following.start()].strip():
                yield Sample(body, following.start(2), following.end(2), following[2], printed)
            elif printed:
                raise ValueError(f"A python block prints, but no text block follows it:\n{body}")
        elif language == "console":
            yield Sample(body, block.start(2), block.end(2), body, run_console(body))


def run_python(source: str, names: dict[str, Any]) -> str:
    """What a block prints; its names stay for the blocks that follow."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, "README.md", "exec"), names)
    return output.getvalue().rstrip("\n") + "\n" if output.getvalue() else ""


def run_console(block: str) -> str:
    """The commands of a block, each followed by what it prints now."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{line}\n{run_command(line[2:])}" for line in commands).rstrip("\n") + "\n"


def run_command(line: str) -> str:
    """One ``polyclust`` command: its output and messages."""
    head = HEAD.search(line)
    name, *arguments = shlex.split(HEAD.sub("", line))
    if name != "polyclust":
        raise ValueError(f"Only polyclust is run here; put this in a sh block: {line}")
    before, sys.argv = sys.argv, [name, *arguments]
    try:
        result = CliRunner().invoke(app, arguments, prog_name="polyclust")
    finally:
        sys.argv = before
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    lines = [line for line in result.output.splitlines() if line != NOTICE]  # only before the first fit of a machine
    return "\n".join(lines[: int(head[1])] if head else lines) + "\n"


def update(text: str, samples: list[Sample]) -> str:
    """The page with the outputs that are no longer right replaced."""
    for sample in sorted(samples, key=lambda s: -s.start):
        if not sample.is_current:
            text = text[: sample.start] + sample.printed + text[sample.end :]
    return text


def main() -> int:
    """Rewrite the README, or with --check say what differs; the exit code."""
    text = README.read_text(encoding="utf-8")
    samples = run_page(text)
    stale = [s for s in samples if not s.is_current]
    for sample in stale:
        print(f"changed: {sample.source.splitlines()[0]}")
    print(f"{len(samples)} outputs, {len(stale)} changed")
    if "--check" in sys.argv[1:]:
        return 1 if stale else 0
    README.write_text(update(text, samples), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
