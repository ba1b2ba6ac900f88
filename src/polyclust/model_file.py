"""Model files: a fitted model as versioned JSON text, without pickle, that predicts the same after reading.

A file holds the parameters, the explanation (columns, features, hyperplanes, rules), scores and sizes.
It does not hold the training rows or their labels: read a table with ``predict`` to label it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyclust.errors import ModelFileError
from polyclust.explain.explanation import Explanation
from polyclust.files import write_whole
from polyclust.render.json import (
    check_header,
    dict_to_explanation,
    explanation_to_dict,
    read_text,
    write_float,
    write_scalar,
    write_text,
)

__all__ = ["ModelParts", "dict_to_parts", "load_model", "model_to_dict", "render_model", "save_model"]

FORMAT = "polyclust model"
VERSION = 1
LABELS_NOTE = "The labels of the training rows are not kept; predict gives them again."

Json = dict[str, Any]


@dataclass(frozen=True)
class ModelParts:
    """What a model file holds.

    ``parameters`` are those that JSON can keep; ``not_kept`` says, by name, which ones were left out and why
    (they take their defaults). ``shares`` are the clusters' shares of the training rows' weight. ``search`` and
    ``score_interval`` are None in files that were written without them. ``transform`` is that of the clustering space
    for the distances that need one.
    """

    parameters: dict[str, Any]
    explanation: Explanation
    scores: dict[int, float]
    score: float
    sizes: tuple[float, ...]
    shares: tuple[float, ...]
    is_optimal: bool
    n_features_in: int
    feature_names_in: tuple[str, ...] | None
    not_kept: dict[str, str]
    polyclust_version: str
    search: str | None = None
    score_interval: tuple[float, float] | None = None
    transform: NDArray[np.float64] | None = None


def save_model(model: Any, path: str | Path) -> None:
    """Write a fitted estimator to a file, whole or not at all.

    Raises ValueError, saying why, for a model whose rules cannot be exported.
    """
    write_whole(Path(path), render_model(model))


def render_model(model: Any, explanation: Explanation | None = None) -> str:
    """The text of a fitted estimator's file, with another explanation in place of its own if one is given."""
    names = getattr(model, "feature_names_in_", None)
    data = model_to_dict(
        parameters=model.get_params(deep=False),
        explanation=model.explanation_ if explanation is None else explanation,
        scores=model.scores_,
        score=model.score_,
        is_optimal=model.is_optimal_,
        search=getattr(model, "search_", None),
        score_interval=getattr(model, "score_interval_", None),
        transform=model._space.transform if _keeps_space(model) else None,
        n_features_in=model.n_features_in_,
        feature_names_in=None if names is None else list(names),
    )
    return write_text(data)


def _keeps_space(model: Any) -> bool:
    """Whether the file holds all features that distances use, so that a model read from it can score."""
    return model.explain_with is None and not callable(model.criterion)


def load_model(path: str | Path) -> ModelParts:
    """What a model file holds.

    Raises ModelFileError, naming the file, if it is damaged, foreign or newer than this polyclust.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ModelFileError(f"{path} is not a {FORMAT}: it is not text.") from None
    try:
        return dict_to_parts(read_text(text, "model"))
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None


def model_to_dict(
    *,
    parameters: Mapping[str, Any],
    explanation: Explanation,
    scores: Mapping[int, float],
    score: float,
    is_optimal: bool = False,
    search: str | None = None,
    score_interval: tuple[float, float] | None = None,
    transform: NDArray[np.float64] | None = None,
    n_features_in: int,
    feature_names_in: Sequence[Any] | None = None,
) -> Json:
    """A model as plain dictionaries and lists, ready to be written as JSON."""
    kept, not_kept = _keep_parameters(parameters)
    sizes = [float(rule.size) for rule in explanation.rules]
    total = sum(sizes)
    return {
        "format": FORMAT,
        "version": VERSION,
        "polyclust_version": _own_version(),
        "note": LABELS_NOTE,
        "parameters": kept,
        "parameters_not_kept": not_kept,
        "seed": kept.get("random_state"),
        "n_clusters": explanation.n_clusters,
        "score": write_float(score),
        "scores": {str(int(k)): write_float(v) for k, v in scores.items()},
        "score_interval": None if score_interval is None else [write_float(end) for end in score_interval],
        "transform": None if transform is None else transform.tolist(),
        "search": search,
        "is_optimal": bool(is_optimal),
        "sizes": sizes,
        "shares": [size / total if total else 0.0 for size in sizes],
        "n_features_in": int(n_features_in),
        "feature_names_in": None if feature_names_in is None else [str(name) for name in feature_names_in],
        "explanation": explanation_to_dict(explanation),
    }


def dict_to_parts(data: Mapping[str, Any]) -> ModelParts:
    """The parts of a model from what ``model_to_dict`` made. Raises ModelFileError for anything else."""
    check_header(data, FORMAT, VERSION)
    try:
        names = data["feature_names_in"]
        return ModelParts(
            parameters={key: _restore(value) for key, value in _expect(data["parameters"], dict).items()},
            explanation=dict_to_explanation(_expect(data["explanation"], dict)),
            scores={int(k): float(v) for k, v in _expect(data["scores"], dict).items()},
            score=float(data["score"]),
            sizes=tuple(float(v) for v in _expect(data["sizes"], list)),
            shares=tuple(float(v) for v in _expect(data["shares"], list)),
            is_optimal=_expect(data["is_optimal"], bool),
            n_features_in=_expect(data["n_features_in"], int),
            feature_names_in=None if names is None else tuple(str(n) for n in _expect(names, list)),
            not_kept=dict(_expect(data["parameters_not_kept"], dict)),
            polyclust_version=str(data["polyclust_version"]),
            search=_read_search(data.get("search")),
            score_interval=_read_interval(data.get("score_interval")),
            transform=_read_transform(data.get("transform")),
        )
    except KeyError as error:
        raise ModelFileError(f"This {FORMAT} is damaged: {error} is missing.") from None
    except ModelFileError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"This {FORMAT} is damaged: {error}.") from None


def _read_search(value: Any) -> str | None:
    return None if value is None else str(_expect(value, str))


def _read_interval(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    low, high = (float(end) for end in _expect(value, list))
    return low, high


def _read_transform(value: Any) -> NDArray[np.float64] | None:
    """One factor per feature, or a square matrix."""
    if value is None:
        return None
    transform = np.array(_expect(value, list), dtype=np.float64)
    if transform.ndim not in (1, 2) or len(set(transform.shape)) != 1:
        raise ValueError(f"the transform has the shape {transform.shape}")
    return transform


def _expect(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"a {kind.__name__} was expected where a {type(value).__name__} stands")
    return value


def _keep_parameters(parameters: Mapping[str, Any]) -> tuple[Json, dict[str, str]]:
    """The parameters that JSON keeps, and a sentence for each of the others."""
    kept: Json = {}
    not_kept: dict[str, str] = {}
    for name, value in parameters.items():
        try:
            kept[name] = _write_parameter(value, f"The parameter {name}")
        except ValueError:
            not_kept[name] = f"A {type(value).__name__} cannot be kept in a model file; give it again to fit anew."
    return kept, not_kept


def _write_parameter(value: Any, what: str) -> Any:
    if isinstance(value, list | tuple):
        return [write_scalar(v, what) for v in value]
    return write_scalar(value, what)


def _restore(value: Any) -> Any:
    if isinstance(value, dict):
        raise TypeError("a parameter is an object")
    return value


def _own_version() -> str:
    try:
        return version("polyclust")
    except PackageNotFoundError:
        return "unknown"
