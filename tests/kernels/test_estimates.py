"""Item queries by the smallest labels, against exact fractions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.measure._kernels.label_shares import item_query_shares
from flat_sets import holders, labelled_records
from oracles import labels as oracle


@given(labelled_records(), st.data())
def test_item_query_shares_agree_with_the_oracle(case, draw):
    d, labels, records = case
    item_offsets, item_labels = holders(labels, d)
    index = (item_offsets, item_labels.astype(np.int32), *holders(records, len(labels)))
    sizes, covered = np.array([len(label) for label in labels]), np.zeros(len(records), np.int64)
    chosen = np.full((len(records), 3), -9, np.int32)

    for wanted in draw.draw(st.lists(st.sets(st.integers(0, d - 1), min_size=1, max_size=3), min_size=1, max_size=3)):
        found, shares = item_query_shares(np.array(sorted(wanted), np.int32), *index, sizes, covered, chosen)

        expected = {r: s for r, record in enumerate(records) if (s := oracle.share_of_subsets(record, labels, wanted))}
        assert dict(zip(found.tolist(), shares.tolist(), strict=True)) == pytest.approx(
            {r: float(s) for r, s in expected.items()}
        )
        assert not covered.any()
