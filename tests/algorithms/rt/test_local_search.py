import numpy as np
import pytest

from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.rt import local_search
from anonset.algorithms.rt.cluster_labels import LabelCuts, Stepwise
from anonset.algorithms.rt.local_search import ClusterJudge, Limits, divided, merged, partners
from anonset.algorithms.rt.objective import DetailLost
from anonset.algorithms.rt.preparation import tools
from anonset.algorithms.rt.search import RtSearch
from anonset.model import threads
from anonset.model.dataset import Column, Dataset, Transactions

AGES = np.repeat(np.arange(4, dtype=np.int32), 2)
ITEMS = [["a"], ["b"], ["b"], ["a"]] * 2  # two ages together show their items; one alone cannot
FREE = Limits(np.inf, np.inf)


@pytest.fixture
def judge():
    values = np.array([0.0, 10.0, 20.0, 30.0])
    column = Column("age", "quasi", "numeric", AGES, ("0", "10", "20", "30"), values)
    data = Dataset((column,), Transactions.from_records(ITEMS, ["a", "b"]))
    quasi, items = tools(RtSearch(k=2, m=1, items="pcta"), data)
    showing = Stepwise(data.linkable, items, LabelCuts(data, 2, 1, 1))
    return ClusterJudge(quasi, data.linkable, showing, DetailLost(data, 0.0))


def standing(judge, groups):
    return judge.standing(dict(enumerate(judge.judged([np.array(rows) for rows in groups]))))


def test_what_a_change_gains_for_the_ncp_it_is_refused_is_told(judge):
    apart = standing(judge, [[0, 1], [2, 3], [4, 5], [6, 7]])
    rng = np.random.default_rng(1)

    free, bound = merged(judge, apart, FREE, 0, rng), merged(judge, apart, Limits(4 / 3 + 1e-9, np.inf), 0, rng)

    assert (len(free.changes), free.standing.value, free.refused) == (2, 0.0, 0.0)
    assert len(bound.changes) == 1
    assert bound.refused == pytest.approx(0.25 / (4 / 3))  # four of eight items half lost, for a third of the span of four


def test_a_cut_may_cost_what_its_ncp_is_worth_elsewhere(judge):
    together = standing(judge, [[0, 1, 2, 3], [4, 5, 6, 7]])

    kept, cut = divided(judge, together, 2, FREE, 0.0), divided(judge, together, 2, FREE, 0.2)

    assert kept.changes == []
    assert len(cut.changes) == 2
    assert cut.standing.value > together.value
    assert cut.standing.lost == pytest.approx(0.0)


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("rank", [0, 2, 50])
def test_partners_are_the_cheapest_unions_whoever_looks_for_them(monkeypatch, cores, rank):
    monkeypatch.setattr(threads, "THREADS", cores)
    monkeypatch.setattr(local_search, "CELLS", 100)
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
