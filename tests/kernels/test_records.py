"""What two records share and who holds each item, against Python sets."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.records import hamming, holders_of_items, places_of_items, shared_items, sort_sets
from strategies import transactions


@given(transactions(min_records=2))
def test_shared_items_are_those_of_both_records(t):
    first, second = (set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in (0, 1))

    assert shared_items(t.offsets, t.items, 0, 1) == len(first & second)
    assert hamming(t.offsets, t.items, 0, 1) == len(first ^ second)


@given(transactions())
def test_holders_of_items_are_the_records_with_them(t):
    starts, holders = holders_of_items(t.offsets, t.items, len(t.domain))

    records = list(t.records())
    for i, item in enumerate(t.domain):
        assert holders[starts[i] : starts[i + 1]].tolist() == [r for r, record in enumerate(records) if item in record]


@given(transactions())
def test_places_of_items_are_where_they_stand_and_negative_entries_are_none(t):
    entries = np.insert(t.items, t.offsets, -1).astype(np.int32)
    starts, places = places_of_items(entries, len(t.domain))

    for i in range(len(t.domain)):
        assert places[starts[i] : starts[i + 1]].tolist() == np.flatnonzero(entries == i).tolist()


@given(st.lists(st.lists(st.integers(0, 9), max_size=60), min_size=1, max_size=6))
def test_sorted_sets_ascend_without_repeats(records):
    offsets = np.cumsum([0, *map(len, records)])
    entries = np.array([i for record in records for i in record], np.int32)

    new_offsets = sort_sets(offsets, entries)

    found = [entries[a:b].tolist() for a, b in pairwise(new_offsets)]
    assert found == [sorted(set(record)) for record in records]
