"""Words for a clustering made elsewhere, and what it would take to make them exact."""

# ruff: noqa: T201 - printing is what this file is for

from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from polyclust import explain_labels

wine = load_wine(as_frame=True).data
labels = KMeans(3, n_init=10, random_state=0).fit_predict(minmax_scale(wine))

for limits in ({"max_terms": 1}, {"max_terms": 2, "max_coefficient": 3}):
    explanation = explain_labels(wine, labels, **limits)
    print(f"--- {limits}: {explanation.fidelity:.1%} of the rows, {explanation.n_clauses} clauses")
    print(explanation)
    print(explanation.evaluate(wine, labels))
    print()
