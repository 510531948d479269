"""The cluster that comes first by the sum of its places in two orders ([000] section 4, by quasi values and by items)."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Heap = NDArray[np.int64]


@njit(cache=True, nogil=True)
def least_places(costs: Reals, nearness: Reals, allowed: NDArray[np.bool_]) -> int:
    """Return the allowed entry with the least sum of its places by cost and by nearness, or -1 where none is allowed.

    Equal costs follow the numbers of their entries, equal nearness the order by cost; of equal sums the lower cost comes first.
    Entries leave a heap in the order by cost until that place alone is no better than the best sum: some 2 sqrt(n) of them.
    """
    n = len(costs)
    heap, out = np.empty(n, np.int64), np.empty(n)
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
def _sift(heap: Heap, costs: Reals, p: int, n: int) -> None:
    """Let the entry at place p of the first n sink until none below it comes before it."""
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
    return costs[a] < costs[b] or (costs[a] == costs[b] and a < b)


@njit(cache=True, nogil=True, inline="always")
def _below(values: Reals, x: float) -> int:
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
