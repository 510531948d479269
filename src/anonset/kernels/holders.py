"""Sets of clusters that shrink as clusters merge, and for each cluster the sets that hold it.

Set r is entries[starts[r] : starts[r] + lengths[r]], ascending. The holders of cluster c are
pool[first[c] : first[c] + count[c]], in no order. A merged cluster is called by the smaller of the two ids.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


@njit(cache=True, nogil=True)
def gather_holders(starts: Longs, lengths: Ints, entries: Ints, d: int) -> tuple[Ints, Longs, Longs]:
    """Return pool, first and count for the sets as they are."""
    count = np.zeros(d, np.int64)
    for r in range(len(starts)):
        for p in range(starts[r], starts[r] + lengths[r]):
            count[entries[p]] += 1
    first = np.zeros(d, np.int64)
    total = 0
    for c in range(d):
        first[c] = total
        total += count[c]
    pool = np.empty(total, np.int32)
    end = first.copy()
    for r in range(len(starts)):
        for p in range(starts[r], starts[r] + lengths[r]):
            pool[end[entries[p]]] = r
            end[entries[p]] += 1
    return pool, first, count


@njit(cache=True, nogil=True)
def compact_pool(pool: Ints, first: Longs, count: Longs, room: int) -> tuple[Ints, int]:
    """Return a pool of the living lists alone with that much room behind them, and where the room begins."""
    used = 0
    for c in range(len(first)):
        used += count[c]
    fresh = np.empty(used + room, np.int32)
    end = 0
    for c in range(len(first)):
        for p in range(count[c]):
            fresh[end + p] = pool[first[c] + p]
        first[c] = end
        end += count[c]
    return fresh, end


@njit(cache=True, nogil=True)
def join(
    keep: int, gone: int, starts: Longs, lengths: Ints, entries: Ints, pool: Ints, first: Longs, count: Longs, used: int
) -> int:
    """Replace cluster gone by keep (the smaller id) in every set; return where the pool's room begins now."""
    begin = used
    for p in range(first[keep], first[keep] + count[keep]):
        pool[used] = pool[p]
        used += 1
    for p in range(first[gone], first[gone] + count[gone]):
        r = pool[p]
        if _replace(keep, gone, starts[r], lengths, entries, r):
            pool[used] = r
            used += 1
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
        moved = entries[p]
        entries[p] = keep
        while moved != gone:
            p += 1
            entries[p], moved = moved, entries[p]
        return True
    while entries[p] != gone:
        p += 1
    while p < last:
        entries[p] = entries[p + 1]
        p += 1
    lengths[r] -= 1
    return False


@njit(cache=True, nogil=True)
def drop(cluster: int, starts: Longs, lengths: Ints, entries: Ints, pool: Ints, first: Longs, count: Longs) -> None:
    """Remove a cluster from every set."""
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
def rebuild(
    cluster: int,
    parts: Ints,
    offsets: Longs,
    items: Ints,
    cluster_of: Ints,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    pool: Ints,
    first: Longs,
    count: Longs,
    used: int,
) -> int:
    """Write the sets of a cluster anew from their original items, now that it is split into parts (its own id first)."""
    begin, n = first[cluster], count[cluster]
    for p in range(begin, begin + n):
        r = pool[p]
        row = np.sort(cluster_of[items[offsets[r] : offsets[r + 1]]])
        end = starts[r]
        for c in row:
            if c >= 0 and (end == starts[r] or entries[end - 1] != c):
                entries[end] = c
                end += 1
        lengths[r] = end - starts[r]
    for c in parts:
        first[c] = used
        for p in range(begin, begin + n):
            r = pool[p]
            for q in range(starts[r], starts[r] + lengths[r]):
                if entries[q] == c:
                    pool[used] = r
                    used += 1
        count[c] = used - first[c]
    return used
