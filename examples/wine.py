"""The wines that ship with scikit-learn: rules of one feature, then of two, in the units of the table."""

# ruff: noqa: T201 - printing is what this file is for

from sklearn.datasets import load_wine

from polyclust import PolytopeClustering

wine = load_wine(as_frame=True).data
families = {
    "one feature per clause, three clusters": PolytopeClustering(3, random_state=0),
    "up to two features per clause": PolytopeClustering(max_terms=2, max_coefficient=3, random_state=0),
}
for title, model in families.items():
    model.fit(wine)
    n_right = int((model.predict(wine) == model.labels_).sum())
    print(f"--- wine, {title}: silhouette {model.score_:.4f}")
    print(model.explanation_)
    print(f"checked: the rules give back the cluster of {n_right} of {len(wine)} rows\n")
