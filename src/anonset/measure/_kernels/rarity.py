"""How many records show what a record shows, the rarest of its sets of labels, and how few items single a record out."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def smallest_supports(
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    bounds: NDArray[np.int64],
    times: NDArray[np.int64],
    m: int,
    d: int,
) -> NDArray[np.int64]:
    """Return for each record the smallest support, within its group, of a set of 0..m of its labels.

    Group g holds the records bounds[g] .. bounds[g + 1] - 1; record r stands for times[r] records that show the same. Sets are
    visited depth first, each with the records that hold it; the records of the sets still to visit lie in one buffer, those of
    the next one at its end. (A stack instead of recursion: a compiled function that calls itself does not survive the cache.)
    """
    n = len(offsets) - 1
    best = np.empty(n, np.int64)
    count, support = np.zeros(d, np.int64), np.zeros(d, np.int64)
    touched = np.empty(d, np.int32)
    for g in range(len(bounds) - 1):
        size, records = bounds[g + 1] - bounds[g], np.int64(0)
        for r in range(bounds[g], bounds[g + 1]):
            records += times[r]
        holders, last, left = np.empty(size, np.int64), np.empty(1, np.int64), np.empty(1, np.int64)
        for h in range(size):
            holders[h], best[bounds[g] + h] = bounds[g] + h, records
        start, stop = np.zeros(1, np.int64), np.empty(1, np.int64)
        last[0], left[0], stop[0] = -1, m, size
        depth = 1 if m > 0 else 0
        while depth > 0:
            depth -= 1
            after, more, begin, end = last[depth], left[depth], start[depth], stop[depth]
            labels = _count_above(offsets, shown, holders[begin:end], times, after, count, support, touched)
            total = 0
            for t in range(labels):
                total += count[touched[t]]
            for h in range(begin, end):
                r = holders[h]
                for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
                    if shown[p] <= after:
                        break
                    best[r] = min(best[r], support[shown[p]])
            if more > 1 and labels > 0:
                holders = _with_room(holders, end + total)
                last, left = _with_room(last, depth + labels), _with_room(left, depth + labels)
                start, stop = _with_room(start, depth + labels), _with_room(stop, depth + labels)
                place = end
                for t in range(labels):
                    holding = count[touched[t]]
                    last[depth + t], left[depth + t] = touched[t], more - 1
                    start[depth + t], stop[depth + t] = place, place + holding
                    count[touched[t]] = place
                    place += holding
                _deal_out(offsets, shown, holders, begin, end, after, count)
                depth += labels
            for t in range(labels):
                count[touched[t]] = support[touched[t]] = 0
    return best


@njit(cache=True, nogil=True)
def _count_above(
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    records: NDArray[np.int64],
    times: NDArray[np.int64],
    after: int,
    count: NDArray[np.int64],
    support: NDArray[np.int64],
    touched: NDArray[np.int32],
) -> int:
    """Count the labels above `after` in the records, and those they stand for; return how many labels were touched."""
    n = 0
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            if count[label] == 0:
                touched[n] = label
                n += 1
            count[label] += 1
            support[label] += times[r]
    return n


@njit(cache=True, nogil=True)
def _deal_out(
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    holders: NDArray[np.int64],
    begin: int,
    end: int,
    after: int,
    place: NDArray[np.int64],
) -> None:
    """Write each record of holders[begin:end] behind every label above `after` that it shows."""
    for h in range(begin, end):
        r = holders[h]
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            holders[place[label]] = r
            place[label] += 1


@njit(cache=True, nogil=True)
def _with_room(array: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The array, or a longer copy of it with room for n entries."""
    if n <= len(array):
        return array
    grown = np.empty(max(n, 2 * len(array)), np.int64)
    for p in range(len(array)):
        grown[p] = array[p]
    return grown


@njit(cache=True, nogil=True)
def smallest_pairs(
    offsets: NDArray[np.int64], shown: NDArray[np.int32], bounds: NDArray[np.int64], times: NDArray[np.int64], d: int
) -> NDArray[np.int64]:
    """Return what `smallest_supports` does of up to two labels, from a table of all pairs; a label with itself is one too."""
    best, table = np.empty(len(times), np.int64), np.zeros(d * d, np.int32)
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        for r in range(first, last):
            for p in range(offsets[r], offsets[r + 1]):
                row = np.int64(shown[p]) * d
                for q in range(p, offsets[r + 1]):
                    table[row + shown[q]] += times[r]
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
                for p in range(offsets[r], offsets[r + 1]):
                    for q in range(p, offsets[r + 1]):
                        table[np.int64(shown[p]) * d + shown[q]] = 0
    return best


@njit(cache=True, nogil=True)
def containing_records(
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    bounds: NDArray[np.int64],
    times: NDArray[np.int64],
    holders: tuple[NDArray[np.int64], NDArray[np.int64]],
    rows: tuple[int, int],
) -> NDArray[np.int64]:
    """Return for each record from rows[0] to rows[1] - 1 the number of records of its group that show all its labels.

    Group g is as above, `holders` what `holders_of_items` gives. Record r stands for times[r] records that show the same: the
    work grows with the square of the different ones.
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
            begin, end = starts[label], starts[label + 1]
            low = begin + np.searchsorted(held[begin:end], bounds[g])
            high = begin + np.searchsorted(held[begin:end], bounds[g + 1])
            if high - low < last - first:
                first, last = low, high
        for q in range(first, last):
            o = held[q]
            if o == r or _contains(shown[offsets[o] : offsets[o + 1]], mine):
                found[r - start] += times[o]
    return found


@njit(cache=True, nogil=True)
def _contains(others: NDArray[np.int32], mine: NDArray[np.int32]) -> bool:
    """Whether all of the ascending labels `mine` are among the ascending ones of another record."""
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
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    holders: tuple[NDArray[np.int64], NDArray[np.int64]],
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
            begin, end = held_from[row[p]], held_from[row[p] + 1]
            low[p] = begin + np.searchsorted(held_by[begin:end], starts[r])
            high[p] = begin + np.searchsorted(held_by[begin:end], stops[r])
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
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    others: NDArray[np.int64],
    r: int,
    rank: NDArray[np.int64],
    p: int,
    n: int,
    size: int,
) -> bool:
    """Whether a set of `size` items of record r, the item of rank p and later ones, is in none of the other records."""
    c = n - p - 1  # later items
    words = (c + 63) // 64
    met = np.zeros((c, words), np.uint64)  # triples: met[a], the later items met beside a; pairs: met[0], those met at all
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
