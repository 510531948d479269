"""The label that stands for an occurrence, against looking through the labels of its record."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.recode import published_labels
from flat_sets import flat, labelled_records
from oracles import labels as oracle


@given(labelled_records(), st.data())
def test_published_labels_agree_with_the_oracle(case, draw):
    d, labels, records = case
    n = len(records) + draw.draw(st.integers(0, 3))  # some originals are not published
    originals = draw.draw(st.lists(st.sets(st.integers(0, d - 1)), min_size=n, max_size=n))
    rows = draw.draw(st.permutations(range(n)))[: len(records)]
    offsets, items = flat(originals)
    label_offsets, members = flat(labels)

    found = published_labels(offsets, items, np.array(rows, np.int64), *flat(records), label_offsets, members, d)

    expected = [[-2] * len(original) for original in originals]
    for row, record in zip(rows, records, strict=True):
        expected[row] = oracle.standing(originals[row], record, labels)
    assert found.tolist() == [label for row in expected for label in row]


@given(labelled_records(), st.data())
def test_members_that_are_no_items_of_the_original_stand_for_nothing(case, draw):
    d, labels, records = case
    gone = draw.draw(st.sets(st.integers(0, d - 1)))
    offsets, items = flat([set(range(d)) - gone for _ in records])
    label_offsets, members = flat(labels)
    members = np.where(np.isin(members, sorted(gone)), -1, members).astype(np.int32)

    found = published_labels(offsets, items, np.arange(len(records)), *flat(records), label_offsets, members, d)

    expected = [oracle.standing(set(range(d)) - gone, record, labels) for record in records]
    assert found.tolist() == [label for row in expected for label in row]
