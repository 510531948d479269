from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.nonreciprocal._kernels.tours import distance_matrix, exchange_members, segment_borders
from oracles import nonreciprocal as oracle
from strategies import transactions


@given(st.lists(st.integers(0, 9), min_size=1, max_size=11), st.integers(1, 4), st.integers(0, 3))
def test_borders_cut_the_cheapest_steps(steps, low, extra):
    n, high = len(steps), low + extra
    low_that_fits = min(low, n // -(-n // high))

    borders = segment_borders(np.array(steps, np.int64), low, high)

    sizes = np.diff(borders)
    assert borders[0] == 0
    assert borders[-1] == n
    assert (sizes >= low_that_fits).all()
    assert (sizes <= high).all()
    assert sum(steps[b - 1] for b in borders[1:-1]) == oracle.cheapest_cut(steps, range(low_that_fits, high + 1))


@given(transactions())
def test_distances_count_the_items_of_one_of_two(t):
    sets = [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(len(t))]

    matrix = distance_matrix(t.offsets, t.items, np.arange(len(t)), len(t.domain))

    assert matrix.tolist() == [[oracle.distance(a, b) for b in sets] for a in sets]


def cost(matrix, group):
    """The distances of all pairs of a group over its size, summed over groups."""
    return sum(matrix[np.ix_(group == g, group == g)].sum() / 2 / (group == g).sum() for g in np.unique(group))


@given(transactions(min_records=4, max_records=9, max_items=5), st.data())
def test_exchanges_bring_members_closer_until_no_single_exchange_helps(t, data):
    n = len(t)
    matrix = distance_matrix(t.offsets, t.items, np.arange(n), len(t.domain))
    before = np.sort(np.arange(n, dtype=np.int32) % 3)
    labels = np.array(data.draw(st.permutations(range(n))), np.int32) % 4
    labels = np.where([(labels[before == g] == i).sum() > 1 for g, i in zip(before, labels, strict=True)], np.arange(n), labels)

    after = exchange_members(matrix, before, 3, labels.astype(np.int32), n, 100)

    def differ(group):
        return all(len(set(labels[group == g])) == (group == g).sum() for g in range(3))

    assert np.bincount(after).tolist() == np.bincount(before).tolist()
    assert differ(after) or not differ(before)
    assert cost(matrix, after) <= cost(matrix, before) + 1e-9
    for a, b in combinations(range(n), 2):
        other = after.copy()
        other[[a, b]] = after[[b, a]]
        assert not differ(other) or cost(matrix, other) > cost(matrix, after) - 1e-6
