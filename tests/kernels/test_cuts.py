"""A cut that moves up until itemsets are closed, against trying every way."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.cuts import close_items, close_itemsets
from anonset.algorithms.transactions.cut import cut_at, cut_problem, frame_of, secrets
from oracles import aa
from oracles.cuts import Search
from strategies import item_datasets


@st.composite
def searches(draw):
    """A task, a cut somewhere in the hierarchy, and their slow twin."""
    data = draw(item_datasets(max_records=14, max_items=7, sensitive=draw(st.booleans())))
    k, l = draw(st.integers(1, 4)), draw(st.integers(1, 3))  # noqa: E741
    shape, hidden = frame_of(data), secrets(data)
    problem = cut_problem(shape, data.linkable, np.arange(len(data), dtype=np.int64), k, l, hidden)
    nodes = np.array(draw(st.sampled_from(aa.cuts(data.item_hierarchy)[:200])), np.int32)
    cut = cut_at(problem, nodes)
    cut.fresh[:] = False
    held = [set(map(int, row)) for row in np.split(data.linkable.items, data.linkable.offsets[1:-1])]
    sensitive = [set(map(int, row)) for row in np.split(hidden.items, hidden.offsets[1:-1])]
    return problem, cut, Search(held, sensitive, data.item_hierarchy, shape.weight, k, l, nodes.tolist())


def assert_same(cut, twin):
    """The cut, what it costs under every node at or above it, and the nodes that were moved to."""
    assert cut.node.tolist() == twin.cut
    above = [v for v in range(len(twin.tree)) if not twin.is_generalized(v)]
    assert cut.spent[above].tolist() == [twin.spent(v) for v in above]
    assert set(np.flatnonzero(cut.fresh)) == twin.fresh


@given(searches())
def test_items_are_closed_as_the_oracle_does(case):
    problem, cut, twin = case

    done = close_items(problem, cut)

    assert done == twin.close_items()
    assert_same(cut, twin)
    if done:
        shown = {twin.cut[i] for record in twin.records for i in record}
        assert all(twin.is_closed([v]) for v in shown)


@given(searches(), st.data())
def test_itemsets_are_closed_in_their_order_as_the_oracle_does(case, draw):
    problem, cut, twin = case
    tree, size = twin.tree, draw.draw(st.integers(1, 3))
    published = [v for v in range(len(tree)) if not twin.is_generalized(v)]
    apart = [
        itemset
        for itemset in combinations(published, size)
        if not any(twin.leaves(v) & twin.leaves(w) for v, w in combinations(itemset, 2))
        if twin.l > 1 or not twin.is_closed(itemset)
    ]
    itemsets = draw.draw(st.lists(st.sampled_from(apart), max_size=4, unique=True)) if apart else []

    done = close_itemsets(problem, cut, np.array(itemsets, np.int32).reshape(len(itemsets), size))

    assert done == twin.close_itemsets(itemsets)
    assert_same(cut, twin)
