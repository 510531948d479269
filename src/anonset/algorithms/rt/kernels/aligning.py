"""Items of alike records side by side: each label takes one item of every record, so that all of them show the same labels."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Ids = NDArray[np.int32]
Longs = NDArray[np.int64]


@njit(cache=True, nogil=True)
def align_items(bounds: Offsets, offsets: Offsets, items: Ids, d: int) -> Ids:
    """Return the label of each occurrence; records bounds[c] .. bounds[c + 1]-1 are class c, whose labels count from 0.

    Record r holds items[offsets[r] : offsets[r + 1]], some of 0..d-1; those that hold none play no part. A class has as many
    labels as its shortest record has items. A label takes the item that most records hold which it has none of, until it has
    one of each; of several it takes the closest to its first, which a hierarchy has put next to it. What longer records have
    left joins a label that has the item, or else the widest.
    """
    labels, tally, home = np.empty(len(items), np.int32), np.zeros(d, np.int64), np.empty(d, np.int64)
    for p in range(len(items)):
        labels[p] = -1
    for i in range(d):
        home[i] = -1
    for c in range(len(bounds) - 1):
        _align_class(bounds[c], bounds[c + 1], offsets, items, labels, tally, home)
    return labels


@njit(cache=True, nogil=True)
def _align_class(first: int, last: int, offsets: Offsets, items: Ids, labels: Ids, tally: Longs, home: Longs) -> None:
    shortest = np.int64(0)
    for r in range(first, last):
        length = offsets[r + 1] - offsets[r]
        if length and (length < shortest or not shortest):
            shortest = length
    if not shortest:
        return
    width = np.zeros(shortest, np.int64)
    waits = np.empty(last - first, np.bool_)
    for label in range(shortest):
        for r in range(first, last):
            waits[r - first] = offsets[r + 1] > offsets[r]
        item = _commonest(first, offsets, items, labels, waits, tally, 0)
        closest = item
        while item >= 0:
            for r in range(first, last):
                for p in range(offsets[r], offsets[r + 1]):
                    if waits[r - first] and items[p] == item and labels[p] < 0:
                        labels[p] = label
                        waits[r - first] = False
            width[label] += 1
            item = _commonest(first, offsets, items, labels, waits, tally, closest)
    _place_rest(offsets[first], offsets[last], items, labels, width, home)


@njit(cache=True, nogil=True)
def _commonest(
    first: int, offsets: Offsets, items: Ids, labels: Ids, waits: NDArray[np.bool_], tally: Longs, closest: int
) -> int:
    """Return the item without a label that most of the waiting records hold, of several the closest; -1 where none waits."""
    for r in range(len(waits)):
        if waits[r]:
            for p in range(offsets[first + r], offsets[first + r + 1]):
                tally[items[p]] += labels[p] < 0
    best, most, least = -1, np.int64(0), np.int64(0)
    for r in range(len(waits)):
        if waits[r]:
            for p in range(offsets[first + r], offsets[first + r + 1]):
                count, far = tally[items[p]], 2 * abs(np.int64(items[p]) - closest) + (items[p] > closest)
                if count > most or (count == most and count > 0 and far < least):
                    best, most, least = items[p], count, far
    for r in range(len(waits)):
        if waits[r]:
            for p in range(offsets[first + r], offsets[first + r + 1]):
                tally[items[p]] = 0
    return best


@njit(cache=True, nogil=True)
def _place_rest(start: int, stop: int, items: Ids, labels: Ids, width: Longs, home: Longs) -> None:
    """Give occurrences without a label the label of the item elsewhere, if it is one of several items, or else the widest."""
    for p in range(start, stop):
        if labels[p] >= 0 and width[labels[p]] > 1:
            home[items[p]] = labels[p]
    for p in range(start, stop):
        if labels[p] < 0:
            if home[items[p]] < 0:
                widest = np.int64(0)
                for label in range(len(width)):
                    widest = label if width[label] > width[widest] else widest
                home[items[p]] = widest
                width[widest] += 1
            labels[p] = home[items[p]]
    for p in range(start, stop):
        home[items[p]] = -1
