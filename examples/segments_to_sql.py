"""From a table of customers to SQL that labels them inside a database, and a check that both agree."""

# ruff: noqa: T201 - printing is what this file is for

import sqlite3

from polyclust import PolytopeClustering
from polyclust.demo_data import make_customers

customers = make_customers()
features = customers.drop(columns="customer_id")
model = PolytopeClustering(random_state=0).fit(features)
print(model.explanation_)

with sqlite3.connect(":memory:") as database:
    customers.to_sql("customers", database, index=False)
    query = model.explanation_.to_sql("customers", dialect="sqlite")
    from_sql = [row[-1] for row in database.execute(query)]
database.close()

assert from_sql == model.labels_.tolist()
print(f"The database gives all {len(from_sql)} customers the same cluster as the model.")
