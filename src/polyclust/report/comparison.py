"""The page of ``polyclust compare``: the table, and the scores as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from polyclust.comparison import Trial
from polyclust.explain.summary import format_tenths
from polyclust.palette import PALETTE
from polyclust.report.page import render_page

__all__ = ["render_comparison"]


def render_comparison(title: str, trials: Sequence[Trial], best: Sequence[Trial], note: str) -> str:
    """One offline page."""
    methods = [
        {
            "name": b.method,
            "colour": PALETTE[i % len(PALETTE)],
            "is_own": b.method.startswith("polyclust"),
            "points": [_describe_trial(t) for t in trials if t.method == b.method],
        }
        for i, b in enumerate(best)
    ]
    listed = "; ".join(f"{b.method} {b.score:.3f} with {b.n_clusters} clusters" for b in best)
    return render_page(
        "comparison.html.jinja",
        script="comparison.js",
        title=title,
        note=note,
        best=[_describe_trial(t) for t in best],
        chart_text=f"Best silhouette of each method: {listed}.",
        data={"methods": methods},
    )


def _describe_trial(trial: Trial) -> dict[str, Any]:
    return asdict(trial) | {"fidelity_text": format_tenths(trial.fidelity)}
