"""How few items single a record out, against trying every set of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.records import holders_of_items
from anonset.measure._kernels.rarity import items_to_single_out
from anonset.model.dataset import Transactions
from oracles.identifiability import least_items
from strategies import transactions


@given(transactions(max_records=14), st.integers(1, 3), st.data())
def test_least_items_agree_with_the_oracle(t, most, data):
    n = len(t)
    middle = data.draw(st.integers(0, n))
    groups = np.sort(np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int64))
    starts, stops = np.searchsorted(groups, groups), np.searchsorted(groups, groups, side="right")

    holders = holders_of_items(t.offsets, t.items, len(t.domain))
    needed = [
        found
        for rows in ((0, middle), (middle, n))
        for found in items_to_single_out(t.offsets, t.items, starts, stops, holders, most, rows).tolist()
    ]

    assert needed == least_items(list(t.records()), groups.tolist(), most)


def test_records_of_more_than_64_items():
    rng = np.random.default_rng(1)
    records = [{str(i) for i in np.flatnonzero(rng.random(150) < 0.8)} for _ in range(12)]
    t = Transactions.from_records([*records, *records[:3]])
    n = len(t)

    holders = holders_of_items(t.offsets, t.items, len(t.domain))
    needed = items_to_single_out(t.offsets, t.items, np.zeros(n, np.int64), np.full(n, n), holders, 3, (0, n))

    assert needed.tolist() == least_items(list(t.records()), [0] * n, 3)
