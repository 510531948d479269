"""The smallest support within groups, against listing every set."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.records import holders_of_items
from anonset.measure._kernels.rarity import containing_records, smallest_pairs, smallest_supports
from oracles import measures as oracle
from strategies import transactions


@given(transactions(max_records=14), st.integers(0, 4), st.data())
def test_supports_and_containment_of_every_record_agree_with_the_oracle(t, m, draw):
    records = list(t.records())
    bounds = [0, *sorted(draw.draw(st.lists(st.integers(0, len(t)), max_size=3))), len(t)]
    times = np.array(draw.draw(st.lists(st.integers(1, 3), min_size=len(t), max_size=len(t))), np.int64)
    supports = smallest_supports(t.offsets, t.items, np.array(bounds), times, m, len(t.domain))
    rows = sorted(draw.draw(st.tuples(st.integers(0, len(t)), st.integers(0, len(t)))))
    holders = holders_of_items(t.offsets, t.items, len(t.domain))
    containing = containing_records(t.offsets, t.items, np.array(bounds), times, holders, tuple(rows))

    repeated = [[record for r in range(a, b) for record in [records[r]] * times[r]] for a, b in pairwise(bounds)]
    wanted = [
        oracle.support_of_known(records[r], repeated[g], m) for g, (a, b) in enumerate(pairwise(bounds)) for r in range(a, b)
    ]
    assert supports.tolist() == wanted
    pairs = smallest_pairs(t.offsets, t.items, np.array(bounds), times, len(t.domain))
    assert pairs.tolist() == smallest_supports(t.offsets, t.items, np.array(bounds), times, 2, len(t.domain)).tolist()
    weighed = list(zip(records, times.tolist(), strict=True))
    expected = [[sum(n for other, n in weighed[a:b] if r <= other) for r in records[a:b]] for a, b in pairwise(bounds)]
    assert containing.tolist() == [n for group in expected for n in group][slice(*rows)]
