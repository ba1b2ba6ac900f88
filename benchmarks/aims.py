"""What the project set out to reach, and whether the rows reach it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.comparison import (
    DEFAULTS,
    LEFT_OUT,
    ORDER,
    TIE,
    Study,
    list_beaten_by_shorter_trees,
    list_shortfalls,
    tally,
    tally_paper,
)
from benchmarks.lengths import ANY_TREE, compare_lengths
from benchmarks.markdown import title

CEILING_AIMS = {"mpc-1": (0.015, None), "mpc-2": (0.005, 0.02)}  # mean and worst gap that were aimed at
ATOM_AIM = 0.6150


@dataclass(frozen=True)
class Aim:
    """One aim: in words, what was measured, and whether that is enough (None: cannot be told)."""

    words: str
    measured: str
    is_met: bool | None


def list_aims(study: Study) -> list[Aim]:
    """All aims that the rows at hand can say something about."""
    aims = [_reach_the_paper(study, method) for method in DEFAULTS]
    aims.append(_reach_atom(study))
    aims += [_near_the_ceiling(study, method, *limits) for method, limits in CEILING_AIMS.items()]
    aims += [_no_tree_above(study), _no_short_tree_above(study)]
    aims += [_no_longer(study, protocol, method) for protocol in ORDER for method in DEFAULTS]
    aims.append(_exact(study))
    return [aim for aim in aims if aim is not None]


def _reach_the_paper(study: Study, method: str) -> Aim | None:
    """To three decimals; Atom's MPC-2 has an aim of its own, since the printed value needs an eleventh cluster."""
    result = tally_paper(study, method)
    if not (result.won or result.tied or result.lost):
        return None
    lost = [data for data in result.lost if (data, method) != ("atom", "mpc-2")]
    n_sets = len(result.won) + len(result.tied) + len(result.lost)
    below = [
        f"{data} {study.silhouette('paper', data, method):.4f} against {study.paper(data, method):.3f}"
        for data in result.lost
    ]
    words = f"*paper*: {title(method)} at least the paper's on every set{' but Atom' if method == 'mpc-2' else ''}"
    return Aim(words, f"{n_sets - len(result.lost)} of {n_sets}{_after('; below: ', below)}", not lost)


def _reach_atom(study: Study) -> Aim | None:
    score = study.silhouette("paper", "atom", "mpc-2")
    if score is None:
        return None
    return Aim(f"*paper*: Atom, MPC-2 at least {ATOM_AIM:.4f} with K ≤ 10", f"{score:.4f}", score >= ATOM_AIM)


def _near_the_ceiling(study: Study, method: str, mean_aim: float, worst_aim: float | None) -> Aim | None:
    gaps = {data: gap for data, gap in list_shortfalls(study, "practical", method).items() if data != LEFT_OUT}
    if not gaps:
        return None
    mean, worst = sum(gaps.values()) / len(gaps), max(gaps, key=gaps.__getitem__)
    words = f"*practical*: {title(method)} within {mean_aim} of the ceiling on average"
    words += f", {worst_aim} at worst" if worst_aim is not None else ""
    is_met = mean <= mean_aim and (worst_aim is None or gaps[worst] <= worst_aim)
    return Aim(f"{words} ({LEFT_OUT} left out)", f"{mean:.4f}, {gaps[worst]:.4f} at worst ({worst})", is_met)


def _no_tree_above(study: Study) -> Aim | None:
    result = tally(study, "practical", "mpc-2", study.methods("practical", ("tree",)))
    n_sets = len(result.won) + len(result.tied) + len(result.lost)
    if not n_sets:
        return None
    words = "*practical*: no tree above MPC-2 on any set"
    return Aim(words, f"{n_sets - len(result.lost)} of {n_sets}{_after('; above: ', result.lost)}", not result.lost)


def _no_short_tree_above(study: Study) -> Aim | None:
    if "mpc-1" not in study.methods("practical"):
        return None
    beaten = list_beaten_by_shorter_trees(study, "practical", "mpc-1")
    shown = [f"{data} ({title(rival)} by {gap:.4f})" for data, rival, gap in beaten]
    words = "*practical*: no tree with at most as many clauses above MPC-1"
    return Aim(words, ", ".join(shown) or f"none is by {TIE} or more", not beaten)


def _no_longer(study: Study, protocol: str, method: str) -> Aim | None:
    """Met when neither clauses nor terms per cluster are more than those of any tree method, on average."""
    rivals = [ANY_TREE, *study.methods(protocol, ("tree",))]
    contests = [c for rival in rivals if (c := compare_lengths(study, protocol, method, rival)) is not None]
    if not contests:
        return None
    within = [_name(c.rival) for c in contests if c.ours.is_within(c.theirs)]
    longer = [_name(c.rival) for c in contests if not c.ours.is_within(c.theirs)]
    measured = "; ".join(filter(None, (_after("no longer than ", within), _after("longer than ", longer))))
    return Aim(f"*{protocol}*: {title(method)} explains no longer than any tree, on average", measured, not longer)


def _name(rival: str) -> str:
    return "the best tree of each set" if rival == ANY_TREE else title(rival)


def _exact(study: Study) -> Aim | None:
    rows = study.results[study.results["method"].str.startswith("mpc") & (study.results["status"] == "ok")]
    if rows.empty:
        return None
    n_exact = int((rows["fidelity"] == 1.0).sum())
    words = "both: the rules of polyclust give every row its own cluster (fidelity 1)"
    return Aim(words, f"{n_exact} of {len(rows)} cells", n_exact == len(rows))


def _after(words: str, names: list[str] | tuple[str, ...]) -> str:
    return words + ", ".join(names) if names else ""
