"""Replace the entries of records by labels, with set semantics; and find the label that stands for an entry."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def collapse(offsets: NDArray[np.int64], labels: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
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
        _sort(shown, begin, stop)
        for p in range(begin, stop):
            if end == begin or shown[end - 1] != shown[p]:
                shown[end] = shown[p]
                end += 1
        starts[r + 1] = end
    return starts, shown[:end].copy()


@njit(cache=True, nogil=True, inline="always")
def _sort(values: NDArray[np.int32], begin: int, end: int) -> None:
    """Sort values[begin:end] in place: by neighbours where it is short, as most are, else first by those further apart."""
    step = 1
    while 32 * step < end - begin:
        step = 3 * step + 1
    while step > 0:
        for p in range(begin + step, end):
            value, q = values[p], p
            while q >= begin + step and values[q - step] > value:
                values[q] = values[q - step]
                q -= step
            values[q] = value
        step //= 3


@njit(cache=True, nogil=True)
def standing_labels(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    rows: NDArray[np.int64],
    shown_offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    label_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    d: int,
) -> NDArray[np.int32]:
    """Return for each original occurrence the smallest label of its published record that stands for it.

    -1 where no label of the record does, -2 where the record itself was not published. members[q] are original items.
    From each shown label to its members, or from each item to the labels that stand for it, whichever is shorter.
    """
    starts, labels = _labels_of(label_offsets, members, d)
    by_label = by_item = 0
    for label in shown:
        by_label += label_offsets[label + 1] - label_offsets[label]
    for i in items:
        by_item += starts[i + 1] - starts[i]
    if by_item < by_label:
        return _from_items(offsets, items, rows, shown_offsets, shown, label_offsets, starts, labels)
    return _from_labels(offsets, items, rows, shown_offsets, shown, label_offsets, members, d)


@njit(cache=True, nogil=True, inline="always")
def _labels_of(
    label_offsets: NDArray[np.int64], members: NDArray[np.int32], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the labels that stand for each item, ascending."""
    starts = np.zeros(d + 1, np.int64)
    for i in members:
        if i >= 0:
            starts[i + 1] += 1
    for i in range(d):
        starts[i + 1] += starts[i]
    labels, end = np.empty(starts[d], np.int32), starts[:d].copy()
    for label in range(len(label_offsets) - 1):
        for s in range(label_offsets[label], label_offsets[label + 1]):
            i = members[s]
            if i >= 0:
                labels[end[i]] = label
                end[i] += 1
    return starts, labels


@njit(cache=True, nogil=True, inline="always")
def _from_items(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    rows: NDArray[np.int64],
    shown_offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    label_offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    labels: NDArray[np.int32],
) -> NDArray[np.int32]:
    standing = np.full(len(items), -2, np.int32)
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
            standing[p] = best
    return standing


@njit(cache=True, nogil=True, inline="always")
def _from_labels(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    rows: NDArray[np.int64],
    shown_offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    label_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    d: int,
) -> NDArray[np.int32]:
    standing = np.full(len(items), -2, np.int32)
    place = np.full(d, -1, np.int64)
    for r in range(len(rows)):
        row = rows[r]
        for p in range(offsets[row], offsets[row + 1]):
            place[items[p]] = p
            standing[p] = -1
        for q in range(shown_offsets[r], shown_offsets[r + 1]):
            label = shown[q]
            size = label_offsets[label + 1] - label_offsets[label]
            for s in range(label_offsets[label], label_offsets[label + 1]):
                p = place[members[s]] if members[s] >= 0 else -1
                if p >= 0:
                    old = standing[p]
                    if old < 0 or size < label_offsets[old + 1] - label_offsets[old]:
                        standing[p] = label
        for p in range(offsets[row], offsets[row + 1]):
            place[items[p]] = -1
    return standing
