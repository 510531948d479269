"""How many records show what a record shows, the rarest of its sets of labels, and how few items single a record out.

Record r shows shown[offsets[r] : offsets[r + 1]], ascending. Group g holds the records bounds[g] .. bounds[g + 1] - 1. Record r
stands for times[r] records that show the same.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.kernels.arrays import Ints, Longs
from anonset.kernels.set_walk import add_label, next_level, next_set, set_walk


@njit(cache=True, nogil=True)
def smallest_supports(offsets: Longs, shown: Ints, bounds: Longs, times: Longs, m: int, d: int) -> Longs:
    """Return for each record the smallest support, within its group, of a set of 0..m of its labels, which are below d."""
    longest, most = 0, 0
    for r in range(len(times)):
        longest = max(longest, offsets[r + 1] - offsets[r])
    for g in range(len(bounds) - 1):
        most = max(most, offsets[bounds[g + 1]] - offsets[bounds[g]])
    m = min(m, longest)
    best, support = np.empty(len(times), np.int64), np.zeros(d, np.int64)
    walk = set_walk(m - 1 if m > 1 else 1, most, d)  # the last label is not walked to
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        best[first:last] = times[first:last].sum()  # the support of the empty set
        records, after = np.arange(first, last), int(np.int64(-1))
        t = int(np.int64(0)) if m > 0 else int(np.int64(-1))
        while t >= 0:
            _lower_to_supports(offsets, shown, records, after, times, support, best)
            if t < m - 1:
                add_label(walk, t, offsets, shown, records, after, d)
            t = next_level(walk, t if t < m - 1 else t - 1)
            if t >= 0:
                records, after = next_set(walk, t)
                t += 1
    return best


@njit(cache=True, nogil=True)
def _lower_to_supports(
    offsets: Longs, shown: Ints, records: Longs, after: int, times: Longs, support: Longs, best: Longs
) -> None:
    """Lower best[r] to the supports of the sets that add a label above `after` to the one that all the records show.

    `support`, by label, is 0 before and after.
    """
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            if shown[p] <= after:
                break
            support[shown[p]] += times[r]
    for r in records:
        least = best[r]
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            if shown[p] <= after:
                break
            least = min(least, support[shown[p]])
        best[r] = least
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            if shown[p] <= after:
                break
            support[shown[p]] = 0


@njit(cache=True, nogil=True)
def smallest_pairs(offsets: Longs, shown: Ints, bounds: Longs, times: Longs, d: int) -> Longs:
    """Return what `smallest_supports` does of up to two labels, from a table of all pairs; a label with itself is one too."""
    best, table = np.empty(len(times), np.int64), np.zeros(d * d, np.int32)
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        for r in range(first, last):
            _add_pairs(offsets, shown, r, d, times[r], table)
        records = times[first:last].sum()
        for r in range(first, last):
            least = records
            for p in range(offsets[r], offsets[r + 1]):
                row = np.int64(shown[p]) * d
                for q in range(p, offsets[r + 1]):
                    least = min(least, table[row + shown[q]])
            best[r] = least
        if last < len(times):  # the table is used again
            for r in range(first, last):
                _add_pairs(offsets, shown, r, d, -times[r], table)
    return best


@njit(cache=True, nogil=True, inline="always")
def _add_pairs(offsets: Longs, shown: Ints, r: int, d: int, times: int, table: Ints) -> None:
    """Add `times` to the count of each pair of labels of record r."""
    for p in range(offsets[r], offsets[r + 1]):
        row = np.int64(shown[p]) * d
        for q in range(p, offsets[r + 1]):
            table[row + shown[q]] += times


@njit(cache=True, nogil=True)
def containing_records(
    offsets: Longs,
    shown: Ints,
    bounds: Longs,
    times: Longs,
    holders: tuple[Longs, Longs],
    rows: tuple[int, int],
) -> Longs:
    """Return for each record from rows[0] to rows[1] - 1 the number of records of its group that show all its labels.

    `holders` is what `holders_of_items` gives. The work grows with the square of the different records.
    """
    start, stop = rows
    starts, held = holders
    found, g = np.zeros(stop - start, np.int64), 0
    for r in range(start, stop):
        while r >= bounds[g + 1]:
            g += 1
        mine = shown[offsets[r] : offsets[r + 1]]
        if len(mine) == 0:
            found[r - start] = times[bounds[g] : bounds[g + 1]].sum()
            continue
        first, last = 0, len(held) + 1
        for label in mine:  # the rarest label of the record within its group
            low, high = _holders_within(starts, held, label, bounds[g], bounds[g + 1])
            if high - low < last - first:
                first, last = low, high
        for q in range(first, last):
            other = held[q]
            if other == r or _contains(shown[offsets[other] : offsets[other + 1]], mine):
                found[r - start] += times[other]
    return found


@njit(cache=True, nogil=True, inline="always")
def _holders_within(starts: Longs, held: Longs, label: int, first: int, last: int) -> tuple[int, int]:
    """Return the stretch of `held` with those records from first to last - 1 that show the label."""
    begin, end = starts[label], starts[label + 1]
    return begin + np.searchsorted(held[begin:end], first), begin + np.searchsorted(held[begin:end], last)


@njit(cache=True, nogil=True)
def _contains(others: Ints, mine: Ints) -> bool:
    """Return whether all of the ascending labels `mine` are among the ascending ones of another record."""
    if len(others) < len(mine):
        return False
    q = 0
    for label in mine:
        while q < len(others) and others[q] < label:
            q += 1
        if q == len(others) or others[q] != label:
            return False
        q += 1
    return True


@njit(cache=True, nogil=True)
def items_to_single_out(
    offsets: Longs,
    items: Ints,
    starts: Longs,
    stops: Longs,
    holders: tuple[Longs, Longs],
    most: int,
    rows: tuple[int, int],
) -> NDArray[np.int8]:
    """Return for each record from rows[0] to rows[1] - 1 the least number of its items that no other of its group has together.

    The group of record r is the records starts[r] .. stops[r] - 1; `holders` is what `holders_of_items` gives. 0 where a
    record is alone in its group, most + 1 where more than `most` (1, 2 or 3) items are needed. An itemset is looked up among
    the records of its rarest item, and only until every pair (every triple) with that item has been met a second time.
    """
    first, last = rows
    held_from, held_by = holders
    found = np.full(last - first, most + 1, np.int8)
    rank = np.full(len(held_from) - 1, -1, np.int64)  # of an item of the record at hand, rarest first
    for r in range(first, last):
        if stops[r] - starts[r] == 1:
            found[r - first] = 0
            continue
        row = items[offsets[r] : offsets[r + 1]]
        low, high = np.empty(len(row), np.int64), np.empty(len(row), np.int64)
        for p in range(len(row)):
            low[p], high[p] = _holders_within(held_from, held_by, row[p], starts[r], stops[r])
        n = max(1, len(row))
        order = np.sort((high - low) * n + np.arange(len(row))) % n  # the rarest first
        if len(row) and high[order[0]] - low[order[0]] == 1:
            found[r - first] = 1
            continue
        for p in range(len(row)):
            rank[row[order[p]]] = p
        for size in range(2, most + 1):
            for p in range(len(row) - size + 1):
                others = held_by[low[order[p]] : high[order[p]]]
                if _is_alone(offsets, items, others, r, rank, p, len(row), size):
                    found[r - first] = size
                    break
            if found[r - first] == size:
                break
        for p in range(len(row)):
            rank[row[p]] = -1
    return found


@njit(cache=True, nogil=True)
def _is_alone(
    offsets: Longs,
    items: Ints,
    others: Longs,
    r: int,
    rank: Longs,
    p: int,
    n: int,
    size: int,
) -> bool:
    """Return whether a set of `size` items of record r, the item of rank p and later ones, is in none of the other records."""
    c = n - p - 1  # later items
    words = (c + 63) // 64
    met = np.zeros((c, words), np.uint64)  # triples: met[a], the later items met together with a; pairs: met[0], all met
    left = c  # bits still to be met
    if size == 3:
        left = c * (c - 1)
        for a in range(c):
            met[a, a // 64] |= np.uint64(1) << np.uint64(a % 64)
    shared = np.zeros(c, np.int64)
    mask = np.empty(words, np.uint64)
    for o in others:
        if o == r:
            continue
        found = 0
        mask[:] = 0
        for q in range(offsets[o], offsets[o + 1]):
            later = rank[items[q]] - p - 1
            if later >= 0:
                shared[found] = later if size == 3 else 0
                found += 1
                mask[later // 64] |= np.uint64(1) << np.uint64(later % 64)
        for s in range(found if size == 3 else min(found, 1)):
            for w in range(words):
                new = mask[w] & ~met[shared[s], w]
                met[shared[s], w] |= new
                while new != 0:
                    new &= new - np.uint64(1)
                    left -= 1
        if left == 0:
            return False
    return True
