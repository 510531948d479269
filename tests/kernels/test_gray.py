import numpy as np
from hypothesis import given

from anonset.kernels.gray import cyclic_distances, distances_from, gray_order
from oracles import nonreciprocal as oracle
from strategies import transactions


def rows(t):
    return [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(len(t))]


@given(transactions(max_records=20))
def test_gray_order_agrees_with_ranks_as_numbers(t):
    assert gray_order(t.offsets, t.items).tolist() == oracle.gray_order(rows(t), len(t.domain))


@given(transactions(min_records=2))
def test_distances_agree_with_symmetric_differences(t):
    order = np.arange(len(t))[::-1].copy()

    assert cyclic_distances(t.offsets, t.items, order).sum() == oracle.cyclic_length(rows(t), order)
    from_first = distances_from(t.offsets, t.items, 0, len(t.domain)).tolist()
    assert from_first == [oracle.distance(rows(t)[0], row) for row in rows(t)]


def test_neighbours_in_the_gray_order_of_all_sets_differ_in_one_item():
    sets = [[i for i in range(4) if bits >> i & 1] for bits in range(16)]
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sets])]).astype(np.int64)
    items = np.array([i for s in sets for i in s], np.int32)

    assert cyclic_distances(offsets, items, gray_order(offsets, items)).tolist() == [1] * 16
