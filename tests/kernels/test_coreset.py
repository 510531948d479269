"""The kernel that thins records out, against the obvious way."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.engine._kernels.coreset import thin
from strategies import transactions


def slow_thin(records, k, m, whole):
    """Items are kept that are in a set which was kept fewer than k times before, or all of a record with such a set."""
    seen, kept = {}, []
    for record in records:
        rare = [s for size in range(1, m + 1) for s in combinations(sorted(record), size) if seen.get(s, 0) < k]
        some = {i for s in rare for i in s} if not (whole and rare) else set(record)
        kept += [i in some for i in record]
        for s in [s for size in range(1, m + 1) for s in combinations(sorted(some), size)]:
            seen[s] = seen.get(s, 0) + 1
    return kept


@given(data=transactions(max_records=40), k=st.integers(1, 4), m=st.integers(1, 3), hashed=st.booleans(), whole=st.booleans())
def test_thin_agrees_with_the_obvious_way(data, k, m, hashed, whole):
    d = len(data.domain)
    records = [data.items[a:b].tolist() for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
    keys = np.full(1024 if hashed else 0, -1, np.int64)
    counts = np.zeros(1024 if hashed else d * d + d**3, np.uint32)

    kept, used = thin(data.offsets, data.items, k, m, np.zeros(d, np.uint32), keys, counts, 0, whole)

    assert kept.tolist() == slow_thin(records, k, m, whole)
    assert used == (keys >= 0).sum()


def test_a_full_table_and_a_long_record_keep_more_never_less():
    offsets = np.arange(0, 3 * 401, 401, dtype=np.int64)
    items = np.concatenate([np.arange(401), np.arange(401)]).astype(np.int32)
    short = np.array([0, 3, 6], np.int64), np.array([0, 1, 2, 0, 1, 2], np.int32)

    dense, few = (np.full(0, -1, np.int64), np.zeros(90_000, np.uint32)), (np.full(4, -1, np.int64), np.zeros(4, np.uint32))
    kept, _ = thin(offsets, items, 1, 2, np.zeros(401, np.uint32), *dense, 0, False)
    crowded, used = thin(*short, 1, 3, np.zeros(3, np.uint32), *few, 0, False)

    assert kept.all()
    assert crowded.all()
    assert used == 3
