"""The coreset: the items of records that are enough to decide which sets of items are rare.

An item of a record is kept if it is in a set of at most m items of the record that was kept fewer than k times so far. So a set
in fewer than k records is kept in all of them, and any other set in at least k. The same holds for sets of groups of items:
either every set of items below it is rare, and all its records are kept, or one is not rare, and k of its records are kept.

The same tables count all sets over the parts of a release, to find the rarest set of each published record.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.kernels.arrays import Flags, Ints, Longs
from anonset.kernels.hash_table import FREE, place_of

Counts = NDArray[np.uint32]

EXACT = 2**32 - 1  # the limit of counts that are not limited
LONGEST = 400  # items: a longer record has too many sets to count and is always kept


@njit(cache=True, nogil=True)
def thin(
    offsets: Longs, items: Ints, k: int, m: int, single: Counts, keys: Longs, counts: Counts, used: int, whole: bool
) -> tuple[Flags, int]:
    """Return which items are kept (whole: all of a record or none), and the number of keys in use after counting their sets.

    If `keys` is empty, counts[number] is the count of the set with this number; otherwise `keys` is a hash table of numbers. A
    table that is three quarters full takes no new sets, and the items of such sets are kept.
    """
    kept = np.zeros(len(items), np.bool_)
    some = np.empty(LONGEST, np.int32)
    for r in range(len(offsets) - 1):
        row, marks = items[offsets[r] : offsets[r + 1]], kept[offsets[r] : offsets[r + 1]]
        if len(row) > LONGEST:
            marks[:] = True
            continue
        _mark_rare(row, marks, k, m, single, keys, counts)
        if whole:
            marks[:] = marks.any()
        n = 0
        for p in range(len(row)):
            some[n] = row[p]
            n += marks[p]
        used = _count(some[:n], k, m, single, keys, counts, used)
    return kept, used


@njit(cache=True, nogil=True)
def _mark_rare(row: Ints, marks: Flags, k: int, m: int, single: Counts, keys: Longs, counts: Counts) -> None:
    """Mark the items that are in a set that was kept fewer than k times."""
    for i in range(len(row)):
        marks[i] |= single[row[i]] < k
        for j in range(i if m > 1 else 0):
            if not (marks[i] and marks[j]) and _seen(_pair(row[j], row[i]), keys, counts) < k:
                marks[i] = marks[j] = True
            for h in range(j if m > 2 else 0):
                if marks[i] and marks[j] and marks[h]:
                    continue
                if _seen(_triple(row[h], row[j], row[i], len(single)), keys, counts) < k:
                    marks[i] = marks[j] = marks[h] = True


@njit(cache=True, nogil=True)
def _count(row: Ints, k: int, m: int, single: Counts, keys: Longs, counts: Counts, used: int) -> int:
    for a in row:
        single[a] += single[a] < k
    for i in range(len(row) if m > 1 else 0):
        for j in range(i):
            used = _add(_pair(row[j], row[i]), k, keys, counts, used)
            for h in range(j if m > 2 else 0):
                used = _add(_triple(row[h], row[j], row[i], len(single)), k, keys, counts, used)
    return used


@njit(cache=True, nogil=True)
def _pair(a: int, b: int) -> int:
    """Return the number of a pair a < b."""
    return np.int64(b) * (np.int64(b) - 1) // 2 + a


@njit(cache=True, nogil=True)
def _triple(a: int, b: int, c: int, d: int) -> int:
    """Return the number of three items a < b < c of d, behind those of all pairs."""
    c = np.int64(c)
    return np.int64(d) * (d - 1) // 2 + c * (c - 1) * (c - 2) // 6 + _pair(a, b)


@njit(cache=True, nogil=True)
def _seen(number: int, keys: Longs, counts: Counts) -> int:
    if len(keys) == 0:
        return np.int64(counts[number])
    at = place_of(number, keys)
    return np.int64(counts[at]) if keys[at] == number else np.int64(0)


@njit(cache=True, nogil=True)
def _add(number: int, k: int, keys: Longs, counts: Counts, used: int) -> int:
    at = number
    if len(keys) > 0:
        at = place_of(number, keys)
        if keys[at] == FREE:
            if 4 * used >= 3 * len(keys):
                return used
            keys[at] = number
            used += 1
    counts[at] += counts[at] < k
    return used


@njit(cache=True, nogil=True)
def count_sets(offsets: Longs, items: Ints, m: int, single: Counts, keys: Longs, counts: Counts, used: int) -> int:
    """Count all sets of at most m labels of all records, in tables like those of `thin`; return the number of keys in use."""
    for r in range(len(offsets) - 1):
        used = _count(items[offsets[r] : offsets[r + 1]], EXACT, m, single, keys, counts, used)
    return used


@njit(cache=True, nogil=True)
def add_counts(numbers: Longs, more: Counts, keys: Longs, counts: Counts, used: int) -> int:
    """Add counts of sets, given by their numbers; return the number of keys in use."""
    for n in range(len(numbers)):
        at = numbers[n]
        if len(keys) > 0:
            at = place_of(numbers[n], keys)
            if keys[at] == FREE:
                if 4 * used >= 3 * len(keys):
                    return used
                keys[at] = numbers[n]
                used += 1
        counts[at] += more[n]
    return used


@njit(cache=True, nogil=True)
def rarest_sets(offsets: Longs, items: Ints, m: int, single: Counts, keys: Longs, counts: Counts, most: int) -> Longs:
    """Return for each record the smallest count of a set of at most m of its labels; `most` if it has no label."""
    n = len(offsets) - 1
    rarest = np.full(n, most, np.int64)
    for r in range(n):
        row = items[offsets[r] : offsets[r + 1]]
        for i in range(len(row)):
            rarest[r] = min(rarest[r], np.int64(single[row[i]]))
            for j in range(i if m > 1 else 0):
                rarest[r] = min(rarest[r], _seen(_pair(row[j], row[i]), keys, counts))
                for h in range(j if m > 2 else 0):
                    rarest[r] = min(rarest[r], _seen(_triple(row[h], row[j], row[i], len(single)), keys, counts))
    return rarest
