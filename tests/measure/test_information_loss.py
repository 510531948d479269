from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import items_in_groups
from anonset.measure.information_loss import item_error, preserved_itemsets
from anonset.measure.workload import Query
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import KmAnonymity
from anonset.model.release import Release
from oracles import workload as oracle
from strategies import item_datasets


def pair_release(records):
    data = Dataset(transactions=Transactions.from_records(records, domain="abcd"))
    items = items_in_groups(data, np.array([0, 0, 1, 2], np.int32), ["(a,b)", "c", "d"])
    return data, Release((), items, (KmAnonymity(1, 2),), provenance(Identity(k=1)), np.arange(len(data)))


@given(item_datasets(min_records=2))
def test_published_as_is_every_itemset_survives(data):
    found = preserved_itemsets(data, make("identity", {"k": 1}).anonymize(data), support=0.3)

    assert found[:3] == (1.0, 1.0, 0.0)
    assert item_error(data, make("identity", {"k": 1}).anonymize(data)) == pytest.approx(0.0)


def test_frequent_sets_of_a_release_are_those_of_high_expected_support():
    data, release = pair_release(["ac", "ac", "bc", "ad", "acd", "c"])
    every = [c for size in (1, 2, 3) for c in combinations("abcd", size)]
    before = {c for c in every if oracle.actual(data, Query(items=c)) >= 2}
    after = {c for c in every if oracle.estimate(data, release, Query(items=c)) >= 2}

    found = preserved_itemsets(data, release, support=2 / 6)

    assert before != after
    assert found.precision == pytest.approx(len(before & after) / len(after))
    assert found.recall == pytest.approx(len(before & after) / len(before))
    assert found.itemsets == len(before)


def test_the_frequency_behind_a_pair_is_two_thirds_of_it():
    data, release = pair_release(["a", "a", "a", "ab", "b", "c"])

    assert item_error(data, release) == pytest.approx((abs(4 - 10 / 3) / 4 + abs(2 - 10 / 3) / 2 + 0) / 3)
