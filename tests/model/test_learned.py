import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions.aa import Aa
from anonset.data import read
from anonset.measure.information_loss import ncp_items
from anonset.model import builders as module
from anonset.model.builders import Material, build, learned
from anonset.model.dataset import Transactions
from anonset.model.schema import Schema
from oracles import learned as oracle
from strategies import transactions


def bottom_groups(tree):
    """The leaves below each node that is just above leaves."""
    groups = {}
    for leaf, name in enumerate(tree.leaves):
        groups.setdefault(int(tree.parent[leaf]), set()).add(name)
    return {frozenset(group) for group in groups.values()}


def test_items_that_replace_each_other_share_a_node():
    tea_or_coffee = ["milk tea", "milk coffee", "sugar tea", "sugar coffee"] * 3
    nails_or_screws = ["hammer nails", "hammer screws", "wood nails", "wood screws"] * 3
    data = Transactions.from_records([line.split() for line in tea_or_coffee + nails_or_screws])

    assert bottom_groups(learned(data, 2)) == {
        frozenset(pair) for pair in (("tea", "coffee"), ("milk", "sugar"), ("nails", "screws"), ("hammer", "wood"))
    }


@given(transactions(max_records=20), st.integers(2, 4))
def test_groups_are_those_of_the_long_way(data, fanout):
    assert bottom_groups(learned(data, fanout)) == oracle.groups(list(data.records()), list(data.domain), fanout)


@given(transactions(max_records=20), st.integers(2, 4))
def test_a_learned_tree_covers_the_domain_within_its_fanout(data, fanout):
    tree = build(f"learned:{fanout}", Material.of_items(data))

    assert sorted(tree.leaves) == sorted(data.domain)
    assert np.bincount(tree.parent[:-1]).max() <= fanout
    assert tree.derived


@given(transactions(max_records=20), st.randoms(use_true_random=False))
def test_the_order_of_records_means_nothing(data, chance):
    rows = np.array(chance.sample(range(len(data)), len(data)), np.int64)

    assert learned(data.take(rows), 3).labels == learned(data, 3).labels


@given(transactions(max_records=20))
def test_pairs_counted_in_blocks_are_the_same_pairs(data):
    whole = learned(data, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELLS", 1)
        patch.setattr(module, "NEIGHBOURS", 4)  # more are looked at where too few of them are free

        blocks = learned(data, 3)

    assert sorted(blocks.leaves) == sorted(whole.leaves)
    if len(data.domain) <= 5:
        assert blocks.labels == whole.labels


def test_records_too_long_to_say_anything_are_passed_over():
    short = Transactions.from_records(["ab", "ac", "db", "dc"] * 4)
    both = Transactions.from_records([*(["ab", "ac", "db", "dc"] * 4), [*"abcd", *map(str, range(300))]])

    assert {"a", "d"} in bottom_groups(learned(short, 2))
    assert {"a", "d"} in bottom_groups(learned(both, 2))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "spec", "m", "most"),
    [
        ("bms_webview_1", "balanced:5", 3, 0.0171),
        ("bms_webview_2", "balanced:5", 3, 0.0144),
        ("groceries", "learned", 2, 0.0140),
        ("bms_webview_2", "learned", 2, 0.0070),
    ],
)
def test_trees_by_support_and_learned_ones_lose_less_than_those_by_id(real_data, name, spec, m, most):
    data = read(real_data / "transactions" / f"{name}.dat.gz", schema=Schema(item_hierarchy=spec))

    assert round(ncp_items(data, Aa(5, m).anonymize(data)), 4) <= most
