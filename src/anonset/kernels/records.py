"""Records as ascending lists of items: what two of them share, and who holds each item.

Record r holds items[offsets[r] : offsets[r + 1]].
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs


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
    """Return starts and holders: item i is in the records holders[starts[i] : starts[i + 1]], ascending."""
    starts = item_starts(items, d)
    end = starts[:-1].copy()
    holders = np.empty(len(items), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            holders[end[items[p]]] = r
            end[items[p]] += 1
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
