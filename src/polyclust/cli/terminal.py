"""How wide the text may be."""

from __future__ import annotations

import shutil
import sys

from polyclust.render.text import WIDTH

__all__ = ["fit_terminal"]

LEAST_WIDTH = 40


def fit_terminal() -> int:
    """The width of rules as text: the usual one, less on a terminal that is narrower."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(LEAST_WIDTH, min(WIDTH, shutil.get_terminal_size().columns))
