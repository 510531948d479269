"""The open constraint that comes first, after every change of the clusters, against counting everything anew."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.algorithms.constraints.pcta import Pcta
from anonset.algorithms.constraints.policies import rare_itemsets
from anonset.algorithms.constraints.queues import AllItemsetsQueue, ListedQueue, coded, maximal_rare_transactions
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset
from oracles import constraints as oracle
from strategies import transactions


def first_open(clusters, itemsets, k):
    def support(itemset):
        return clusters.support(clusters.translate(itemset), k)

    found = [itemset for itemset in itemsets if 0 < support(itemset) < k]
    best = min(found, key=lambda itemset: (-support(itemset), len(itemset), itemset), default=None)
    return None if best is None else (best, support(best))


def change(clusters, queue, draw):
    """Merge or suppress clusters drawn at random; return whether there was something to change."""
    alive = np.flatnonzero(clusters.supports).tolist()
    if len(alive) < 2:
        return False
    low, high = sorted(draw.draw(st.permutations(alive))[:2])
    if draw.draw(st.booleans()) and draw.draw(st.booleans()):
        clusters.suppress(low)
        queue.suppressed(low)
    else:
        queue.merging(low, high)
        clusters.merge(low, high)
        queue.merged(low)
    return True


@given(transactions(), st.integers(1, 4), st.integers(1, 5), st.data())
def test_all_itemsets(t, m, k, draw):
    d = len(t.domain)
    clusters = ItemClusters(t, np.zeros(d, np.int32))
    queue = AllItemsetsQueue(clusters, k, m)
    itemsets = [itemset for size in range(1, m + 1) for itemset in combinations(range(d), size)]

    while True:
        # a set of the original items is called by the smallest items of its clusters
        assert queue.top() == first_open(clusters, itemsets, k)
        if not change(clusters, queue, draw):
            break


@given(transactions(), st.integers(1, 5), st.data())
def test_listed_itemsets(t, k, draw):
    d = len(t.domain)
    sets = draw.draw(st.lists(st.sets(st.integers(0, d - 1), min_size=1, max_size=4), max_size=6))
    itemsets = [tuple(sorted(itemset)) for itemset in sets]
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in itemsets])]).astype(np.int64)
    clusters = ItemClusters(t, np.zeros(d, np.int32))
    queue = ListedQueue(clusters, k, coded(offsets, np.array([i for s in itemsets for i in s], np.int32)))

    while True:
        assert queue.top() == first_open(clusters, itemsets, k)
        if not change(clusters, queue, draw):
            break


@given(transactions(), st.integers(1, 4), st.integers(1, 5))
def test_rare_itemsets_are_all_those_below_k(t, m, k):
    clusters = ItemClusters(t, np.zeros(len(t.domain), np.int32))
    rows = [frozenset(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(len(t))]

    found, supports = rare_itemsets(clusters, m, k)

    everything = [(p, oracle.support(frozenset(p), rows)) for p in oracle.all_itemsets(range(len(t.domain)), m)]
    wanted = sorted((len(p), p, n) for p, n in everything if 0 < n < k)
    assert [(len(found[q]), found[q], supports[q]) for q in range(len(found))] == wanted


@given(transactions(), st.integers(1, 5))
def test_whole_transactions_are_the_maximal_rare_ones(t, k):
    clusters = ItemClusters(t, np.zeros(len(t.domain), np.int32))
    found = maximal_rare_transactions(t, clusters, k)

    named = {tuple(t.domain[i] for i in found[q]) for q in range(len(found))}

    assert named == set(oracle.maximal_rare_transactions(list(t.records()), k))


@given(transactions(), st.integers(1, 4), st.integers(1, 5), st.booleans())
def test_pairs_counted_when_asked_for_give_the_same_release(t, m, k, refine):
    """With many items there is no table of all pairs."""
    data = Dataset(transactions=t)
    algorithm = Pcta(k=k, m=m, refine=refine)
    try:
        wanted = algorithm.anonymize(data)
    except InfeasibleError:
        return

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.algorithms.constraints.clusters.WHOLE_TABLE", 0)
        found = algorithm.anonymize(data)

    assert found.items.labels.texts == wanted.items.labels.texts
    np.testing.assert_array_equal(found.items.shown, wanted.items.shown)
