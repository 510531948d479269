"""Sequences in which equal labels keep their distance."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs

Places = Longs


@njit(cache=True, nogil=True)
def spread(labels: Ints, n_labels: int, spacing: int) -> tuple[Places, bool]:
    """Return the places of a sequence reordered so that equal labels are at least `spacing` apart round the cycle.

    At every step the first place left in the given order goes next whose label has rested long enough, unless another label
    must go now to find room for all its records: the one whose latest possible time has come, or one with so many records
    left that the rest could not be kept apart. The flag says whether all were placed; it may be false where a cleverer
    search would find a way.
    """
    n = len(labels)
    order, rest, n_rest = np.empty(n, np.int64), np.empty(n, np.int64), 0
    first_place, next_place = same_label_chains(labels, n_labels)
    left = np.bincount(labels, minlength=n_labels).astype(np.int64)
    at_least = np.zeros(left.max() + 2, np.int64)  # at_least[c]: labels with c or more records left
    for i in range(n_labels):
        at_least[1 : left[i] + 1] += 1
    first_time = np.full(n_labels, -1, np.int64)
    latest = n - 1 - (left - 1) * spacing
    due = np.zeros(n, np.int64)
    heap, size = np.empty(n + 1, np.int64), 0
    for i in range(n_labels):
        if left[i] > 0:
            if latest[i] < 0:
                return order, False
            due[latest[i]] += 1
            size = push(heap, size, first_place[i])
    free_steps, fewest_left = 0, 0
    for t in range(n):
        if t >= spacing and left[labels[order[t - spacing]]] > 0:
            size = push(heap, size, first_place[labels[order[t - spacing]]])
        deadline = tight_deadline(due, t, min(n, t + spacing))
        if free_steps == 0:
            free_steps, fewest_left = crowding(at_least, n - t, spacing)
        if deadline < 0 or fewest_left < 0:
            return order, False
        free_steps -= 1
        n_rest, found = 0, -1
        while size > 0:
            place = heap[0]
            size = pop(heap, size)
            if left[labels[place]] > fewest_left and latest[labels[place]] <= deadline:
                found = place
                break
            rest[n_rest] = place
            n_rest += 1
        for q in range(n_rest):
            size = push(heap, size, rest[q])
        if found < 0:
            return order, False
        i = labels[found]
        order[t], first_place[i] = found, next_place[found]
        at_least[left[i]] -= 1
        left[i] -= 1
        due[latest[i]] -= 1
        if first_time[i] < 0:
            first_time[i] = t
        if left[i] > 0:
            latest[i] = min(n - 1, first_time[i] + n - spacing) - (left[i] - 1) * spacing
            if latest[i] < t + spacing:
                return order, False
            due[latest[i]] += 1
    return order, True


@njit(cache=True, nogil=True)
def same_label_chains(labels: Ints, n_labels: int) -> tuple[Places, Places]:
    """Return the first place of each label, and for each place the next one of the same label; -1 where there is none."""
    first, following = np.full(n_labels, -1, np.int64), np.full(len(labels), -1, np.int64)
    for p in range(len(labels) - 1, -1, -1):
        following[p], first[labels[p]] = first[labels[p]], p
    return first, following


@njit(cache=True, nogil=True)
def tight_deadline(due: Longs, t: int, stop: int) -> int:
    """Return the first time by which as many labels are due as there are steps from t on; a late time if there is none.

    Return -1 where more are due than there are steps.
    """
    demand = 0
    for x in range(t, stop):
        demand += due[x]
        if demand > x - t + 1:
            return -1
        if demand == x - t + 1:
            return x
    return len(due)


@njit(cache=True, nogil=True)
def crowding(at_least: Longs, n_left: int, spacing: int) -> tuple[int, int]:
    """Return for how many steps any label may go, and below how many records left (or as many) it may not go now.

    Of labels with c records left, c - j must go before the last j * spacing steps, for every j. The second number is -1
    where these demands cannot be met.
    """
    before, room, fewest = 0, n_left, 0
    for j in range(len(at_least) - 2, 0, -1):
        before += at_least[j + 1]  # records that must go before the last j * spacing steps
        if before == 0:
            continue
        spare = n_left - 1 - j * spacing - before
        if spare < -1:
            return 1, -1
        if spare == -1:
            fewest = max(fewest, j)
        room = min(room, spare)
    return max(1, room + 1), fewest


@njit(cache=True, nogil=True)
def push(heap: Places, size: int, place: int) -> int:
    """Add a place to a heap with the smallest on top; return the new size."""
    at = size
    while at > 0 and heap[(at - 1) // 2] > place:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = place
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap: Places, size: int) -> int:
    """Take the smallest place off the heap; return the new size."""
    size -= 1
    place, at = heap[size], 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= place:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = place
    return size


@njit(cache=True, nogil=True)
def cut_apart(steps: Longs, labels: Ints, n_labels: int, low: int, high: int) -> Places:
    """Return the borders of runs of low..high different labels that cut the longest steps; nothing where no runs fit.

    steps[p] is the distance of the records at places p and p + 1. Run i is borders[i] .. borders[i + 1] - 1.
    """
    n = len(labels)
    best, before = np.full(n + 1, -1, np.int64), np.zeros(n + 1, np.int64)
    best[0] = 0
    last = np.full(n_labels, -1, np.int64)
    first = 0  # the labels from place first to i - 1 are different
    for i in range(1, n + 1):
        first = max(first, last[labels[i - 1]] + 1)
        last[labels[i - 1]] = i - 1
        for j in range(max(first, i - high), i - low + 1):
            if best[j] >= 0:
                here = best[j] + (steps[j - 1] if j > 0 else 0)
                if here > best[i]:
                    best[i], before[i] = here, j
    count, i = 0, n if best[n] >= 0 else 0
    while i > 0:
        i, count = before[i], count + 1
    borders, i = np.zeros(count + 1 if count else 0, np.int64), n
    for c in range(count, 0, -1):
        borders[c], i = i, before[i]
    return borders
