"""Every comparator, by name, in the order of the tables."""

from __future__ import annotations

from benchmarks.methods import cart, dbscan, exkmc, gmm, icot, kauri, kmeans, kmedoids, mpc, pamsil, ward
from benchmarks.methods.method import Method

FILES = (kmeans, gmm, ward, dbscan, kmedoids, pamsil, icot, exkmc, cart, kauri, mpc)
METHODS: dict[str, Method] = {method.name: method for file in FILES for method in file.METHODS}

__all__ = ["METHODS", "Method"]
