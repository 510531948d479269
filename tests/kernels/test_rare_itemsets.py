"""Open sets of clusters, against counting every set."""

from itertools import combinations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from anonset.algorithms.constraints._kernels.rare_itemsets import (
    best_open_set,
    forget,
    list_rare_itemsets,
    report_open_sets,
)
from cluster_records import case_of, cluster_records

sizes = st.integers(1, 4)
limits = st.integers(1, 5)


def open_sets(case, m, k):
    """Every set of at most m clusters in 1..k-1 records, with its support."""
    every = [s for size in range(1, m + 1) for s in combinations(range(case.d), size)]
    return {s: n for s in every if 0 < (n := case.support(set(s))) < k}


def first_of(sets, ranked):
    return min(sets, key=lambda s: (-sets[s] if ranked else 0, len(s), s), default=None)


def nothing(case, m):
    d = case.d
    return np.zeros(d, np.int32), np.zeros(d, np.int32), np.zeros((d, m), np.int32), np.zeros(d, np.bool_)


def bounds_only(case, m, k):
    """What is known before any search: no cluster is better than it could be alone."""
    supports, sizes, members, stale = best = nothing(case, m)
    held = [case.support({c}) > 0 for c in range(case.d)]
    supports[held], sizes[:], members[:, 0], stale[:] = k - 1, 1, np.arange(case.d), True
    return best


def all_but_the_largest(size, whole_table):
    """Every part of a set of that size is in two records or more, the set itself in one."""
    parts = [set(part) for part in combinations(range(size), size - 1)]
    return case_of(size, [*parts, set(range(size))], np.zeros(size, np.int64), whole_table)


def kept(best, a):
    supports, sizes, members, _ = best
    return tuple(members[a, : sizes[a]].tolist()), int(supports[a])


@given(cluster_records(), sizes, limits, st.booleans())
@example(all_but_the_largest(3, True), 3, 2, True)
@example(all_but_the_largest(4, False), 4, 2, True)
@example(all_but_the_largest(5, True), 5, 2, False)
def test_the_best_open_set_is_the_first_of_all(case, m, k, ranked):
    best, together = bounds_only(case, m, k), np.zeros(case.d, np.int32)

    a = best_open_set(m, k, ranked, case.alone, case.rows, case.holders, case.table, together, best)

    sets = open_sets(case, m, k)
    wanted = first_of(sets, ranked)
    assert (a < 0) == (wanted is None)
    if wanted is not None:
        assert kept(best, a) == (wanted, sets[wanted])
    assert not together.any()


@given(cluster_records(), sizes, limits, st.booleans(), st.data())
def test_the_open_sets_of_a_cluster_are_reported_to_their_smallest_ids(case, m, k, ranked, draw):
    cluster = draw.draw(st.integers(0, case.d - 1))
    floor = draw.draw(st.sampled_from([-1, cluster]))
    best, together = nothing(case, m), np.zeros(case.d, np.int32)
    pool, first, count = case.holders
    records = pool[first[cluster] : first[cluster] + count[cluster]]
    row = np.array([sum({c, cluster} <= record for record in case.records) for c in range(case.d)], np.int32)
    known = (int(case.alone[cluster]), row, records, case.rows, together)

    report_open_sets(cluster, floor, m, k, ranked, *known, best)

    mine = {s: n for s, n in open_sets(case, m, k).items() if cluster in s and all(c > floor for c in s if c != cluster)}
    if (cluster,) in mine:
        mine = {(cluster,): mine[cluster,]}  # nothing is looked for beyond an open set
    for a in range(case.d):
        own = {s: n for s, n in mine.items() if s[0] == a}
        wanted = first_of(own, ranked)
        assert (best[0][a] > 0) == (wanted is not None)
        if wanted is not None:
            assert kept(best, a) == (wanted, own[wanted])
    assert not together.any()


@given(cluster_records(), sizes, limits, st.data())
def test_what_holds_a_changed_cluster_is_a_bound_from_then_on(case, m, k, draw):
    best = bounds_only(case, m, k)
    best_open_set(m, k, True, case.alone, case.rows, case.holders, case.table, np.zeros(case.d, np.int32), best)
    before = {a: kept(best, a) for a in range(case.d)}
    stale = best[3].copy()
    low, high = sorted(draw.draw(st.lists(st.integers(0, case.d - 1), min_size=2, max_size=2)))

    forget(low, high, best)

    for a in range(case.d):
        members, support = before[a]
        if a in (low, high):
            assert (best[0][a], best[3][a]) == (0, False)
        else:
            assert kept(best, a) == before[a]
            assert best[3][a] == (stale[a] or (support > 0 and bool({low, high} & set(members[1:]))))


@given(cluster_records(), sizes, limits, st.integers(0, 60))
def test_rare_itemsets_are_listed_as_far_as_there_is_room(case, m, k, room):
    out, supports = np.zeros((room, m), np.int32), np.zeros(room, np.int32)

    n = list_rare_itemsets(m, k, case.alone, case.rows, case.holders, out, supports)

    wanted = open_sets(case, m, k)
    found = {tuple(c for c in row if c >= 0): s for row, s in zip(out[:n].tolist(), supports.tolist(), strict=False)}
    assert n == len(wanted)
    assert len(found) == min(n, room)
    assert found.items() <= wanted.items()
