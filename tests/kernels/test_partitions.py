"""Groups of records that show the same nodes: a step at a time, and the records done."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions.cut import frame_of
from anonset_papers.algorithms._kernels.partitions import ItemTable, specialize
from anonset_papers.algorithms.partition import _one_group
from strategies import item_datasets


def table_of(data, k):
    t = data.linkable
    return ItemTable(t.offsets, t.items, *frame_of(data)[:4], k)


@given(data=item_datasets(max_records=25, max_items=9), k=st.integers(1, 5), steps=st.integers(1, 3))
def test_steps_end_with_every_item_under_its_node_in_groups_of_k(data, k, steps):
    table, tree = table_of(data, k), data.item_hierarchy
    stack = _one_group(table)
    rows, shown, done = stack.rows.copy(), np.full(len(table.items), -1, np.int32), 0
    if len(rows) < k:
        return

    while stack.size[0]:
        sizes = np.diff(stack.starts[: stack.size[0] + 1])
        assert (sizes >= k).all()
        assert sizes.sum() == len(rows) - done
        done += specialize(table, stack, shown, steps)

    assert done == len(rows)
    assert sorted(stack.rows.tolist()) == rows.tolist()
    assert all(tree.low[v] <= i < tree.high[v] for i, v in zip(table.items, shown, strict=True))
