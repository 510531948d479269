"""A walk visits every set of labels once, with the records that show it; sensitive items among these are counted."""

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.set_walk import add_label, commonest_sensitive, is_diverse, next_level, next_set, set_walk
from flat_sets import flat
from strategies import transactions


@given(transactions(), st.integers(1, 4))
def test_a_walk_visits_every_set_with_its_records(t, m):
    walk, d = set_walk(m, len(t.items), len(t.domain)), len(t.domain)
    visited, path = {}, []
    records, after, level = np.arange(len(t)), -1, 0
    while level >= 0:
        add_label(walk, level, t.offsets, t.items, records, after, d)
        for c in range(walk.n_kids[level]):
            holders = walk.held[level, walk.starts[level, c] : walk.starts[level, c + 1]].tolist()
            visited[(*path, int(walk.kids[level, c]))] = holders
        level = next_level(walk, level if level < m - 1 else level - 1)
        if level >= 0:
            records, after = next_set(walk, level)
            path = [*path[:level], int(after)]
            level += 1

    rows = [t.items[t.offsets[r] : t.offsets[r + 1]].tolist() for r in range(len(t))]
    sets = {labels for row in rows for size in range(1, m + 1) for labels in combinations(row, size)}
    assert visited == {labels: [r for r, row in enumerate(rows) if set(labels) <= set(row)] for labels in sets}


@given(st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=8), st.integers(1, 4), st.data())
def test_records_are_diverse_where_no_sensitive_item_is_in_too_many(sets, l, draw):  # noqa: E741 - the papers' letter
    offsets, items = flat(sets)
    records = sorted(draw.draw(st.sets(st.integers(0, len(sets) - 1), min_size=1)))
    tally = np.zeros(5, np.int64)

    most = max(Counter(i for r in records for i in sets[r]).values(), default=0)
    assert commonest_sensitive(np.array(records), offsets, items, tally) == most
    assert is_diverse(np.array(records), offsets, items, tally, l) == (l == 1 or most * l <= len(records))
    assert not tally.any()
