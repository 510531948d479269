"""Itemsets, and pairs of nodes that a cut shows, that occur in fewer than k records.

Compiling is part of a run: helpers get `int(np.int64(0))` and no constant, so that nothing is compiled a second time for a
constant 0, and arrays are copied in loops, since slices drag in texts for an error message.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, sort_stretch


class Ranked(NamedTuple):
    """Records of ranks; rank a is at the positions at[starts[a] : starts[a + 1]] and covers the leaves low[a] .. high[a] - 1.

    `nested`: ranks may cover each other; an itemset never holds two such. Only counted ranks are counted.
    """

    entries: Ints
    starts: Longs
    at: Ints
    low: Ints
    high: Ints
    nested: bool
    counted: Flags


class PairCounters(NamedTuple):
    """Room for counting, all zero between uses: by rank, by pair of ranks; the ranks met, and those of one record."""

    count: Ints
    pairs: Ints
    met: Ints
    row: Ints


@njit(cache=True, nogil=True)
def rare_pairs(shown: Ranked, k: int, first: int, last: int, enough: int, pairs: Ints) -> tuple[Ints, int]:
    """Return what `rare_itemsets` does for size 2, all that most runs need: it compiles in a fraction of the time."""
    n = len(shown.low)
    room = PairCounters(np.zeros(n, np.int32), pairs, np.empty(n, np.int32), np.empty(n, np.int32))
    found, end, prefix = np.empty((16, 2), np.int32), int(np.int64(0)), np.empty(2, np.int32)
    if (n - first) ** 2 <= len(pairs):
        openers, r = np.empty(len(shown.entries) - len(shown.at), np.int32), 0
        for p in range(len(shown.entries)):
            if shown.entries[p] < 0:
                openers[r] = p
                r += 1
        found, end = _rare_pairs(shown, room, prefix, openers[: r - 1], k, first, last, found, end)
        return found[:end], last
    for a in range(first, last):
        if shown.counted[a]:
            prefix[0] = a
            found, end = _rare_last(shown, room, prefix, shown.at[shown.starts[a] : shown.starts[a + 1]], k, found, end)
            if end >= enough:
                return found[:end], a + 1
    return found[:end], last


@njit(cache=True, nogil=True)
def rare_itemsets(shown: Ranked, size: int, k: int, first: int, last: int, enough: int, pairs: Ints) -> tuple[Ints, int]:
    """Return the itemsets in 1..k-1 records whose smallest rank is in first..last-1, and the smallest rank not yet visited.

    It ends after the first rank with which there are enough. `pairs`, all zero, is room to count pairs of ranks in.
    """
    n, most, mean = len(shown.low), len(pairs), 1 + len(shown.at) // max(1, len(shown.entries) - len(shown.at))
    room = PairCounters(np.zeros(n, np.int32), pairs, np.empty(n, np.int32), np.empty(n, np.int32))
    found, end = np.empty((16, size), np.int32), int(np.int64(0))
    prefix = np.empty(size, np.int32)
    deep = max(size - 1, 1)  # for each size of prefix: the ranks that extend it, and where they are
    kids, starts = np.empty((deep, n), np.int32), np.empty((deep, n + 1), np.int64)
    wide = len(shown.at) if size > 2 else 0
    below = np.empty(deep * wide, np.int32)  # flat, so that what is called with parts of it is compiled once
    n_kids, cursor = np.zeros(deep, np.int64), np.zeros(deep, np.int64)
    for a in range(first, last):
        prefix[0] = a
        at = shown.at[shown.starts[a] : shown.starts[a + 1]]
        t = 1 if shown.counted[a] else 0
        while t > 0:
            width = n - prefix[t - 1] - 1
            level = t - 1
            if t == size:
                if len(at) < k:
                    found, end = _add(found, end, prefix)
            elif t == size - 1:
                found, end = _rare_last(shown, room, prefix, at, k, found, end)
            elif t == size - 2 and width * width <= min(most, 8 * mean * len(at)):
                found, end = _rare_pairs(shown, room, prefix, at, k, n - width, n, found, end)
            else:
                level = t
                n_kids[t], cursor[t] = _project(shown, room, prefix[:t], at, kids[t], starts[t], below[t * wide :]), 0
            while level > 0 and cursor[level] == n_kids[level]:
                level -= 1
            t = 0
            if level > 0:
                q = cursor[level]
                cursor[level] += 1
                prefix[level], t = kids[level, q], level + 1
                at = below[level * wide + starts[level, q] : level * wide + starts[level, q + 1]]
        if end >= enough:
            return found[:end], a + 1
    return found[:end], last


@njit(cache=True, nogil=True)
def _add(found: Ints, end: int, itemset: Ints) -> tuple[Ints, int]:
    if end == len(found):
        longer = np.empty((2 * end, found.shape[1]), np.int32)
        for s in range(end):
            for j in range(len(itemset)):
                longer[s, j] = found[s, j]
        found = longer
    for j in range(len(itemset)):
        found[end, j] = itemset[j]
    return found, end + 1


@njit(cache=True, nogil=True)
def _follow(shown: Ranked, prefix: Ints, p: int, row: Ints) -> int:
    """Write the counted ranks after position p in its record that no rank of the prefix covers; return how many."""
    n = 0
    while shown.entries[p + 1] >= 0:
        p += 1
        a = shown.entries[p]
        here = shown.counted[a]
        if shown.nested and here:
            for b in prefix:
                here = here and (shown.high[a] <= shown.low[b] or shown.high[b] <= shown.low[a])
        if here:
            row[n] = a
            n += 1
    return n


@njit(cache=True, nogil=True)
def _tally(shown: Ranked, room: PairCounters, prefix: Ints, at: Ints) -> Ints:
    """Count the ranks that follow the prefix, found at the positions; return those met, in any order."""
    met = 0
    for p in at:
        for a in room.row[: _follow(shown, prefix, p, room.row)]:
            if room.count[a] == 0:
                room.met[met] = a
                met += 1
            room.count[a] += 1
    return room.met[:met]


@njit(cache=True, nogil=True)
def _rare_last(shown: Ranked, room: PairCounters, prefix: Ints, at: Ints, k: int, found: Ints, end: int) -> tuple[Ints, int]:
    """Add the rare itemsets of prefix[:-1], found at the positions, and one more rank."""
    rare = 0
    for a in _tally(shown, room, prefix[:-1], at):
        if room.count[a] < k:
            room.met[rare] = a
            rare += 1
        room.count[a] = 0
    sort_stretch(room.met, 0, rare)
    for a in room.met[:rare]:
        prefix[-1] = a
        found, end = _add(found, end, prefix)
    return found, end


@njit(cache=True, nogil=True)
def _rare_pairs(
    shown: Ranked, room: PairCounters, prefix: Ints, at: Ints, k: int, first: int, last: int, found: Ints, end: int
) -> tuple[Ints, int]:
    """Add the rare itemsets of prefix[:-2], found at the positions, and two more ranks, the first in first..last-1."""
    t, width = len(prefix) - 2, len(shown.low) - first
    _count_pairs(shown, room, prefix[:t], at, k, first, last)
    for a in range(first, last):
        row = room.pairs[(a - first) * width : (a - first + 1) * width]
        prefix[t] = a
        for x in range(width):
            b, count = first + x, row[x]
            row[x] = 0
            if 0 < count < k and not (shown.nested and shown.high[a] > shown.low[b] and shown.high[b] > shown.low[a]):
                prefix[t + 1] = b
                found, end = _add(found, end, prefix)
    return found, end


@njit(cache=True, nogil=True, inline="always")
def _count_pairs(shown: Ranked, room: PairCounters, prefix: Ints, at: Ints, k: int, first: int, last: int) -> None:
    """Count pairs of ranks that follow the prefix, the first in first..last-1; stop counting where none is below k."""
    width = len(shown.low) - first
    below_k = np.ones(last - first, np.bool_)
    work, limit = 0, 2 * width * width
    for p in at:
        n = _follow(shown, prefix, p, room.row)
        for x in range(n):
            a = room.row[x] - first
            if a >= last - first:
                break
            if a >= 0 and below_k[a]:
                for y in range(x + 1, n):
                    room.pairs[a * width + room.row[y] - first] += 1
                work += n - x
        if work > limit:
            work, limit = 0, 2 * limit
            some = False
            for a in range(last - first):
                if below_k[a]:
                    x = a * width + a + 1
                    while x < (a + 1) * width and room.pairs[x] >= k:
                        x += 1
                    below_k[a] = x < (a + 1) * width
                    some |= below_k[a]
            if not some:
                break


@njit(cache=True, nogil=True)
def _project(shown: Ranked, room: PairCounters, prefix: Ints, at: Ints, kids: Ints, starts: Longs, below: Ints) -> int:
    """Write the ranks that follow the prefix, the q-th at the positions below[starts[q] : starts[q + 1]]; return how many."""
    met = _tally(shown, room, prefix, at)
    n = len(met)
    sort_stretch(met, 0, n)
    starts[0] = 0
    for q in range(n):
        kids[q] = met[q]
        starts[q + 1] = starts[q] + room.count[met[q]]
        room.count[met[q]] = starts[q] + 1  # where to write next, plus one
    for p in at:
        while shown.entries[p + 1] >= 0:
            p += 1
            fill = room.count[shown.entries[p]]
            if fill > 0:
                below[fill - 1] = p
                room.count[shown.entries[p]] = fill + 1
    for a in met:
        room.count[a] = 0
    return n


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
def rare_shown_pairs(shown: CutRecords, counted: Flags, k: int, first: int, most: int) -> tuple[Ints, int, bool]:
    """Return the pairs of counted ranks in 1..k-1 records, in order, the smaller one from `first` on; where to go on from.

    It looks at the records of one rank after the other, until `most` positions were under them; without such a limit (0) at
    all records. Third: whether there can be records that show two nodes.
    """
    n_fresh, n = len(shown.low), shown.n
    last, under = first, 0
    while last < n_fresh and (under < most or most == 0):
        if counted[last]:
            under += shown.starts[shown.high[last]] - shown.starts[shown.low[last]]
        last += 1
    table = np.zeros((last - first) * n, np.int32)
    longer = True
    if most == 0:
        longer = _count_all(shown, counted[first:last], k, first, table)
    for a in range(first, last if most > 0 else first):
        if counted[a]:
            at = shown.at[shown.starts[shown.low[a]] : shown.starts[shown.high[a]]]
            _count_under(shown.entries, at, shown.rank, shown.low[a], a, table[(a - first) * n : (a - first + 1) * n])
    return _rare(table, counted, k, first), last, longer


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
def _count_all(shown: CutRecords, counted: Flags, k: int, first: int, table: Ints) -> bool:
    """Count the pairs of all records, but stop where none is below k; return whether some record showed two nodes."""
    n, rows = shown.n, len(counted)
    row, size, last = np.empty(n + 1, np.int32), 0, -1
    below_k = counted.copy()
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
def _rare(table: Ints, counted: Flags, k: int, first: int) -> Ints:
    total, n = 0, len(counted)
    for count in table:
        total += 0 < count < k
    found, end = np.empty((total, 2), np.int32), 0
    for a in range(len(table) // max(n, 1)):
        for b in range(n):
            if 0 < table[a * n + b] < k and counted[b]:
                found[end, 0], found[end, 1] = first + a, b
                end += 1
    return found[:end]
