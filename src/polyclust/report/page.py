"""The page itself: template, style, script and chart library put into one file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from polyclust.render.html import make_environment
from polyclust.report.content import gather_content
from polyclust.report.subject import ReportSubject

__all__ = ["render_page", "render_report"]


def render_report(subject: ReportSubject) -> str:
    """The report as one HTML file that needs no connection."""
    repeat = {
        "version": subject.versions.get("polyclust", ""),
        "date": subject.date,
        "command": subject.command,
        "settings": subject.settings,
        "versions": subject.versions,
    }
    return render_page("report.html.jinja", script="report.js", repeat=repeat, **gather_content(subject))


def render_page(template: str, *, script: str, **content: Any) -> str:
    """A template with the style, the script and the chart library inside. Everything else is escaped."""
    inlined = {
        "css": Markup(_read_asset("report.css")),
        "js": Markup(_read_asset(script)),
        "plotly_js": Markup(_read_plotly()),
    }
    return _environment().get_template(template).render(**inlined, **content)


@cache
def _environment() -> Environment:
    environment = make_environment("report")
    # NaN is no JSON: better an error here than a page that stays blank.
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment


def _read_asset(name: str) -> str:
    return files("polyclust.report").joinpath(name).read_text(encoding="utf-8")


def _read_plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
