"""Which numbers of clusters are worth a start: those that k-means scores most with are not passed over."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import minmax_scale

from polyclust import PolytopeClustering
from polyclust.clusters.starts import start_by_kmeans
from polyclust.search import solve, two
from polyclust.search.distances import measure_distances
from polyclust.search.family import choose_family
from polyclust.search.journal import Journal
from polyclust.search.plan import SearchPlan
from polyclust.search.points import FEW_POINTS, Points
from polyclust.search.scoring import SilhouetteScorer, SizeBounds
from polyclust.search.starting import Starter

pytestmark = pytest.mark.filterwarnings("ignore::polyclust.errors.PolyclustWarning")


def make_starter(X, counts, least=1.0):
    points = Points(measure_distances(X, "euclidean"), np.ones(len(X)), X, X, X)
    bounds = SizeBounds((least, np.inf))
    family = choose_family(X.shape[1], None, None, np.zeros(X.shape[1]), np.ones(X.shape[1]))
    plan = SearchPlan(counts, family, lambda some: SilhouetteScorer(some, bounds), 2, 0, bounds)
    return Starter(SilhouetteScorer(points, bounds), plan, Journal())


def test_starts_are_rated_as_they_are():
    X = np.random.default_rng(0).normal(size=(60, 3))
    starter = make_starter(X, (2, 5))
    assert starter.rate_known() == {}
    list(starter.make(starter.plan.family.legality(starter.points), "alone"))
    rated = starter.rate_known()
    assert sorted(rated) == [2, 3, 4, 5]
    for k, score in rated.items():
        seeds = [starter.plan.seed + n for n in range(starter.plan.n_starts(starter.points))]
        several = start_by_kmeans(X, np.ones(60), k, seeds)
        assert score >= max(silhouette_score(X, labels) for labels in several) - 1e-6


def test_tight_starts_are_rated_and_used():
    X = np.random.default_rng(1).normal(size=(50, 2))
    starter = make_starter(X, (3, 4))
    rated = starter.rate_tight()
    assert sorted(rated) == [3, 4]
    made = list(starter.make(starter.plan.family.legality(starter.points), "alone"))
    for k, score in rated.items():  # k-means' cells are polytopes, so these starts are legal as they are
        assert max(p.score for p in made if p.n_clusters == k) >= score - 1e-12


def test_starts_of_forbidden_sizes_are_worth_nothing():
    X = np.r_[np.zeros((3, 1)), np.ones((40, 1)) + np.random.default_rng(0).random((40, 1)) / 9, [[9.0]]]
    assert make_starter(X, (2, 2), least=2.0).rate_tight() == {2: -np.inf}


@pytest.mark.parametrize(
    ("rated", "counts"),
    [({}, {2, 3, 4, 5}), ({3: 0.2, 9: 0.4}, {2, 3, 4, 5}), ({3: 0.6, 9: 0.7}, {2, 3, 4, 5, 9})],
)
def test_the_count_whose_starts_lead_the_pool_is_chosen_too(rated, counts):
    starter = make_starter(np.arange(12.0)[:, None] % 4, (2, 10))
    in_two, in_four = (starter.scorer.start(np.arange(12) % k, k) for k in (2, 4))
    pool = [replace(in_two, score=0.1), replace(in_four, score=0.5)]
    leading = solve._find_leading(pool, rated)
    assert solve._choose_counts(pool, leading, starter.plan) == counts


def test_general_hyperplanes_of_many_rows_score_no_less_than_k_means():
    random = np.random.default_rng(1)
    kinds = random.integers(5, size=FEW_POINTS + 60)
    X = (random.random((len(kinds), 30)) < random.random((5, 30))[kinds]).astype(float)
    model = PolytopeClustering(max_terms=None, max_coefficient=None, random_state=0, n_init=2).fit(X)
    scaled = minmax_scale(X)
    best = max(silhouette_score(scaled, start_by_kmeans(scaled, np.ones(len(X)), k, [0])[0]) for k in range(2, 8))
    assert model.score_ >= best - 1e-6
    assert model.n_clusters_ == 5


def test_more_clusters_than_asked_for_are_on_the_way_where_the_most_do_best():
    plan = make_starter(np.arange(12.0)[:, None], (2, 10)).plan
    assert [k for k in range(2, 11) if plan.goes_beyond(k)] == [10]
    assert replace(plan, n_clusters=(4, 5)).goes_beyond(4)


def test_small_tables_are_shaken_more():
    some = {n: make_starter(np.random.default_rng(0).normal(size=(n, 4)), (2, 10)) for n in (60, 200, 900)}
    plan = replace(some[60].plan, family=choose_family(4, 1, 1, np.zeros(4), np.ones(4)))
    shakes = [plan.n_shakes(one.points) for one in some.values()]
    assert shakes == [10 * plan.n_init, 13, plan.n_init]  # of 200 rows and 4 features 2 * 1e6 / 1.6e5, rounded up


@pytest.mark.parametrize("seed", range(4))
def test_two_clusters_are_raced_where_all_their_cuts_cost_too_much(monkeypatch, seed):
    X = np.random.default_rng(seed).gamma(0.7, size=(90, 6))
    starter = make_starter(X, (2, 2))
    family = choose_family(6, 2, 3, np.zeros(6), np.ones(6))
    best = two.search_two(starter.scorer, family, Journal())
    assert two.race_two(starter.scorer, family.oblique, Journal()).score == pytest.approx(best.score, abs=1e-9)
    monkeypatch.setattr(two, "CELLS_OF_A_RACE", 5e5)  # 49 of the rows run, and the 61 best directions win
    monkeypatch.setattr(two, "FEWEST_ROWS", 20)
    raced = two.race_two(starter.scorer, family.oblique, Journal())
    assert best.score - 0.05 < raced.score <= best.score + 1e-9
    assert family.legality(starter.points).holds_for(raced)
    over = Journal()
    over.interrupt()
    assert two.race_two(starter.scorer, family.oblique, over) is None
