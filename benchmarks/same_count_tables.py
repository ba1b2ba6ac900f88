"""Ours with the trees' numbers of clusters, as tables and sentences."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

from benchmarks.absence import find_mark
from benchmarks.comparison import DEFAULTS, Study
from benchmarks.lengths import ANY_TREE, Length, average, find_length, name_rival
from benchmarks.markdown import NOTHING, bold_if, render_table, title
from benchmarks.methods.method import name_at
from benchmarks.same_count import Match, list_matches, list_tree_counts, list_unmatched

NOT_MEASURED = "Not measured yet: `python -m benchmarks.run --methods 'mpc-?-at-*'`, after the trees.\n"
MANY = 8  # names that a list can hold
SAME_COUNT_TEXT = (
    "*Ours with the tree's number of clusters*: by `n_clusters=K`, else with the defaults. *Better all round*: of a "
    "higher silhouette or shorter, and neither lower nor longer. ExKMC-5 and Kauri may give a cluster several leaves, "
    "where ours has one polytope.\n"
)


def same_count_section(study: Study, protocol: str) -> str:
    """Means, verdicts and sentences of one protocol."""
    table, lines = same_count_verdicts(study, protocol), same_count_lines(study, protocol)
    return f"#### *{protocol}*, ours with the tree's number of clusters\n\n{table}\n{lines}"


def same_count_verdicts(study: Study, protocol: str) -> str:
    """Ours with the tree's number of clusters against every tree: silhouette and length of both, and who is better."""
    rows = []
    for method in DEFAULTS:
        for rival in [*study.methods(protocol, ("tree",)), ANY_TREE]:
            matches = list_matches(study, protocol, method, rival)
            if matches:
                rows.append([title(method), name_rival(rival), *_show_matches(matches)])
    header = ["ours", "theirs", "clusters", "silhouette", "higher / equal / lower", "clauses per cluster",
              "terms per cluster", "sets where no longer", "better all round"]  # fmt: skip
    return render_table(header, rows) if rows else NOT_MEASURED


def _show_matches(matches: list[Match]) -> list[str]:
    """Cells of one line: means over the data sets, and on how many of them ours is higher, no longer, better."""
    ours, theirs = average([m.ours.length for m in matches]), average([m.theirs.length for m in matches])
    outcomes, verdicts = Counter(m.outcome for m in matches), Counter(m.verdict for m in matches)
    return [
        f"{fmean(m.k for m in matches):.1f}",
        f"{fmean(m.ours.silhouette for m in matches):.4f} / {fmean(m.theirs.silhouette for m in matches):.4f}",
        f"{outcomes['higher']} / {outcomes['equal']} / {outcomes['lower']}",
        f"{ours.clauses:.2f} / {theirs.clauses:.2f}",
        f"{ours.terms:.2f} / {theirs.terms:.2f}",
        f"{sum(m.is_no_longer for m in matches)} of {len(matches)}",
        f"{verdicts['ours']} / {verdicts['theirs']}",
    ]


def same_count_lines(study: Study, protocol: str) -> str:
    """What the rows with the trees' numbers of clusters come to, and where ours falls short."""
    trees = study.methods(protocol, ("tree",))
    lines = []
    for method in DEFAULTS:
        matches = [match for tree in trees for match in list_matches(study, protocol, method, tree)]
        if matches:
            sentences = " ".join((_compare_silhouettes(matches), _weigh_length(matches), _name_worse(matches)))
            lines.append(f"* **{title(method)}**, {len(matches)} pairs of a set and a tree: {sentences}\n")
        if unmatched := list_unmatched(study, protocol, method):
            shown = ", ".join(f"{data} (K = {k})" for data, k in unmatched)
            lines.append(f"* {title(method)} found no clustering with the tree's number of clusters on {shown}.\n")
    return "".join(lines)


def _compare_silhouettes(matches: list[Match]) -> str:
    """On how many pairs ours scores higher, equal and lower, and against which trees it scores lower."""
    outcomes = Counter(m.outcome for m in matches)
    lower = [m for m in matches if m.outcome == "lower"]
    rivals = [f"{title(tree)} {n}" for tree, n in Counter(m.tree for m in lower).items()]
    worst = min(lower, key=lambda m: m.gain, default=None)
    most = f" ({', '.join(rivals)}; at most by {-worst.gain:.4f}, {_name_match(worst)})" if worst else ""
    return (
        f"the silhouette is higher on {outcomes['higher']}, equal on {outcomes['equal']}, lower on {len(lower)}{most}."
    )


def _weigh_length(matches: list[Match]) -> str:
    """On how many pairs ours is longer, by how much, and what that buys."""
    longer = [m for m in matches if not m.is_no_longer]
    if not longer:
        return "The explanation is nowhere longer."
    ours, theirs = average([m.ours.length for m in longer]), average([m.theirs.length for m in longer])
    return (
        f"The explanation is longer on {len(longer)}: there it has {ours.clauses - theirs.clauses:+.2f} clauses and "
        f"{ours.terms - theirs.terms:+.2f} terms per cluster and a silhouette of {fmean(m.gain for m in longer):+.4f}, "
        "on average."
    )


def _name_worse(matches: list[Match]) -> str:
    """Who is better all round, and the names where that is the tree, while they are few."""
    verdicts = Counter(m.verdict for m in matches)
    worse = [_name_match(m) for m in matches if m.verdict == "theirs"]
    names = f" ({', '.join(worse)})" if 0 < len(worse) <= MANY else ""
    return (
        f"Better all round: ours on {verdicts['ours']}, the tree on {verdicts['theirs']}{names}; "
        f"alike on {verdicts['both']}; each is better at something on {verdicts['neither']}."
    )


def _name_match(match: Match) -> str:
    return f"{match.data} against {title(match.tree)}"


def same_count_table(study: Study, protocol: str) -> str:
    """A row per data set and number of clusters of a tree: the trees that have it, and ours with the same number."""
    trees = study.methods(protocol, ("tree",))
    rows = []
    for data in study.names(protocol):
        for k in list_tree_counts(study, protocol, data):
            theirs = [tree if study.value(protocol, data, tree, "k") == k else None for tree in trees]
            contenders = [*theirs, *(name_at(method, k) for method in DEFAULTS)]
            rows.append([data, str(k), *_show_contenders(study, protocol, data, contenders)])
    return render_table(["data", "K", *map(title, (*trees, *DEFAULTS))], rows)


def _show_contenders(study: Study, protocol: str, data: str, methods: list[str | None]) -> list[str]:
    """Silhouette and length, the best in bold; an empty cell for a tree of another number of clusters."""
    scores = [study.silhouette(protocol, data, method) if method else None for method in methods]
    best = max((score for score in scores if score is not None), default=0.0)
    cells = []
    for method, score in zip(methods, scores, strict=True):
        length = find_length(study, protocol, data, method) if method else None
        if method is None:
            cells.append("")
        elif score is None or length is None:
            cells.append(NOTHING + find_mark(study, protocol, data, method))
        else:
            cells.append(f"{bold_if(score, best)}, {_show_length(length)}")
    return cells


def _show_length(length: Length) -> str:
    """Clauses per cluster × terms per clause; one term is not worth saying."""
    terms = length.terms_per_clause
    return f"{length.clauses:.1f}" + (f" × {terms:.1f}" if terms > 1 else "")
