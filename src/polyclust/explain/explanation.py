"""The explanation: rules made of clauses made of terms, in the user's units, independent of the estimator."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyclust.explain import wording
from polyclust.explain.rows import read_rows
from polyclust.explain.spelling import Vocabulary, spell_columns
from polyclust.geometry.hyperplane import Hyperplane, find_members, measure_violation, place_rows
from polyclust.table.features import Column, Feature
from polyclust.table.partitions import find_for_rows
from polyclust.table.unseen import UnseenLevels

if TYPE_CHECKING:
    import pandas as pd

    from polyclust.explain.pairwise import PairwiseRule
    from polyclust.explain.profile import ClusterProfile

Comparison = Literal["≥", "<"]

__all__ = ["Clause", "Comparison", "Explanation", "Rule", "Term"]


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a clause: coefficient * (feature / unit).

    Parameters
    ----------
    coefficient : float
        A whole number, unless the hyperplanes have real coefficients.
    feature : Feature
        What is read from a row; its ``name`` is what people read.
    unit : float, default=1.0
        What the feature is divided by first.
    """

    coefficient: float
    feature: Feature
    unit: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """A sum of terms, compared with a threshold. What is printed is what is stored, applied and exported.

    ``str(clause)`` is the clause in words, as ``petal length (cm) < 2.5``.

    Parameters
    ----------
    terms : tuple of Term
    comparison : {"≥", "<"}
    threshold : float
    """

    terms: tuple[Term, ...]
    comparison: Comparison
    threshold: float

    def __str__(self) -> str:
        return wording.word_clause(self)


@dataclass(frozen=True, slots=True)
class Rule:
    """The clauses that hold for every row of a cluster and, together, for no other row.

    Where the explanation is not exact, ``coverage`` and ``precision`` say how far from that it is. ``str(rule)`` is the
    rule on one line.

    Parameters
    ----------
    cluster : int
        The label that the rule gives.
    clauses : tuple of Clause
        All must hold; none: every row is in the cluster.
    size : float
        The rows of the cluster, by weight.
    coverage : float
        The share of the cluster's rows that the rule holds.
    precision : float
        The share of the rows that the rule holds which are the cluster's.
    name : str
        A short name made from the rule, or given.
    is_at_minimum : bool
        The cluster is as small as was allowed: probably a cap of outliers.
    """

    cluster: int
    clauses: tuple[Clause, ...]
    size: float
    coverage: float
    precision: float
    name: str = ""
    is_at_minimum: bool = False

    @property
    def n_clauses(self) -> int:
        """How many clauses the rule has."""
        return len(self.clauses)

    @property
    def n_terms(self) -> int:
        """How many terms its clauses have together."""
        return sum(len(clause.terms) for clause in self.clauses)

    def __str__(self) -> str:
        return wording.word_rule(self.clauses)


