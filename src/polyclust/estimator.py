"""PolytopeClustering: store, validate, call, set the attributes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from polyclust.errors import PolyclustWarning, SmallClusterWarning
from polyclust.explain.build import build_explanation
from polyclust.explaining import Explaining, choose_explaining
from polyclust.fitting import FitResult, Prepared, fit_clusters
from polyclust.geometry.hyperplane import build_polytopes, find_members, measure_violation, place_rows
from polyclust.interrupts import ask_on_interrupt
from polyclust.kernels.compilation import announce_compilation
from polyclust.search.criteria import reported_score
from polyclust.search.distances import check_precomputed, gower_coordinates
from polyclust.search.journal import Journal
from polyclust.settings import Settings, check_settings, resolve_clusters, resolve_sizes
from polyclust.table.columns import open_table
from polyclust.table.encode import EncodedTable, encode_rows, fit_encoder
from polyclust.verbosity import show_progress

Floats = NDArray[np.float64]

__all__ = ["PolytopeClustering"]


class PolytopeClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters with the short rules that describe them exactly.

    Every pair of clusters is told apart by one hyperplane of a family simple enough to read; a cluster is the
    polytope that its hyperplanes bound. Clusters and hyperplanes are found in one optimisation of the criterion.

    Parameters
    ----------
    n_clusters : "auto" or int
        "auto": the best K in 2..max_clusters. An int: exactly that many.
    max_clusters : int
        Largest K that "auto" tries.
    max_terms : int or None
        Features a hyperplane may use; None: no limit. 1 gives rules such as ``petal length < 2.5``.
    max_coefficient : int or None
        Largest integer coefficient; None: real coefficients.
    units : {"round", "range", "none"}
        What one unit of a coefficient is in clauses of several terms: a round number near the feature's range, the
        range itself, or 1.
    criterion : {"silhouette", "dunn", "calinski_harabasz", "davies_bouldin"} or callable
        What is optimised; a callable f(X_scaled, labels) -> float, larger better.
    distance : str
        A scikit-learn metric name, "gower", or "precomputed" (then ``fit(X, distances=D)``).
    scale : {"minmax", "standard", "none"}
        Scaling of numeric columns in the clustering space.
    representation_weight : float or None
        None: exact rules. A finite weight trades rule errors against the criterion.
    min_cluster_size, max_cluster_size : int (rows) or float (share)
        Held in every phase.
    explain_with : list of columns, transformer or None
        What the hyperplanes may use; the criterion always uses all columns.
    margin : float or None
        The margin of the integer program; None: from the data.
    outside : {"nearest", "none"}
        Rows in no polytope: the least violated one, or label -1.
    n_init : int
        More starts, more quality.
    time_limit : float or None
        Seconds after which the best found so far is returned.
    memory_limit : float or None
        Bytes that the distances may take; more is refused before the search.
    n_jobs, random_state, verbose
        As in scikit-learn.

    Attributes
    ----------
    labels_ : labels 0..K-1, the largest cluster first
    n_clusters_, score_, scores_ : K, the criterion, and the best score for every K tried
    score_interval_ : beyond 20 000 rows, where score_ is estimated: its 95 % confidence interval (the other scores_
        are then those of the sample that carried the search)
    hyperplanes_, polytopes_, explanation_ : the geometry and its words
    history_ : one record per accepted step
    is_optimal_ : True only when proved

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polyclust import PolytopeClustering
    >>> X = load_iris(as_frame=True).data
    >>> model = PolytopeClustering(random_state=0).fit(X)
    >>> model.n_clusters_, round(model.score_, 3), bool((model.predict(X) == model.labels_).all())
    (2, 0.63, True)
    """

    def __init__(
        self,
        n_clusters: Any = "auto",
        *,
        max_clusters: int = 10,
        max_terms: int | None = 1,
        max_coefficient: int | None = 1,
        units: str = "round",
        criterion: Any = "silhouette",
        distance: str = "euclidean",
        scale: str = "minmax",
        representation_weight: float | None = None,
        min_cluster_size: float = 0.02,
        max_cluster_size: float | None = None,
        explain_with: Any = None,
        margin: float | None = None,
        outside: str = "nearest",
        n_init: int = 10,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_clusters = max_clusters
        self.max_terms = max_terms
        self.max_coefficient = max_coefficient
        self.units = units
        self.criterion = criterion
        self.distance = distance
        self.scale = scale
        self.representation_weight = representation_weight
        self.min_cluster_size = min_cluster_size
        self.max_cluster_size = max_cluster_size
        self.explain_with = explain_with
        self.margin = margin
        self.outside = outside
        self.n_init = n_init
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, distances: Any = None) -> PolytopeClustering:  # noqa: ARG002
        """Find the clusters of X.

        Parameters
        ----------
        X : array or frame of numbers, booleans and categories
        y : ignored
        sample_weight : a row of weight 2 counts as two rows; rows of weight 0 are only predicted
        distances : (n, n) matrix for distance="precomputed"
        """
        check_settings(self.get_params(deep=False))
        X = self._check_table(X, reset=True)
        weights = _check_weights(sample_weight, X)
        bounds = resolve_sizes(self.min_cluster_size, self.max_cluster_size, float(weights.sum()))
        counted = weights > 0
        n_clusters = resolve_clusters(
            self.n_clusters, self.max_clusters, bounds, float(weights.sum()), int(counted.sum())
        )
        columns, encoded = fit_encoder(X, scale=self.scale, units=self.units, sample_weight=weights)
        explaining, raw = choose_explaining(
            X, columns, encoded, self.explain_with, scale=self.scale, units=self.units, weights=weights
        )
        prepared = self._prepare(encoded, explaining, raw, weights, distances)
        settings = Settings(
            n_clusters=n_clusters,
            bounds=bounds,
            max_terms=self.max_terms,
            max_coefficient=self.max_coefficient,
            criterion=self.criterion,
            slack_weight=self.representation_weight,
            margin=self.margin,
            n_init=self.n_init,
            n_threads=effective_n_jobs(self.n_jobs),
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            memory_limit=self.memory_limit,
        )
        announce_compilation()
        journal = Journal(time_limit=self.time_limit)
        with threadpool_limits(1), ask_on_interrupt(journal.interrupt), show_progress(self.verbose):
            result = fit_clusters(prepared, settings, journal)
        self._columns, self._encoded_features, self._explaining = columns, encoded.features, explaining
        self._keep(result, settings, journal, raw, weights)
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """The polytope that holds each row; rows in none as ``outside`` says."""
        raw = self._encode_explaining(X)
        return place_rows(raw, self.hyperplanes_, self.n_clusters_, self.outside)

    def contains(self, X: Any) -> NDArray[np.bool_]:
        """n x K: whether row t lies in polytope k. No row lies in two."""
        return find_members(self._encode_explaining(X), self.hyperplanes_, self.n_clusters_)

    def violation(self, X: Any) -> Floats:
        """n x K: by how much row t is on the wrong sides of k's hyperplanes, summed, in the scaled space."""
        return measure_violation(self._encode_explaining(X), self.hyperplanes_, self.n_clusters_)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """The criterion of ``predict(X)`` on X, larger better."""
        from polyclust.scores import score_labels

        labels = self.predict(X)
        return score_labels(self.criterion, self.scaled(X), labels, self.distance, self._encoded_features)

    def scaled(self, X: Any) -> Floats:
        """The clustering space: scaled, one-hot encoded features of X."""
        check_is_fitted(self)
        X = self._check_table(X, reset=False)
        raw = encode_rows(X, self._columns, self._encoded_features)
        return EncodedTable(self._encoded_features, raw).scaled

    def save(self, path: str | Path) -> None:
        """Write the model as versioned JSON; ``predict`` is the same after ``load``."""
        from polyclust.model_file import save_model

        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | Path) -> PolytopeClustering:
        """Read a model that ``save`` wrote. It predicts; the labels of the training rows are not in the file."""
        from polyclust.model_file import dict_to_parts, load_model

        parts = dict_to_parts(load_model(path))
        model = cls(**parts.parameters)
        explanation = parts.explanation
        model._columns = explanation.columns
        model._encoded_features = explanation.features
        model._explaining = Explaining(explanation.columns, explanation.features)
        model.explanation_ = explanation
        model.hyperplanes_ = explanation.hyperplanes
        model.polytopes_ = build_polytopes(explanation.hyperplanes, explanation.n_clusters)
        model.n_clusters_, model.score_, model.scores_ = explanation.n_clusters, parts.score, parts.scores
        model.is_optimal_, model.n_features_in_ = parts.is_optimal, parts.n_features_in
        if parts.feature_names_in is not None:
            model.feature_names_in_ = np.array(parts.feature_names_in, dtype=object)
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "hyperplanes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check_table(self, X: Any, reset: bool) -> Any:
        """Frames stay frames, columns in the order of the fit; anything else becomes a two-dimensional array."""
        if hasattr(X, "columns") and hasattr(X, "to_pandas"):
            X = X.to_pandas()
        if not hasattr(X, "columns"):
            X = check_array(X, dtype=None, ensure_all_finite=False, estimator=self)
        else:
            open_table(X)  # refuses names that occur twice
        if hasattr(X, "columns") and not reset and hasattr(self, "feature_names_in_"):
            known = [c for c in self.feature_names_in_ if c in X.columns]
            X = X[[*known, *(c for c in X.columns if c not in set(known))]]
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _encode_explaining(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._explaining.encode(self._check_table(X, reset=False))

    def _prepare(
        self, encoded: EncodedTable, explaining: Explaining, raw: Floats, weights: Floats, distances: Any
    ) -> Prepared:
        counted = weights > 0
        given = None
        if self.distance == "precomputed":
            matrix = check_precomputed(distances, len(raw))
            given = matrix if counted.all() else matrix[np.ix_(counted, counted)]
        elif distances is not None:
            raise ValueError('distances were given; set distance="precomputed" to use them.')
        is_gower, features = self.distance == "gower", encoded.features

        def locate(rows: Floats) -> Floats:
            return gower_coordinates(rows, features) if is_gower else EncodedTable(features, rows).scaled

        every = counted.all()
        kept = raw if every else raw[counted]
        clustered = kept if encoded.raw is raw else encoded.raw[counted]
        return Prepared(
            raw=kept,
            features=explaining.features,
            clustered=clustered,
            locate=locate,
            metric=self.distance,
            weights=weights if every else weights[counted],
            distances=given,
        )

    def _keep(self, result: FitResult, settings: Settings, journal: Journal, raw: Floats, weights: Floats) -> None:
        labels = place_rows(raw, result.hyperplanes, result.n_clusters, "nearest")
        labels[weights > 0] = result.labels
        self.labels_ = labels
        self.n_clusters_ = result.n_clusters
        self.score_ = reported_score(self.criterion, result.score)
        if result.interval is not None:
            self.score_interval_ = result.interval
        self.scores_ = {k: reported_score(self.criterion, s) for k, s in result.scores.items()}
        self.hyperplanes_ = result.hyperplanes
        self.polytopes_ = build_polytopes(result.hyperplanes, result.n_clusters)
        self.history_ = tuple(journal.steps)
        self.is_optimal_ = result.is_optimal
        self.explanation_ = build_explanation(
            self._explaining.columns,
            self._explaining.features,
            result.hyperplanes,
            raw,
            labels,
            weights=weights,
            minimum_size=settings.bounds.least,
            outside=self.outside,  # type: ignore[arg-type]
            why_not_exported=self._explaining.why_not_exported,
        )
        self._warn(settings, journal)

    def _warn(self, settings: Settings, journal: Journal) -> None:
        if journal.was_cut_short:
            _warn("The search was ended early; the result is the best found so far.")
        if self.n_clusters_ < settings.n_clusters[0]:
            found = "1 cluster was" if self.n_clusters_ == 1 else f"{self.n_clusters_} clusters were"
            _warn(f"Only {found} found where {settings.n_clusters[0]} were asked for.")
        small = [r for r in self.explanation_.rules if r.is_at_minimum]
        if small:
            listed = ", ".join(f"{r.cluster} ({r.size:g} rows)" for r in small)
            warnings.warn(
                f"No larger than min_cluster_size allows, so probably a cap of outliers: cluster {listed}.",
                SmallClusterWarning,
                stacklevel=4,
            )


def _warn(sentence: str) -> None:
    warnings.warn(sentence, PolyclustWarning, stacklevel=5)


def _check_weights(sample_weight: Any, X: Any) -> Floats:
    n_rows = len(X)
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _check_sample_weight(sample_weight, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("All sample weights are zero; at least two rows must count.")
    return np.asarray(weights, dtype=np.float64)
