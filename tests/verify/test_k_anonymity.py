"""The counting under the checks: different sets, all sets up to m, supports of given sets, in blocks of any size."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.verify.itemset_counts import combinations as count_combinations
from anonset.verify.itemset_counts import occurring, supports_of, supports_within
from anonset.verify.sets import Sets, distinct, offsets_of, unlike_the_one_before

D = 6
records = st.lists(st.sets(st.integers(0, D - 1)), min_size=1, max_size=10)
blocks = st.sampled_from([1, 5, 1000])


def sets_of(rows):
    members = np.array([i for row in rows for i in sorted(row)], np.int32)
    return Sets(offsets_of([len(row) for row in rows]), members, D)


@st.composite
def grouped(draw):
    rows = draw(records)
    groups = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    return rows, np.unique(groups, return_inverse=True)[1]


@given(grouped(), st.integers(1, 3), st.sampled_from([1, 10**5, 3 * 10**8]), st.sampled_from([1, 2**40]))
def test_distinct_tells_sets_and_groups_apart(case, times, wide, far):
    rows, groups = case
    rows, groups = [row for row in rows for _ in range(times)], np.repeat(groups, times)  # neighbours are often alike
    offsets, members, d = sets_of(rows)

    first, counts, number = distinct(Sets(offsets, members * np.int32(wide), d * wide), groups * far)  # words of 0, 1 or more

    names = [(int(g), frozenset(row)) for g, row in zip(groups, rows, strict=True)]
    assert {names[r]: int(n) for r, n in zip(first, counts, strict=True)} == dict(Counter(names))
    assert [names[first[s]] for s in number] == names


@given(grouped(), st.integers(1, 3), st.integers(1, 4))
def test_sets_are_taken_and_told_apart_alike_whatever_is_looked_at_at_once(case, times, at_once):
    rows, groups = case
    rows, groups = [row for row in rows for _ in range(times)], np.repeat(groups, times)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.verify.sets.ROWS", at_once)
        fresh = unlike_the_one_before(sets_of(rows), groups)
        taken = sets_of(rows).take(fresh)

    names = [(int(g), row) for g, row in zip(groups, rows, strict=True)]
    assert fresh.tolist() == [r for r in range(len(rows)) if r == 0 or names[r] != names[r - 1]]
    assert [taken.get(r) for r in range(taken.n)] == [sorted(rows[r]) for r in fresh]


@given(records, st.data(), st.integers(1, 3), st.sampled_from([1, 5, 1000]))
def test_pairs_in_a_table_are_those_that_are_walked_to(rows, source, threads, at_once):
    weights = np.array(source.draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows))))

    def found():
        parts = occurring(sets_of(rows), 2, None, weights)
        return {part.name(s): int(n) for part in parts for s, n in enumerate(part.counts.data)}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.verify.itemset_counts.PAIRS", at_once)
        patch.setattr("anonset.verify.itemset_counts.SHARED", 0)
        patch.setattr("anonset.threads.THREADS", threads)
        counted = found()
        patch.setattr("anonset.verify.itemset_counts.TABLE", 0)
        assert found() == counted


@given(grouped(), st.integers(1, 4), blocks, st.booleans())
def test_every_set_that_occurs_is_counted_once(case, m, block, by_record):
    rows, groups = case
    found, holders = {}, {}
    for part in occurring(sets_of(rows), m, groups, records=by_record, block=block):
        for s, n in enumerate(part.counts.data):
            assert part.name(s) not in found
            found[part.name(s)] = int(n)
        if by_record:
            for s, r in zip(part.holders, part.records, strict=True):
                holders.setdefault(part.name(int(s)), set()).add(int(r))

    known = [(int(groups[r]), c) for r, row in enumerate(rows) for i in range(1, m + 1) for c in combinations(sorted(row), i)]
    assert found == dict(Counter(known))
    if by_record:
        assert {name: len(rs) for name, rs in holders.items()} == found
        assert all(set(labels) <= rows[r] and groups[r] == g for (g, labels), rs in holders.items() for r in rs)


@given(grouped(), st.integers(1, 4), blocks)
@settings(max_examples=30)
def test_sets_are_the_same_and_in_the_same_order_whatever_is_counted_at_once(case, m, block):
    rows, groups = case

    def named(parts):
        return [(part.name(s), int(n)) for part in parts for s, n in enumerate(part.counts.data)]

    alone = named(occurring(sets_of(rows), m, groups))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.verify.sets.SHARED", -1)
        patch.setattr("anonset.threads.THREADS", 3)
        assert sorted(named(occurring(sets_of(rows), m, groups, block=block))) == sorted(alone)
        assert named(occurring(sets_of(rows), m, groups)) == alone


@given(records, st.integers(1, 4))
def test_weights_stand_for_repeats(rows, m):
    first, counts, _ = distinct(sets_of(rows))

    once = {part.name(s): int(n) for part in occurring(sets_of(rows), m) for s, n in enumerate(part.counts.data)}
    parts = occurring(sets_of(rows).take(first), m, weights=counts)

    assert {part.name(s): int(n) for part in parts for s, n in enumerate(part.counts.data)} == once


@given(records, records, blocks)
def test_supports_of_given_sets(queries, rows, block):
    found = supports_of(sets_of(queries), sets_of(rows), block=block)

    assert found.tolist() == [sum(query <= row for row in rows) for query in queries]


@given(grouped())
def test_supports_of_whole_sets_within_groups(case):
    rows, groups = case

    found = supports_within(sets_of(rows), groups, np.ones(len(rows), np.int64))

    pairs = list(zip(groups, rows, strict=True))
    assert found.tolist() == [sum(row <= other and g == h for h, other in pairs) for g, row in pairs]


def test_the_number_of_sets_is_known_before_they_are_counted():
    assert count_combinations(np.array([4, 4, 0, 2]), 2, 10**9) == (4 + 6) * 2 + 3
    assert count_combinations(np.array([1000]), 500, 10**9) > 10**9
