import numpy as np
import pytest

from anonset import threads
from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.rt import local_search
from anonset.algorithms.rt.base import checked_inputs
from anonset.algorithms.rt.cluster_labels import LabelCuts, StepLabelling
from anonset.algorithms.rt.local_search import SearchLimits, merge_round, partners, split_round
from anonset.algorithms.rt.objective import ClusterEvaluator, DetailLost
from anonset.algorithms.rt.search import RtSearch
from anonset.model.dataset import Column, Dataset, Transactions

AGES = np.repeat(np.arange(4, dtype=np.int32), 2)
ITEMS = [["a"], ["b"], ["b"], ["a"]] * 2  # two ages together show their items; one alone cannot
FREE = SearchLimits(np.inf, np.inf)


@pytest.fixture
def evaluator():
    values = np.array([0.0, 10.0, 20.0, 30.0])
    column = Column("age", "quasi", "numeric", AGES, ("0", "10", "20", "30"), values)
    data = Dataset((column,), Transactions.from_records(ITEMS, ["a", "b"]))
    quasi, items = checked_inputs(RtSearch(k=2, m=1, items="pcta"), data)
    labelling = StepLabelling(data.linkable, items, LabelCuts(data, 2, 1, 1))
    return ClusterEvaluator(quasi, 2, labelling, DetailLost(data, 0.0))


def clustering(evaluator, groups):
    return evaluator.clustering(dict(enumerate(evaluator.evaluate([np.array(rows) for rows in groups]))))


def test_a_round_reports_the_largest_gain_that_the_limits_refused(evaluator):
    apart = clustering(evaluator, [[0, 1], [2, 3], [4, 5], [6, 7]])
    rng = np.random.default_rng(1)

    free = merge_round(evaluator, apart, FREE, 0, rng)
    bound = merge_round(evaluator, apart, SearchLimits(4 / 3 + 1e-9, np.inf), 0, rng)

    assert (len(free.changes), free.clustering.value, free.refused_gain) == (2, 0.0, 0.0)
    assert len(bound.changes) == 1
    assert bound.refused_gain == pytest.approx(0.25 / (4 / 3))  # four of eight items half lost, for a third of the span of four


def test_a_split_may_raise_the_value_by_the_worth_of_its_ncp(evaluator):
    together = clustering(evaluator, [[0, 1, 2, 3], [4, 5, 6, 7]])

    kept, cut = split_round(evaluator, together, 2, FREE, 0.0), split_round(evaluator, together, 2, FREE, 0.2)

    assert kept.changes == []
    assert len(cut.changes) == 2
    assert cut.clustering.value > together.value
    assert cut.clustering.lost == pytest.approx(0.0)


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("rank", [0, 2, 50])
def test_partners_are_the_cheapest_unions_in_any_number_of_threads(monkeypatch, cores, rank):
    monkeypatch.setattr(threads, "THREADS", cores)
    monkeypatch.setattr(local_search, "UNIONS_PER_CHUNK", 100)
    rng = np.random.default_rng(rank)
    ages = np.array(rng.random(120) * 90, np.float64)
    data = Dataset((Column("age", "quasi", "numeric", np.arange(120, dtype=np.int32), tuple(map(str, ages)), ages),))
    quasi, clusters = encode(data), np.split(rng.permutation(120), [3, 9, 20, 22, 40, 41, 55, 70, 90])
    seekers = np.array([0, 2, 3, 7, 9])

    growth, partner = partners(quasi, clusters, seekers, rank)

    spans = [np.ptp(quasi.values[rows, 0]) * len(rows) for rows in clusters]
    for p, a in enumerate(seekers.tolist()):
        unions = [np.concatenate([clusters[a], rows]) for rows in clusters]
        added = {b: np.ptp(quasi.values[rows, 0]) * len(rows) - spans[a] - spans[b] for b, rows in enumerate(unions) if b != a}
        assert growth[p] == pytest.approx(added[int(partner[p])])
        assert growth[p] == pytest.approx(sorted(added.values())[min(rank, 8)])
