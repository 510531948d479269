"""Orders of records: segments and where to cut them, and local search for a short path with fixed ends ([004] 4.1): 2-opt and
Or-opt.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs

Matrix = Ints  # (s, s) distances
Path = Longs  # (s,) a permutation of 0..s-1


@njit(cache=True, nogil=True)
def segment_borders(steps: Longs, low: int, high: int) -> Longs:
    """Return the borders of segments of low..high records that cut the cheapest steps ([004] Eq. 1).

    steps[p] is the distance of the records at places p and p + 1. Where no segments of these sizes fit together, `low` is
    lowered to the largest size that fits. Segment i is borders[i] .. borders[i + 1] - 1.
    """
    n = len(steps)
    low = min(low, n // ((n + high - 1) // high))
    cost, before = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for i in range(1, n + 1):
        cost[i] = -1
    for i in range(low, n + 1):
        for j in range(max(0, i - high), i - low + 1):
            if cost[j] >= 0:
                here = cost[j] + (steps[j - 1] if j > 0 else 0)
                if cost[i] < 0 or here < cost[i]:
                    cost[i], before[i] = here, j
    count, i = 0, n
    while i > 0:
        i, count = before[i], count + 1
    borders = np.zeros(count + 1, np.int64)
    i = n
    for c in range(count, 0, -1):
        borders[c], i = i, before[i]
    return borders


@njit(cache=True, nogil=True)
def distance_matrix(offsets: Longs, items: Ints, rows: Path, d: int) -> Matrix:
    """Return the Hamming distances of the given records, counted along the lists of who holds each item."""
    s = len(rows)
    starts = np.zeros(d + 1, np.int64)
    for a in range(s):
        for p in range(offsets[rows[a]], offsets[rows[a] + 1]):
            starts[items[p] + 1] += 1
    for i in range(d):
        starts[i + 1] += starts[i]
    holders, end = np.empty(starts[d], np.int64), starts[:-1].copy()
    shared = np.zeros((s, s), np.int32)
    for a in range(s):
        for p in range(offsets[rows[a]], offsets[rows[a] + 1]):
            i = items[p]
            for q in range(starts[i], end[i]):
                shared[a, holders[q]] += 1
            holders[end[i]] = a
            end[i] += 1
    matrix = np.zeros((s, s), np.int32)
    for a in range(s):
        for b in range(a):
            both = offsets[rows[a] + 1] - offsets[rows[a]] + offsets[rows[b] + 1] - offsets[rows[b]]
            matrix[a, b] = matrix[b, a] = both - 2 * shared[a, b]
    return matrix


@njit(cache=True, nogil=True)
def exchange_members(matrix: Matrix, group: Ints, n_groups: int, labels: Ints, n_labels: int, passes: int) -> Ints:
    """Return groups of the same sizes with members exchanged wherever that brings members closer to each other.

    A group costs the distances of all its pairs over its size. No exchange brings two equal labels into a group. It ends
    when no exchange helps, or after `passes` over all records.
    """
    s, group = len(group), group.copy()
    size, held = np.zeros(n_groups, np.int64), np.zeros((n_labels, n_groups), np.bool_)
    apart = np.zeros((s, n_groups), np.int64)  # apart[a, g]: distances of record a from all members of g
    for b in range(s):
        size[group[b]] += 1
        held[labels[b], group[b]] = True
        for a in range(s):
            apart[a, group[b]] += matrix[a, b]
    for _ in range(passes):
        exchanged = False
        for a in range(s):
            here, best, where = group[a], 1e-9, -1
            for b in range(s):
                there = group[b]
                if here == there:
                    continue
                gain = (apart[a, here] - apart[b, here] + matrix[a, b]) / size[here]
                gain += (apart[b, there] - apart[a, there] + matrix[a, b]) / size[there]
                fits = labels[a] == labels[b] or not (held[labels[a], there] or held[labels[b], here])
                if gain > best and fits:
                    best, where = gain, b
            if where >= 0:
                there, exchanged = group[where], True
                for x in range(s):
                    change = matrix[x, where] - matrix[x, a]
                    apart[x, here] += change
                    apart[x, there] -= change
                held[labels[a], here] = held[labels[where], there] = False
                held[labels[a], there] = held[labels[where], here] = True
                group[a], group[where] = there, here
        if not exchanged:
            break
    return group


Steps = Ints  # (s,) distances

LONGEST_MOVED = 3  # records an Or-opt move takes along


class PathSearch(NamedTuple):
    """A path of records that is being shortened."""

    matrix: Matrix
    path: Path
    steps: Steps  # from the record at each place to the next
    rows: Matrix  # row p: the distances from the record at place p to those at all places, as of change held[p]
    held: Path
    changes: Longs  # (1,) how many there were


@njit(cache=True, nogil=True)
def shorten_path(matrix: Matrix, passes: int) -> Path:
    """Return a short path over all records from the first to the last, improved by 2-opt and Or-opt.

    It starts from the given order and ends when a pass over all moves finds none that shortens it, or after `passes`. No
    detour may be shorter than the direct way: where a move cannot gain for this reason, no place is looked for.
    """
    s, kinds = len(matrix), LONGEST_MOVED + 1
    path, steps, held = np.zeros(s, np.int64), np.zeros(s, np.int32), np.zeros(s, np.int64)
    search = PathSearch(matrix, path, steps, matrix.copy(), held, np.zeros(1, np.int64))
    for p in range(s):
        path[p] = p
    for p in range(s - 1):
        steps[p] = matrix[p, p + 1]
    quiet = 0
    for sweep in range(kinds * passes):
        size = sweep % kinds
        gained = reverse_stretches(search) if size == 0 else move_records(search, size)
        quiet = 0 if gained else quiet + 1
        if quiet == kinds:
            break
    return path


@njit(cache=True, nogil=True, inline="always")
def reverse_stretches(search: PathSearch) -> bool:
    """Reverse stretches of the path wherever that shortens it (2-opt); return whether one was."""
    path, steps, gained = search.path, search.steps, False
    for i in range(1, len(path) - 2):
        if steps[i - 1] == 0:  # a reversal gains at most twice the step before it
            continue
        before, first = laid_out(search, i - 1), laid_out(search, i)
        best = most_by_reversal(before, first, steps, i)
        if best > 0:
            where = i + 1
            while steps[i - 1] + steps[where] - before[where] - first[where + 1] < best:
                where += 1
            reverse(path, i, where + 1)
            note_change(search, i, where + 1)
            gained = True
    return gained


@njit(cache=True, nogil=True, inline="always")
def most_by_reversal(before: Steps, first: Steps, steps: Steps, i: int) -> int:
    """Return the most that is gained by reversing a stretch from place i on; 0 for none."""
    best = np.int32(-steps[i - 1])
    for j in range(i + 1, len(steps) - 1):
        here, there = np.uint64(j), np.uint64(j + 1)
        best = max(best, np.int32(steps[here] - before[here] - first[there]))
    return best + steps[i - 1]


@njit(cache=True, nogil=True, inline="always")
def move_records(search: PathSearch, size: int) -> bool:
    """Move `size` records in a row elsewhere, either way round, wherever that shortens the path; return whether any were."""
    path, steps, matrix, gained = search.path, search.steps, search.matrix, False
    for i in range(1, len(path) - size):
        saved = int(np.int64(steps[i - 1] + steps[i + size - 1] - matrix[path[i - 1], path[i + size]]))
        between = matrix[path[i], path[i + size - 1]]  # elsewhere they are no shorter a detour than that
        if saved + between <= 0:
            continue
        first, last = laid_out(search, i), laid_out(search, i + size - 1)
        best = most_by_move(first, last, steps, saved, int(np.int64(0)), i - 1)
        best = max(best, most_by_move(first, last, steps, saved, i + size, len(path) - 1))
        if best > 0:
            where, turned = first_place(first, last, steps, saved, best, i, size)
            move(path, i, size, where, turned)
            note_change(search, min(i, where + 1), max(i + size, where + 1))
            gained = True
    return gained


@njit(cache=True, nogil=True)
def most_by_move(first: Steps, last: Steps, steps: Steps, saved: int, low: int, high: int) -> int:
    """Return the most that is gained between places j and j + 1, for some j from low to high - 1; 0 for none."""
    best = np.int32(-saved)
    for j in range(low, high):
        here, there = np.uint64(j), np.uint64(j + 1)
        closed = min(np.int32(first[here] + last[there]), np.int32(last[here] + first[there]))
        best = max(best, np.int32(steps[here] - closed))
    return best + saved


@njit(cache=True, nogil=True, inline="always")
def first_place(first: Steps, last: Steps, steps: Steps, saved: int, best: int, i: int, size: int) -> tuple[int, bool]:
    """Return the first j, outside the records from place i, where `best` is gained, and whether only the other way round."""
    j = int(np.int64(0)) if i > 1 else i + size
    while True:
        opened = saved + steps[j]
        straight = opened - first[j] - last[j + 1] == best
        if straight or opened - last[j] - first[j + 1] == best:
            return j, not straight
        j = j + 1 if j + 1 != i - 1 else i + size


@njit(cache=True, nogil=True)
def note_change(search: PathSearch, low: int, high: int) -> None:
    """Measure the steps around the places from low to high - 1, whose records are others now, and count the change."""
    for p in range(low - 1, min(high, len(search.path) - 1)):
        search.steps[p] = search.matrix[search.path[p], search.path[p + 1]]
    search.changes[0] += 1


@njit(cache=True, nogil=True)
def laid_out(search: PathSearch, p: int) -> Steps:
    """Return the distances from the record at place p to those at all places: loops go through them as they lie."""
    if search.held[p] < search.changes[0]:
        row, path, laid = search.matrix[search.path[p]], search.path, search.rows[p]
        for q in range(len(path)):
            laid[q] = row[np.uint64(path[q])]
        search.held[p] = search.changes[0]
    return search.rows[p]


@njit(cache=True, nogil=True, inline="always")
def move(path: Path, i: int, size: int, where: int, turned: bool) -> None:
    """Put the `size` records from place i between the records now at places where and where + 1."""
    low, high = min(i, where + 1), max(i + size, where + 1)
    reverse(path, low, high)  # the block comes to the other end, and it and the rest are the wrong way round
    block = low if where < i else high - size
    if not turned:
        reverse(path, block, block + size)
    reverse(path, low + size if where < i else low, high if where < i else high - size)


@njit(cache=True, nogil=True)
def reverse(path: Path, low: int, high: int) -> None:
    """Turn path[low:high] round."""
    while low < high - 1:
        high -= 1
        path[low], path[high] = path[high], path[low]
        low += 1
