from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.protection import is_protected, rare_holders
from oracles.rt import is_km_anonymous, is_lm_diverse

sets = st.lists(st.tuples(st.sets(st.integers(0, 3)), st.sets(st.integers(0, 2))), min_size=1, max_size=9)


def flat(rows):
    return np.cumsum([0, *map(len, rows)]), np.array([x for row in rows for x in sorted(row)], np.int32)


@given(sets, st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
def test_agrees_with_the_definitions(rows, k, m, l):  # noqa: E741
    known, secret = [frozenset(a) for a, _ in rows], [frozenset(b) for _, b in rows]

    found = is_protected(*flat(known), 4, k, m, *flat(secret), 3, l)

    assert found == (is_km_anonymous(known, k, m) and is_lm_diverse(known, secret, l, m))


@given(st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=5), st.integers(1, 3), st.integers(1, 3))
def test_records_repeated_k_times_are_protected(rows, k, m):
    rows = [row for row in rows for _ in range(k)]
    none = np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.int32)

    assert is_protected(*flat(rows), 5, k, m, *none, 0, 1)


@given(sets, st.integers(1, 4), st.integers(1, 3))
def test_records_that_show_something_rare_are_found(rows, k, m):
    known = [frozenset(a) for a, _ in rows]

    found = rare_holders(*flat(known), 4, k, m)

    for record, rare in zip(known, found, strict=True):
        some = [frozenset(s) for size in range(1, m + 1) for s in combinations(sorted(record), size)]
        assert rare == any(sum(s <= other for other in known) < k for s in some)
