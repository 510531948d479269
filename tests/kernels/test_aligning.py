from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.alignment import align_items
from flat_sets import flat
from oracles import rt as oracle

classes = st.lists(st.lists(st.sets(st.integers(0, 7), max_size=5), min_size=1, max_size=6), max_size=4)


def sets_shown(bounds, found):
    """For each class its labels as sets of items, and for each record the labels it shows."""
    ends, items, labels = found
    shown = [set(labels[first:last].tolist()) for first, last in pairwise(ends)]
    behind = []
    for first, last in pairwise(ends[bounds]):
        entries = list(zip(labels[first:last].tolist(), items[first:last].tolist(), strict=True))
        behind.append([{i for a, i in entries if a == label} for label in range(1 + max(labels[first:last], default=-1))])
    return behind, shown


@given(classes)
def test_labels_agree_with_the_oracle(drawn):
    offsets, items = flat([held for members in drawn for held in members])
    bounds = np.cumsum([0, *map(len, drawn)])

    found = align_items(bounds, offsets, items, 8)

    assert sets_shown(bounds, found)[0] == [oracle.align_items(members) for members in drawn]


@given(st.lists(st.sets(st.integers(0, 9), max_size=6), min_size=1, max_size=8))
def test_all_records_of_a_class_show_all_of_its_labels_truly(records):
    offsets, items = flat(records)
    bounds = np.array([0, len(records)])

    (ends, entries, labels) = found = align_items(bounds, offsets, items, 10)

    (behind,), shown = sets_shown(bounds, found)
    assert shown == [set(range(len(behind))) if held else set() for held in records]
    assert len({frozenset(label) for label in behind}) == len(behind)
    for held, first, last in zip(records, ends[:-1], ends[1:], strict=True):
        assert entries[first:last].tolist() == sorted(entries[first:last].tolist())
        pairs = set(zip(entries[first:last].tolist(), labels[first:last].tolist(), strict=True))
        assert pairs == {(i, a) for i in held for a, label in enumerate(behind) if i in label}
        assert {i for i, _ in pairs} == held


def test_an_item_of_many_records_stands_behind_several_labels():
    records = [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {7, 8, 9}]
    offsets, items = flat(records)
    bounds = np.array([0, 4])

    (behind,), _ = sets_shown(bounds, align_items(bounds, offsets, items, 10))

    read = sum(1 / len(label) for label in behind if 0 in label)
    assert sum(0 in label for label in behind) > 1
    assert abs(read - 3 / 4) < 0.2
