"""Frequent itemsets, depth first over lists of records."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs, with_room


@njit(cache=True, nogil=True)
def frequent_itemsets(
    offsets: Longs, items: Ints, d: int, least: int, longest: int, most: int
) -> tuple[Longs, Ints, Longs, bool]:
    """Return (set offsets, set items, supports, complete) of the itemsets of 1..longest items with support >= least.

    Stops after `most` sets; complete is False then. The records of sets still to be extended lie in one buffer, as a stack.
    """
    n = len(offsets) - 1
    count, place = np.zeros(d, np.int64), np.zeros(d, np.int64)
    touched = np.empty(d, np.int32)
    set_offsets, set_items = np.zeros(most + 1, np.int64), np.empty(most * longest, np.int32)
    supports = np.empty(most, np.int64)
    holders = np.arange(max(1, n))
    prefix = np.empty(longest, np.int32)
    room = d * longest + 1
    last, size = np.full(room, -1, np.int64), np.zeros(room, np.int64)
    start, stop = np.zeros(room, np.int64), np.zeros(room, np.int64)
    stop[0] = n
    depth, found = 1, 0
    while depth > 0:
        depth -= 1
        after, length = last[depth], size[depth]
        begin, end = start[depth], stop[depth]
        if length > 0:
            prefix[length - 1] = after
            if found == most:
                return set_offsets[: found + 1], set_items[: set_offsets[found]], supports[:found], False
            base = set_offsets[found]
            for j in range(length):
                set_items[base + j] = prefix[j]
            set_offsets[found + 1] = base + length
            supports[found] = end - begin
            found += 1
        if length == longest:
            continue
        different = 0
        for h in range(begin, end):
            for p in range(offsets[holders[h] + 1] - 1, offsets[holders[h]] - 1, -1):
                if items[p] <= after:
                    break
                if count[items[p]] == 0:
                    touched[different] = items[p]
                    different += 1
                count[items[p]] += 1
        free = end
        for t in range(different):
            i = touched[t]
            place[i] = -1
            if count[i] >= least:
                last[depth], size[depth] = i, length + 1
                start[depth], stop[depth] = free, free + count[i]
                place[i] = free
                free += count[i]
                depth += 1
        holders = with_room(holders, free)
        for h in range(begin, end):
            r = holders[h]
            for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
                i = items[p]
                if i <= after:
                    break
                if place[i] >= 0:
                    holders[place[i]] = r
                    place[i] += 1
        for t in range(different):
            count[touched[t]] = 0
    return set_offsets[: found + 1], set_items[: set_offsets[found]], supports[:found], True
