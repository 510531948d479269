"""Short paths through records: where to cut an order into segments, and local search inside one with fixed ends."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n + 1,)
Items = NDArray[np.int32]  # (nnz,) ascending within a record
Matrix = NDArray[np.int32]  # (s, s) distances
Path = NDArray[np.int64]  # (s,) a permutation of 0..s-1

LONGEST_MOVED = 3  # records an Or-opt move takes along


@njit(cache=True, nogil=True)
def segment_borders(steps: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
    """Return the borders of segments of low..high records that cut the cheapest steps ([004] Eq. 1).

    steps[p] is the distance of the records at places p and p + 1. Where no segments of these sizes fit together, `low` is
    lowered to the largest size that fits. Segment i is borders[i] .. borders[i + 1] - 1.
    """
    n = len(steps)
    low = min(low, n // ((n + high - 1) // high))
    cost, before = np.full(n + 1, -1, np.int64), np.zeros(n + 1, np.int64)
    cost[0] = 0
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
def distance_matrix(offsets: Offsets, items: Items, rows: Path, d: int) -> Matrix:
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
def shorten_path(matrix: Matrix, passes: int) -> Path:
    """Return a short path over all records from the first to the last, improved by 2-opt and Or-opt.

    It starts from the given order and ends when a pass over all moves finds none that shortens it, or after `passes`.
    """
    path = np.arange(len(matrix))
    for _ in range(passes):
        gain = reverse_pass(matrix, path) + move_pass(matrix, path)
        if gain == 0:
            break
    return path


@njit(cache=True, nogil=True)
def reverse_pass(matrix: Matrix, path: Path) -> int:
    """Reverse stretches of the path wherever that shortens it (2-opt); return by how much."""
    gain = 0
    for i in range(1, len(path) - 2):
        best, where = 0, int(np.int64(-1))
        before, first = path[i - 1], path[i]
        for j in range(i + 1, len(path) - 1):
            saved = matrix[before, first] + matrix[path[j], path[j + 1]]
            saved -= matrix[before, path[j]] + matrix[first, path[j + 1]]
            if saved > best:
                best, where = saved, j
        if where >= 0:
            _reverse(path, i, where + 1)
            gain += best
    return gain


@njit(cache=True, nogil=True)
def move_pass(matrix: Matrix, path: Path) -> int:
    """Move up to three records in a row elsewhere, either way round, wherever that shortens the path (Or-opt)."""
    gain = 0
    for size in range(1, LONGEST_MOVED + 1):
        for i in range(1, len(path) - size):
            first, last = path[i], path[i + size - 1]
            left, right = path[i - 1], path[i + size]
            saved = matrix[left, first] + matrix[last, right] - matrix[left, right]
            best, where = 0, int(np.int64(-1))
            turned = where >= 0
            for j in range(len(path) - 1):  # between places j and j + 1
                if i - 1 <= j < i + size:
                    continue
                opened = saved + matrix[path[j], path[j + 1]]
                straight = opened - matrix[path[j], first] - matrix[last, path[j + 1]]
                reverse = opened - matrix[path[j], last] - matrix[first, path[j + 1]]
                if straight > best:
                    best, where, turned = straight, j, False
                if reverse > best:
                    best, where, turned = reverse, j, True
            if where >= 0:
                move(path, i, size, where, turned)
                gain += best
    return gain


@njit(cache=True, nogil=True)
def move(path: Path, i: int, size: int, where: int, turned: bool) -> None:
    """Put the `size` records from place i between the records now at places where and where + 1."""
    low, high = min(i, where + 1), max(i + size, where + 1)
    _reverse(path, low, high)  # the block comes to the other end, and it and the rest are the wrong way round
    block = low if where < i else high - size
    if not turned:
        _reverse(path, block, block + size)
    _reverse(path, low + size if where < i else low, high if where < i else high - size)


@njit(cache=True, nogil=True)
def _reverse(path: Path, low: int, high: int) -> None:
    """Turn path[low:high] round."""
    while low < high - 1:
        high -= 1
        path[low], path[high] = path[high], path[low]
        low += 1


@njit(cache=True, nogil=True)
def exchange_members(
    matrix: Matrix, group: NDArray[np.int32], n_groups: int, labels: NDArray[np.int32], n_labels: int, passes: int
) -> NDArray[np.int32]:
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
