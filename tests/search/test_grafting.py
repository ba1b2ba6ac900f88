"""Trees in which clusters are taken out and put back where they do best."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from test_descent import conflicts_of, family_of

from polyclust.search.branches import Cut, Fork, Leaf, follow, label_rows, list_clusters, prune, put, walk
from polyclust.search.candidates import list_candidates
from polyclust.search.distances import measure_distances
from polyclust.search.fates import mark_labels
from polyclust.search.grafting import Grafter, graft_tree
from polyclust.search.points import Points
from polyclust.search.repair import graft_legal, make_legal
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from polyclust.search.trees import Slants, grow_tree
from strategies import partitioned_points

ANY_SIZE = SizeBounds((0.0, np.inf))
LIMITS = [(1, 1), (2, 1), (2, 3)]


def cut(threshold, feature=0):
    return Cut((feature,), (1.0,), threshold)


def test_branches_are_pruned_found_and_put_back():
    tree = Fork(cut(0.0), Leaf(0), Fork(cut(2.0), Leaf(1), Leaf(2)))
    assert list_clusters(tree) == [0, 1, 2]
    assert prune(tree, 1) == Fork(cut(0.0), Leaf(0), Leaf(2))
    assert prune(tree, 0) == tree.high
    assert prune(tree, 7) is tree
    assert prune(Leaf(3), 3) is None
    assert follow(tree, (True, False)) == Leaf(1)
    assert put(tree, (True, False), Leaf(5)) == Fork(cut(0.0), Leaf(0), Fork(cut(2.0), Leaf(5), Leaf(2)))
    assert put(tree, (), Leaf(5)) == Leaf(5)
    columns = np.array([[-1.0, 0.0, 1.0, 2.0, 3.0]])
    assert label_rows(tree, columns).tolist() == [0, 1, 1, 2, 2]
    assert label_rows(tree, columns, np.array([4, 0])).tolist() == [2, 0]
    seen = {visit.path: visit.rows.tolist() for visit in walk(tree, columns, np.arange(5))}
    assert seen == {
        (): [0, 1, 2, 3, 4],
        (False,): [0],
        (True,): [1, 2, 3, 4],
        (True, False): [1, 2],
        (True, True): [3, 4],
    }


def draw_fates(data, some, n_clusters):
    return data.draw(arrays(float, (len(some), n_clusters), elements=st.integers(-9, 9)))


def start_anyhow(some, labels, n_clusters):
    return grow_tree(some, mark_labels(labels, n_clusters) * some.weights[:, None])


@settings(deadline=None, max_examples=80)
@given(partitioned_points(most=5), st.data(), st.sampled_from(LIMITS))
def test_grafting_never_makes_a_tree_worth_less_and_keeps_it_legal(drawn, data, limits):
    some, labels, n_clusters = drawn
    fates = draw_fates(data, some, n_clusters)
    start = start_anyhow(some, labels, n_clusters)
    tree, _ = graft_tree(start, Grafter.make(some, fates, limits), ANY_SIZE)
    every = np.arange(len(some))
    before, after = (label_rows(each, some.columns) for each in (start, tree))
    worth = fates * some.weights[:, None]
    assert worth[every, after].sum() >= worth[every, before].sum() - 1e-9
    assert conflicts_of(some, after, limits) == []


@settings(deadline=None, max_examples=60)
@given(partitioned_points(n_columns=st.just(1), most=3), st.data())
def test_a_graft_is_the_best_there_is(drawn, data):
    """Along one axis every place for a cluster can be tried."""
    some, labels, n_clusters = drawn
    tree = start_anyhow(some, labels, n_clusters)
    grafter = Grafter.make(some, draw_fates(data, some, n_clusters), (1, 1))
    cluster = data.draw(st.integers(0, n_clusters - 1))
    pruned = prune(tree, cluster)
    if pruned is None:
        return
    grafted, worth = grafter._graft(tree, cluster)
    assert worth == -np.inf or worth == pytest.approx(grafter.sum_worth(grafted))
    tried = []
    for visit in walk(pruned, some.columns, np.arange(len(some))):
        values = np.unique(some.columns[0, visit.rows])
        for threshold, is_low in itertools.product(values[1:], (True, False)):
            sides = (Leaf(cluster), visit.tree) if is_low else (visit.tree, Leaf(cluster))
            tried.append(grafter.sum_worth(put(pruned, visit.path, Fork(cut(threshold), *sides))))
    assert worth == pytest.approx(max(tried, default=-np.inf))


def ladder(n_rows=100):
    """Rows on a line, the last five worth more in cluster 1 than in 0, the others the less the further they are."""
    values = np.arange(float(n_rows))[:, None]
    some = Points(measure_distances(values, "euclidean"), np.ones(n_rows), values, values, values)
    return some, np.column_stack([np.zeros(n_rows), (values[:, 0] - n_rows + 5.5) / 50])


@pytest.mark.parametrize(
    ("least", "most", "fewest", "greatest"), [(1.0, 100.0, 5, 5), (20.0, 100.0, 20, 21), (1.5, 90.0, 10, 14)]
)
def test_prices_bring_sizes_to_within_their_bounds_and_hardly_further(least, most, fewest, greatest):
    some, fates = ladder()
    start, grafter = Fork(cut(50.0), Leaf(0), Leaf(1)), Grafter.make(some, fates, (1, 1))
    tree, prices = graft_tree(start, grafter, SizeBounds((least, most)))
    assert fewest <= label_rows(tree, some.columns).sum() <= greatest
    assert prices.any() == (fewest > 5)


def test_sizes_that_rows_stand_for_count_and_not_their_own():
    some, fates = ladder()
    grafter = replace(Grafter.make(some, fates, (1, 1)), corrections=np.array([1.0, 0.5]))
    tree, _ = graft_tree(Fork(cut(50.0), Leaf(0), Leaf(1)), grafter, SizeBounds((20.0, np.inf)))
    assert 40 <= np.bincount(label_rows(tree, some.columns))[1] <= 43


def test_a_bound_that_no_price_meets_leaves_the_tree_as_good_as_it_gets():
    some, fates = ladder()
    fates[:, 1] -= 9.0
    grafter = Grafter.make(some, fates, (1, 1))
    tree, _ = graft_tree(Fork(cut(50.0), Leaf(0), Leaf(1)), grafter, SizeBounds((40.0, 100.0)))
    assert label_rows(tree, some.columns).sum() < 40


def test_grafting_follows_far_rows_that_cuts_one_by_one_lose():
    """Tight clusters, and rows far from everything: they do the least harm in a cluster of their own."""
    rng = np.random.default_rng(3)
    values = np.vstack([rng.normal(c, 0.3, (60, 4)) for c in np.eye(4)[:3] * 8] + [rng.uniform(-30, 30, (24, 4))])
    labels = np.repeat([0, 1, 2, 3], [60, 60, 60, 24])
    some = Points(measure_distances(values, "euclidean"), np.ones(204), values, values, values)
    scorer = SilhouetteScorer(some, SizeBounds((10, np.inf)))
    legality = family_of(some, (2, 3)).legality(some)
    greedy = make_legal(labels, scorer, legality, "alone", Slants(3))
    grafted = graft_legal(labels, scorer, (2, 3), lead=-1.0)
    assert grafted.n_clusters == 4
    assert grafted.score > greedy.score
    assert conflicts_of(some, grafted.labels, (2, 3)) == []
    assert scorer.bounds.hold_for(grafted.sizes)
    assert graft_legal(labels, scorer, (2, 3), lead=1.0) is None


def test_candidates_hold_the_direction_that_parts_a_cluster():
    """A band along 2a - 3b among other features; axes alone do not show it."""
    rng = np.random.default_rng(1)
    values = rng.uniform(0, 1, (900, 9))
    is_first = 2 * values[:, 2] - 3 * values[:, 6] > 0
    fates = np.column_stack([is_first, ~is_first]).astype(float)
    columns = np.ascontiguousarray(values.T)
    for directions in list_candidates(columns, fates, 2, 3):
        terms = [directions.terms(d) for d in range(len(directions))]
        assert ((2, 6), (2.0, -3.0)) in terms
        assert len(set(terms)) == len(terms)
    assert all(len(d) == 9 for d in list_candidates(columns, fates, 1, 1))


def test_a_tree_may_be_grown_in_any_order():
    """Clusters that lie apart along an axis are parted whichever comes first."""
    values = np.repeat([0.0, 10.0, 20.0], [5, 4, 3])[:, None] + np.linspace(0, 1, 12)[:, None]
    some = Points(measure_distances(values, "euclidean"), np.ones(12), values, values, values)
    labels = np.repeat([0, 1, 2], [5, 4, 3])
    grafter = Grafter.make(some, mark_labels(labels, 3), (1, 1))
    assert grafter.grow() == grafter.grow([0, 1, 2])
    for order in itertools.permutations(range(3)):
        assert label_rows(grafter.grow(order), some.columns).tolist() == labels.tolist()
