"""What the user should know about a finished fit, as warnings."""

from __future__ import annotations

import warnings

from polyclust.errors import PolyclustWarning, SmallClusterWarning
from polyclust.explain.explanation import Explanation
from polyclust.explain.spelling import spell_count

__all__ = ["LARGEST_TRIED", "warn_of_result"]

LARGEST_TRIED = "is the largest that was tried: a higher --max-clusters may find a better one"

ABOVE_FIT = 5  # this function, _keep, _fit_table, fit, and the user's line


def warn_of_result(explanation: Explanation, fewest: int, was_cut_short: bool) -> None:
    """A search ended early, fewer clusters than asked for, and clusters that sit on the minimum size."""
    if was_cut_short:
        sentence = "The search was ended early; the result is the best found so far."
        warnings.warn(sentence, PolyclustWarning, stacklevel=ABOVE_FIT)
    if explanation.n_clusters < fewest:
        found = "1 cluster was" if explanation.n_clusters == 1 else f"{explanation.n_clusters} clusters were"
        why = "" if was_cut_short else ": no more cuts were found that leave enough rows on either side"
        advice = "give it more time" if was_cut_short else "lower min_cluster_size"
        sentence = f"Only {found} found where {fewest} were asked for{why}; {advice}, or ask for fewer."
        warnings.warn(sentence, PolyclustWarning, stacklevel=ABOVE_FIT)
    small = [r for r in explanation.rules if r.is_at_minimum]
    if small:
        listed = ", ".join(f"{r.cluster} ({spell_count(r.size, 'row')})" for r in small)
        sentence = f"No larger than min_cluster_size allows, so probably a cap of outliers: cluster {listed}."
        warnings.warn(sentence, SmallClusterWarning, stacklevel=ABOVE_FIT)
