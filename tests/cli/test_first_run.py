"""The first search on a machine compiles the kernels: in a pipe one line on standard error says so, once."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from numba import njit
from numba.core.event import trigger_event

from polyclust.cli import bars
from polyclust.kernels.compilation import NOTICE
from polyclust.kernels.silhouette import score_total
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
    for left in (tmp_path / "cache").rglob("distances.root_products-*"):  # as if the first run had been stopped
        left.unlink()
    assert [fit().stderr.splitlines().count(NOTICE) for _ in range(2)] == [1, 0]


def compile_kernels(is_needed: bool) -> None:
    """What numba tells while it compiles: one of our kernels in another thread, or something of the user's."""
    for function in (score_total, njit(lambda x: x)) if is_needed else (njit(lambda x: x),):
        with ThreadPoolExecutor(1) as threads:
            threads.submit(tell_of_a_compilation, function).result()


def tell_of_a_compilation(function: object) -> None:
    with trigger_event("numba:compile", data={"dispatcher": function}):
        pass


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
    monkeypatch.setattr(bars.sys.stderr, "isatty", lambda: is_terminal)
    with bars.show_progress(quiet):
        for _ in range(2):  # several searches, as polyclust compare runs them
            with watch_search(None, verbose=0):
                compile_kernels(not is_compiled)
    printed = capsys.readouterr()
    assert printed.err.count(NOTICE) == n_told
    assert printed.out == ""
