"""Replace the entries of records by labels, with set semantics; and find the label that stands for an entry."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs, sort_stretch
from anonset.kernels.records import holders_of_items


@njit(cache=True, nogil=True)
def collapse(offsets: Longs, labels: Ints) -> tuple[Longs, Ints]:
    """Return the records with each entry p replaced by labels[p], ascending, without repeats; -1 drops an entry."""
    n = len(offsets) - 1
    starts = np.zeros(n + 1, np.int64)
    shown = np.empty(len(labels), np.int32)
    end = int(np.int64(0))
    for r in range(n):
        begin = stop = end
        for p in range(offsets[r], offsets[r + 1]):
            if labels[p] >= 0:
                shown[stop] = labels[p]
                stop += 1
        sort_stretch(shown, begin, stop)
        for p in range(begin, stop):
            if end == begin or shown[end - 1] != shown[p]:
                shown[end] = shown[p]
                end += 1
        starts[r + 1] = end
    return starts, shown[:end].copy()


@njit(cache=True, nogil=True)
def published_labels(
    offsets: Longs,
    items: Ints,
    rows: Longs,
    shown_offsets: Longs,
    shown: Ints,
    label_offsets: Longs,
    members: Ints,
    d: int,
) -> Ints:
    """Return for each original occurrence the smallest label of its published record that stands for it.

    -1 where no label of the record does, -2 where the record itself was not published. members[q] are original items.
    From each shown label to its members, or from each item to the labels that stand for it, whichever is shorter.
    """
    starts, labels = holders_of_items(label_offsets, members, d)  # the labels that stand for each item
    by_label = by_item = 0
    for label in shown:
        by_label += label_offsets[label + 1] - label_offsets[label]
    for i in items:
        by_item += starts[i + 1] - starts[i]
    if by_item < by_label:
        return _from_items(offsets, items, rows, shown_offsets, shown, label_offsets, starts, labels)
    return _from_labels(offsets, items, rows, shown_offsets, shown, label_offsets, members, d)


@njit(cache=True, nogil=True, inline="always")
def _from_items(
    offsets: Longs,
    items: Ints,
    rows: Longs,
    shown_offsets: Longs,
    shown: Ints,
    label_offsets: Longs,
    starts: Longs,
    labels: Longs,
) -> Ints:
    published = np.full(len(items), -2, np.int32)
    shown_by = np.full(len(label_offsets) - 1, -1, np.int64)
    for r in range(len(rows)):
        for q in range(shown_offsets[r], shown_offsets[r + 1]):
            shown_by[shown[q]] = r
        for p in range(offsets[rows[r]], offsets[rows[r] + 1]):
            best, least = -1, len(items) + len(labels) + 1
            for s in range(starts[items[p]], starts[items[p] + 1]):
                size = label_offsets[labels[s] + 1] - label_offsets[labels[s]]
                if shown_by[labels[s]] == r and size < least:
                    best, least = labels[s], size
            published[p] = best
    return published


@njit(cache=True, nogil=True, inline="always")
def _from_labels(
    offsets: Longs,
    items: Ints,
    rows: Longs,
    shown_offsets: Longs,
    shown: Ints,
    label_offsets: Longs,
    members: Ints,
    d: int,
) -> Ints:
    published = np.full(len(items), -2, np.int32)
    place = np.full(d, -1, np.int64)
    for r in range(len(rows)):
        row = rows[r]
        for p in range(offsets[row], offsets[row + 1]):
            place[items[p]] = p
            published[p] = -1
        for q in range(shown_offsets[r], shown_offsets[r + 1]):
            label = shown[q]
            size = label_offsets[label + 1] - label_offsets[label]
            for s in range(label_offsets[label], label_offsets[label + 1]):
                p = place[members[s]] if members[s] >= 0 else -1
                if p >= 0:
                    old = published[p]
                    if old < 0 or size < label_offsets[old + 1] - label_offsets[old]:
                        published[p] = label
        for p in range(offsets[row], offsets[row + 1]):
            place[items[p]] = -1
    return published
