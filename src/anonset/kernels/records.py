"""Records as ascending lists of items: what two of them share, who holds each item, and how they become ascending.

Record r holds items[offsets[r] : offsets[r + 1]].
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs, sort_stretch


@njit(cache=True, nogil=True, inline="always")
def shared_items(offsets: Longs, items: Ints, a: int, b: int) -> int:
    """Return the number of items that the records a and b both hold."""
    p, q, shared = offsets[a], offsets[b], 0
    while p < offsets[a + 1] and q < offsets[b + 1]:
        if items[p] == items[q]:
            shared += 1
            p += 1
            q += 1
        elif items[p] < items[q]:
            p += 1
        else:
            q += 1
    return shared


@njit(cache=True, nogil=True, inline="always")
def hamming(offsets: Longs, items: Ints, a: int, b: int) -> int:
    """Return the number of items that exactly one of the records a and b holds."""
    return offsets[a + 1] - offsets[a] + offsets[b + 1] - offsets[b] - 2 * shared_items(offsets, items, a, b)


@njit(cache=True, nogil=True)
def item_starts(items: Ints, d: int) -> Longs:
    """Return where the occurrences of each item 0..d-1 begin in a list sorted by item; negative entries are no items."""
    starts = np.zeros(d + 1, np.int64)
    for i in items:
        if i >= 0:
            starts[i + 1] += 1
    for i in range(d):
        starts[i + 1] += starts[i]
    return starts


@njit(cache=True, nogil=True)
def holders_of_items(offsets: Longs, items: Ints, d: int) -> tuple[Longs, Longs]:
    """Return starts and holders: item i is in the records holders[starts[i] : starts[i + 1]], ascending.

    Negative entries are no items.
    """
    starts = item_starts(items, d)
    end = starts[:-1].copy()
    holders = np.empty(starts[-1], np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            i = items[p]
            if i >= 0:
                holders[end[i]] = r
                end[i] += 1
    return starts, holders


@njit(cache=True, nogil=True)
def places_of_items(items: Ints, d: int) -> tuple[Longs, Ints]:
    """Return starts and places: item i stands at the places[starts[i] : starts[i + 1]] of the array, ascending.

    Negative entries are no items.
    """
    starts = item_starts(items, d)
    end = starts[:-1].copy()
    places = np.empty(starts[-1], np.int32)
    for p in range(len(items)):
        i = items[p]
        if i >= 0:
            places[end[i]] = p
            end[i] += 1
    return starts, places


@njit(cache=True, nogil=True)
def sort_sets(offsets: Longs, entries: Ints) -> Longs:
    """Sort each record and drop repeats, in place; return the new offsets, behind the last of which entries mean nothing."""
    n = len(offsets) - 1
    settled = np.zeros(n + 1, np.int64)
    end = 0
    for r in range(n):
        start, stop = offsets[r], offsets[r + 1]
        sort_stretch(entries, start, stop)
        begin = end
        for p in range(start, stop):
            if end == begin or entries[end - 1] != entries[p]:
                entries[end] = entries[p]
                end += 1
        settled[r + 1] = end
    return settled
