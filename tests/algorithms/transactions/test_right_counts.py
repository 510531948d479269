"""Global moves that make counts right: what they are for."""

import numpy as np

from anonset.algorithms.transactions.lift import COUNT_PRICE, even_out, exact_or_cut, ladder, siblings_are_alike, wrong_counts
from anonset.model.dataset import Transactions
from anonset.model.hierarchy import Hierarchy

TREE = Hierarchy(("a", "b", "c", "d", "a-b", "c-d", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))


def test_siblings_that_ended_apart_are_shown_together():
    held = Transactions.from_records(["a"] * 20 + ["b"] * 20 + ["c"] * 20 + ["d"] * 2, TREE.leaves)
    nodes = held.items.copy()
    nodes[held.items == 1] = 4  # 20 times a-b, read as 10 times a and b each: a is counted 30 times, b 10 times
    nodes[held.items == 3] = 5  # d stands for c now and then: to show all c so would make counts worse

    found = even_out(held, nodes, TREE, ladder(TREE))

    assert found.tolist() == [4] * 40 + [2] * 20 + [5] * 2
    assert wrong_counts(held, nodes, TREE, ladder(TREE)) == (22 / 62, 22 + COUNT_PRICE * 11)
    assert wrong_counts(held, found, TREE, ladder(TREE)) == (2 / 62, 2 + COUNT_PRICE * 21)


def test_a_record_stays_exact_or_is_shown_by_the_cut():
    held = Transactions.from_records(["ac", "ac", "bd", "c"], TREE.leaves)
    nodes = np.array([0, 2, 0, 5, 4, 3, 2], np.int32)

    found = exact_or_cut(held, nodes, np.array([4, 4, 5, 5], np.int32))

    assert found.tolist() == [0, 2, 4, 5, 4, 5, 2]


def test_siblings_are_alike_where_supports_are():
    assert siblings_are_alike(Transactions.from_records(["ac", "bd", "ad", "bc"], TREE.leaves), TREE)
    assert not siblings_are_alike(Transactions.from_records(["a", "a", "a", "a", "b", "c"], TREE.leaves), TREE)
