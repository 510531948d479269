"""Segments of an order: where to cut it, how far the records of one are apart, and members exchanged between groups."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n + 1,)
Items = NDArray[np.int32]  # (nnz,) ascending within a record
Matrix = NDArray[np.int32]  # (s, s) distances
Path = NDArray[np.int64]  # (s,) a permutation of 0..s-1


@njit(cache=True, nogil=True)
def segment_borders(steps: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
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
