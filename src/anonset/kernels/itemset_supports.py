"""Supports of given sets of clusters, counted up to a limit and kept up to date while clusters merge.

Records and given sets are both `rows` = (starts, lengths, entries) and `holders` = (pool, first, count), as in `holders`;
alone[c] more records hold cluster c and nothing else.
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
def support_up_to(limit: int, wanted: Ints, alone: Longs, rows: Rows, holders: Holders) -> int:
    """Return the number of records that hold all of wanted (ascending, one or more), or limit where it is at least that."""
    pool, first, count = holders
    rarest = wanted[0]
    for c in wanted:
        if count[c] < count[rarest]:
            rarest = c
    if len(wanted) == 1:
        return min(limit, alone[rarest] + count[rarest])
    support = 0
    for q in range(first[rarest], first[rarest] + count[rarest]):
        if _holds(wanted, pool[q], rows, -1, -1):
            support += 1
            if support == limit:
                break
    return support


@njit(cache=True, nogil=True)
def supports_up_to(limit: int, which: Ints, sets: Rows, alone: Longs, rows: Rows, holders: Holders, supports: Ints) -> None:
    """Set supports[q] for each q of which among the given sets; an empty set has 0."""
    starts, lengths, entries = sets
    for q in which:
        wanted = entries[starts[q] : starts[q] + lengths[q]]
        supports[q] = support_up_to(limit, wanted, alone, rows, holders) if len(wanted) else 0


@njit(cache=True, nogil=True)
def _gained(wanted: Ints, new: int, old: int, room: int, alone: Longs, rows: Rows, holders: Holders) -> int:
    """Return the number (at most room) of records with new but without old that hold the rest of wanted."""
    pool, first, count = holders
    rarest, gained = new, alone[new]
    for c in wanted:
        if c not in (old, new):
            gained = 0  # nothing is alone with the rest
            rarest = c if count[c] < count[rarest] else rarest
    for q in range(first[rarest], first[rarest] + count[rarest]):
        r = pool[q]
        if gained >= room:
            return room
        if _has(new, r, rows) and not _has(old, r, rows) and _holds(wanted, r, rows, new, old):
            gained += 1
    return min(room, gained)


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
        for p in range(first[old], first[old] + count[old]):
            q = pool[p]
            if supports[q] < limit:
                wanted = entries[starts[q] : starts[q] + lengths[q]]
                supports[q] += _gained(wanted, new, old, limit - supports[q], alone, rows, holders)


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
