"""An explanation as an HTML fragment for notebooks and pages; everything from the data is escaped."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from polyclust.explain.explanation import Explanation
from polyclust.explain.summary import summarise

__all__ = ["make_environment", "render_html"]


def render_html(explanation: Explanation) -> str:
    """One section that carries its own style and needs nothing from outside."""
    return make_environment("render").get_template("explanation.html.jinja").render(summary=summarise(explanation))


def make_environment(folder: str) -> Environment:
    """Templates of a folder of polyclust: everything is escaped, and a name that nobody gave is an error."""
    return Environment(
        loader=PackageLoader("polyclust", folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
