"""The smallest support of any set of labels that records show."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def smallest_support(
    offsets: NDArray[np.int64], shown: NDArray[np.int32], bounds: NDArray[np.int64], m: int, d: int
) -> tuple[int, int]:
    """Return the smallest support of a set of 1..m labels within a group, and that group; (0, -1) where nothing is shown.

    Group g holds the records bounds[g] .. bounds[g + 1] - 1.
    """
    best, where = 0, -1
    count = np.zeros(d, np.int64)
    for g in range(len(bounds) - 1):
        records = np.arange(bounds[g], bounds[g + 1])
        found = _rarest(offsets, shown, records, -1, m, count)
        if found > 0 and (best == 0 or found < best):
            best, where = found, g
    return best, where


@njit(cache=True, nogil=True)
def _rarest(
    offsets: NDArray[np.int64],
    shown: NDArray[np.int32],
    records: NDArray[np.int64],
    after: int,
    left: int,
    count: NDArray[np.int64],
) -> int:
    """Smallest support among the sets that extend the one all records share by 1..left labels above `after`."""
    touched = np.empty(64, np.int32)
    n = 0
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            if count[label] == 0:
                if n == len(touched):
                    grown = np.empty(2 * n, np.int32)
                    grown[:n] = touched
                    touched = grown
                touched[n] = label
                n += 1
            count[label] += 1
    best = 0
    if n == 0:
        return best
    for t in range(n):
        if best == 0 or count[touched[t]] < best:
            best = count[touched[t]]
    if left == 1:
        for t in range(n):
            count[touched[t]] = 0
        return best
    starts = np.zeros(n + 1, np.int64)
    for t in range(n):
        starts[t + 1] = starts[t] + count[touched[t]]
        count[touched[t]] = starts[t]  # the next free place of this label's records
    holders = np.empty(starts[n], np.int64)
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            holders[count[label]] = r
            count[label] += 1
    for t in range(n):
        count[touched[t]] = 0
    for t in range(n):
        found = _rarest(offsets, shown, holders[starts[t] : starts[t + 1]], touched[t], left - 1, count)
        if found > 0 and found < best:
            best = found
    return best


@njit(cache=True, nogil=True)
def smallest_containment(offsets: NDArray[np.int64], shown: NDArray[np.int32], d: int) -> int:
    """Return the smallest number of records that contain the whole set of a record with labels; 0 where none has any."""
    n = len(offsets) - 1
    support = np.zeros(d + 1, np.int64)
    for label in shown:
        support[label + 1] += 1
    starts = np.cumsum(support)
    holders, free = np.empty(len(shown), np.int64), starts[:-1].copy()
    for r in range(n):
        for p in range(offsets[r], offsets[r + 1]):
            holders[free[shown[p]]] = r
            free[shown[p]] += 1
    seen = np.zeros(n, np.int64)
    best = 0
    for r in range(n):
        size = offsets[r + 1] - offsets[r]
        if size == 0:
            continue
        found = 0
        for p in range(offsets[r], offsets[r + 1]):
            label = shown[p]
            for q in range(starts[label], starts[label + 1]):
                seen[holders[q]] += 1
                if seen[holders[q]] == size:
                    found += 1
        for p in range(offsets[r], offsets[r + 1]):
            label = shown[p]
            for q in range(starts[label], starts[label + 1]):
                seen[holders[q]] = 0
        if best == 0 or found < best:
            best = found
    return best
