"""Rare itemsets of shown nodes, against their slow twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.postings import post_items
from anonset.algorithms.transactions._kernels.rare_itemsets import Ranked, rare_itemsets, rare_pairs
from oracles import itemsets as twins
from posted_records import rows_of, shown


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


def test_pairs_are_found_as_other_itemsets_are():
    rng = np.random.default_rng(1)
    rows = [np.unique(rng.integers(0, 12, size=rng.integers(1, 9))) for _ in range(40)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    entries, starts, at = post_items(offsets, np.concatenate(rows).astype(np.int32), np.arange(40), 12)
    here, wanted = np.arange(12, dtype=np.int32), rng.random(12) < 0.8
    for nested in (False, True):
        ranked = Ranked(entries, starts, at, here // 2, here // 2 + 1, nested, wanted)
        twin = rare_itemsets(ranked, 2, 6, 1, 11, 1 << 40, np.zeros(0, np.int32))[0].tolist()
        assert twin
        for room, enough in ((0, 1 << 40), (0, 2), (144, 2)):
            found, first = [], 1
            while first < 11:
                pairs, first = rare_pairs(ranked, 6, first, 11, enough, np.zeros(room, np.int32))
                found += pairs.tolist()
            assert found == twin
