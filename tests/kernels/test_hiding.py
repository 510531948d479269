"""Records that may hide an item, against looking at each record."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.releases._kernels.hiding import hiding_records
from flat_sets import flat, labelled_records
from oracles import labels as oracle


@given(labelled_records(), st.data())
def test_hiding_records_agree_with_the_oracle(case, draw):
    d, labels, records = case
    nobody = draw.draw(st.sets(st.integers(0, d - 1), max_size=2))
    label_offsets, members = flat(labels)
    members = np.where(np.isin(members, sorted(nobody)), -1, members).astype(np.int32)

    found = hiding_records(*flat(records), label_offsets, members, d)

    assert found.tolist() == [0 if item in nobody else oracle.hiding(records, labels, item) for item in range(d)]
