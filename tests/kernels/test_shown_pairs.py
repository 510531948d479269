"""Rare pairs of what a cut shows, against their slow twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.postings import post_items
from anonset.algorithms.transactions._kernels.rare_itemsets import CutRecords, rare_shown_pairs
from oracles import itemsets as twins


@st.composite
def shown_records(draw):
    """Records of items, the ends of the groups of neighbours they are shown as, and the number of each group."""
    d = draw(st.integers(1, 9))
    records = draw(st.lists(st.sets(st.integers(0, d - 1), max_size=6).map(sorted), max_size=25))
    ends = sorted({d, *draw(st.sets(st.integers(1, d)))})
    return records, ends, draw(st.permutations(range(len(ends))))


@given(
    case=shown_records(),
    k=st.integers(1, 6),
    most=st.sampled_from([0, 1, 7]),
    fresh=st.integers(0, 9),
    pick=st.randoms(use_true_random=False),
)
def test_rare_pairs_of_wanted_nodes_are_all_found_in_order(case, k, most, fresh, pick):
    records, ends, rank = case
    offsets = np.concatenate([[0], np.cumsum([len(record) for record in records])]).astype(np.int64)
    items = np.array([i for record in records for i in record], np.int32)
    posted = post_items(offsets, items, np.arange(len(records)), ends[-1])
    of_item = np.repeat(np.array(rank, np.int32), np.diff([0, *ends]))
    places = [rank.index(a) for a in range(min(fresh, len(ends)))]
    low, high = (np.array([bounds[g] for g in places], np.int32) for bounds in ([0, *ends], ends))
    wanted = np.array([pick.random() < 0.8 for _ in ends], np.bool_)
    shown = CutRecords(*posted, of_item, low, high, len(ends))

    found, first, longer = [], 0, True
    while first < len(low):
        rare, first, longer = rare_shown_pairs(shown, wanted, k, first, most)
        found += map(tuple, rare.tolist())

    seen = [{int(of_item[i]) for i in record} for record in records]
    every = twins.rare_itemsets(seen, 2, k, set(np.flatnonzero(wanted)), lambda a, b: False)
    assert found == [pair for pair in every if pair[0] < len(low)]
    assert longer or not any(len(record) > 1 for record in seen)


def test_counting_stops_where_no_pair_is_rare():
    records = [[0, 1, 2]] * 400
    offsets, items = np.arange(0, 1201, 3), np.tile(np.arange(3, dtype=np.int32), 400)
    posted = post_items(offsets, items, np.arange(len(records)), 3)
    here = np.arange(3, dtype=np.int32)

    rare, first, longer = rare_shown_pairs(CutRecords(*posted, here, here, here + 1, 3), np.ones(3, np.bool_), 5, 0, 0)

    assert (len(rare), first, longer) == (0, 3, True)
