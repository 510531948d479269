"""Losses compared exactly, against whole numbers of any size; pairs of clusters, against looking at every record."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from anonset.algorithms.constraints._kernels.clusters import (
    cheapest_merge,
    compact_pool,
    compare_losses,
    join,
    join_pairs,
    pair_counts,
    spreads_with,
)
from cluster_records import cluster_records
from strategies import hierarchies

sizes = st.one_of(st.integers(1, 8), st.integers(1, 20_000))
supports = st.one_of(st.integers(0, 40), st.integers(0, 2**61))


@given(sizes, supports, sizes, supports)
@example(2, 7, 3, 3)  # 21 both
@example(60, 2 * 5, 61, 5)
@example(1000, 2 * 5, 1001, 5)
@example(16_470, 88_162, 16_469, 88_162 * 2)
def test_compare_losses_agrees_with_whole_numbers(size, support, other_size, other_support):
    mine, others = (2**size - 1) * support, (2**other_size - 1) * other_support

    assert compare_losses(size, support, other_size, other_support) == (mine > others) - (mine < others)


@given(st.integers(1, 300), st.integers(0, 100), st.integers(0, 5), st.integers(-3, 3))
def test_near_ties_are_told_apart(size, support, step, shift):
    """A cluster of `step` more items with 2^step times less support: the losses nearly agree."""
    near = max(0, (support << step) + shift)
    mine, others = (2**size - 1) * near, (2 ** (size + step) - 1) * support

    assert compare_losses(size, near, size + step, support) == (mine > others) - (mine < others)


@given(hierarchies("abcdefg"), st.data())
def test_spreads_are_the_leaves_under_the_lowest_node_over_both(tree, data):
    node = data.draw(st.integers(0, len(tree) - 1))

    found = spreads_with(node, tree.parent, tree.sizes.astype("int64"))

    leaves = [set(range(low, high)) for low, high in zip(tree.low, tree.high, strict=True)]
    assert found.tolist() == [min(len(over) for over in leaves if over >= leaves[node] | leaves[v]) for v in range(len(tree))]


def together(case):
    """The number of records that hold two different clusters, by pair."""
    return [[sum({a, c} <= r for r in case.records) if a != c else 0 for c in range(case.d)] for a in range(case.d)]


@given(cluster_records())
def test_pairs_are_counted_at_once_or_when_asked_for(case):
    for a, expected in enumerate(together(case)):
        found = pair_counts(a, case.rows, case.holders, case.table).tolist()

        assert [n for c, n in enumerate(found) if c != a] == [n for c, n in enumerate(expected) if c != a]


@given(cluster_records(), st.data())
def test_joined_clusters_are_paired_with_whom_either_was(case, draw):
    if case.d == 1 or len(case.table) == 1:
        return
    keep, gone = sorted(draw.draw(st.permutations(range(case.d)))[:2])
    room = int(case.holders[2][keep] + case.holders[2][gone])
    pool, used = compact_pool(case.holders, room)
    holders = (pool, *case.holders[1:])

    end = join(keep, gone, case.rows, holders, used)
    join_pairs(keep, gone, pool[end : used + room], case.rows, case.table)

    after = case._replace(records=[record - {gone} | ({keep} if gone in record else set()) for record in case.records])
    assert case.table.tolist() == together(after)


@given(cluster_records(), st.data())
def test_the_cheapest_merge_is_the_cheapest_of_all_pairs(case, draw):
    d = case.d
    sizes = draw.draw(st.lists(st.integers(1, 4), min_size=d, max_size=d))
    groups = draw.draw(st.lists(st.integers(0, 1), min_size=d, max_size=d))
    supports = [case.support({c}) for c in range(d)]
    alive = [c for c in range(d) if supports[c]]
    clusters = sorted(draw.draw(st.sets(st.sampled_from(alive)))) if alive else []

    found = cheapest_merge(
        np.array(clusters, np.int32),
        np.array(sizes),
        np.array(supports),
        np.array(groups, np.int32),
        case.rows,
        case.holders,
        case.table,
        (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64)),
    )

    def cost(pair):
        a, c = pair
        support = sum(bool({a, c} & record) for record in case.records)
        return (2 ** (sizes[a] + sizes[c]) - 1) * support, support, pair

    pairs = {(min(a, c), max(a, c)) for a in clusters for c in alive if a != c and groups[a] == groups[c]}
    assert found == min(pairs, key=cost, default=(-1, -1))
