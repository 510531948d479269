import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset_papers.algorithms._kernels.cahd import groups_around
from oracles import nonreciprocal as oracle
from strategies import transactions


@given(transactions(max_records=16), st.integers(1, 4), st.data())
def test_groups_agree_with_the_slow_twin(t, size, data):
    n = len(t)
    labels = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), np.int32)
    order = np.array(data.draw(st.permutations(range(n))), np.int64)
    sets = [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(n)]

    group, count = groups_around(t.offsets, t.items, order, labels, 5, size, 2 * size)

    assert (group.tolist(), count) == oracle.groups_around(sets, order.tolist(), labels.tolist(), size, 2 * size)
