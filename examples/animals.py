"""Rules of yes and no: animals told apart by what they have. The table is beside this file."""

# ruff: noqa: T201 - printing is what this file is for

from pathlib import Path

import pandas as pd

from polyclust import PolytopeClustering

animals = pd.read_csv(Path(__file__).with_name("animals.csv"), index_col="animal")
model = PolytopeClustering(6, random_state=0).fit(animals)

for rule in model.explanation_.rules:
    members = animals.index[model.labels_ == rule.cluster]
    print(f"{rule}\n    {', '.join(members)}")
print()
print("What tells one cluster from another:")
for pair in model.explanation_.comparisons:
    print(f"  {pair}")
