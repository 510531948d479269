"""Labels of a hierarchy shared out among the items of a record, against the conditions themselves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.label_cuts import assigned_labels
from flat_sets import flat
from strategies import hierarchies


@given(st.data())
def test_every_item_has_a_label_that_stands_for_it_and_no_label_is_left_over(draw):
    tree = draw.draw(hierarchies(tuple("abcdefg"[: draw.draw(st.integers(1, 7))])))
    groups = [set(range(tree.low[v], tree.high[v])) for v in range(len(tree))]
    records = draw.draw(st.lists(st.sets(st.integers(0, tree.n_leaves - 1)), max_size=6))
    nodes = [[draw.draw(st.sampled_from(tree.ancestors(i))) for i in sorted(record)] for record in records]
    shown = [set(row) for row in nodes]  # as many as could stand for the items

    found = assigned_labels(*flat(records), *flat(shown), *flat(groups), tree.n_leaves)

    offsets, items = flat(records)
    for r, labels in enumerate(shown):
        row = found[offsets[r] : offsets[r + 1]].tolist()
        assert set(row) == labels
        assert all(i in groups[a] for i, a in zip(items[offsets[r] : offsets[r + 1]], row, strict=True))
    assert found.dtype == np.int32
