"""Whether records are k^m-anonymous and l^m-diverse as they stand, and which of them stand in the way."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n + 1,)
Ids = NDArray[np.int32]  # ascending within a record
Longs = NDArray[np.int64]


@njit(cache=True, nogil=True)
def is_protected(
    offsets: Offsets,
    shown: Ids,
    d: int,
    k: int,
    m: int,
    secret_offsets: Offsets,
    secrets: Ids,
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
) -> bool:
    """Return whether every set of at most m labels that a record shows is shown by k records, and hides their secrets.

    Labels are 0..d-1. A set hides the secrets 0..n_secrets-1 when none is in more than 1/l of the records that show it; the
    empty set must, too.
    """
    n, total = len(offsets) - 1, len(shown)
    held = np.empty((m, total), np.int64)  # records of the sets now looked at, by size; those of child c at starts[c]
    kids = np.empty((m, d), np.int32)
    starts = np.zeros((m, d + 1), np.int64)
    count, tally = np.zeros(d, np.int64), np.zeros(n_secrets, np.int64)
    n_kids, cursor = np.zeros(m, np.int64), np.zeros(m, np.int64)
    records = np.arange(n)
    if not _hides(records, secret_offsets, secrets, tally, l):
        return False
    after, t = -1, 0
    while True:
        n_kids[t] = _expand(offsets, shown, records, after, count, kids[t], starts[t], held[t])
        cursor[t] = 0
        for c in range(n_kids[t]):
            holders = held[t, starts[t, c] : starts[t, c + 1]]
            if len(holders) < k or not _hides(holders, secret_offsets, secrets, tally, l):
                return False
        if t == m - 1:
            t -= 1
        while t >= 0 and cursor[t] == n_kids[t]:
            t -= 1
        if t < 0:
            return True
        c = cursor[t]
        cursor[t] += 1
        records, after = held[t, starts[t, c] : starts[t, c + 1]], kids[t, c]
        t += 1


@njit(cache=True, nogil=True)
def rare_holders(offsets: Offsets, shown: Ids, d: int, k: int, m: int) -> NDArray[np.bool_]:
    """Return which records show a set of at most m labels that fewer than k records show. Labels are 0..d-1."""
    n, total = len(offsets) - 1, len(shown)
    rare = np.zeros(n, np.bool_)
    held = np.empty((m, total), np.int64)
    kids = np.empty((m, d), np.int32)
    starts = np.zeros((m, d + 1), np.int64)
    count = np.zeros(d, np.int64)
    n_kids, cursor = np.zeros(m, np.int64), np.zeros(m, np.int64)
    records = np.arange(n)
    after, t = -1, 0
    while True:
        n_kids[t] = _expand(offsets, shown, records, after, count, kids[t], starts[t], held[t])
        cursor[t] = 0
        for c in range(n_kids[t]):
            if starts[t, c + 1] - starts[t, c] < k:
                for p in range(starts[t, c], starts[t, c + 1]):
                    rare[held[t, p]] = True
        if t == m - 1:
            t -= 1
        while t >= 0 and cursor[t] == n_kids[t]:
            t -= 1
        if t < 0:
            return rare
        c = cursor[t]
        cursor[t] += 1
        records, after = held[t, starts[t, c] : starts[t, c + 1]], kids[t, c]
        t += 1


@njit(cache=True, nogil=True)
def _expand(
    offsets: Offsets, shown: Ids, records: Longs, after: int, count: Longs, kids: Ids, starts: Longs, held: Longs
) -> int:
    """Write the labels above `after` that the records show, and who shows each; return their number."""
    n = 0
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            if count[label] == 0:
                kids[n] = label
                n += 1
            count[label] += 1
    starts[0] = 0
    for c in range(n):
        starts[c + 1] = starts[c] + count[kids[c]]
        count[kids[c]] = starts[c]
    for r in records:
        for p in range(offsets[r + 1] - 1, offsets[r] - 1, -1):
            label = shown[p]
            if label <= after:
                break
            held[count[label]] = r
            count[label] += 1
    for c in range(n):
        count[kids[c]] = 0
    return n


@njit(cache=True, nogil=True)
def _hides(records: Longs, secret_offsets: Offsets, secrets: Ids, tally: Longs, l: int) -> bool:  # noqa: E741
    if l <= 1 or len(tally) == 0:
        return True
    most = 0
    for r in records:
        for p in range(secret_offsets[r], secret_offsets[r + 1]):
            tally[secrets[p]] += 1
            most = max(most, tally[secrets[p]])
    for r in records:
        for p in range(secret_offsets[r], secret_offsets[r + 1]):
            tally[secrets[p]] = 0
    return most * l <= len(records)
