"""Bit voting: one uncertain item set that stands for a group of records ([004] section 4, fifth step)."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, sort_stretch


@njit(cache=True, nogil=True)
def count_votes(offsets: Longs, items: Ints, starts: Longs, members: Ints, g: int, votes: Ints, seen: Ints) -> int:
    """Add up votes[i], the records of group g that hold item i; list the items met in `seen` and return how many."""
    met = 0
    for q in range(starts[g], starts[g + 1]):
        r = members[q]
        for p in range(offsets[r], offsets[r + 1]):
            i = items[p]
            if votes[i] == 0:
                seen[met] = i
                met += 1
            votes[i] += 1
    return met


@njit(cache=True, nogil=True, inline="always")
def vote_sizes(offsets: Longs, items: Ints, starts: Longs, members: Ints, common: Flags) -> tuple[Longs, Longs]:
    """Return where the base set and the uncertain set of each group begin: their sizes, added up."""
    groups, d = len(starts) - 1, len(common)
    base, distance = np.zeros(groups + 1, np.int64), np.zeros(groups + 1, np.int64)
    votes, seen = np.zeros(d, np.int32), np.empty(d, np.int32)
    for g in range(groups):
        size = starts[g + 1] - starts[g]
        met = count_votes(offsets, items, starts, members, g, votes, seen)
        base[g + 1], distance[g + 1] = base[g], distance[g]
        for q in range(met):
            i = seen[q]
            base[g + 1] += 2 * votes[i] > size or (2 * votes[i] == size and common[i])
            distance[g + 1] += votes[i] < size
            votes[i] = 0
    return base, distance


@njit(cache=True, nogil=True)
def vote(offsets: Longs, items: Ints, starts: Longs, members: Ints, common: Flags) -> tuple[Longs, Ints, Longs, Ints, Ints]:
    """Return base set, uncertain items and threshold of each group of records members[starts[g] : starts[g + 1]].

    The base holds the items of more than half of the group, and of exactly half where the item is common; uncertain is every
    item that some but not all hold; the threshold is the greatest distance of a member from the base.
    """
    base_offsets, distance_offsets = vote_sizes(offsets, items, starts, members, common)
    groups, d = len(starts) - 1, len(common)
    base, distance = np.empty(base_offsets[groups], np.int32), np.empty(distance_offsets[groups], np.int32)
    threshold = np.zeros(groups, np.int32)
    votes, seen, in_base = np.zeros(d, np.int32), np.empty(d, np.int32), np.zeros(d, np.int8)
    for g in range(groups):
        size = starts[g + 1] - starts[g]
        met = count_votes(offsets, items, starts, members, g, votes, seen)
        b, u = base_offsets[g], distance_offsets[g]
        sort_stretch(seen, 0, met)
        for s in range(met):
            i = seen[s]
            if 2 * votes[i] > size or (2 * votes[i] == size and common[i]):
                base[b], in_base[i] = i, 1
                b += 1
            if votes[i] < size:
                distance[u] = i
                u += 1
            votes[i] = 0
        for q in range(starts[g], starts[g + 1]):
            r, shared = members[q], 0
            for p in range(offsets[r], offsets[r + 1]):
                shared += in_base[items[p]]
            apart = b - base_offsets[g] + offsets[r + 1] - offsets[r] - 2 * shared
            threshold[g] = max(threshold[g], apart)
        for q in range(base_offsets[g], b):
            in_base[base[q]] = 0
    return base_offsets, base, distance_offsets, distance, threshold
