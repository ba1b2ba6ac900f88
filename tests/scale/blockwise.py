"""Rows cut into blocks anywhere, empty ones included, and small things that tests of the room share."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from polyclust.geometry.hyperplane import Hyperplane
from polyclust.scale.blocks import ArrayBlocks, Block
from polyclust.scale.space import Space
from polyclust.table.features import Column, Feature


def numbers(n_features):
    return tuple(Feature(Column(f"x{p}", "number", p), "number") for p in range(n_features))


def plain_space(n_features, metric="euclidean"):
    return Space(numbers(n_features), metric)


def axis_plane(feature, threshold, above, below):
    return Hyperplane((feature,), (1.0,), (1.0,), threshold, 1.0, above, below)


def in_blocks(raw, weights=None, cuts=(), clustered=None, labels=None):
    """The rows as blocks that end at the cuts."""
    weights = np.ones(len(raw)) if weights is None else weights
    whole = Block(raw, raw if clustered is None else clustered, weights, labels)
    ends = [0, *sorted(cuts), len(raw)]
    return ArrayBlocks([whole.take(slice(a, b)) for a, b in pairwise(ends)])


def cuts_of(n_rows, most=4):
    """Where blocks end: anywhere, the same place twice too."""
    return st.lists(st.integers(0, n_rows), max_size=most)
