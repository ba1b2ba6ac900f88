"""The forms in which rules can be printed, known before anything heavy is imported."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Form"]


class Form(StrEnum):
    """How to print the rules."""

    text = "text"
    markdown = "markdown"
    html = "html"
    latex = "latex"
    json = "json"
    sql = "sql"
    python = "python"
