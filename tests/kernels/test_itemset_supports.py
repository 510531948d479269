"""Supports of given sets of clusters, counted and kept up to date, against looking at every record."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.constraints._kernels.clusters import (
    first_of_highest,
    gather_holders,
    raise_supports,
    support_up_to,
    supports_up_to,
)
from cluster_records import cluster_records, rows_of


def drawn_sets(draw, case, min_size=0):
    return draw.draw(st.lists(st.sets(st.integers(0, case.d - 1), min_size=min_size, max_size=4), max_size=6))


@given(cluster_records(), st.integers(1, 6), st.data())
def test_a_support_is_counted_up_to_the_limit(case, limit, draw):
    wanted = draw.draw(st.sets(st.integers(0, case.d - 1), min_size=1))

    found = support_up_to(limit, np.array(sorted(wanted), np.int32), case.alone, case.table, case.rows, case.holders)

    assert found == min(limit, case.support(wanted))


@given(cluster_records(), st.integers(1, 6), st.booleans(), st.data())
def test_supports_of_some_sets_are_counted_as_far_as_the_first_open_one(case, limit, until_open, draw):
    sets = drawn_sets(draw, case)
    which = draw.draw(st.permutations(range(len(sets))))[: draw.draw(st.integers(0, len(sets)))]
    supports = np.full(len(sets), -1, np.int32)
    asked = (limit, np.array(which, np.int32), until_open, rows_of(sets))

    found = supports_up_to(*asked, case.alone, case.table, case.rows, case.holders, supports)

    true = {q: min(limit, case.support(sets[q])) if sets[q] else 0 for q in which}
    opened = [p for p, q in enumerate(which) if 0 < true[q] < limit]
    counted = which[: opened[0] + 1] if until_open and opened else which
    assert found == bool(opened)
    assert supports.tolist() == [true[q] if q in counted else -1 for q in range(len(sets))]


@given(cluster_records(), st.integers(1, 6), st.data())
def test_a_merge_to_come_raises_supports_to_what_they_will_be(case, limit, draw):
    if case.d == 1:
        return
    a, b = draw.draw(st.permutations(range(case.d)))[:2]
    sets = drawn_sets(draw, case, min_size=1)
    set_rows = rows_of(sets)
    supports = np.array([min(limit, case.support(s)) for s in sets], np.int32)
    given_sets = (set_rows, gather_holders(set_rows, case.d)[0])

    raise_supports(a, b, limit, *given_sets, case.alone, case.rows, case.holders, supports)

    def merged(s):
        return s - {a, b} | ({a} if s & {a, b} else set())

    after = [merged(record) for record in case.records]
    assert supports.tolist() == [min(limit, sum(merged(s) <= record for record in after)) for s in sets]


@given(st.lists(st.integers(0, 6), max_size=8), st.integers(1, 6), st.booleans())
def test_the_first_open_set_of_highest_support(supports, limit, ranked):
    positions = [q for q, n in enumerate(supports) if 0 < n < limit]

    found = first_of_highest(np.array(supports, np.int32), limit, ranked)

    assert found == min(positions, key=lambda q: (-supports[q] if ranked else 0, q), default=-1)
