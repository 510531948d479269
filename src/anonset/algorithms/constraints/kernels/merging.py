"""The cheapest pair of clusters to merge, by utility loss compared exactly.

The loss of a cluster is (2^size - 1) * support up to a common factor, times its spread where that counts: the leaves under the
lowest node of a hierarchy over all its items. Records are `rows` = (starts, lengths, entries) and
`holders` = (pool, first, count), as in `holders`; a cluster is alive while its support is above 0.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Rows = tuple[Longs, Ints, Ints]
Holders = tuple[Ints, Longs, Longs]
Places = tuple[Ints, Ints, Longs]  # the node of each cluster (empty: spreads do not count), parent and leaves of each node


@njit(cache=True, nogil=True)
def compare_losses(size: int, support: int, other_size: int, other_support: int) -> int:
    """Return -1, 0 or 1: whether (2^size - 1) * support is below, equal to or above (2^other_size - 1) * other_support.

    Exact for supports below 2^62 and any sizes.
    """
    if size > other_size:
        return -_compare_ascending(other_size, other_support, size, support)
    return _compare_ascending(size, support, other_size, other_support)


@njit(cache=True, nogil=True)
def _compare_ascending(size: int, support: int, other_size: int, other_support: int) -> int:
    step = other_size - size
    if step == 0 or other_support == 0:
        return int(support > other_support) - int(support < other_support)
    if step >= 62 or other_support > support >> step or other_support << step == support:
        return -1  # 2^step * other_support >= support
    more = support - (other_support << step)  # above 0; the losses differ by 2^size * more - rest
    rest = support - other_support
    if size >= 62 or more > rest >> size:
        return 1
    return 0 if more << size == rest else -1


@njit(cache=True, nogil=True)
def count_pairs(rows: Rows, table: Ints) -> None:
    """Fill table[a, c], all 0 before, with the number of records that hold two different clusters."""
    starts, lengths, entries = rows
    for r in range(len(starts)):
        stop = starts[r] + lengths[r]
        for p in range(starts[r], stop):
            row = table[entries[p]]
            for q in range(p + 1, stop):
                row[entries[q]] += 1
    for a in range(len(table)):
        for c in range(a):
            table[a, c] = table[c, a]


@njit(cache=True, nogil=True)
def join_pairs(keep: int, gone: int, both: Ints, rows: Rows, table: Ints) -> None:
    """Count in the table the pairs of keep now that it stands for gone too; `both` are the records that held both."""
    starts, lengths, entries = rows
    joined = table[keep]
    joined += table[gone]
    for r in both:
        for p in range(starts[r], starts[r] + lengths[r]):
            joined[entries[p]] -= 1
    joined[keep] = 0
    joined[gone] = 0
    for c in range(len(table)):
        if joined[c] > 0:
            table[c, keep] = joined[c]
        if table[gone, c] > 0:
            table[c, gone] = 0
    table[gone] = 0


@njit(cache=True, nogil=True)
def pair_counts(cluster: int, rows: Rows, holders: Holders, table: Ints) -> Ints:
    """Return for each cluster the number of records that hold it and the given one: a row of the table where it is whole.

    A table of one row is room to count in; then the row is good until the next call. What stands for the cluster itself
    means nothing.
    """
    starts, lengths, entries = rows
    pool, first, count = holders
    if len(table) == len(count):
        return table[cluster]
    row = table[0]
    row[:] = 0
    for r in pool[first[cluster] : first[cluster] + count[cluster]]:
        for p in range(starts[r], starts[r] + lengths[r]):
            row[entries[p]] += 1
    return row


@njit(cache=True, nogil=True)
def spreads_with(node: int, parent: Ints, leaves: Longs) -> Longs:
    """Return for each node the leaves under the lowest node over it and the given one; parents have greater ids."""
    spread = np.zeros(len(parent), np.int64)
    above = node
    while above >= 0:
        spread[above] = leaves[above]
        above = parent[above]
    for v in range(len(parent) - 2, -1, -1):
        if spread[v] == 0:
            spread[v] = spread[parent[v]]
    return spread


@njit(cache=True, nogil=True)
def cheapest_merge(
    clusters: Ints, sizes: Longs, supports: Longs, groups: Ints, rows: Rows, holders: Holders, table: Ints, places: Places
) -> tuple[int, int]:
    """Return the pair (one of `clusters`, another cluster of its group) with the lowest loss when merged, smaller id first.

    Ties: the smaller support, then the smaller ids. (-1, -1) where no such pair exists.
    """
    low, high = -1, -1
    best_size, best_price, best_support = 0, 0, 0
    node, parent, leaves = places
    spread = np.ones(1, np.int64)
    n = len(clusters)
    for p in np.sort(supports[clusters] * n + np.arange(n)):
        a = clusters[p % n]
        least = supports[a] * (leaves[node[a]] if len(node) else 1)
        if low >= 0 and compare_losses(sizes[a] + 1, least, best_size, best_price) > 0:
            continue  # even a partner of one item that adds no record is dearer
        if len(node):
            spread = spreads_with(node[a], parent, leaves)
        row = pair_counts(a, rows, holders, table)
        for c in range(len(supports)):
            if c == a or supports[c] == 0 or groups[c] != groups[a]:
                continue
            size = sizes[a] + sizes[c]
            support = supports[a] + supports[c] - row[c]
            price = support * (spread[node[c]] if len(node) else 1)
            order = -1 if low < 0 else compare_losses(size, price, best_size, best_price)
            if order == 0:
                order = support - best_support
            if order == 0:
                order = min(a, c) - low if min(a, c) != low else max(a, c) - high
            if order < 0:
                low, high = min(a, c), max(a, c)
                best_size, best_price, best_support = size, price, support
    return low, high
