"""collapse: sets of labels instead of entries."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.recode import collapse

rows = st.lists(st.lists(st.integers(-1, 9), max_size=6) | st.lists(st.integers(-1, 99), min_size=33, max_size=60), max_size=6)


@given(rows)
def test_records_become_ascending_sets_of_labels(records):
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in records])]).astype(np.int64)
    labels = np.array([label for row in records for label in row], np.int32)

    starts, shown = collapse(offsets, labels)

    assert [shown[a:b].tolist() for a, b in itertools.pairwise(starts)] == [
        sorted({label for label in row if label >= 0}) for row in records
    ]
