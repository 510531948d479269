"""Global moves that make counts right: the kernel as its twin, and what they are for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions.kernels.evening import PRICE
from anonset.algorithms.transactions.lift_starts import exact_or_cut
from anonset.algorithms.transactions.lift_state import ladder
from anonset.algorithms.transactions.right_counts import FREQUENT, alike, evened, wrong_counts
from anonset.model.hierarchy import Hierarchy
from anonset.model.transactions import Transactions
from strategies import item_datasets

TREE = Hierarchy(("a", "b", "c", "d", "a-b", "c-d", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))


def ways_up(way, item):
    path = [item]
    while way.above[path[-1]] >= 0:
        path.append(int(way.above[path[-1]]))
    return path


def slowly_evened(held, nodes, tree, way):
    """Node by node from below: everything is tried and counted anew."""

    def counts(at):
        shown = np.bincount(at[at >= 0], minlength=len(tree)) / np.maximum(1, way.sizes)
        return np.array([sum(shown[v] for v in ways_up(way, i)) for i in range(tree.n_leaves)])

    nodes = nodes.copy()
    frequent = held.supports >= FREQUENT * len(held)
    for v in range(tree.n_leaves, tree.root):
        below = [node >= 0 and node < v and v in ways_up(way, i) for i, node in zip(held.items, nodes, strict=True)]
        tried = np.where(below, v, nodes).astype(np.int32)
        cost = sum(1 / way.sizes[a] - 1 / way.sizes[b] for a, b in zip(nodes[below], tried[below], strict=True))
        wrong, left = (np.abs(counts(at) - held.supports)[frequent].sum() for at in (nodes, tried))
        if wrong - left > PRICE * cost:
            nodes = tried
    return nodes


@given(data=item_datasets(sensitive=True, max_records=10), source=st.data())
def test_nodes_take_what_their_twin_takes(data, source):
    held, tree = data.linkable, data.item_hierarchy
    if tree is None or len(held.items) == 0:
        return
    way = ladder(tree, data.sensitive_items)
    nodes = np.array([source.draw(st.sampled_from([-1, *ways_up(way, int(i))])) for i in held.items], np.int32)

    assert evened(held, nodes, tree, way).tolist() == slowly_evened(held, nodes, tree, way).tolist()


def test_siblings_that_ended_apart_are_shown_together():
    held = Transactions.from_records(["a"] * 20 + ["b"] * 20 + ["c"] * 20 + ["d"] * 2, TREE.leaves)
    nodes = held.items.copy()
    nodes[held.items == 1] = 4  # 20 times a-b, read as 10 times a and b each: a is counted 30 times, b 10 times
    nodes[held.items == 3] = 5  # d stands for c now and then: to show all c so would make counts worse

    found = evened(held, nodes, TREE, ladder(TREE))

    assert found.tolist() == [4] * 40 + [2] * 20 + [5] * 2
    assert wrong_counts(held, nodes, TREE, ladder(TREE)) == (22 / 62, 22 + PRICE * 11)
    assert wrong_counts(held, found, TREE, ladder(TREE)) == (2 / 62, 2 + PRICE * 21)


def test_a_record_stays_exact_or_is_shown_by_the_cut():
    held = Transactions.from_records(["ac", "ac", "bd", "c"], TREE.leaves)
    nodes = np.array([0, 2, 0, 5, 4, 3, 2], np.int32)

    found = exact_or_cut(held, nodes, np.array([4, 4, 5, 5], np.int32))

    assert found.tolist() == [0, 2, 4, 5, 4, 5, 2]


def test_siblings_are_alike_where_supports_are():
    assert alike(Transactions.from_records(["ac", "bd", "ad", "bc"], TREE.leaves), TREE)
    assert not alike(Transactions.from_records(["a", "a", "a", "a", "b", "c"], TREE.leaves), TREE)
