"""Supports of given sets of clusters, counted up to a limit and kept up to date while clusters merge.

Records and given sets are both `rows` = (starts, lengths, entries) and `holders` = (pool, first, count), as in `holders`;
alone[c] more records hold cluster c and nothing else. table[a, c] counts the records that hold both, if it has all rows.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Rows = tuple[Longs, Ints, Ints]
Holders = tuple[Ints, Longs, Longs]


@njit(cache=True, nogil=True)
def _holds(wanted: Ints, r: int, rows: Rows, a: int, b: int) -> bool:
    """Return whether record r holds all that is wanted; a and b need not be there."""
    starts, lengths, entries = rows
    p, stop = starts[r], starts[r] + lengths[r]
    for c in wanted:
        if c in (a, b):
            continue
        while p < stop and entries[p] < c:
            p += 1
        if p == stop or entries[p] != c:
            return False
    return True


@njit(cache=True, nogil=True)
def _has(cluster: int, r: int, rows: Rows) -> bool:
    starts, lengths, entries = rows
    for p in range(starts[r], starts[r] + lengths[r]):
        if entries[p] >= cluster:
            return entries[p] == cluster
    return False


@njit(cache=True, nogil=True)
def support_up_to(limit: int, wanted: Ints, alone: Longs, table: Ints, rows: Rows, holders: Holders) -> int:
    """Return the number of records that hold all of wanted (ascending, one or more), or limit where it is at least that."""
    pool, first, count = holders
    rarest = wanted[0]
    for c in wanted:
        if count[c] < count[rarest]:
            rarest = c
    if len(wanted) == 1:
        return min(limit, alone[rarest] + count[rarest])
    if len(table) == len(count):
        least = count[rarest]
        for c in wanted:
            least = min(least, table[rarest, c]) if c != rarest else least
        if len(wanted) == 2 or least == 0:
            return min(limit, least)
    support = 0
    for q in range(first[rarest], first[rarest] + count[rarest]):
        if _holds(wanted, pool[q], rows, -1, -1):
            support += 1
            if support == limit:
                break
    return support


@njit(cache=True, nogil=True)
def supports_up_to(
    limit: int,
    which: Ints,
    until_open: bool,
    sets: Rows,
    alone: Longs,
    table: Ints,
    rows: Rows,
    holders: Holders,
    supports: Ints,
) -> bool:
    """Set supports[q] for each q of which among the given sets; an empty set has 0. Return whether one is in 1..limit-1.

    Stops at the first such one if asked to.
    """
    starts, lengths, entries = sets
    found = False
    for q in which:
        wanted = entries[starts[q] : starts[q] + lengths[q]]
        supports[q] = support_up_to(limit, wanted, alone, table, rows, holders) if len(wanted) else 0
        found |= 0 < supports[q] < limit
        if found and until_open:
            break
    return found


@njit(cache=True, nogil=True)
def _index_only(new: int, old: int, rows: Rows, holders: Holders) -> tuple[int, Longs, Ints]:
    """Return the number of records with new but without old, and which of them hold each c: found[ends[c] : ends[c + 1]]."""
    starts, lengths, entries = rows
    pool, first, count = holders
    only, n = np.empty(count[new], np.int32), 0
    ends = np.zeros(len(count) + 2, np.int64)
    for r in pool[first[new] : first[new] + count[new]]:
        if not _has(old, r, rows):
            only[n] = r
            n += 1
            for p in range(starts[r], starts[r] + lengths[r]):
                ends[entries[p] + 2] += 1
    ends = np.cumsum(ends)
    found = np.empty(ends[-1], np.int32)
    for r in only[:n]:
        for p in range(starts[r], starts[r] + lengths[r]):
            found[ends[entries[p] + 1]] = r
            ends[entries[p] + 1] += 1
    return n, ends, found


@njit(cache=True, nogil=True)
def _gained(wanted: Ints, new: int, old: int, room: int, n: int, ends: Longs, found: Ints, rows: Rows) -> int:
    """Return the number (at most room) of the n records with new but without old that hold the rest of wanted."""
    rarest, rest, least = -1, 0, n
    for c in wanted:
        if c not in (old, new):
            rest += 1
            if rarest < 0 or ends[c + 1] - ends[c] < least:
                rarest, least = c, ends[c + 1] - ends[c]
    if rest <= 1:
        return min(room, least)
    gained = 0
    for r in found[ends[rarest] : ends[rarest + 1]]:
        if _holds(wanted, r, rows, new, old):
            gained += 1
            if gained == room:
                break
    return gained


@njit(cache=True, nogil=True)
def raise_supports(
    a: int,
    b: int,
    limit: int,
    sets: Rows,
    set_holders: Holders,
    alone: Longs,
    rows: Rows,
    holders: Holders,
    supports: Ints,
) -> None:
    """Add to the supports of the sets with a or b, below limit, what the merge of a and b (still to come) gives them."""
    starts, lengths, entries = sets
    pool, first, count = set_holders
    for old, new in ((a, b), (b, a)):
        if count[old] == 0:
            continue
        n, ends, found = _index_only(new, old, rows, holders)
        for q in pool[first[old] : first[old] + count[old]]:
            room = limit - supports[q]
            if room > 0:
                wanted = entries[starts[q] : starts[q] + lengths[q]]
                gained = _gained(wanted, new, old, room, n, ends, found, rows)
                if len(wanted) == 1 or (len(wanted) == 2 and a in wanted and b in wanted):
                    gained = min(room, gained + alone[new])  # records of nothing but new, where there is no rest
                supports[q] += gained


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
