"""The tree of cuts and the boxes that its leaves are on all rows."""

from __future__ import annotations

import numpy as np
from blockwise import cuts_of, in_blocks, numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclust.geometry.hyperplane import Hyperplane, place_rows
from polyclust.hyperplanes.reading import read_hyperplanes
from polyclust.scale.blocks import Placing
from polyclust.scale.boxes import box_rows, read_boxes
from polyclust.scale.cuts import grow_cuts
from polyclust.scale.extending import extend_clusters
from polyclust.search.distances import measure_distances
from polyclust.search.fates import mark_labels
from polyclust.search.points import Points
from polyclust.search.scoring import SizeBounds
from strategies import matrices, partitioned_points


def leaves_of(tree, box):
    """The boxes of the leaves, in their order, by walking the tree."""
    if tree.cut is None:
        return [box]
    low, high = box
    low_above, high_below = low.copy(), high.copy()
    (feature,), threshold = tree.cut.features, tree.cut.threshold
    low_above[feature] = max(low[feature], threshold)
    high_below[feature] = min(high[feature], threshold)
    return leaves_of(tree.below, (low, high_below)) + leaves_of(tree.above, (low_above, high))


@settings(max_examples=100)
@given(st.data(), partitioned_points(), matrices(st.integers(4, 30), st.just(3)), st.integers(1, 8))
def test_the_tree_covers_space_and_keeps_the_minimum(data, drawn, others, least):
    some, labels, n_clusters = drawn
    tree = grow_cuts(some, mark_labels(labels, n_clusters) * some.weights[:, None], numbers(some.n_features))
    raw = np.vstack([some.raw, others[:, : some.n_features]])
    filled = box_rows(in_blocks(raw, cuts=data.draw(cuts_of(len(raw)))), tree, least)
    found = tree.label_rows(raw)
    boxes = leaves_of(tree, (np.full(some.n_features, -np.inf), np.full(some.n_features, np.inf)))
    inside = np.stack([((raw >= low) & (raw < high)).all(axis=1) for low, high in boxes], axis=1)
    assert (inside.sum(axis=1) == 1).all()
    assert inside.argmax(axis=1).tolist() == found.tolist()
    assert np.bincount(found).min() >= least or len(boxes) == 1
    assert np.bincount(found, minlength=len(boxes)).min() > 0
    assert filled.tally.total_sizes.tolist() == np.bincount(found).tolist()
    planes = read_boxes(filled, numbers(some.n_features))
    assert planes == read_hyperplanes(raw, found, len(boxes), numbers(some.n_features))
    assert place_rows(raw, planes, len(boxes), "none").tolist() == found.tolist()


def test_the_tree_says_clusters_that_cuts_can_say():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), 20)
    raw = np.array([[0, 0], [0, 9], [9, 0], [9, 9.0]])[labels] + rng.uniform(0, 3, (80, 2))
    points = Points(measure_distances(raw, "euclidean"), np.ones(80), raw, raw, raw)
    tree = grow_cuts(points, mark_labels(labels, 4), numbers(2))
    assert box_rows(in_blocks(raw), tree, 20).tally.total_sizes.tolist() == [20] * 4
    found = tree.label_rows(raw)
    assert len(set(zip(labels.tolist(), found.tolist(), strict=True))) == 4
    assert box_rows(in_blocks(raw), tree, 21).tally.total_sizes.tolist() == [40, 40]


def test_slanted_cuts_part_what_the_axes_cannot():
    """Three long bands along the diagonal: slanted cuts tell them apart, one plane for each pair of leaves."""
    rng = np.random.default_rng(1)
    along, labels = rng.uniform(-50, 50, 300), np.repeat([0, 1, 2], 100)
    raw = np.column_stack([along, along + 10 * labels + rng.uniform(0, 4, 300)])
    points = Points(measure_distances(raw, "euclidean"), np.ones(300), raw, raw, raw)
    slant = Hyperplane((0, 1), (1.0, -1.0), (1.0, 1.0), 0.0, 1.0, above=0, below=1)
    tree = grow_cuts(points, mark_labels(labels, 3), numbers(2), [slant])
    assert not tree.is_straight
    found = tree.label_rows(raw)
    assert len(set(zip(labels.tolist(), found.tolist(), strict=True))) == 3
    others = rng.uniform(-90, 90, (500, 2))
    planes = tree.list_hyperplanes()
    assert sorted((h.below, h.above) for h in planes) == [(0, 1), (0, 2), (1, 2)]
    assert place_rows(others, planes, 3, "none").tolist() == tree.label_rows(others).tolist()
    extended = extend_clusters(
        in_blocks(raw), Placing((slant,), 2), numbers(2), SizeBounds((100.0, np.inf)), trees=[tree]
    )
    assert extended.tally.total_sizes.tolist() == [100.0] * 3
    assert (extended.placing.label(raw) >= 0).all()
