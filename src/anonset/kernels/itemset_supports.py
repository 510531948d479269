"""Supports of given sets of clusters, counted up to a limit and kept up to date while clusters merge.

Records and given sets are both kept as in `holders`: starts, lengths, entries, and the holders of each cluster.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


@njit(cache=True, nogil=True)
def _holds(wanted: Ints, start: int, length: int, entries: Ints, a: int, b: int) -> bool:
    """Return whether entries[start : start + length] holds all that is wanted; a and b need not be there."""
    p, stop = start, start + length
    for c in wanted:
        if c in (a, b):
            continue
        while p < stop and entries[p] < c:
            p += 1
        if p == stop or entries[p] != c:
            return False
    return True


@njit(cache=True, nogil=True)
def _has(cluster: int, start: int, length: int, entries: Ints) -> bool:
    for p in range(start, start + length):
        if entries[p] >= cluster:
            return entries[p] == cluster
    return False


@njit(cache=True, nogil=True)
def support_up_to(
    limit: int, wanted: Ints, starts: Longs, lengths: Ints, entries: Ints, pool: Ints, first: Longs, count: Longs
) -> int:
    """Return the number of records that hold all of wanted (ascending, one or more), or limit where it is at least that."""
    rarest = wanted[0]
    for c in wanted:
        if count[c] < count[rarest]:
            rarest = c
    support = 0
    for q in range(first[rarest], first[rarest] + count[rarest]):
        r = pool[q]
        if _holds(wanted, starts[r], lengths[r], entries, -1, -1):
            support += 1
            if support == limit:
                break
    return support


@njit(cache=True, nogil=True)
def supports_up_to(
    limit: int,
    sets: Ints,
    set_starts: Longs,
    set_lengths: Ints,
    set_entries: Ints,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    pool: Ints,
    first: Longs,
    count: Longs,
    supports: Ints,
) -> None:
    """Set supports[q] for each of the given sets; an empty set has 0."""
    for q in sets:
        wanted = set_entries[set_starts[q] : set_starts[q] + set_lengths[q]]
        supports[q] = 0
        if len(wanted):
            supports[q] = support_up_to(limit, wanted, starts, lengths, entries, pool, first, count)


@njit(cache=True, nogil=True)
def _gained(
    wanted: Ints,
    new: int,
    old: int,
    room: int,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    pool: Ints,
    first: Longs,
    count: Longs,
) -> int:
    """Return the number (at most room) of records with new but without old that hold the rest of wanted."""
    rarest = new
    for c in wanted:
        if c != old and c != new and count[c] < count[rarest]:
            rarest = c
    gained = 0
    for q in range(first[rarest], first[rarest] + count[rarest]):
        r = pool[q]
        if (
            gained < room
            and _has(new, starts[r], lengths[r], entries)
            and not _has(old, starts[r], lengths[r], entries)
            and _holds(wanted, starts[r], lengths[r], entries, new, old)
        ):
            gained += 1
    return gained


@njit(cache=True, nogil=True)
def raise_supports(
    a: int,
    b: int,
    limit: int,
    set_starts: Longs,
    set_lengths: Ints,
    set_entries: Ints,
    set_pool: Ints,
    set_first: Longs,
    set_count: Longs,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    pool: Ints,
    first: Longs,
    count: Longs,
    supports: Ints,
) -> None:
    """Add to the supports of the sets with a or b, below limit, what the merge of a and b (still to come) gives them."""
    for old, new in ((a, b), (b, a)):
        for p in range(set_first[old], set_first[old] + set_count[old]):
            q = set_pool[p]
            if supports[q] < limit:
                wanted = set_entries[set_starts[q] : set_starts[q] + set_lengths[q]]
                room = limit - supports[q]
                supports[q] += _gained(wanted, new, old, room, starts, lengths, entries, pool, first, count)


@njit(cache=True, nogil=True)
def first_of_highest(supports: Ints, limit: int, ranked: bool) -> int:
    """Return the first position with the highest support in 1..limit-1 (unranked: with any), or -1 where there is none."""
    best = -1
    for q in range(len(supports)):
        if 0 < supports[q] < limit and (best < 0 or supports[q] > supports[best]):
            best = q
            if supports[q] == limit - 1 or not ranked:
                break
    return best
