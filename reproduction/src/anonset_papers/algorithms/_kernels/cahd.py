"""Groups of similar records with different labels, by the candidates around each record of an order."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n + 1,)
Items = NDArray[np.int32]  # (nnz,) ascending within a record
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]  # (n,) the label of each record


@njit(cache=True, nogil=True)
def groups_around(
    offsets: Offsets, items: Items, order: Rows, labels: Labels, n_labels: int, size: int, n_candidates: int
) -> tuple[NDArray[np.int64], int]:
    """Return the group of each record and the number of groups; records in no group of `size` have that number.

    Along the order, each record left takes the size - 1 of its nearest n_candidates that share most items with it. The
    candidates lie next to it on both sides in turn, with labels that differ from its own and from each other. A group is
    dropped where the records left behind would hold some label in more than 1/size of them.
    """
    n = len(order)
    group, count, n_left = np.full(n, -1, np.int64), 0, n
    before, after = np.arange(-1, n - 1), np.arange(1, n + 1)  # neighbours in the order among the records left
    left = np.bincount(labels, minlength=n_labels).astype(np.int64)
    with_count = np.bincount(left, minlength=n + 1)  # with_count[c]: labels with c records left
    most = left.max()
    candidates, seen = np.empty(n_candidates, np.int64), np.full(n_labels, -1, np.int64)
    for p in range(n):
        if group[order[p]] >= 0:
            continue
        found = gather(order, labels, before, after, p, candidates, seen)
        if found < size - 1:
            continue
        members = np.append(closest(offsets, items, order, p, candidates[:found], size - 1), p)
        for q in members:
            c = left[labels[order[q]]]
            with_count[c] -= 1
            with_count[c - 1] += 1
            left[labels[order[q]]] -= 1
        top = most
        while top > 0 and with_count[top] == 0:
            top -= 1
        if top * size > n_left - size:  # the rest could not be kept apart
            for q in members:
                c = left[labels[order[q]]]
                with_count[c] -= 1
                with_count[c + 1] += 1
                left[labels[order[q]]] += 1
            continue
        most, n_left = top, n_left - size
        for q in members:
            group[order[q]] = count
            if before[q] >= 0:
                after[before[q]] = after[q]
            if after[q] < n:
                before[after[q]] = before[q]
        count += 1
    for r in range(n):
        if group[r] < 0:
            group[r] = count
    return group, count


@njit(cache=True, nogil=True)
def gather(order: Rows, labels: Labels, before: Rows, after: Rows, p: int, candidates: Rows, seen: Rows) -> int:
    """Fill candidates with places on both sides of place p whose labels all differ, nearest first; return how many."""
    n, found = len(order), 0
    seen[labels[order[p]]] = p
    low, high = before[p], after[p]
    while found < len(candidates) and (low >= 0 or high < n):
        if high < n and (low < 0 or high - p <= p - low):
            q, high = high, after[high]
        else:
            q, low = low, before[low]
        if seen[labels[order[q]]] != p:
            seen[labels[order[q]]] = p
            candidates[found] = q
            found += 1
    return found


@njit(cache=True, nogil=True)
def closest(offsets: Offsets, items: Items, order: Rows, p: int, candidates: Rows, wanted: int) -> Rows:
    """Return the candidates that share most items with the record at place p; of equals, the first."""
    overlap = np.zeros(len(candidates), np.int64)
    a = order[p]
    for c in range(len(candidates)):
        b = order[candidates[c]]
        x, y = offsets[a], offsets[b]
        while x < offsets[a + 1] and y < offsets[b + 1]:
            if items[x] == items[y]:
                x, y, overlap[c] = x + 1, y + 1, overlap[c] + 1
            elif items[x] < items[y]:
                x += 1
            else:
                y += 1
    n = max(1, len(candidates))
    return candidates[np.sort(np.arange(len(candidates)) - overlap * n)[:wanted] % n]
