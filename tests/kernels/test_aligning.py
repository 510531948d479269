from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt.kernels.aligning import align_items
from flat_sets import flat
from oracles import rt as oracle

classes = st.lists(st.lists(st.sets(st.integers(0, 7), max_size=5), min_size=1, max_size=6), max_size=4)


@given(classes)
def test_labels_agree_with_the_oracle(drawn):
    records = [items for members in drawn for items in members]
    offsets, items = flat(records)
    bounds = np.cumsum([0, *map(len, drawn)])

    found = align_items(bounds, offsets, items, 8)

    expected = [labels for members in drawn for labels in oracle.align_items(members)]
    assert found.tolist() == [labels[i] for held, labels in zip(records, expected, strict=True) for i in sorted(held)]


@given(st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=6), min_size=1, max_size=8))
def test_all_records_of_a_class_show_all_of_its_labels(records):
    offsets, items = flat(records)

    found = align_items(np.array([0, len(records)]), offsets, items, 10)

    shown = [set(found[first:last].tolist()) for first, last in pairwise(offsets)]
    assert shown == [set(range(min(map(len, records))))] * len(records)
