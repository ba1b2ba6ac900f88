"""Short names for clusters, made from their rules and profiles: ``high petal length, low ash``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from polyclust.explain.profile import ClusterProfile, Trait
from polyclust.explain.spelling import format_number, on_one_line
from polyclust.explain.wording import is_choice
from polyclust.table.features import Column, Feature

if TYPE_CHECKING:
    from polyclust.explain.explanation import Clause

__all__ = ["check_names", "name_clusters"]

N_WORDS = 2
LEAST_EFFECT = 0.1
CLEAR_EFFECT = 0.3  # of what the rule does not speak of; less only tells names apart
LONGEST_TEXT = 40  # letters of a value or of a column's name; the rule has them all
NEARLY_ALL = 0.9  # of a cluster's rows: what a name may say without "mostly"


def name_clusters(clauses: Sequence[Sequence[Clause]], profiles: Sequence[ClusterProfile]) -> tuple[str, ...]:
    """One name per cluster, no two alike. Features of the rule come first, then the strongest traits."""
    described = [trait.feature.column for profile in profiles for trait in profile.traits]
    ruled = [term.feature.column for rule in clauses for clause in rule for term in clause.terms]
    words = _word_columns({*described, *ruled})
    listed = [_list_phrases(rule, profile, words) for rule, profile in zip(clauses, profiles, strict=True)]
    phrases = [[phrase for phrase, _ in rule] for rule in listed]
    lengths = [min(N_WORDS, max(1, sum(is_clear for _, is_clear in rule)), len(rule)) for rule in listed]
    names = _join(phrases, lengths)
    while (longer := _lengthen(names, phrases, lengths)) != lengths:
        lengths = longer
        names = _join(phrases, lengths)
    return _number_doubles(names)


def check_names(names: Any, n_clusters: int) -> list[str]:
    """Names that were given, one per cluster; a ValueError where there are more or fewer, or one text only."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"names must be a list of {n_clusters} names, one per cluster; got {names!r}.")
    found = [str(name) for name in names]
    if len(found) != n_clusters:
        raise ValueError(f"names must be {n_clusters}, one per cluster; got {len(found)}.")
    return found


def _list_phrases(
    clauses: Sequence[Clause], profile: ClusterProfile, words: Mapping[Column, str]
) -> list[tuple[str, bool]]:
    """What can be said of a cluster, the best first, and whether it is clear enough for a name by itself."""
    used = {(t.feature.column, t.feature.level) for clause in clauses for t in clause.terms}
    middle = _bounded_on_both_sides(clauses)
    # What lies in the middle hardly differs from the rest, and yet the rule speaks of it.
    traits = [t for t in profile.traits if t.strength >= LEAST_EFFECT and t.feature not in middle]
    traits = [t for t in traits if not _contradicts_rule(t, clauses)]
    traits += [Trait(feature, LEAST_EFFECT, 0.0, 0.0) for feature in middle]
    best_of_column: dict[Column, Trait] = {}
    for trait in sorted(traits, key=lambda t: _precedence(t, used)):
        best_of_column.setdefault(trait.feature.column, trait)
    return [
        (_word_trait(t, words[column], clauses, t.feature in middle), t.strength >= CLEAR_EFFECT or _is_used(t, used))
        for column, t in best_of_column.items()
    ]


def _is_used(trait: Trait, used: set[tuple[Column, Hashable]]) -> bool:
    is_level = trait.feature.kind == "level"  # a rule that names one level speaks of them all
    return any(c == trait.feature.column and (is_level or v == trait.feature.level) for c, v in used)


def _precedence(trait: Trait, used: set[tuple[Column, Hashable]]) -> tuple[bool, float, bool]:
    """What the rule speaks of, then what is strongest; what a cluster is rather than what it is not."""
    return not _is_used(trait, used), -round(trait.strength, 9), trait.effect < 0


def _contradicts_rule(trait: Trait, clauses: Sequence[Clause]) -> bool:
    """Whether the cluster is low on average in what its rule asks to be high, or the other way round."""
    other_side = "<" if trait.effect > 0 else "≥"
    single = ((c.terms[0].feature, c.comparison) for c in clauses if len(c.terms) == 1)
    return any(feature == trait.feature and side == other_side for feature, side in single)


def _bounded_on_both_sides(clauses: Sequence[Clause]) -> list[Feature]:
    single = [(c.terms[0].feature, c.comparison) for c in clauses if len(c.terms) == 1]
    return [f for f, side in single if side == "≥" and (f, "<") in single]


