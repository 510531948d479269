"""Policies of the papers' experiments, made from data."""

import numpy as np
import pytest

from anonset.errors import InputError
from anonset.model.dataset import Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.policy import (
    AllItemsets,
    Itemsets,
    UtilityPolicy,
    groups_at_level,
    itemsets_of_sizes,
    neighbours,
    privacy_set,
    utility_set,
)

RNG = np.random.default_rng(1)
RECORDS = [[str(i) for i in RNG.choice(100, size=RNG.integers(0, 9), replace=False)] for _ in range(400)]
DATA = Dataset(transactions=Transactions.from_records(RECORDS))


@pytest.mark.parametrize(("name", "items"), [("PR1", 2), ("PR2", 5), ("PR3", 10), ("PR4", 25), ("PR5", 50)])
def test_all_pairs_of_a_share_of_the_items(name, items):
    policy = privacy_set(DATA, name, seed=3)

    assert len(policy.itemsets) == items * (items - 1) // 2
    assert len({i for pair in policy.itemsets for i in pair}) == items
    assert policy == privacy_set(DATA, name, seed=3)
    assert policy != privacy_set(DATA, name, seed=4)


@pytest.mark.parametrize(("name", "sizes"), [("PR8", [50, 50, 50, 50]), ("PR9", [33, 33, 33, 100])])
def test_itemsets_in_the_shares_of_table_3_are_each_in_some_record(name, sizes):
    shares = {"PR8": (0.25,) * 4, "PR9": (0.167, 0.167, 0.166, 0.5)}[name]
    policy = itemsets_of_sizes(DATA, shares, n=200, seed=3)
    records = [set(record) for record in RECORDS]

    assert np.bincount([len(p) for p in policy.itemsets])[1:].tolist() == sizes
    assert all(any(set(p) <= record for record in records) for p in policy.itemsets)


def test_itemsets_drawn_from_all_items_and_too_few_of_a_size():
    few = Dataset(transactions=Transactions.from_records(["ab", "c"]))

    assert len(itemsets_of_sizes(few, (0.5, 0.5), n=100, occurring=False).itemsets) == 3 + 3
    assert len(itemsets_of_sizes(few, (0.5, 0.5), n=100).itemsets) == 3 + 1
    assert len(privacy_set(few, "PR9").itemsets) == 3 + 1
    assert privacy_set(few, "PR1") == Itemsets(())


@pytest.mark.parametrize(("name", "sizes"), [("UR1", [25] * 4), ("UR2", [50, 50]), ("UR3", [100])])
def test_groups_of_neighbouring_items(name, sizes):
    policy = utility_set(DATA, name, suppression=0.15)

    assert [len(group) for group in policy.groups] == sizes
    assert policy.suppression == 0.15
    assert policy.groups[0][:3] == ("0", "1", "2")


def test_groups_follow_the_leaves_of_a_hierarchy_and_leave_sensitive_items_out():
    tree = Hierarchy(("b", "d", "a", "c", "x", "y", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))
    data = Dataset(transactions=Transactions.from_records(["abcd"])).with_item_hierarchy(tree)
    flags = np.array([False, False, True, False])

    assert neighbours(data, 2).groups == (("b", "d"), ("a", "c"))
    assert neighbours(Dataset(transactions=data.transactions, sensitive_items=flags), 2).groups == (("b", "d"), ("c",))


def test_the_nodes_of_a_level_as_groups():
    tree = Hierarchy(("b", "d", "a", "c", "x", "y", "*"), np.array([4, 4, 5, 6, 6, 6, -1], np.int32))

    assert groups_at_level(tree, 0).groups == (("b",), ("d",), ("a",), ("c",))
    assert groups_at_level(tree, 1).groups == (("b", "d"), ("a",), ("c",))
    assert groups_at_level(tree, 2, suppression=0.1) == UtilityPolicy((("b", "d", "a", "c"),), 0.1)


def test_names_sizes_and_levels_that_are_not_there():
    with pytest.raises(InputError, match="PR1, PR2"):
        privacy_set(DATA, "PR10")
    with pytest.raises(InputError, match="UR1, UR2"):
        utility_set(DATA, "UR6")
    with pytest.raises(InputError, match="at least 1 item"):
        neighbours(DATA, 0)
    with pytest.raises(InputError, match="levels 0 to 1"):
        groups_at_level(Hierarchy(("a", "*"), np.array([1, -1], np.int32)), 2)


def test_policies_check_themselves():
    policy = UtilityPolicy((("a", "b"),), 0.5, {"a": 0.5})

    assert policy.completed("abcd").groups == (("a", "b"), ("c",), ("d",))
    assert Itemsets((("a", "b"), ("c",))).among("ab") == Itemsets((("a", "b"),))
    for bad in ({"a": -0.5}, {"a": float("nan")}):
        with pytest.raises(InputError, match="weight of 'a'"):
            UtilityPolicy((), weights=bad)
    with pytest.raises(InputError, match="penalty of 'a'"):
        UtilityPolicy((), penalties={"a": float("inf")})
    with pytest.raises(InputError, match="m=0"):
        AllItemsets(0)
