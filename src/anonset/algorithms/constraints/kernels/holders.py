"""Sets of clusters that shrink as clusters merge, and for each cluster the sets that hold it.

Sets are `rows` = (starts, lengths, entries): set r is entries[starts[r] : starts[r] + lengths[r]], ascending. What holds a
cluster is in `holders` = (pool, first, count): for cluster c pool[first[c] : first[c] + count[c]], in no order. A merged
cluster is called by the smaller of the two ids.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Rows = tuple[Longs, Ints, Ints]
Holders = tuple[Ints, Longs, Longs]


@njit(cache=True, nogil=True)
def gather_holders(rows: Rows, d: int) -> tuple[Holders, int]:
    """Return the holders of d clusters in the sets as they are, and where the pool's room begins."""
    starts, lengths, entries = rows
    count = np.zeros(d, np.int64)
    for r in range(len(starts)):
        for p in range(starts[r], starts[r] + lengths[r]):
            count[entries[p]] += 1
    first = np.zeros(d, np.int64)
    total = 0
    for c in range(d):
        first[c] = total
        total += count[c]
    pool = np.empty(3 * total, np.int32)
    end = first.copy()
    for r in range(len(starts)):
        for p in range(starts[r], starts[r] + lengths[r]):
            pool[end[entries[p]]] = r
            end[entries[p]] += 1
    return (pool, first, count), total


@njit(cache=True, nogil=True)
def write(which: Ints, full: Ints, items: Ints, cluster_of: Ints, rows: Rows) -> None:
    """Write which sets from their original items: those of set r are items[starts[r] : starts[r] + full[r]]."""
    starts, lengths, entries = rows
    for r in which:
        end = starts[r]
        for c in np.sort(cluster_of[items[starts[r] : starts[r] + full[r]]]):
            if c >= 0 and (end == starts[r] or entries[end - 1] != c):
                entries[end] = c
                end += 1
        lengths[r] = end - starts[r]


@njit(cache=True, nogil=True)
def compact_pool(holders: Holders, room: int) -> tuple[Ints, int]:
    """Return a pool of the living lists alone with that much room behind them, and where the room begins."""
    pool, first, count = holders
    fresh = np.empty(count.sum() + room, np.int32)
    end = 0
    for c in range(len(first)):
        for p in range(count[c]):
            fresh[end + p] = pool[first[c] + p]
        first[c] = end
        end += count[c]
    return fresh, end


@njit(cache=True, nogil=True)
def join(keep: int, gone: int, rows: Rows, holders: Holders, used: int) -> int:
    """Replace cluster gone by keep (the smaller id) in every set; return where the pool's room begins now.

    The sets that held both are left at the beginning of the room.
    """
    starts, lengths, entries = rows
    pool, first, count = holders
    begin, both = used, used + count[keep] + count[gone]
    for p in range(first[keep], first[keep] + count[keep]):
        pool[used] = pool[p]
        used += 1
    for p in range(first[gone], first[gone] + count[gone]):
        r = pool[p]
        if _replace(keep, gone, starts[r], lengths, entries, r):
            pool[used] = r
            used += 1
        else:
            both -= 1
            pool[both] = r
    first[keep] = begin
    count[keep] = used - begin
    count[gone] = 0
    return used


@njit(cache=True, nogil=True)
def _replace(keep: int, gone: int, start: int, lengths: Ints, entries: Ints, r: int) -> bool:
    """Put keep in the place of gone; return whether keep is new to the set."""
    last = start + lengths[r] - 1
    p = start
    while entries[p] < keep:
        p += 1
    if entries[p] != keep:
        moved, entries[p] = entries[p], keep
        while moved != gone:
            p += 1
            moved, entries[p] = entries[p], moved
        return True
    while entries[p] != gone:
        p += 1
    while p < last:
        entries[p] = entries[p + 1]
        p += 1
    lengths[r] -= 1
    return False


@njit(cache=True, nogil=True)
def drop(cluster: int, rows: Rows, holders: Holders) -> None:
    """Remove a cluster from every set."""
    starts, lengths, entries = rows
    pool, first, count = holders
    for q in range(first[cluster], first[cluster] + count[cluster]):
        r = pool[q]
        last = starts[r] + lengths[r] - 1
        p = starts[r]
        while entries[p] != cluster:
            p += 1
        while p < last:
            entries[p] = entries[p + 1]
            p += 1
        lengths[r] -= 1
    count[cluster] = 0


@njit(cache=True, nogil=True)
def take_out(
    item: int, cluster: int, rest: int, full: Ints, items: Ints, cluster_of: Ints, rows: Rows, holders: Holders, used: int
) -> int:
    """Write the sets of a cluster anew, now that an item is one of its own and the others are called rest.

    Returns where the pool's room begins now. Where rest is still called as the cluster was, only the item's sets change.
    """
    starts, lengths, entries = rows
    pool, first, count = holders
    begin, n = first[cluster], count[cluster]
    changed = np.empty(n, np.int32)
    last = 0
    for r in pool[begin : begin + n]:
        here = rest != cluster
        for p in range(starts[r], starts[r] + full[r]):
            here |= items[p] == item
        if here:
            changed[last] = r
            last += 1
    write(changed[:last], full, items, cluster_of, rows)
    for c in (item, rest):
        start = used
        for r in pool[begin : begin + n]:
            for p in range(starts[r], starts[r] + lengths[r]):
                if entries[p] == c:
                    pool[used] = r
                    used += 1
        first[c], count[c] = start, used - start
    return used
