"""JSON that holds an explanation whole: versioned, as explanation.schema.json says, read back exactly."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar, get_args

from polyclust.errors import ModelFileError
from polyclust.explain.explanation import Clause, Comparison, Explanation, Rule, Term
from polyclust.geometry.hyperplane import Hyperplane
from polyclust.render.placing import refuse_export
from polyclust.table.features import Column, ColumnKind, Feature, FeatureKind

__all__ = [
    "check_header",
    "dict_to_explanation",
    "explanation_to_dict",
    "parse_json",
    "read_text",
    "render_json",
]

FORMAT = "polyclust explanation"
VERSION = 1
COMPARISONS: dict[Comparison, str] = {"≥": ">=", "<": "<"}

Json = dict[str, Any]
T = TypeVar("T")


def render_json(explanation: Explanation) -> str:
    """Write an explanation as JSON text that ``parse_json`` reads back as an equal explanation."""
    return write_text(explanation_to_dict(explanation))


def parse_json(text: str) -> Explanation:
    """Read what ``render_json`` wrote. Raises ModelFileError for anything else."""
    return dict_to_explanation(read_text(text, "explanation"))


def write_text(data: Mapping[str, Any]) -> str:
    """JSON text as people can read it, with characters escaped only where no encoding has them."""
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, indent=1, allow_nan=False) + "\n"
    return text


def read_text(text: str, what: str) -> Json:
    """The object in a JSON text, or a ModelFileError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"This {what} is damaged: it is not JSON ({error}).") from None
    if not isinstance(data, dict):
        raise ModelFileError(f"This is not a polyclust {what}: it holds a {type(data).__name__}, not an object.")
    return data


def check_header(data: Mapping[str, Any], format_name: str, version: int) -> None:
    """Refuse what is foreign, or newer than this version of polyclust."""
    if data.get("format") != format_name:
        raise ModelFileError(f'This is not a {format_name}: its "format" is {data.get("format")!r}.')
    found = data.get("version")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ModelFileError(f'This {format_name} is damaged: its "version" is {found!r}.')
    if found > version:
        raise ModelFileError(
            f"This {format_name} has version {found}, and this polyclust reads versions up to {version}: "
            "install a newer polyclust."
        )


# --- writing


def explanation_to_dict(explanation: Explanation) -> Json:
    """The explanation as plain dictionaries and lists; features and columns are referred to by position."""
    refuse_export(explanation, "JSON")
    columns = {column: i for i, column in enumerate(explanation.columns)}
    features = {feature: i for i, feature in enumerate(explanation.features)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "columns": [_column_to_dict(column) for column in explanation.columns],
        "features": [_feature_to_dict(feature, columns) for feature in explanation.features],
        "hyperplanes": [_hyperplane_to_dict(h) for h in explanation.hyperplanes],
        "rules": [_rule_to_dict(rule, features) for rule in explanation.rules],
        "outside": explanation.outside,
        "fidelity": write_float(explanation.fidelity),
        "cluster_labels": [write_scalar(v, "A cluster label") for v in explanation.cluster_labels],
        "advice": list(explanation.advice),
    }


def _column_to_dict(column: Column) -> Json:
    what = f"A value of column {column.name!r}"
    return {
        "name": column.name,
        "kind": column.kind,
        "label": write_scalar(column.label, "A column label"),
        "levels": [write_scalar(level, what) for level in column.levels],
        "fill": write_scalar(column.fill, what),
        **({"written": column.written} if column.written else {}),
    }


def _feature_to_dict(feature: Feature, columns: Mapping[Column, int]) -> Json:
    return {
        "column": columns[feature.column],
        "kind": feature.kind,
        "level": write_scalar(feature.level, f"A value of column {feature.column.name!r}"),
        **{name: write_float(getattr(feature, name)) for name in ("offset", "scale", "unit", "low", "high")},
    }


def _hyperplane_to_dict(hyperplane: Hyperplane) -> Json:
    return {
        "features": [int(i) for i in hyperplane.features],
        "coefficients": [write_float(v) for v in hyperplane.coefficients],
        "units": [write_float(v) for v in hyperplane.units],
        "threshold": write_float(hyperplane.threshold),
        "norm": write_float(hyperplane.norm),
        "above": int(hyperplane.above),
        "below": int(hyperplane.below),
    }


def _rule_to_dict(rule: Rule, features: Mapping[Feature, int]) -> Json:
    return {
        "cluster": int(rule.cluster),
        "name": rule.name,
        "size": write_float(rule.size),
        "coverage": write_float(rule.coverage),
        "precision": write_float(rule.precision),
        "is_at_minimum": bool(rule.is_at_minimum),
        "clauses": [_clause_to_dict(clause, features) for clause in rule.clauses],
    }


def _clause_to_dict(clause: Clause, features: Mapping[Feature, int]) -> Json:
    terms = [
        {
            "coefficient": write_float(t.coefficient),
            "feature": features[t.feature],
            "unit": write_float(t.unit),
        }
        for t in clause.terms
    ]
    return {
        "terms": terms,
        "comparison": COMPARISONS[clause.comparison],
        "threshold": write_float(clause.threshold),
    }


def write_float(value: float) -> float | str:
    """JSON has no infinity and no NaN: these are written as text."""
    value = float(value)
    return value if math.isfinite(value) else str(value)


def write_scalar(value: Any, what: str) -> str | int | float | bool | None:
    """A value whose type JSON keeps, or a ValueError that says what to do."""
    value = value.item() if hasattr(value, "item") else value
    is_plain = value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    if not is_plain:
        raise ValueError(f"{what} is {value!r}, which JSON cannot keep: turn it into text or a number before the fit.")
    return value  # type: ignore[no-any-return]


# --- reading


