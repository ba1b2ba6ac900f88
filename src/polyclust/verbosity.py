"""Progress for people: a line on standard error that says what is being done and the best score so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from polyclust.progress import Progress, listen_to_progress

__all__ = ["show_progress"]


@contextmanager
def show_progress(verbose: int) -> Iterator[None]:
    """While the block runs, show the search's reports (rich draws on a terminal and prints lines in a pipe)."""
    if not verbose:
        yield
        return
    from rich.console import Console

    console = Console(stderr=True)
    seen: set[str] = set()

    def show(report: Progress) -> None:
        score = "" if report.best_score is None else f", best score {report.best_score:.4f}"
        if status is not None:
            status.update(f"{report.phase}: {report.done} steps{score}")
        elif report.phase not in seen:
            seen.add(report.phase)
            console.print(f"{report.phase}{score}", highlight=False)

    if console.is_terminal:
        with console.status("starting") as status, listen_to_progress(show):
            yield
    else:
        status = None
        with listen_to_progress(show):
            yield
