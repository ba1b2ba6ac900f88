"""What the user should know about a finished fit, as warnings."""

from __future__ import annotations

from polyclust.errors import SmallClusterWarning, warn_user
from polyclust.explain.explanation import Explanation
from polyclust.explain.spelling import spell_count

__all__ = ["LARGEST_TRIED", "warn_of_result"]

LARGEST_TRIED = "is the largest that was tried: a higher --max-clusters may find a better one"

ROUNDING = 1e-9  # of sums of weights


def warn_of_result(explanation: Explanation, fewest: int, most: float, was_cut_short: bool) -> None:
    """Warn of a search that ended early, of fewer clusters than asked for, and of clusters too large or very small.

    ``most``: the largest size allowed. Of many rows a sample is searched, and a very tight maximum that holds for it
    may not hold for all rows, even if these are parted evenly.
    """
    if was_cut_short:
        warn_user("The search was ended early; the result is the best found so far.")
    if explanation.n_clusters < fewest:
        found = "1 cluster was" if explanation.n_clusters == 1 else f"{explanation.n_clusters} clusters were"
        why = "" if was_cut_short else ": no more cuts were found that leave enough rows on either side"
        advice = "give it more time" if was_cut_short else "lower min_cluster_size"
        warn_user(f"Only {found} found where {fewest} were asked for{why}; {advice}, or ask for fewer.")
    large = [r for r in explanation.rules if r.size > most + ROUNDING]
    if large and explanation.n_clusters >= fewest:
        listed = ", ".join(f"{r.cluster} ({spell_count(r.size, 'row')})" for r in large)
        warn_user(
            f"Larger than max_cluster_size allows ({spell_count(most, 'row')}): cluster {listed}; raise it, or ask for "
            "more clusters."
        )
    small = [r for r in explanation.rules if r.is_at_minimum]
    if small:
        listed = ", ".join(f"{r.cluster} ({spell_count(r.size, 'row')})" for r in small)
        sentence = f"No larger than min_cluster_size allows, so probably a cap of outliers: cluster {listed}"
        warn_user(f"{sentence}; raise min_cluster_size to do without.", SmallClusterWarning)
