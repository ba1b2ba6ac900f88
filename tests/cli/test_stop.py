"""Ctrl-C in a real terminal writes the best so far; a kill leaves the old or the new, never a half."""

from __future__ import annotations

import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

OUTPUTS = {"labels.csv", "report.html", "rules.md", "rules.sql", "model.json"}


class Terminal:
    """A command in a pseudo terminal, where Ctrl-C is a key."""

    def __init__(self, command: list[str], environment: dict[str, str], cwd: Path) -> None:
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(command[0], command, {**environment, "TERM": "xterm"})
        self.seen = b""

    def read_until(self, pattern: bytes | None, seconds: float) -> bool:
        """Read what appears until the pattern has, or (None) until the command ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if pattern is not None and re.search(pattern, self.seen):
                return True
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    piece = os.read(self.master, 65536)
                except OSError:
                    return pattern is None
                if not piece:
                    return pattern is None
                self.seen += piece
        return False

    def press_control_c(self) -> None:
        os.write(self.master, b"\x03")

    def wait(self) -> int:
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.master)
        return code

    def end(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.wait()


@pytest.fixture
def rugged(tmp_path: Path) -> Path:
    """A table without clusters, on which a search with many starts goes on and on."""
    values = np.random.default_rng(0).normal(size=(400, 6)).round(3)
    pd.DataFrame(values, columns=list("abcdef")).to_csv(tmp_path / "rugged.csv", index=False)
    return tmp_path


def test_control_c_writes_the_best_so_far(rugged: Path, command: list[str], environment: dict[str, str]) -> None:
    arguments = ("fit", "rugged.csv", "-o", "out", "--terms", "2", "--coefficient", "3", "--starts", "60")
    terminal = Terminal([*command, *arguments], environment, rugged)
    if not terminal.read_until(rb"best -?[0-9]\.[0-9]", 120):
        terminal.end()
        pytest.fail(f"no progress bar with a score: {terminal.seen[-2000:]!r}")
    terminal.press_control_c()
    assert terminal.read_until(None, 120), terminal.seen[-2000:]
    assert terminal.wait() == 130, terminal.seen[-2000:]
    assert {p.name for p in (rugged / "out").iterdir()} == OUTPUTS
    labels = pd.read_csv(rugged / "out" / "labels.csv")
    assert len(labels) == 400
    assert labels["cluster"].notna().all()
    assert labels["cluster"].nunique() >= 2
    assert b"ended early" in terminal.seen
    assert b"Traceback" not in terminal.seen


def test_control_c_before_a_first_result_writes_nothing(
    rugged: Path, command: list[str], environment: dict[str, str]
) -> None:
    spool = rugged / "spool"
    spool.mkdir()
    process = subprocess.Popen(
        [*command, "fit", "-", "-o", "out"],
        cwd=rugged,
        env={**environment, "TMPDIR": str(spool)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # The command is waiting for its table once the copy of standard input has been begun.
    end = time.monotonic() + 60
    while not list(spool.glob("polyclust-*")) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"nothing was written" in complaint
    assert b"Traceback" not in complaint
    assert not (rugged / "out").exists()


def test_a_killed_fit_leaves_the_old_or_the_new(
    fitted: Path, tmp_path: Path, command: list[str], environment: dict[str, str]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    old = {name: f"old {name}" for name in OUTPUTS}
    for name, content in old.items():
        (out / name).write_text(content)
    fit = [*command, "fit", str(fitted.parent / "customers.csv"), "-o", str(out), "-k", "2", "--force"]
    started = time.monotonic()
    subprocess.run(fit, env=environment, check=True, capture_output=True)
    seconds = time.monotonic() - started
    new = {p.name: p.read_text() for p in out.iterdir()}
    assert set(new) == OUTPUTS
    assert all(new[name] != old[name] for name in OUTPUTS)
    chance = random.Random(0)
    for _ in range(3):
        for name, content in old.items():
            (out / name).write_text(content)
        process = subprocess.Popen(fit, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(chance.uniform(0.6, 1.05) * seconds)
        process.kill()
        process.communicate()
        assert {p.name: p.read_text() for p in out.iterdir()} in (old, new)


WRITER = """
import sys
from pathlib import Path
from polyclust.files import replace_folder
folder, n = Path(sys.argv[1]), 0
while True:
    n = 1 - n
    replace_folder(folder, {name: str(n) * 300_000 for name in "abc"})
    print("done", flush=True)
"""


def test_a_killed_writer_leaves_a_whole_folder(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "out"
    chance = random.Random(1)
    for _ in range(25):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], env=environment, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.03))
        process.kill()
        process.communicate()
        contents = {(p.name, p.read_text()) for p in folder.iterdir()}
        assert contents in ({(n, "0" * 300_000) for n in "abc"}, {(n, "1" * 300_000) for n in "abc"})
    # What killed processes left beside the folder is swept away by the next writer.
    assert len([p for p in tmp_path.iterdir() if p.name != "out"]) <= 1