def _word_trait(trait: Trait, name: str, clauses: Sequence[Clause], is_middle: bool) -> str:
    feature, is_more = trait.feature, trait.effect > 0
    if feature.kind == "level":
        return _word_level(trait, name, clauses)
    if feature.kind == "cut":
        value = format_number(float(feature.level))  # type: ignore[arg-type]
        return f"{name} {value} or more" if is_more else f"{name} below {value}"
    if feature.kind == "boolean":
        return f"{_word_share(trait, 'no ')}{name}"
    return f"medium {name}" if is_middle else f"{'high' if is_more else 'low'} {name}"


def _word_level(trait: Trait, name: str, clauses: Sequence[Clause]) -> str:
    """The value that sets the cluster apart, the two that its rule leaves, or that it is none of several others."""
    column = trait.feature.column
    share, left = _word_share(trait, "not "), _list_levels_left(column, clauses)
    if share and len(left) == 2:
        return f"{name} {_spell_in_name(left[0], column)} or {_spell_in_name(left[1], column)}"
    if share not in ("", "mostly ") and left and len(column.levels) - len(left) > 1:
        return f"other {name}"
    return f"{name} {share}{_spell_in_name(trait.feature.level, column)}"


def _spell_in_name(level: Hashable, column: Column) -> str:
    """A value or its first words, in quotation marks where it could be taken for several phrases."""
    text = _shorten(on_one_line(str(level)), [on_one_line(str(other)) for other in column.levels if other != level])
    if "," not in text:
        return text
    return f"“{text}”" if '"' in text else f'"{text}"'


def _shorten(text: str, others: Iterable[str]) -> str:
    """A long text up to the end of a word, unless another begins so too."""
    if len(text) <= LONGEST_TEXT:
        return text
    head = text[: LONGEST_TEXT + 1].rsplit(" ", 1)[0][:LONGEST_TEXT].rstrip(" ,;:/([-–")
    return text if any(other.startswith(head) for other in others) else f"{head}…"


def _list_levels_left(column: Column, clauses: Sequence[Clause]) -> list[Hashable]:
    """The values of a category that a rule does not exclude."""
    plain = [c for c in clauses if c.comparison == "<" and is_choice(c) and c.terms[0].feature.column == column]
    excluded = {t.feature.level for c in plain for t in c.terms}
    return [level for level in column.levels if level not in excluded] if plain else []


def _word_share(trait: Trait, denial: str) -> str:
    """What to put before a feature that is there or not, so that a name does not claim it of rows without it."""
    is_more = trait.effect > 0
    share = round(trait.typical if is_more else 1 - trait.typical, 9)
    if share >= NEARLY_ALL:
        return "" if is_more else denial
    if not is_more:
        return "less often "
    return "mostly " if share >= 0.5 else "more often "


def _word_columns(columns: Collection[Column]) -> dict[Column, str]:
    """Names without underscores, and without a unit in brackets at the end unless only that tells two apart.

    Of long ones, as the questions of surveys are, the first words.
    """
    words = {column: on_one_line(column.name.replace("_", " ")) for column in columns}
    short = {column: re.sub(r" (\([^()]*\)|\[[^\[\]]*\])$", "", name) for column, name in words.items()}
    counts = Counter(short.values())
    names = {column: name if counts[name] == 1 else words[column] for column, name in short.items()}
    return {
        column: _shorten(name, (other for key, other in names.items() if key != column))
        for column, name in names.items()
    }


def _join(phrases: Sequence[Sequence[str]], lengths: Sequence[int]) -> list[str]:
    return [", ".join(p[:n]) or "all rows" for p, n in zip(phrases, lengths, strict=True)]


def _lengthen(names: Sequence[str], phrases: Sequence[Sequence[str]], lengths: Sequence[int]) -> list[int]:
    """One phrase more for every name that is not the only one of its kind."""
    return [
        min(n + 1, len(p)) if names.count(name) > 1 else n for name, p, n in zip(names, phrases, lengths, strict=True)
    ]


def _number_doubles(names: Sequence[str]) -> tuple[str, ...]:
    """A number behind names that are still alike, never making another name twice."""
    taken: set[str] = set()
    result = []
    for name in names:
        unique, number = name, 1
        while unique in taken or (unique != name and unique in names):
            number += 1
            unique = f"{name} ({number})"
        taken.add(unique)
        result.append(unique)
    return tuple(result)
