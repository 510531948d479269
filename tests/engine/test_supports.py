"""Counts of sets of labels, in tables with a place for each set and without, added up by parts."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.engine import measures
from anonset.engine._kernels.coreset import add_counts, count_sets, rarest_sets
from anonset.engine.measures import LabelSetCounts, SetCounts
from anonset.errors import InfeasibleError
from strategies import transactions


def counted(baskets, m):
    """How many records hold each set, the plain way."""
    found = Counter()
    for r in range(len(baskets)):
        row = baskets.items[baskets.offsets[r] : baskets.offsets[r + 1]].tolist()
        found.update(items for size in range(1, m + 1) for items in combinations(row, size))
    return found


@pytest.mark.parametrize("dense", [0, 1 << 20])
@given(one=transactions(max_records=15), two=transactions(max_records=15), m=st.integers(1, 3))
@settings(max_examples=40)
def test_the_rarest_set_of_each_record_is_found_over_all_parts(dense, one, two, m):
    d = max(len(one.domain), len(two.domain))
    plain = counted(one, m) + counted(two, m)
    old, measures.DENSE = measures.DENSE, dense
    try:
        tables = [LabelSetCounts(m, d, 1024), LabelSetCounts(m, d, 1024)]
    finally:
        measures.DENSE = old
    for table, baskets in zip(tables, (one, two), strict=True):
        table.used = count_sets(baskets.offsets, baskets.items, m, table.single, table.keys, table.counts, table.used)
    first, second = tables[0], SetCounts(m, 1024).answer(tables[1])
    first.single += second["single"]
    first.used = add_counts(second["numbers"], second["counts"], first.keys, first.counts, first.used)

    found = rarest_sets(one.offsets, one.items, m, first.single, first.keys, first.counts, 99)

    rows = [one.items[one.offsets[r] : one.offsets[r + 1]].tolist() for r in range(len(one))]
    sets = [[items for size in range(1, m + 1) for items in combinations(row, size)] for row in rows]
    assert found.tolist() == [min((plain[items] for items in some), default=99) for some in sets]


def test_a_table_that_is_full_is_no_answer():
    table = LabelSetCounts(2, 3, 8)
    table.keys, table.used = np.zeros(8, np.int64), 6

    with pytest.raises(InfeasibleError, match="allow more"):
        table.require_room()
