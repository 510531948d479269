"""Take labels away from records, or lower them, so that every pair of labels that is shown is in k records of its group.

Record r shows shown[offsets[r] : offsets[r] + count[r]]; the first fixed[r] of these stay, the others may be taken away.
Group g holds the records bounds[g] .. bounds[g + 1] - 1. A pair is counted under its key in a table with open addressing.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Labels = NDArray[np.int32]
Counts = NDArray[np.int32]
Keys = NDArray[np.int64]
Flags = NDArray[np.bool_]

EMPTY = -1
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
NEAR = 0.3  # how much a pair with exactly k records weighs that losing one would make rare


@njit(cache=True, nogil=True)
def close_pairs(
    bounds: Offsets, offsets: Offsets, shown: Labels, count: Counts, fixed: Counts, watched: Flags, gone: Flags, k: int
) -> int:
    """Take away labels that are not fixed until each watched label and each pair with one is in k records of its group.

    Return how many were taken; gone[a] says of label a whether it was taken anywhere. Of a record's rare pairs the label goes
    first that is in most of them, unless its going makes other pairs rare. What is fixed must be closed on its own.
    """
    taken, d = 0, len(watched)
    single = np.zeros(d, np.int64)
    old, new = np.zeros(d, np.bool_), np.zeros(d, np.bool_)
    room = 1
    for r in range(len(offsets) - 1):
        room = max(room, offsets[r + 1] - offsets[r])
    rare, near = np.zeros(room, np.int64), np.zeros(room, np.int64)
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        single[:] = 0
        taken += _close_singles(first, last, offsets, shown, count, fixed, k, single, watched, gone)
        keys, counts = _counted(first, last, offsets, shown, count, watched, d)
        old[:] = True
        while True:
            new[:] = False
            lost = 0
            for r in range(first, last):
                if count[r] > fixed[r]:
                    row = shown[offsets[r] : offsets[r] + count[r]]
                    left = _close_record(row, fixed[r], k, keys, counts, single, watched, gone, old, new, rare, near)
                    lost += count[r] - left
                    count[r] = left
            if lost == 0:
                break
            taken += lost
            old, new = new, old
    return taken


@njit(cache=True, nogil=True)
def _close_singles(
    first: int,
    last: int,
    offsets: Offsets,
    shown: Labels,
    count: Counts,
    fixed: Counts,
    k: int,
    single: NDArray[np.int64],
    watched: Flags,
    gone: Flags,
) -> int:
    """Take away watched labels of fewer than k records; `single` has the records of all others."""
    for r in range(first, last):
        for p in range(offsets[r], offsets[r] + count[r]):
            single[shown[p]] += 1
    taken = 0
    for r in range(first, last):
        end = offsets[r] + fixed[r]
        for p in range(offsets[r] + fixed[r], offsets[r] + count[r]):
            if single[shown[p]] < k and watched[shown[p]]:
                gone[shown[p]] = True
            else:
                shown[end] = shown[p]
                end += 1
        taken += offsets[r] + count[r] - end
        count[r] = end - offsets[r]
    return taken


@njit(cache=True, nogil=True)
def _counted(
    first: int, last: int, offsets: Offsets, shown: Labels, count: Counts, watched: Flags, d: int
) -> tuple[Keys, Counts]:
    """The records of each pair that has a watched label."""
    keys, counts, used = np.full(1024, EMPTY, np.int64), np.zeros(1024, np.int32), 0
    for r in range(first, last):
        n = count[r]
        if 2 * (used + n * n // 2) > len(keys):
            keys, counts, used = _grown(keys, counts, used + n * n // 2)
        for p in range(offsets[r], offsets[r] + n):
            for q in range(p + 1, offsets[r] + n):
                if watched[shown[p]] or watched[shown[q]]:
                    at = _place(keys, _key(shown[p], shown[q], d))
                    if keys[at] == EMPTY:
                        keys[at] = _key(shown[p], shown[q], d)
                        used += 1
                    counts[at] += 1
    return keys, counts


@njit(cache=True, nogil=True)
def _grown(keys: Keys, counts: Counts, used: int) -> tuple[Keys, Counts, int]:
    """A table with room for twice as many pairs as will be used; pairs of no record are forgotten."""
    size = len(keys)
    while size < 4 * used:
        size *= 2
    wide, many, kept = np.full(size, EMPTY, np.int64), np.zeros(size, np.int32), 0
    for p in range(len(keys)):
        if counts[p] > 0:
            at = _place(wide, keys[p])
            wide[at], many[at] = keys[p], counts[p]
            kept += 1
    return wide, many, kept


@njit(cache=True, nogil=True, inline="always")
def _key(a: int, b: int, d: int) -> int:
    return np.int64(a) * d + b if a < b else np.int64(b) * d + a


@njit(cache=True, nogil=True)
def _place(keys: Keys, key: int) -> int:
    """Where the key is, or the free place where it goes."""
    mask = len(keys) - 1
    at = np.int64((np.uint64(key) * GOLDEN) >> np.uint64(24)) & mask
    while keys[at] != key and keys[at] != EMPTY:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _close_record(
    row: Labels,
    fixed: int,
    k: int,
    keys: Keys,
    counts: Counts,
    single: NDArray[np.int64],
    watched: Flags,
    gone: Flags,
    old: Flags,
    new: Flags,
    rare: NDArray[np.int64],
    near: NDArray[np.int64],
) -> int:
    """Take labels from one record until it has no rare pair of labels marked `old` or `new`; return how many stay."""
    n, d, open_pairs = len(row), len(watched), 0
    rare[:n] = 0
    for i in range(fixed, n):
        a = row[i]
        if not (old[a] or new[a]):
            continue
        if single[a] < k and watched[a]:
            rare[i] += n
            open_pairs += 1
        for j in range(i):
            b = row[j]
            if (watched[a] or watched[b]) and (old[b] or new[b]) and counts[_place(keys, _key(a, b, d))] < k:
                rare[i] += 1
                rare[j] += 1
                open_pairs += 1
    if open_pairs == 0:
        return n
    for i in range(fixed, n):
        near[i] = 0
        if rare[i] > 0:
            for j in range(n):
                near[i] += j != i and counts[_place(keys, _key(row[i], row[j], d))] == k
    while True:
        worst = _worst(row, fixed, n, rare, near, single)
        if worst < 0:
            return n
        gone[row[worst]] = True
        n = _take(row, worst, n, k, keys, counts, single, watched, new, rare, near)


@njit(cache=True, nogil=True)
def _worst(row: Labels, fixed: int, n: int, rare: NDArray[np.int64], near: NDArray[np.int64], single: NDArray[np.int64]) -> int:
    """The label whose going mends most rare pairs and breaks fewest others; of equal ones the rarest; -1: no pair is rare."""
    worst, most = -1, 0.0
    for i in range(fixed, n):
        if rare[i] > 0:
            worth = rare[i] / (1.0 + NEAR * near[i])
            if worst < 0 or worth > most or (worth == most and single[row[i]] < single[row[worst]]):
                worst, most = i, worth
    return worst


@njit(cache=True, nogil=True)
def _take(
    row: Labels,
    worst: int,
    n: int,
    k: int,
    keys: Keys,
    counts: Counts,
    single: NDArray[np.int64],
    watched: Flags,
    new: Flags,
    rare: NDArray[np.int64],
    near: NDArray[np.int64],
) -> int:
    """Take one label from a record, and mark labels of pairs that become rare; return how many labels stay."""
    a, d = row[worst], len(watched)
    single[a] -= 1
    if single[a] == k - 1:
        new[a] = True
    for j in range(n):
        if j != worst and (watched[a] or watched[row[j]]):
            at = _place(keys, _key(a, row[j], d))
            if counts[at] < k:
                rare[j] -= 1
            elif counts[at] == k:
                near[j] -= 1
                new[a] = True
                new[row[j]] = True
            counts[at] -= 1
    n -= 1
    row[worst], rare[worst], near[worst] = row[n], rare[n], near[n]
    return n


@njit(cache=True, nogil=True)
def free_labels(bounds: Offsets, offsets: Offsets, shown: Labels, count: Counts, leaving: Flags, k: int, most: int) -> int:
    """Take up to `most` labels marked as leaving from each record, where each of its pairs is in k records without it.

    Return how many were taken. All pairs must be closed, and stay so.
    """
    taken, d = 0, len(leaving)
    single = np.zeros(d, np.int64)
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        single[:] = 0
        for r in range(first, last):
            for p in range(offsets[r], offsets[r] + count[r]):
                single[shown[p]] += 1
        keys, counts = _counted(first, last, offsets, shown, count, leaving, d)
        for r in range(first, last):
            i, left = 0, most
            while i < count[r] and left > 0:
                row = shown[offsets[r] : offsets[r] + count[r]]
                if leaving[row[i]] and single[row[i]] > k and _can_leave(row, i, k, d, keys, counts):
                    single[row[i]] -= 1
                    for j in range(len(row)):
                        if j != i:
                            counts[_place(keys, _key(row[i], row[j], d))] -= 1
                    row[i] = row[len(row) - 1]
                    count[r] -= 1
                    left -= 1
                    taken += 1
                else:
                    i += 1
    return taken


@njit(cache=True, nogil=True)
def _can_leave(row: Labels, i: int, k: int, d: int, keys: Keys, counts: Counts) -> bool:
    j = 0
    while j < len(row) and (j == i or counts[_place(keys, _key(row[i], row[j], d))] > k):
        j += 1
    return j == len(row)
