"""The first search on a machine compiles the kernels: in a pipe one line on standard error says so, once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polyclust import watching
from polyclust.cli import bars
from polyclust.kernels.compilation import NOTICE
from polyclust.watching import watch_search

TABLE = "a,b\n" + "".join(f"{i % 10 + 20 * (i % 2)},{i % 7}\n" for i in range(60))


def test_only_the_first_run_in_a_pipe_says_that_it_compiles(
    tmp_path: Path, command: list[str], environment: dict[str, str]
) -> None:
    """With a cache of its own, empty at first."""
    (tmp_path / "t.csv").write_text(TABLE)

    def fit() -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*command, "fit", "t.csv", "-o", "out", "-k", "2", "--force"],
            cwd=tmp_path,
            env={**environment, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr
        return done

    first, second = fit(), fit()
    assert first.stderr.splitlines().count(NOTICE) == 1
    assert NOTICE not in second.stderr
    assert "compiling" not in first.stdout


@pytest.mark.parametrize(
    ("quiet", "is_terminal", "is_compiled", "n_told"),
    [(False, False, False, 1), (False, True, False, 1), (True, False, False, 0), (True, True, False, 0)]
    + [(False, False, True, 0), (False, True, True, 0)],
)
def test_who_is_told(
    quiet: bool,
    is_terminal: bool,
    is_compiled: bool,
    n_told: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(watching, "is_compiled", lambda: is_compiled)
    monkeypatch.setattr(bars.sys.stderr, "isatty", lambda: is_terminal)
    with bars.show_progress(quiet):
        for _ in range(2):  # several searches, as polyclust compare runs them
            with watch_search(None, verbose=0):
                pass
    printed = capsys.readouterr()
    assert printed.err.count(NOTICE) == n_told
    assert printed.out == ""