@dataclass(frozen=True)
class Explanation:
    """Everything needed to describe the clusters and to place other rows.

    Made by ``PolytopeClustering`` (its ``explanation_``), by ``explain_labels`` or by ``from_json``; immutable.

    Parameters
    ----------
    columns : tuple of Column
        The columns of the user's table.
    features : tuple of Feature
        What hyperplanes use, in the order of their indexes.
    hyperplanes : tuple of Hyperplane
        One per pair of clusters.
    rules : tuple of Rule
        One per cluster, without redundant clauses.
    outside : {"nearest", "none"}
        What happens to rows in no polytope: the nearest cluster, or the label -1.
    is_minimal : bool
        The rules hold the same training rows only; they are for reading and are not exported.
    fidelity : float
        The share of the training rows that the rules place where the labels do.
    cluster_labels : tuple
        The labels of a clustering made elsewhere; empty: 0..K-1.
    advice : tuple of str
        What would make an inexact explanation exact, what is noise, where a solver was stopped before its proof.
    why_not_exported : str
        Why the rules cannot run outside Python; empty: they can.

    Examples
    --------
    >>> import pandas as pd
    >>> from polyclust import explain_labels
    >>> people = pd.DataFrame({"age": [21, 25, 30, 62, 65, 70], "member": [True, True, False, True, False, False]})
    >>> explanation = explain_labels(people, ["young", "young", "young", "old", "old", "old"])
    >>> for rule in explanation.rules:
    ...     print(rule.name, "if", rule)
    old if age ≥ 50
    young if age < 50
    >>> print(explanation.pairwise(0, 1))
    IF age ≥ 50: cluster 0 ELSE cluster 1
    >>> explanation.predict(pd.DataFrame({"age": [18, 80], "member": [True, False]})).tolist()
    [1, 0]
    >>> print(explanation.to_sql_case("postgres"))
    CASE
      WHEN "age" IS NULL
      THEN NULL
      WHEN CAST("age" AS DOUBLE PRECISION) >= 50
      THEN 0
      WHEN CAST("age" AS DOUBLE PRECISION) < 50
      THEN 1
    END
    <BLANKLINE>
    """

    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    hyperplanes: tuple[Hyperplane, ...]
    rules: tuple[Rule, ...]
    outside: Literal["nearest", "none"] = "nearest"
    is_minimal: bool = False
    fidelity: float = 1.0
    cluster_labels: tuple[Hashable, ...] = ()
    advice: tuple[str, ...] = ()
    why_not_exported: str = ""

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.rules)

    @property
    def n_clauses(self) -> int:
        """How many clauses all rules have together."""
        return sum(rule.n_clauses for rule in self.rules)

    @property
    def n_terms(self) -> int:
        """How many terms all rules have together."""
        return sum(rule.n_terms for rule in self.rules)

    @property
    def is_exact(self) -> bool:
        """The rules place every training row where the labels do, each inside its own polytope only."""
        return self.fidelity == 1 and all(r.coverage == 1 and r.precision == 1 for r in self.rules)

    @property
    def vocabulary(self) -> Vocabulary:
        """How each column is printed."""
        return spell_columns(self.columns)

    def word_rule(self, cluster: int) -> str:
        """The rule of a cluster on one line."""
        return wording.word_rule(self.rules[cluster].clauses, self.vocabulary)

    # Other rows; those of a Dask collection lazily

    def predict(self, X: Any) -> NDArray[np.intp]:
        """The polytope that holds each row; for rows in none as ``outside`` says."""
        find = partial(place_rows, hyperplanes=self.hyperplanes, n_clusters=self.n_clusters, outside=self.outside)
        return find_for_rows(find, self._read, X, np.intp)  # type: ignore[no-any-return]

    def contains(self, X: Any) -> NDArray[np.bool_]:
        """The n x K membership matrix."""
        find = partial(find_members, hyperplanes=self.hyperplanes, n_clusters=self.n_clusters)
        return find_for_rows(find, self._read, X, np.bool_, self.n_clusters)  # type: ignore[no-any-return]

    def violation(self, X: Any) -> NDArray[np.float64]:
        """n x K: by how far each row is on the wrong side of each cluster's hyperplanes."""
        find = partial(measure_violation, hyperplanes=self.hyperplanes, n_clusters=self.n_clusters)
        return find_for_rows(find, self._read, X, np.float64, self.n_clusters)  # type: ignore[no-any-return]

    def evaluate(self, X: Any, labels: Any, sample_weight: Any = None) -> pd.DataFrame:
        """Coverage and precision of every rule on other rows, one row per cluster; of a Dask collection a Delayed."""
        from polyclust.explain.evaluation import evaluate

        return evaluate(self, X, labels, sample_weight)  # type: ignore[no-any-return]

    def profile(self, X: Any, labels: Any = None, sample_weight: Any = None) -> tuple[ClusterProfile, ...]:
        """What sets each cluster apart from the rest, feature by feature."""
        from polyclust.explain.evaluation import profile

        return profile(self, X, labels, sample_weight)

    def _read(self, X: Any, unseen: UnseenLevels | None = None) -> NDArray[np.float64]:
        if self.why_not_exported:
            raise ValueError(f"An explanation cannot read these rows, its model can: {self.why_not_exported}")
        return read_rows(X, self.columns, self.features, unseen)

    # Pairs

    def pairwise(self, i: int, j: int) -> PairwiseRule:
        """What tells cluster i from cluster j."""
        from polyclust.explain.pairwise import compare_pair

        return compare_pair(self, i, j)

    @property
    def comparisons(self) -> tuple[PairwiseRule, ...]:
        """What tells each cluster from each later one."""
        from polyclust.explain.pairwise import compare_all

        return compare_all(self)

    def pairwise_table(self) -> pd.DataFrame:
        """K x K: what holds for the cluster of the row and not for the cluster of the column."""
        from polyclust.explain.pairwise import tabulate_pairs

        return tabulate_pairs(self)

    # Variants

    def minimal(self, X: Any, labels: Any = None) -> Explanation:
        """The fewest clauses that still hold exactly the same rows of X; for reading, never exported.

        ``labels`` only measure coverage and precision anew; without them they stay.
        """
        from polyclust.explain.minimal import minimise

        return minimise(self, X, labels)

    def with_names(self, names: Sequence[str]) -> Explanation:
        """The same rules under other names."""
        from polyclust.explain.names import check_names

        checked = check_names(names, self.n_clusters)
        rules = tuple(replace(rule, name=name) for rule, name in zip(self.rules, checked, strict=True))
        return replace(self, rules=rules)

    def with_fills(self, fills: Mapping[str, Any]) -> Explanation:
        """A copy that replaces missing values before the rules apply: column name -> value."""
        from polyclust.explain.evaluation import fill_columns

        return fill_columns(self, fills)

    # Renderings

    def to_text(self, width: int = 88) -> str:
        """For a terminal, in lines of this many characters where words allow."""
        from polyclust.render.text import render_text

        return render_text(self, width)

    def to_markdown(self) -> str:
        """For documents."""
        from polyclust.render.markdown import render_markdown

        return render_markdown(self)

    def to_html(self) -> str:
        """A fragment for notebooks and pages, without outside resources."""
        from polyclust.render.html import render_html

        return render_html(self)

    def to_latex(self) -> str:
        """A table for a paper."""
        from polyclust.render.latex import render_latex

        return render_latex(self)

    def to_frame(self) -> pd.DataFrame:
        """One row per clause."""
        from polyclust.render.frame import render_frame

        return render_frame(self)

    def to_json(self) -> str:
        """Versioned text that from_json reads back."""
        from polyclust.render.json import render_json

        return render_json(self)

    @classmethod
    def from_json(cls, text: str) -> Explanation:
        """The explanation that to_json wrote."""
        from polyclust.render.json import parse_json

        return parse_json(text)

    def to_sql(self, table: str | Sequence[str], dialect: str = "duckdb", column: str = "cluster") -> str:
        """A SELECT of the table's columns and one more, ``cluster``, or as ``column`` says.

        ``table`` is one name, with its dots if it has some; ("sales", "customers") is customers in the schema sales.
        """
        from polyclust.render.sql import render_sql

        return render_sql(self, table, dialect, column)

    def to_sql_case(self, dialect: str = "duckdb") -> str:
        """The CASE expression alone."""
        from polyclust.render.sql import render_sql_case

        return render_sql_case(self, dialect)

    def to_python(self) -> str:
        """The source of a function ``assign(row)`` that depends on nothing."""
        from polyclust.render.python import render_python

        return render_python(self)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()
