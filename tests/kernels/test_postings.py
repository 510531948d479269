"""Postings and what a cut shows, against their slow twins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.postings import node_supports, post_items, rows_under
from oracles import aa as oracle
from oracles import itemsets as twins
from posted_records import posted, rows_of, shown
from strategies import item_datasets


@given(data=item_datasets(), pick=st.randoms(use_true_random=False))
def test_postings_place_every_item_of_the_given_rows(data, pick):
    t = data.transactions
    rows = np.array([r for r in range(len(t)) if pick.random() < 0.7], np.int64)

    entries, starts, at = post_items(t.offsets, t.items, rows, len(t.domain))

    records, ends = rows_of(entries)
    assert records == [t.items[t.offsets[r] : t.offsets[r + 1]].tolist() for r in rows]
    assert ends == rows.tolist()
    for i in range(len(t.domain)):
        assert sorted(at[starts[i] : starts[i + 1]]) == [p for p, entry in enumerate(entries) if entry == i]


@given(data=item_datasets())
def test_node_supports_count_records(data):
    assert node_supports(posted(data)[0], data.item_hierarchy.parent).tolist() == oracle.Database(data).supports


@given(data=item_datasets(), draw=st.data())
def test_rows_under_a_range_of_items_are_those_that_hold_one(data, draw):
    d = len(data.transactions.domain)
    low, high = sorted(draw.draw(st.lists(st.integers(0, d), min_size=2, max_size=2)))

    found = rows_under(*posted(data), low, high)

    wanted = set(data.transactions.domain[low:high])
    assert sorted(found.tolist()) == [r for r, record in enumerate(data.transactions.records()) if record & wanted]


@given(case=shown())
def test_show_ranks_what_records_show(case):
    data, cut, above, order, fresh, (entries, starts, at, node, n_fresh) = case
    tree, t = data.item_hierarchy, data.transactions

    records, _ = rows_of(entries)

    wanted = [twins.shown_nodes(tree, t.items[a:b], cut, above) for a, b in zip(t.offsets[:-1], t.offsets[1:], strict=True)]
    if cut[0] != tree.root:
        assert [{int(node[a]) for a in row} for row in records] == wanted
    assert all(row == sorted(set(row)) for row in records)
    assert node.tolist() == sorted(node.tolist(), key=lambda v: (not fresh[v], order[v]))
    assert n_fresh == fresh[node].sum()
    assert all((entries[at[starts[a] : starts[a + 1]]] == a).all() for a in range(len(node)))
    assert len(at) == sum(map(len, records))
