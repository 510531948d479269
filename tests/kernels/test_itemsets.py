"""Postings, what a cut shows, and rare itemsets, against their slow twins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions.kernels.itemsets import Ranked, rare_itemsets
from anonset.algorithms.transactions.kernels.postings import node_supports, post_items, show
from oracles import aa as oracle
from oracles import itemsets as twins
from strategies import item_datasets


def posted(data):
    t = data.transactions
    return post_items(t.offsets, t.items, np.arange(len(t)), len(t.domain))


def rows_of(entries):
    """The records of an array of entries, and the numbers after them."""
    rows, ends, row = [], [], []
    for entry in entries[1:].tolist():
        if entry < 0:
            rows.append(row)
            ends.append(~entry)
            row = []
        else:
            row.append(entry)
    return rows, ends


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


@st.composite
def shown(draw):
    """A dataset, a cut of its hierarchy, and what `show` makes of them."""
    data = draw(item_datasets(max_records=20, max_items=9))
    tree = data.item_hierarchy
    cut = np.array(draw(st.sampled_from(oracle.cuts(tree)[:200])), np.int32)
    above = draw(st.booleans())
    order = np.array(draw(st.permutations(range(len(tree)))), np.int64)
    fresh = np.array(draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree))), np.bool_)
    return data, cut, above, order, fresh, show(posted(data)[0], tree.parent, cut, order, fresh, above)


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


@given(
    case=shown(),
    size=st.integers(1, 4),
    k=st.integers(1, 6),
    enough=st.integers(1, 5),
    room=st.sampled_from([0, 9, 10_000]),
    pick=st.randoms(use_true_random=False),
)
def test_rare_itemsets_are_all_found_in_preorder(case, size, k, enough, room, pick):
    data, _, above, _, _, (entries, starts, at, node, _) = case
    low, high = data.item_hierarchy.low[node], data.item_hierarchy.high[node]
    wanted = np.array([pick.random() < 0.8 for _ in node], np.bool_)
    ranked = Ranked(entries, starts, at, low, high, above, wanted)

    found, first = [], 0
    while first < len(node):
        rare, first = rare_itemsets(ranked, size, k, first, len(node), enough, np.zeros(room, np.int32))
        found += map(tuple, rare.tolist())

    def overlap(a, b):
        return low[a] < high[b] and low[b] < high[a]

    assert found == twins.rare_itemsets(rows_of(entries)[0], size, k, set(np.flatnonzero(wanted)), overlap)


def test_sparse_and_dense_counting_find_the_same():
    rng = np.random.default_rng(0)
    rows = [np.unique(rng.zipf(1.3, size=rng.integers(1, 9)) % 400) for _ in range(60)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    entries, starts, at = post_items(offsets, np.concatenate(rows).astype(np.int32), np.arange(60), 400)
    here = np.arange(400, dtype=np.int32)
    ranked = Ranked(entries, starts, at, here, here + 1, False, np.ones(400, np.bool_))

    for size in (2, 3, 4):
        twin = twins.rare_itemsets([row.tolist() for row in rows], size, 4, set(range(400)), lambda a, b: False)
        for room in (0, 160_000):
            found, _ = rare_itemsets(ranked, size, 4, 0, 400, 1 << 40, np.zeros(room, np.int32))

            assert list(map(tuple, found.tolist())) == twin
