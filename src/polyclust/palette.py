"""The colours of clusters, in plots and in the report."""

from __future__ import annotations

__all__ = ["PALETTE"]

# Okabe and Ito's colours that hold on white, then four of Paul Tol's that stay apart from them.
PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#882255",
    "#332288",
    "#999933",
    "#666666",
)
