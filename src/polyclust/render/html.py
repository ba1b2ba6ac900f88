"""An explanation as an HTML fragment for notebooks and pages; everything from the data is escaped."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from polyclust.explain.explanation import Explanation
from polyclust.explain.summary import summarise

__all__ = ["render_html"]


def render_html(explanation: Explanation) -> str:
    """One section that carries its own style and needs nothing from outside."""
    environment = Environment(
        loader=PackageLoader("polyclust.render", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("explanation.html.jinja").render(summary=summarise(explanation))
