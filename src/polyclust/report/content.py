"""From a subject to what the page says: texts, tables and the data of the charts. No HTML here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyclust.caveats import LARGEST_TRIED
from polyclust.explain.clauses import make_clause
from polyclust.explain.explanation import Explanation
from polyclust.explain.spelling import format_count, format_number, spell_count
from polyclust.explain.wording import word_clause, word_conditions, word_sum
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.palette import PALETTE
from polyclust.report.clarity import Clarity, judge, measure_clarity
from polyclust.report.picture import (
    choose_axes,
    choose_picture_columns,
    draw_sample,
    prepare_column,
    prepare_terms,
)
from polyclust.report.profile import ProfileLine, draw_up_profile, spell_share
from polyclust.report.subject import ReportSubject
from polyclust.table.kinds import FoundColumn

__all__ = ["gather_content"]

SYMBOLS = (
    ("circle", "●"),
    ("square", "■"),
    ("triangle-up", "▲"),
    ("diamond", "◆"),
    ("triangle-down", "▼"),
    ("cross", "✚"),
    ("x", "✖"),
    ("star", "★"),
    ("pentagon", "⬟"),
    ("hexagon", "⬢"),
)
MOST_PROFILE_LINES = 60
FEW_VALUES = 12  # of a category: of more only those that differ between clusters are shown
NOTABLE = 0.2  # standard deviations
MOST_TYPICAL = 4


def gather_content(subject: ReportSubject) -> dict[str, Any]:
    """Everything the template needs."""
    n_clusters = subject.explanation.n_clusters
    clarity = measure_clarity(subject.scaled, subject.labels, n_clusters, subject.metric, subject.seed)
    profile = draw_up_profile(subject.table, subject.labels, n_clusters)
    profile_shown = _choose_lines(profile)
    clusters = [_describe_cluster(subject, k, profile, clarity) for k in range(n_clusters)]
    data = _gather_data(subject, clusters, clarity, profile_shown)
    return {
        "title": subject.title,
        "lead": _say_lead(subject),
        "facts": _list_facts(subject, clarity),
        "notes": list(subject.notes),
        "clusters": clusters,
        "columns": data["columns"],
        "axes": data["axes"],
        "pairs": data["pairs"],
        "profile": [_describe_line(line) for line in profile_shown],
        "n_profile_hidden": len(profile) - len(profile_shown),
        "clarity": _describe_clarity(subject, clarity),
        "scores": data["scores"],
        "scores_text": _say_scores(subject),
        "number_text": _say_number(subject),
        "sample_text": _say_sample(subject, len(data["labels"])),
        "sql": subject.sql,
        "python": subject.python,
        "found": [_describe_found(column) for column in subject.found],
        "rows_text": _say_rows(subject),
        "data": data,
    }


def colour_of(cluster: int) -> str:
    """The colour of a cluster, the same on cards and charts."""
    return PALETTE[cluster % len(PALETTE)]


def _describe_cluster(
    subject: ReportSubject, cluster: int, profile: Sequence[ProfileLine], clarity: Clarity
) -> dict[str, Any]:
    rule = subject.explanation.rules[cluster]
    size = int((subject.labels == cluster).sum())
    share = size / len(subject.labels)
    symbol, glyph = SYMBOLS[cluster % len(SYMBOLS)]
    own = clarity.clusters[cluster]
    return {
        "label": cluster,
        "name": subject.name_of(cluster),
        "colour": colour_of(cluster),
        "symbol": symbol,
        "glyph": glyph,
        "size_text": format_count(size),
        "size_noun": "row" if size == 1 else "rows",
        "share_text": spell_share(share),
        "share_width": round(100 * share, 2),
        "is_at_minimum": rule.is_at_minimum,
        "clauses": list(word_conditions(rule.clauses, subject.explanation.vocabulary)),
        "typical": _list_typical(profile, cluster),
        "clarity_words": f"{own.word.capitalize()} (clarity {own.average:.2f} of 1)." if clarity.n_rows else "",
        "clarity": {
            "word": own.word,
            "average_text": f"{own.average:.2f}",
            "misplaced_text": spell_share(own.misplaced),
        },
    }


def _list_typical(profile: Sequence[ProfileLine], cluster: int) -> list[dict[str, Any]]:
    """The lines on which the cluster differs most from all rows, one per column; of equals what it has."""
    ordered = sorted(profile, key=lambda line: (-round(abs(line.standing[cluster]), 9), line.standing[cluster] < 0))
    typical: list[ProfileLine] = []
    for line in ordered:
        is_new = all(line.column != other.column for other in typical)
        if is_new and abs(line.standing[cluster]) >= NOTABLE and len(typical) < MOST_TYPICAL:
            typical.append(line)
    return [
        {
            "text": f"{line.name}: {line.text(cluster)}{'' if line.is_share else ' on average'}",
            "comparison": f"(all rows: {line.spell(line.overall)})",
            "own_position": line.position(line.averages[cluster]),
            "all_position": line.position(line.overall),
        }
        for line in typical
    ]


def _choose_lines(profile: Sequence[ProfileLine]) -> list[ProfileLine]:
    """The lines that are shown, in their order: those on which the clusters differ most."""
    counts = Counter(line.column for line in profile)
    telling = [line for line in profile if counts[line.column] <= FEW_VALUES or line.spread >= NOTABLE]
    shown = sorted(telling, key=lambda line: -line.spread)[:MOST_PROFILE_LINES]
    return [line for line in telling if line in shown]


def _describe_line(line: ProfileLine) -> dict[str, Any]:
    cells = [
        {
            "text": line.text(k),
            "direction": "high" if standing > NOTABLE else "low" if standing < -NOTABLE else "near",
            "strength": round(min(abs(standing), 2.0) / 2.0 * 62),
        }
        for k, standing in enumerate(line.standing)
    ]
    return {"name": line.name, "cells": cells, "overall": line.spell(line.overall)}


def _describe_found(column: FoundColumn) -> dict[str, Any]:
    missing = f", {format_count(column.n_missing)} missing" if column.n_missing else ""
    note = f"{column.note}{missing}" + (f": {column.advice}" if column.advice else "")
    return {"name": column.name, "kind": column.kind, "is_used": column.is_used, "note": note}


def _gather_data(
    subject: ReportSubject,
    clusters: Sequence[dict[str, Any]],
    clarity: Clarity,
    profile: Sequence[ProfileLine],
) -> dict[str, Any]:
    names = choose_picture_columns(subject.table, subject.explanation)
    rows = draw_sample(subject.labels, len(names), subject.seed)
    columns = [prepare_column(subject.table[name], name, rows) for name in names]
    numbers = np.arange(1, len(subject.labels) + 1) if subject.row_numbers is None else subject.row_numbers
    halfspaces = [_list_halfspaces(subject.explanation, k, columns) for k in range(len(clusters))]
    return {
        "clusters": [
            {key: c[key] for key in ("label", "name", "colour", "symbol")}
            | {"clarity": _clarity_numbers(clarity, c["label"]), "halfspaces": halfspaces[c["label"]] or []}
            for c in clusters
        ],
        "can_draw_areas": all(h is not None for h in halfspaces),
        "columns": columns,
        "axes": choose_axes(subject.table, names, subject.labels, subject.explanation),
        "labels": subject.labels[rows].tolist(),
        "rows": numbers[rows].tolist(),
        "ids": None if subject.ids is None else [str(subject.ids[r])[:60] for r in rows],
        "pairs": [_describe_pair(subject, h, columns) for h in subject.explanation.hyperplanes],
        "profile": [
            {
                "column": p.column,
                "name": p.name,
                "texts": [p.text(k) for k in range(len(clusters))],
                "standing": p.standing,
            }
            for p in profile
        ],
        "scores": [{"k": int(k), "score": float(s)} for k, s in _list_scores(subject)],
        "criterion": subject.criterion,
    }


def _clarity_numbers(clarity: Clarity, cluster: int) -> dict[str, Any]:
    own = clarity.clusters[cluster]
    return {"average": own.average, "word": own.word}


def _list_halfspaces(
    explanation: Explanation, cluster: int, columns: Sequence[dict[str, Any]]
) -> list[dict[str, Any]] | None:
    prepared = [prepare_terms(clause, columns) for clause in explanation.rules[cluster].clauses]
    return None if any(p is None for p in prepared) else [p for p in prepared if p is not None]


def _describe_pair(subject: ReportSubject, hyperplane: Hyperplane, columns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    clause = make_clause(hyperplane, True, subject.explanation.features)
    vocabulary = subject.explanation.vocabulary
    prepared = prepare_terms(clause, columns)
    above, below = subject.name_of(hyperplane.above), subject.name_of(hyperplane.below)
    words = word_clause(clause, vocabulary)
    term = clause.terms[0]
    is_yes_no = len(clause.terms) == 1 and term.feature.is_binary
    return {
        "above": hyperplane.above,
        "below": hyperplane.below,
        "clause": words,
        "text": f"IF {words}: {above} ELSE {below}",
        "left_side": words if is_yes_no else word_sum(clause.terms, vocabulary),
        "threshold": clause.threshold,
        "is_yes_no": is_yes_no and term.feature.kind != "cut",
        "terms": prepared["terms"] if prepared else [{"column": None}],
    }


def _say_lead(subject: ReportSubject) -> str:
    n_columns = subject.table.shape[1]
    return (
        f"{spell_count(len(subject.labels), 'row')} of {subject.source}, described by "
        f"{spell_count(n_columns, 'column')}, fall into {spell_count(subject.explanation.n_clusters, 'cluster')}. "
        "Each has a rule in the words of your table, and the rules alone decide who belongs where."
    )


def _list_facts(subject: ReportSubject, clarity: Clarity) -> list[dict[str, str]]:
    facts = [
        {"label": "Rows", "value": format_count(len(subject.labels)), "note": _dropped_note(subject)},
        {"label": "Clusters", "value": str(subject.explanation.n_clusters), "note": ""},
        {"label": "Clauses", "value": format_count(subject.explanation.n_clauses), "note": _clauses_note(subject)},
        {
            "label": "Placed by the rules",
            "value": spell_share(subject.explanation.fidelity),
            "note": "exactly as clustered" if subject.explanation.fidelity == 1 else "as clustered",
        },
    ]
    note = f"{subject.criterion.replace('_', ' ')} {subject.score:.3f}"
    if subject.interval is not None:
        note += f", estimated: {subject.interval[0]:.3f} to {subject.interval[1]:.3f}"
    if clarity.n_rows:
        facts.append({"label": "Overall", "value": judge(clarity.average).capitalize(), "note": note})
    return facts


def _clauses_note(subject: ReportSubject) -> str:
    """How clauses are counted, where the rules show fewer conditions than they have clauses."""
    n_conditions = sum(len(word_conditions(rule.clauses)) for rule in subject.explanation.rules)
    is_folded = n_conditions != subject.explanation.n_clauses
    return "in all rules: a range is two, ∉ one per value" if is_folded else "in all rules together"


def _dropped_note(subject: ReportSubject) -> str:
    return f"{format_count(subject.n_dropped)} left out" if subject.n_dropped else ""


def _describe_clarity(subject: ReportSubject, clarity: Clarity) -> dict[str, Any]:
    total = len(subject.labels)
    words = [f"{subject.name_of(k)}: {c.average:.2f}, {c.word}" for k, c in enumerate(clarity.clusters)]
    sample = (
        f"Measured on {format_count(clarity.n_rows)} of {format_count(total)} rows drawn at random."
        if 0 < clarity.n_rows < total
        else ""
    )
    return {
        "is_measured": clarity.n_rows > 0,
        "verdict": _say_verdict(subject, clarity),
        "chart_text": "Average silhouette by cluster. " + "; ".join(words) + ".",
        "sample_text": sample,
    }


def _say_verdict(subject: ReportSubject, clarity: Clarity) -> str:
    if not clarity.n_rows:
        return "With fewer than two clusters there is nothing to tell apart."
    best = max(range(len(clarity.clusters)), key=lambda k: clarity.clusters[k].average)
    worst = min(range(len(clarity.clusters)), key=lambda k: clarity.clusters[k].average)
    word = judge(clarity.average).replace("its", "their")
    head = f"Overall the clusters are {word} ({clarity.average:.2f} on average)."
    return (
        f"{head} The clearest is “{subject.name_of(best)}” ({clarity.clusters[best].average:.2f}), the least "
        f"clear “{subject.name_of(worst)}” ({clarity.clusters[worst].average:.2f})."
    )


def _say_number(subject: ReportSubject) -> str:
    """Why there are as many clusters as there are; one cluster has no score to show."""
    chosen = subject.explanation.n_clusters
    if not subject.is_number_chosen:
        asked = subject.settings.get("n_clusters", str(chosen))
        found = "" if asked == str(chosen) else f" and {chosen} found"
        others = "The score of each number that was tried:" if len(_list_scores(subject)) > 1 else "No other was tried."
        return f"{asked} clusters were asked for{found}. {others}"
    if len(_list_scores(subject)) < 2:
        return f"{chosen} is the only number of clusters that was found."
    direction = "lowest" if subject.criterion == "davies_bouldin" else "highest"
    more = f" It {LARGEST_TRIED}." if subject.settings.get("max_clusters") == str(chosen) else ""
    return f"Several numbers of clusters were tried; {chosen} has the {direction} score.{more}"


def _say_scores(subject: ReportSubject) -> str:
    listed = ", ".join(f"{k} clusters {s:.3f}" for k, s in _list_scores(subject))
    return f"{subject.criterion.replace('_', ' ').capitalize()} by number of clusters: {listed}."


def _list_scores(subject: ReportSubject) -> list[tuple[int, float]]:
    """Scores by number of clusters, where there is one: a single cluster has none."""
    return sorted((k, s) for k, s in subject.scores.items() if k > 1 and math.isfinite(s))


def _say_sample(subject: ReportSubject, n_drawn: int) -> str:
    total = len(subject.labels)
    if n_drawn == total:
        return f"All {format_count(total)} rows are drawn. Values of categories are spread a little to be seen."
    return (
        f"{format_count(n_drawn)} of {format_count(total)} rows are drawn, chosen at random within each cluster. "
        "Values of categories are spread a little to be seen."
    )


def _say_rows(subject: ReportSubject) -> str:
    dropped = (
        f"{spell_count(subject.n_dropped, 'row')} with missing values left out (empty cluster in labels.csv); the SQL, "
        "the Python function and 'polyclust assign' place them all the same where the rules need no missing value. "
        if subject.n_dropped
        else ""
    )
    values = {name: format_number(v) if isinstance(v, float) else v for name, v in subject.fills.items()}
    fills = "; ".join(f"{name}: {value}" for name, value in values.items())
    return dropped + (f"Missing values were replaced: {fills}." if fills else "")
