"""The table of a study that looks at one generated table after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from threadpoolctl import threadpool_limits

from benchmarks.markdown import render_table


def print_study(header: Sequence[str], study_table: Callable[[int], Iterable[Sequence[str]]], n_seeds: int) -> None:
    """Run the study on one thread for every seed and print its rows."""
    with threadpool_limits(1):
        rows = [row for seed in range(n_seeds) for row in study_table(seed)]
    print(render_table(header, rows))
