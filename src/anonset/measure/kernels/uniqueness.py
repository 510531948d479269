"""How few items of a record single it out among others."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


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


@njit(cache=True, nogil=True)
def holders_of_items(
    offsets: NDArray[np.int64], items: NDArray[np.int32], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the records of each item start in a list, and the list: ascending for each item."""
    starts = np.zeros(d + 1, np.int64)
    for i in items:
        starts[i + 1] += 1
    for i in range(d):
        starts[i + 1] += starts[i]
    place = starts[:-1].copy()
    holders = np.empty(len(items), np.int64)
    for r in range(len(offsets) - 1):
        for q in range(offsets[r], offsets[r + 1]):
            holders[place[items[q]]] = r
            place[items[q]] += 1
    return starts, holders
