"""Where neighbours of an order differ first."""

from itertools import pairwise

import numpy as np
from hypothesis import given

from anonset.algorithms.transactions._kernels.segments import first_differences
from strategies import transactions


@given(transactions(max_records=20))
def test_first_differences_are_the_smallest_items_of_symmetric_differences(t):
    order = np.arange(len(t))[::-1].copy()
    rows = [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in order]

    found = first_differences(t.offsets, t.items, order, len(t.domain))

    assert found.tolist() == [min(a ^ b, default=len(t.domain)) for a, b in pairwise(rows)]
