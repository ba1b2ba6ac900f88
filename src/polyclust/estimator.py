"""PolytopeClustering: store, validate, call, set the attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from polyclust import fitting
from polyclust.caveats import warn_of_result
from polyclust.explain.build import build_explanation
from polyclust.explain.explanation import Explanation
from polyclust.explain.quality import RuleCounts
from polyclust.explaining import Explaining, choose_columns, choose_explaining
from polyclust.fitting import FitResult, fit_blocks, fit_clusters
from polyclust.geometry.hyperplane import build_polytopes, find_members, measure_violation, place_rows
from polyclust.preparing import check_sample_weight, label_rows, prepare_rows
from polyclust.scale.blocks import Block, Placing
from polyclust.scale.partitioned import (
    Encoding,
    PartitionBlocks,
    PartitionedTable,
    Parts,
    count_all,
    describe_partitions,
    label_all,
    label_by_weight,
    refuse_in_partitions,
)
from polyclust.scale.space import fit_space, restore_space
from polyclust.search.criteria import reported_score
from polyclust.search.journal import Journal
from polyclust.settings import Settings, check_settings, refuse_metric, resolve_settings
from polyclust.table.columns import open_table, read_array, refuse_form, refuse_other_columns
from polyclust.table.encode import EncodedTable, encode_rows, fit_encoder, warn_constant
from polyclust.table.partitions import (
    Partitions,
    attach,
    find_by_weight,
    find_for_rows,
    is_partitioned,
    lend_workers,
    show_columns,
)
from polyclust.table.slices import Slices, is_narrow, is_wide
from polyclust.table.unseen import UnseenLevels
from polyclust.watching import watch_search

Floats = NDArray[np.float64]

__all__ = ["PolytopeClustering"]

MOST_GATHERED = 200_000  # rows that Dask holds, where so few of them count that the search needs no sample


class PolytopeClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters with the short rules that describe them exactly.

    Every pair of clusters is told apart by one hyperplane of a family simple enough to read; a cluster is the
    polytope that its hyperplanes bound. Clusters and hyperplanes are found in one optimisation of the criterion.

    Parameters
    ----------
    n_clusters : "auto" or int, default="auto"
        "auto": the best K in 2..max_clusters. An int: exactly that many.
    max_clusters : int, default=10
        Largest K that "auto" tries.
    max_terms : int or None, default=1
        Features a hyperplane may use; None: no limit. 1 gives rules such as ``petal length < 2.5``.
    max_coefficient : int or None, default=1
        Largest integer coefficient; None: real coefficients.
    units : {"round", "range", "none"}, default="round"
        What one unit of a coefficient is in clauses of several terms: a round number near the feature's range, the
        range itself, or 1.
    criterion : {"silhouette", "dunn", "calinski_harabasz", "davies_bouldin"} or callable, default="silhouette"
        What is optimised; a callable f(X_scaled, labels) -> float, larger better.
    distance : str, default="euclidean"
        The name of a metric of scikit-learn or SciPy, "gower", or "precomputed" (then ``fit(X, distances=D)``).
        "seuclidean" uses the variances and "mahalanobis" the covariance of the rows that are fitted, for ``score`` too;
        where columns determine each other, as the levels of a category do, the covariance's pseudo-inverse.
    scale : {"minmax", "standard", "none"}, default="minmax"
        Scaling of numeric columns in the clustering space.
    representation_weight : float or None, default=None
        None: exact rules. A finite weight trades rule errors against the criterion.
    min_cluster_size : int (rows) or float (share), default=0.02
        The smallest cluster; held in every phase.
    max_cluster_size : int (rows), float (share) or None, default=None
        The largest cluster; held in every phase. Beyond 20 000 rows a cluster may end larger where it is tight; a
        warning then says so.
    explain_with : list of columns, transformer or None, default=None
        What the hyperplanes may use; the criterion always uses all columns.
    margin : float or None, default=None
        The margin of the integer program; None: from the data.
    outside : {"nearest", "none"}, default="nearest"
        What becomes of rows in no polytope: the cluster whose hyperplanes they violate least, or the label -1.
    n_init : int, default=10
        More starts, more quality; more than 10 never score less than 10 do (up to 20 000 rows).
    time_limit : float or None, default=None
        Seconds after which the best found so far is returned.
    memory_limit : float or None, default=None
        Bytes that the distances may take; more is refused before the search.
    n_jobs, random_state, verbose
        As in scikit-learn.

    Attributes
    ----------
    labels_ : array of n ints
        0..K-1, the largest cluster first; of a Dask DataFrame a lazy Series, of an Array a lazy Array.
    n_clusters_ : int
        K. With a ``representation_weight`` that of the best trade-off, which need not be that of the best criterion.
    score_ : float
        The criterion on the training rows.
    scores_ : dict of int to float
        The best score for every K tried.
    score_interval_ : tuple of two floats
        Only beyond 20 000 rows, where ``score_`` is an estimate of the silhouette: its 95% confidence interval. The
        other ``scores_`` are then those of the sample that carried the search.
    hyperplanes_ : tuple of Hyperplane
        One per pair of clusters.
    polytopes_ : tuple of Polytope
        One per cluster.
    explanation_ : Explanation
        The polytopes in words.
    history_ : tuple of records
        One per accepted step of the search.
    search_ : {"exhaustive", "raced", "sampled"}
        "exhaustive" where every step tried all directions and intercepts on all rows, "raced" where samples chose
        which, "sampled" where a sample of the rows carried the search; a larger ``n_init`` races less.
    is_optimal_ : bool
        True only when proved.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polyclust import PolytopeClustering
    >>> X = load_iris(as_frame=True).data
    >>> model = PolytopeClustering(random_state=0).fit(X)
    >>> model.n_clusters_, round(model.score_, 3), bool((model.predict(X) == model.labels_).all())
    (2, 0.63, True)
    >>> for rule in model.explanation_.rules:
    ...     print(rule)
    petal length (cm) ≥ 2.5
    petal length (cm) < 2.5
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] = "auto",
        *,
        max_clusters: int = 10,
        max_terms: int | None = 1,
        max_coefficient: int | None = 1,
        units: str = "round",
        criterion: str | Callable[..., float] = "silhouette",
        distance: str = "euclidean",
        scale: str = "minmax",
        representation_weight: float | None = None,
        min_cluster_size: float = 0.02,
        max_cluster_size: float | None = None,
        explain_with: Any = None,
        margin: float | None = None,
        outside: Literal["nearest", "none"] = "nearest",
        n_init: int = 10,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
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
            Or a Dask DataFrame or Array of them. Where that has more than 20 000 rows, it is read about ten times: nine
            (ten for seuclidean and mahalanobis), and once more for every tree of cuts that is tried; it is never held.
        y : ignored
        sample_weight : array of n numbers or None
            A row of weight 2 counts as two rows; rows of weight 0 are only predicted. Of Dask if X is.
        distances : array of n x n numbers or None
            For distance="precomputed".
        """
        check_settings(self.get_params(deep=False))
        X = self._check_table(X, reset=True)
        if is_partitioned(X):
            return self._fit_partitions(X, sample_weight, distances)
        weights = check_sample_weight(sample_weight, len(X))
        if distances is None and self._is_read_in_slices(X, weights):
            slices = Slices(X, weights)
            table = describe_partitions(slices, self.scale, self.units, slices.MOST_LEVELS)
            encoding, placing = self._fit_parts(slices, table)
            self.labels_ = label_all(slices, encoding, placing)
            if (weights == 0).any():
                self.labels_[weights == 0] = self.predict(X[weights == 0])
            return self
        return self._fit_table(X, weights, distances)

    def _is_read_in_slices(self, X: Any, weights: Floats) -> bool:
        """Many rows of float32 or of many levels: they are not encoded all at once, unless something asks for all."""
        needs_all = (
            self.distance == "precomputed" or callable(self.criterion) or hasattr(self.explain_with, "transform")
        )
        is_many = int((weights > 0).sum()) > fitting.MANY_ROWS
        return is_many and not needs_all and (is_narrow(X) or is_wide(X))

    def _fit_table(self, X: Any, weights: Floats, distances: Any) -> PolytopeClustering:
        settings = resolve_settings(self.get_params(deep=False), float(weights.sum()), int((weights > 0).sum()))
        columns, encoded = fit_encoder(X, scale=self.scale, units=self.units, sample_weight=weights)
        refuse_metric(self.distance, len(encoded.features))
        explaining, raw = choose_explaining(
            X, columns, encoded, self.explain_with, scale=self.scale, units=self.units, weights=weights
        )
        prepared = prepare_rows(encoded, explaining.features, raw, weights, self.distance, distances)
        space = prepared.space
        prepared = replace(prepared, space=space.seen_by(self.criterion))
        with watch_search(self.time_limit, self.verbose) as journal:
            result = fit_clusters(prepared, settings, journal)
            self._columns, self._space, self._explaining = columns, space, explaining
            self.labels_ = label_rows(result, raw, weights, self.outside)
            words = self._explain(result, settings, Block(raw, raw, weights, self.labels_), None)
        self._keep(result, settings, journal, words)
        return self

    def _fit_partitions(self, X: Any, sample_weight: Any, distances: Any) -> PolytopeClustering:
        """Rows that Dask holds; where few count, so that the search needs no sample, they are gathered."""
        refuse_in_partitions(self.distance, distances, self.explain_with)
        partitions = Partitions(X, sample_weight=sample_weight)
        table = describe_partitions(partitions, self.scale, self.units)
        if table.n_counted <= fitting.MANY_ROWS and sum(table.n_rows) <= MOST_GATHERED:
            rows, weights = partitions.gather()
            self._fit_table(rows, check_sample_weight(weights, len(rows)), None)
            self.labels_ = attach(X, np.split(self.labels_, np.cumsum(table.n_rows)[:-1]))
            return self
        with lend_workers():
            _, placing = self._fit_parts(partitions, table)
        self.labels_ = self._label_lazily(X, sample_weight, table.n_rows, placing)
        return self

    def _label_lazily(self, X: Any, sample_weight: Any, lengths: Sequence[int], placing: Placing) -> Any:
        """Labels of rows that Dask holds; those of weight 0 are predicted."""
        read = self._explaining.encode
        if self.representation_weight is None:  # then rows in no polytope can only be rows of weight 0
            find = partial(place_rows, hyperplanes=placing.hyperplanes, n_clusters=placing.n_clusters)
            return find_for_rows(partial(find, outside=self.outside), read, X, np.intp)
        if sample_weight is None or self.outside == "nearest":
            return find_for_rows(placing.label, read, X, np.intp)
        find_label = partial(label_by_weight, read=read, placing=placing, outside=self.outside)
        return find_by_weight(find_label, X, sample_weight, lengths, np.intp)

    def _fit_parts(self, parts: Parts, table: PartitionedTable) -> tuple[Encoding, Placing]:
        """All but the labels, and what gives them."""
        warn_constant(table.columns, table.features)
        settings = resolve_settings(self.get_params(deep=False), table.total, table.n_counted)
        refuse_metric(self.distance, len(table.features))
        explaining = choose_columns(table.columns, table.features, self.explain_with)
        encoding = Encoding.of(table, explaining.features)
        blocks = PartitionBlocks(parts, encoding)
        space = fit_space(blocks, table.features, self.distance)
        with watch_search(self.time_limit, self.verbose) as journal:
            fit = fit_blocks(blocks, explaining.features, space.seen_by(self.criterion), settings, journal)
            self._columns, self._space, self._explaining = table.columns, space, explaining
            counts = count_all(fit.placed, fit.placing)
            words = self._explain(fit.result, settings, fit.sample.place(fit.placing), counts)
        self._keep(fit.result, settings, journal, words)
        return encoding, fit.placing

    def predict(self, X: Any) -> NDArray[np.intp]:
        """The polytope that holds each row; rows in none as ``outside`` says."""
        return self._find(partial(place_rows, outside=self.outside), X, np.intp)  # type: ignore[no-any-return]

    def contains(self, X: Any) -> NDArray[np.bool_]:
        """n x K: whether row t lies in polytope k. No row lies in two."""
        return self._find(find_members, X, np.bool_, per_cluster=True)  # type: ignore[no-any-return]

    def violation(self, X: Any) -> Floats:
        """n x K: by how much row t is on the wrong sides of k's hyperplanes, summed, in the scaled space."""
        return self._find(measure_violation, X, np.float64, per_cluster=True)  # type: ignore[no-any-return]

    def _find(
        self,
        function: Callable[..., Any],
        X: Any,
        dtype: Any,
        per_cluster: bool = False,
        encode: Callable[..., Floats] | None = None,
    ) -> Any:
        """function(raw, hyperplanes, n_clusters) for the rows of X; lazily where Dask holds them.

        The result has one value per row or, with ``per_cluster``, one per row and cluster.
        """
        check_is_fitted(self)
        X = self._check_table(X, reset=False)
        find = partial(function, hyperplanes=self.hyperplanes_, n_clusters=self.n_clusters_)
        return find_for_rows(
            find, encode or self._explaining.encode, X, dtype, self.n_clusters_ if per_cluster else None
        )

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """The criterion of ``predict(X)`` on X, larger better."""
        from polyclust.scores import score_labels

        raw, space = self._encode_clustering(X), self._space  # which tells of unseen levels
        place = partial(place_rows, outside=self.outside)
        labels = self._find(place, X, np.intp, encode=partial(self._explaining.encode, unseen=UnseenLevels()))
        return score_labels(self.criterion, raw, labels, space)

    def scaled(self, X: Any) -> Floats:
        """The clustering space: scaled, one-hot encoded features of X."""
        raw = self._encode_clustering(X)
        return EncodedTable(self._space.features, raw).scaled

    def _locate(self, X: Any) -> tuple[NDArray[Any], str]:
        """Where the rows of X are compared, and the metric between them as scikit-learn calls it."""
        return self._space.compare(self._encode_clustering(X))

    def _encode_clustering(self, X: Any) -> Floats:
        """Raw values of what distances are made of; a model file may lack it."""
        check_is_fitted(self)
        if not self._space.features:
            raise ValueError(
                "A model file keeps what its rules need, not all that the clusters were made and judged by; score and "
                "scale rows with the model that was fitted."
            )
        return encode_rows(self._check_table(X, reset=False), self._columns, self._space.features)

    def save(self, path: str | Path) -> None:
        """Write the model as versioned JSON; ``predict`` is the same after ``load``."""
        from polyclust.model_file import save_model

        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | Path) -> PolytopeClustering:
        """Read a model that ``save`` wrote. It predicts; the labels of the training rows are not in the file."""
        from polyclust.model_file import load_model

        parts = load_model(path)
        model = cls(**parts.parameters)
        explanation = parts.explanation
        model._columns = explanation.columns
        is_whole = parts.parameters.get("explain_with") is None and not {"explain_with", "criterion"} & set(
            parts.not_kept
        )
        model._space = restore_space(explanation.features if is_whole else (), model.distance, parts.transform)
        model._explaining = Explaining(explanation.columns, explanation.features)
        model.explanation_ = explanation
        model.hyperplanes_ = explanation.hyperplanes
        model.polytopes_ = build_polytopes(explanation.hyperplanes, explanation.n_clusters)
        model.n_clusters_, model.score_, model.scores_ = explanation.n_clusters, parts.score, parts.scores
        model.is_optimal_, model.n_features_in_ = parts.is_optimal, parts.n_features_in
        if parts.search is not None:
            model.search_ = parts.search
        if parts.score_interval is not None:
            model.score_interval_ = parts.score_interval
        if parts.feature_names_in is not None:
            model.feature_names_in_ = np.array(parts.feature_names_in, dtype=object)
        return model

    def __getstate__(self) -> Any:
        """Lazy labels stay behind: their graph may hold the table. ``predict`` gives them again."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "labels_" or not is_partitioned(value)}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "hyperplanes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check_table(self, X: Any, reset: bool) -> Any:
        """Frames stay frames, columns in the order of the fit; anything else becomes a two-dimensional array."""
        refuse_form(X)
        shown = show_columns(X) if is_partitioned(X) else None
        if hasattr(X, "columns") and hasattr(X, "to_pandas"):
            X = X.to_pandas()
        if hasattr(X, "columns"):
            open_table(X if shown is None else shown)  # refuses names that occur twice
        elif shown is None:
            X = check_array(read_array(X), dtype=None, ensure_all_finite=False, estimator=self)
        if hasattr(X, "columns") and not reset and hasattr(self, "feature_names_in_"):
            refuse_other_columns(list(X.columns), list(self.feature_names_in_))
            X = X[list(self.feature_names_in_)]
        validate_data(self, X if shown is None else show_columns(X), reset=reset, skip_check_array=True)
        return X

    def _encode_explaining(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._explaining.encode(self._check_table(X, reset=False))

    def _explain(self, result: FitResult, settings: Settings, rows: Block, counts: RuleCounts | None) -> Explanation:
        """Rules for placed rows; ``counts`` where these are but a sample."""
        return build_explanation(
            self._explaining.columns,
            self._explaining.features,
            result.hyperplanes,
            rows.raw,
            rows.known_labels,
            weights=rows.weights,
            counts=counts,
            minimum_size=settings.bounds.least,
            outside=self.outside,
            why_not_exported=self._explaining.why_not_exported,
        )

    def _keep(self, result: FitResult, settings: Settings, journal: Journal, explanation: Explanation) -> None:
        self.n_clusters_ = result.n_clusters
        self.score_ = reported_score(self.criterion, result.score)
        self.__dict__.pop("score_interval_", None)  # of an earlier fit
        if result.interval is not None:
            self.score_interval_ = result.interval
        self.scores_ = {k: reported_score(self.criterion, s) for k, s in result.scores.items()}
        self.hyperplanes_ = result.hyperplanes
        self.polytopes_ = build_polytopes(result.hyperplanes, result.n_clusters)
        self.history_ = tuple(journal.steps)
        self.search_ = result.search
        self.is_optimal_ = result.is_optimal
        self.explanation_ = explanation
        warn_of_result(explanation, settings.n_clusters[0], settings.bounds.most, journal.was_cut_short)
