"""Find the pairs of nodes that a cut shows in fewer than k records, without writing down what it shows.

Records are arrays of `kernels.postings`. Ranks number the nodes that are shown, fresh ones first; a pair counts at its smaller
rank, and only where that is fresh. Items of one node are neighbours in a record, so repeats of a rank are.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


class CutRecords(NamedTuple):
    """What a cut shows of records: items as the rank of their node, below n; fresh rank a covers low[a] .. high[a] - 1."""

    entries: Ints
    starts: Longs
    at: Ints
    rank: Ints  # of each item
    low: Ints
    high: Ints
    n: int


@njit(cache=True, nogil=True)
def rare_shown_pairs(shown: CutRecords, wanted: Flags, k: int, first: int, most: int) -> tuple[Ints, int, bool]:
    """Return the pairs of wanted ranks in 1..k-1 records, in order, the smaller one from `first` on; where to go on from.

    It looks at the records of one rank after the other, until `most` positions were under them; without such a limit (0) at
    all records. Third: whether there can be records that show two nodes.
    """
    n_fresh, n = len(shown.low), shown.n
    last, under = first, 0
    while last < n_fresh and (under < most or most == 0):
        if wanted[last]:
            under += shown.starts[shown.high[last]] - shown.starts[shown.low[last]]
        last += 1
    table = np.zeros((last - first) * n, np.int32)
    longer = True
    if most == 0:
        longer = _count_all(shown, wanted[first:last], k, first, table)
    for a in range(first, last if most > 0 else first):
        if wanted[a]:
            at = shown.at[shown.starts[shown.low[a]] : shown.starts[shown.high[a]]]
            _count_under(shown.entries, at, shown.rank, shown.low[a], a, table[(a - first) * n : (a - first + 1) * n])
    return _rare(table, wanted, k, first), last, longer


@njit(cache=True, nogil=True, inline="always")
def _count_under(entries: Ints, at: Ints, rank: Ints, low: int, a: int, row: Ints) -> None:
    """Count the ranks above a in the records of the positions, all of which are under a."""
    for p in at:
        if entries[p - 1] >= low:
            continue  # the record was met at an earlier item
        while entries[p - 1] >= 0:
            p -= 1
        last = a
        while entries[p] >= 0:
            b = rank[entries[p]]
            if b != last and b > a:
                row[b] += 1
            last = b
            p += 1


@njit(cache=True, nogil=True, inline="always")
def _count_all(shown: CutRecords, wanted: Flags, k: int, first: int, table: Ints) -> bool:
    """Count the pairs of all records, but stop where none is below k; return whether some record showed two nodes."""
    n, rows = shown.n, len(wanted)
    row, size, last = np.empty(n + 1, np.int32), 0, -1
    below_k = wanted.copy()
    work, limit, longest = 0, 2 * len(table), 0
    for i in shown.entries[1:]:
        if i >= 0:
            a = shown.rank[i]
            if a != last:
                q = size
                while q > 0 and row[q - 1] > a:
                    row[q] = row[q - 1]
                    q -= 1
                row[q] = a
                size, last = size + 1, a
            continue
        longest = max(longest, size)
        for x in range(size - 1):
            a = row[x] - first
            if a >= rows:
                break
            if a >= 0 and below_k[a]:
                for y in range(x + 1, size):
                    table[a * n + row[y]] += 1
                work += size - x
        size, last = 0, -1
        if work > limit:
            work, limit = 0, 2 * limit
            if not _some_below(table, n, k, first, below_k):
                break
    return longest > 1


@njit(cache=True, nogil=True, inline="always")
def _some_below(table: Ints, n: int, k: int, first: int, below_k: Flags) -> bool:
    """Note the rows in which all pairs reached k; return whether others are left."""
    some = False
    for a in range(len(below_k)):
        if below_k[a]:
            b = first + a + 1
            while b < n and table[a * n + b] >= k:
                b += 1
            below_k[a] = b < n
            some |= b < n
    return some


@njit(cache=True, nogil=True, inline="always")
def _rare(table: Ints, wanted: Flags, k: int, first: int) -> Ints:
    total, n = 0, len(wanted)
    for count in table:
        total += 0 < count < k
    found, end = np.empty((total, 2), np.int32), 0
    for a in range(len(table) // max(n, 1)):
        for b in range(n):
            if 0 < table[a * n + b] < k and wanted[b]:
                found[end, 0], found[end, 1] = first + a, b
                end += 1
    return found[:end]
