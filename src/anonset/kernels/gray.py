"""The Gray order of item sets, read from their item lists, and Hamming distances along an order."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs
from anonset.kernels.records import hamming


@njit(cache=True, nogil=True, inline="always")
def gray_precedes(offsets: Longs, items: Ints, a: int, b: int) -> bool:
    """Return whether the Gray rank of record a is below that of record b; item 0 is the most significant bit.

    Binary bit j of a Gray rank is the parity of the Gray bits up to j. So at the first item that only one of the two holds,
    the holder ranks higher after an even number of shared items, and lower after an odd number.
    """
    p, q = offsets[a], offsets[b]
    shared = 0
    while p < offsets[a + 1] and q < offsets[b + 1] and items[p] == items[q]:
        p, q, shared = p + 1, q + 1, shared + 1
    a_ends, b_ends = p == offsets[a + 1], q == offsets[b + 1]
    if a_ends and b_ends:
        return False
    a_holds = b_ends or (not a_ends and items[p] < items[q])
    return a_holds == (shared % 2 == 1)


@njit(cache=True, nogil=True)
def gray_order(offsets: Longs, items: Ints) -> Longs:
    """Return the records by ascending Gray rank, equal ones in input order: a merge sort by keys, then on the item lists."""
    n = len(offsets) - 1
    order, merged, moved = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for r in range(n):
        order[r] = r
    keys = _gray_keys(offsets, items)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = min(start + width, n), min(start + 2 * width, n)
            p, q = start, middle
            for out in range(start, stop):
                second = p == middle
                if not second and q < stop:
                    second = keys[q] < keys[p]
                    if keys[q] == keys[p]:
                        second = gray_precedes(offsets, items, order[q], order[p])
                if second:
                    merged[out], moved[out], q = order[q], keys[q], q + 1
                else:
                    merged[out], moved[out], p = order[p], keys[p], p + 1
        order, merged, keys, moved = merged, order, moved, keys
        width *= 2
    return order


@njit(cache=True, nogil=True, inline="always")
def _gray_keys(offsets: Longs, items: Ints) -> Longs:
    """Return numbers that are in the order of the Gray ranks, or equal: the first items of each record, as many as fit.

    The items at even places count the more the smaller they are, and the end of the record least; those at odd places count
    the other way round.
    """
    d = np.int64(1)
    for i in items:
        d = max(d, np.int64(i) + 1)
    many, left = 1, 2**62 // (d + 1)
    while left > d:
        many, left = many + 1, left // (d + 1)
    keys = np.zeros(len(offsets) - 1, np.int64)
    for r in range(len(keys)):
        key = np.int64(0)
        for j in range(many):
            p = offsets[r] + j
            place = np.int64(0)
            if p < offsets[r + 1]:
                place = d - items[p] if j % 2 == 0 else np.int64(items[p])
            elif p == offsets[r + 1] and j % 2 == 1:
                place = d
            key = key * (d + 1) + place
        keys[r] = key
    return keys


@njit(cache=True, nogil=True)
def cyclic_distances(offsets: Longs, items: Ints, order: Longs) -> Longs:
    """Return steps[p], the distance of the records at places p and p + 1 of a cyclic order."""
    n = len(order)
    steps = np.zeros(n, np.int64)
    for p in range(n):
        steps[p] = hamming(offsets, items, order[p], order[(p + 1) % n])
    return steps


@njit(cache=True, nogil=True)
def distances_from(offsets: Longs, items: Ints, a: int, d: int) -> Longs:
    """Return the distance of record a from every record; items are numbered below d."""
    held = np.zeros(d, np.bool_)
    held[items[offsets[a] : offsets[a + 1]]] = True
    found = np.empty(len(offsets) - 1, np.int64)
    for b in range(len(found)):
        shared = 0
        for p in range(offsets[b], offsets[b + 1]):
            shared += held[items[p]]
        found[b] = offsets[a + 1] - offsets[a] + offsets[b + 1] - offsets[b] - 2 * shared
    return found
