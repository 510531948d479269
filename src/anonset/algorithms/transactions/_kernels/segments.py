"""Segments of a line of records: how neighbours differ, postings of a segment, and pairs of items that are rare in it."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.kernels.arrays import Flags, Ints, Longs, sort_stretch

Table = Longs  # (items, places): where in `at` the positions of an item after a place begin
Cells = NDArray[np.uint8] | Ints


class ItemPairs(NamedTuple):
    """Item i is in a record with the greater items partner[starts[i] : starts[i + 1]], the p-th of all in cells[p] records.

    cells[p] has a number for each piece of the line; numbers that cells cannot hold are shown as their greatest.
    """

    starts: Longs
    partner: Ints
    cells: Cells  # (pairs, pieces)


@njit(cache=True, nogil=True)
def piece_starts(starts: Longs, at: Ints, ends: Longs) -> Table:
    """Return where in `at` the positions of each item after each place begin."""
    found = np.empty((len(starts) - 1, len(ends)), np.int64)
    for i in range(len(starts) - 1):
        q = starts[i]
        for s in range(len(ends)):
            while q < starts[i + 1] and at[q] < ends[s]:
                q += 1
            found[i, s] = q
    return found


@njit(cache=True, nogil=True)
def stretch_postings(at: Ints, begins: Table, first: int, last: int, start: int) -> tuple[Longs, Ints]:
    """Return starts and at of the stretch between two places: positions are those of the line less its start."""
    d = len(begins)
    starts = np.zeros(d + 1, np.int64)
    for i in range(d):
        starts[i + 1] = starts[i] + begins[i, last] - begins[i, first]
    here = np.empty(starts[d], np.int32)
    for i in range(d):
        shift = begins[i, first] - starts[i]
        for q in range(starts[i], starts[i + 1]):
            here[q] = at[q + shift] - start
    return starts, here


@njit(cache=True, nogil=True)
def count_pairs(entries: Ints, at: Ints, begins: Table, kind: Cells, highest: int, most: int) -> tuple[ItemPairs, bool]:
    """Return the pairs of items, counted in cells like those of `kind` up to the highest number, and whether that are all.

    It ends where there are more than `most` pairs.
    """
    d, pieces = len(begins), begins.shape[1] - 1
    room = np.zeros((d, pieces), kind.dtype)
    seen, met = np.zeros(d, np.bool_), np.empty(d, np.int32)
    starts = np.zeros(d + 1, np.int64)
    partner, cells = np.empty(1024, np.int32), np.empty((1024, pieces), kind.dtype)
    end = 0
    for i in range(d):
        n = 0
        for s in range(pieces):
            for q in range(begins[i, s], begins[i, s + 1]):
                p = at[q] + 1
                while entries[p] >= 0:
                    j = entries[p]
                    p += 1
                    if not seen[j]:
                        seen[j] = True
                        met[n] = j
                        n += 1
                    if room[j, s] < highest:
                        room[j, s] += 1
        if end + n > most:
            return ItemPairs(starts, partner[:end], cells[:end]), False
        if end + n > len(partner):
            partner, cells = _longer(partner, cells, end, min(most, 2 * (end + n)))
        _sort(met, n, seen, i + 1)
        for x in range(n):
            j = met[x]
            seen[j] = False
            partner[end] = j
            for s in range(pieces):
                cells[end, s] = room[j, s]
                room[j, s] = 0
            end += 1
        starts[i + 1] = end
    return ItemPairs(starts, partner[:end], cells[:end]), True


@njit(cache=True, nogil=True)
def _longer(partner: Ints, cells: Cells, end: int, size: int) -> tuple[Ints, Cells]:
    longer, more = np.empty(size, np.int32), np.empty((size, cells.shape[1]), cells.dtype)
    for p in range(end):
        longer[p] = partner[p]
        for s in range(cells.shape[1]):
            more[p, s] = cells[p, s]
    return longer, more


@njit(cache=True, nogil=True)
def _sort(met: Ints, n: int, seen: Flags, first: int) -> None:
    """Sort the n items met, those seen from a first one on: by a look at all of them where many are, else in place."""
    if 16 * n > len(seen) - first:
        end = 0
        for j in range(first, len(seen)):
            if seen[j]:
                met[end] = j
                end += 1
    else:
        sort_stretch(met, 0, n)


@njit(cache=True, nogil=True)
def first_differences(offsets: Longs, items: Ints, order: Longs, d: int) -> Longs:
    """Return, for each neighbouring pair of the order, the smallest item that only one of the two holds; d where none is."""
    found = np.full(max(0, len(order) - 1), d, np.int64)
    for place in range(len(order) - 1):
        a, b = order[place], order[place + 1]
        p, q = offsets[a], offsets[b]
        while p < offsets[a + 1] and q < offsets[b + 1] and items[p] == items[q]:
            p, q = p + 1, q + 1
        if p < offsets[a + 1]:
            found[place] = items[p]
        if q < offsets[b + 1]:
            found[place] = min(found[place], items[q])
    return found
