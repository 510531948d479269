import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational._kernels.fulldomain import group_rows


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), max_size=30),
    st.lists(st.integers(0, 5), min_size=8, max_size=8),
)
def test_rows_are_together_exactly_when_their_nodes_are_equal(rows, maps):
    codes = np.array(rows, np.int32).reshape(len(rows), 2)

    groups, count = group_rows(codes, np.array(maps, np.int32), np.array([0, 4, 8]))

    nodes = [(maps[a], maps[4 + b]) for a, b in rows]
    assert count == len(set(nodes))
    assert len(set(zip(nodes, groups.tolist(), strict=True))) == count
    assert set(groups.tolist()) == set(range(count))
