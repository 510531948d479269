"""How near clusters are: Bit-vector Transaction Distance ([000] section 5), and the cluster that comes first in two orders
([000] section 4).

Record r holds items[offsets[r] : offsets[r + 1]], ascending; cluster c has the records members[starts[c] : starts[c + 1]],
those with most items first.
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, Reals, Words
from anonset.kernels.records import shared_items

BLOCK = 32  # rows and columns that are mirrored at once: they stay in the cache


@njit(cache=True, nogil=True)
def pair_distance(offsets: Longs, items: Ints, r: int, s: int) -> float:
    """Return the distance of two records."""
    return _distance(offsets, items, r, s)


@njit(cache=True, nogil=True)
def own_maxima(offsets: Longs, items: Ints, members: Longs, starts: Longs) -> Reals:
    """Return the BTD of each cluster, the greatest distance of two of its records: 0 for a cluster of one."""
    own = np.zeros(len(starts) - 1)
    for a in range(len(own)):
        for p in range(starts[a], starts[a + 1]):
            r = members[p]
            size = offsets[r + 1] - offsets[r]
            for q in range(p + 1, starts[a + 1]):
                s = members[q]
                most = size + offsets[s + 1] - offsets[s]
                if (most + 1) * most <= own[a]:  # even without a shared item it is no further, nor are shorter records
                    break
                own[a] = max(own[a], _distance(offsets, items, r, s))
    return own


@njit(cache=True, nogil=True)
def marks_of(offsets: Longs, items: Ints) -> Words:
    """Return, for each record, a word with the bits of its items: records without a bit in common have no item in common."""
    marks = np.zeros(len(offsets) - 1, np.uint64)
    for r in range(len(marks)):
        for p in range(offsets[r], offsets[r + 1]):
            marks[r] |= np.uint64(1) << np.uint64(items[p] % 64)
    return marks


@njit(cache=True, nogil=True)
def union_maxima(
    offsets: Longs,
    items: Ints,
    marks: Words,
    members: Longs,
    starts: Longs,
    own: Reals,
    union: Reals,
    share: tuple[int, int],
) -> None:
    """Write the BTD of every union of two clusters below the diagonal of the matrix, and the clusters' own on it.

    Of shares (p, of) only those of cluster p, p + of, p + 2 of, ... with the ones before it.
    """
    for a in range(share[0], len(own), share[1]):
        union[a, a] = own[a]
        for b in range(a):  # all in one function: passing the arrays takes as long as comparing a pair
            best = max(own[a], own[b])
            first = members[starts[b]]
            longest = offsets[first + 1] - offsets[first]
            for p in range(starts[a], starts[a + 1]):
                r = members[p]
                size = offsets[r + 1] - offsets[r]
                if (size + longest + 1) * (size + longest) <= best:
                    break
                for q in range(starts[b], starts[b + 1]):
                    s = members[q]
                    most = size + offsets[s + 1] - offsets[s]
                    if (most + 1) * most <= best:
                        break
                    if marks[r] & marks[s] == 0:
                        best = float((most + 1) * most)
                        break
                    best = max(best, _distance(offsets, items, r, s))
            union[a, b] = best


@njit(cache=True, nogil=True)
def mirror(union: Reals) -> None:
    """Write what is below the diagonal above it too, in place, block by block."""
    n = len(union)
    for low in range(0, n, BLOCK):
        for left in range(0, low + 1, BLOCK):
            for a in range(low, min(low + BLOCK, n)):
                for b in range(left, min(left + BLOCK, a)):
                    union[b, a] = union[a, b]


@njit(cache=True, nogil=True)
def merge_maxima(union: Reals, a: int, b: int) -> None:
    """Merge cluster b into cluster a, in place: BTD(a, b, c) = max(BTD(a, b), BTD(a, c), BTD(b, c)), no record is read."""
    merged = union[a, b]
    for c in range(len(union)):
        found = max(merged, union[a, c], union[b, c])
        union[a, c] = found
        union[c, a] = found


@njit(cache=True, nogil=True)
def _distance(offsets: Longs, items: Ints, r: int, s: int) -> float:
    """Return the Bit-vector Transaction Distance of two records."""
    shared = shared_items(offsets, items, r, s)
    total = offsets[r + 1] - offsets[r] + offsets[s + 1] - offsets[s]
    return (total - 2 * shared + 1) * (total - shared) / (shared + 1)


@njit(cache=True, nogil=True)
def least_places(costs: Reals, nearness: Reals, allowed: Flags) -> int:
    """Return the allowed entry with the least sum of its places by cost and by nearness, or -1 where none is allowed.

    Equal costs follow the numbers of their entries, equal nearness the order by cost; of equal sums the lower cost comes first.
    Entries leave a heap in the order by cost until that place alone is no better than the best sum: some 2 sqrt(n) of them.
    """
    n = len(costs)
    heap = np.empty(n, np.int64)
    out = np.empty(n)  # the nearness of the entries that left the heap
    for e in range(n):
        heap[e] = e
    for p in range(n // 2 - 1, -1, -1):
        _sift(heap, costs, p, n)
    best, least = -1, 2 * n
    for place in range(n):
        if place >= least:
            break
        e = heap[0]
        if allowed[e]:
            total = place + _below(nearness, nearness[e]) + _equal(out, place, nearness[e])
            if total < least:
                best, least = e, total
        out[place] = nearness[e]
        heap[0] = heap[n - 1 - place]
        _sift(heap, costs, int(np.int64(0)), n - 1 - place)
    return best


@njit(cache=True, nogil=True)
def _sift(heap: Longs, costs: Reals, p: int, n: int) -> None:
    """Sift the entry at place p of the first n down until none below it comes before it."""
    e = heap[p]
    while 2 * p + 1 < n:
        child = 2 * p + 1
        if child + 1 < n and _before(costs, heap[child + 1], heap[child]):
            child += 1
        if not _before(costs, heap[child], e):
            break
        heap[p] = heap[child]
        p = child
    heap[p] = e


@njit(cache=True, nogil=True)
def _before(costs: Reals, a: int, b: int) -> bool:
    """Return whether entry a comes before entry b by cost."""
    return costs[a] < costs[b] or (costs[a] == costs[b] and a < b)


@njit(cache=True, nogil=True, inline="always")
def _below(values: Reals, x: float) -> int:
    """Return how many values are below x."""
    found = 0
    for value in values:
        found += value < x
    return found


@njit(cache=True, nogil=True, inline="always")
def _equal(values: Reals, n: int, x: float) -> int:
    """Return how many of the first n values are x."""
    found = 0
    for p in range(n):
        found += values[p] == x
    return found