def dict_to_explanation(data: Mapping[str, Any]) -> Explanation:
    """The explanation in a dictionary that ``explanation_to_dict`` made, checked through and through."""
    check_header(data, FORMAT, VERSION)
    try:
        explanation = _read_explanation(data)
        _check_pairs(explanation)
    except KeyError as error:
        raise ModelFileError(f"This {FORMAT} is damaged: {error} is missing.") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"This {FORMAT} is damaged: {error}.") from None
    return explanation


def _read_explanation(data: Mapping[str, Any]) -> Explanation:
    columns = _read_list(data["columns"], _read_column)
    features = _read_list(data["features"], lambda item: _read_feature(item, columns))
    return Explanation(
        columns=columns,
        features=features,
        hyperplanes=_read_list(data["hyperplanes"], lambda item: _read_hyperplane(item, len(features))),
        rules=_read_list(data["rules"], lambda item: _read_rule(item, features)),
        outside=_read_word(data["outside"], ("nearest", "none")),
        fidelity=_read_float(data["fidelity"]),
        cluster_labels=_read_list(data["cluster_labels"], _read_scalar),
        advice=_read_list(data["advice"], _read_string),
    )


def _read_column(item: Any) -> Column:
    return Column(
        name=_read_string(item["name"]),
        kind=_read_word(item["kind"], get_args(ColumnKind)),
        label=_read_scalar(item["label"]),
        levels=_read_list(item["levels"], _read_scalar),
        fill=_read_scalar(item["fill"]),
        written=_read_string(item.get("written", "")),
    )


def _read_feature(item: Any, columns: Sequence[Column]) -> Feature:
    return Feature(
        column=columns[_read_index(item["column"], len(columns))],
        kind=_read_word(item["kind"], get_args(FeatureKind)),
        level=_read_scalar(item["level"]),
        **{name: _read_float(item[name]) for name in ("offset", "scale", "unit", "low", "high")},
    )


def _read_hyperplane(item: Any, n_features: int) -> Hyperplane:
    hyperplane = Hyperplane(
        features=_read_list(item["features"], lambda i: _read_index(i, n_features)),
        coefficients=_read_list(item["coefficients"], _read_finite),
        units=_read_list(item["units"], _read_finite),
        threshold=_read_finite(item["threshold"]),
        norm=_read_finite(item["norm"]),
        above=_read_index(item["above"]),
        below=_read_index(item["below"]),
    )
    lengths = {len(hyperplane.features), len(hyperplane.coefficients), len(hyperplane.units)}
    if len(lengths) != 1 or 0 in lengths or 0 in hyperplane.units or hyperplane.norm <= 0:
        raise ValueError("a hyperplane does not hold together")
    return hyperplane


def _read_rule(item: Any, features: Sequence[Feature]) -> Rule:
    return Rule(
        cluster=_read_index(item["cluster"]),
        clauses=_read_list(item["clauses"], lambda clause: _read_clause(clause, features)),
        size=_read_float(item["size"]),
        coverage=_read_float(item["coverage"]),
        precision=_read_float(item["precision"]),
        name=_read_string(item["name"]),
        is_at_minimum=_read_word(item["is_at_minimum"], (True, False)),
    )


def _read_clause(item: Any, features: Sequence[Feature]) -> Clause:
    written = _read_word(item["comparison"], tuple(COMPARISONS.values()))
    terms = _read_list(item["terms"], lambda term: _read_term(term, features))
    if not terms:
        raise ValueError("a clause has no terms")
    comparison = next(key for key, text in COMPARISONS.items() if text == written)
    return Clause(terms, comparison, _read_finite(item["threshold"]))


def _read_term(item: Any, features: Sequence[Feature]) -> Term:
    feature = features[_read_index(item["feature"], len(features))]
    return Term(_read_finite(item["coefficient"]), feature, _read_finite(item["unit"]))


def _check_pairs(explanation: Explanation) -> None:
    """One rule per cluster in order, and one hyperplane per pair of clusters."""
    n = explanation.n_clusters
    pairs = sorted(h.pair for h in explanation.hyperplanes)
    if [rule.cluster for rule in explanation.rules] != list(range(n)) or n == 0:
        raise ValueError("its rules are not those of clusters 0, 1, 2 and so on")
    if pairs != [(i, j) for i in range(n) for j in range(i + 1, n)]:
        raise ValueError("its hyperplanes are not one for every pair of clusters")


# --- single values, each of the type that it must have


def _read_list(value: Any, read: Callable[[Any], T]) -> tuple[T, ...]:
    if not isinstance(value, list):
        raise TypeError(f"a list was expected where {_shorten(value)} stands")
    return tuple(read(item) for item in value)


def _read_float(value: Any) -> float:
    if isinstance(value, bool) or not (isinstance(value, int | float) or value in ("nan", "inf", "-inf")):
        raise TypeError(f"a number was expected where {_shorten(value)} stands")
    return float(value)


def _read_finite(value: Any) -> float:
    number = _read_float(value)
    if not math.isfinite(number):
        raise ValueError(f"a finite number was expected where {_shorten(value)} stands")
    return number


def _read_index(value: Any, limit: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (limit is not None and value >= limit):
        raise ValueError(f"a position was expected where {_shorten(value)} stands")
    return value


def _read_string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text was expected where {_shorten(value)} stands")
    return value


def _read_scalar(value: Any) -> Any:
    if isinstance(value, list | dict):
        raise TypeError(f"a single value was expected where {_shorten(value)} stands")
    return value


def _read_word(value: Any, allowed: Sequence[Hashable]) -> Any:
    if not any(value is word or (isinstance(value, str) and value == word) for word in allowed):
        raise ValueError(f"{_shorten(value)} is none of {', '.join(map(str, allowed))}")
    return value


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
