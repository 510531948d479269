"""The cheapest pair of clusters to merge, by utility loss compared exactly.

The loss of a cluster is (2^size - 1) * support up to a common factor. A cluster is alive while it has holders.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


@njit(cache=True, nogil=True)
def compare_losses(size: int, support: int, other_size: int, other_support: int) -> int:
    """Return -1, 0 or 1: whether (2^size - 1) * support is below, equal to or above (2^other_size - 1) * other_support.

    Exact for supports below 2^62 and any sizes.
    """
    if size > other_size:
        return -_compare_ascending(other_size, other_support, size, support)
    return _compare_ascending(size, support, other_size, other_support)


@njit(cache=True, nogil=True)
def _compare_ascending(size: int, support: int, other_size: int, other_support: int) -> int:
    step = other_size - size
    if step == 0 or other_support == 0:
        return int(support > other_support) - int(support < other_support)
    if step >= 62 or other_support > support >> step or other_support << step == support:
        return -1  # 2^step * other_support >= support
    more = support - (other_support << step)  # above 0; the losses differ by 2^size * more - rest
    rest = support - other_support
    if size >= 62 or more > rest >> size:
        return 1
    return 0 if more << size == rest else -1


@njit(cache=True, nogil=True)
def count_together(
    cluster: int, starts: Longs, lengths: Ints, entries: Ints, pool: Ints, first: Longs, count: Longs, together: Ints
) -> None:
    """Fill together[c] with the number of records that hold the cluster and c."""
    together[:] = 0
    for q in range(first[cluster], first[cluster] + count[cluster]):
        r = pool[q]
        for p in range(starts[r], starts[r] + lengths[r]):
            together[entries[p]] += 1


@njit(cache=True, nogil=True)
def cheapest_merge(
    clusters: Ints,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    pool: Ints,
    first: Longs,
    count: Longs,
    sizes: Longs,
    groups: Ints,
    together: Ints,
) -> tuple[int, int]:
    """Return the pair (one of `clusters`, another cluster of its group) with the lowest loss when merged, smaller id first.

    Ties: the smaller support, then the smaller ids. (-1, -1) where no such pair exists.
    """
    low, high = -1, -1
    best_size, best_support = 0, 0
    for a in clusters[np.argsort(count[clusters])]:
        if low >= 0 and compare_losses(sizes[a] + 1, count[a], best_size, best_support) > 0:
            continue  # even a partner of one item that adds no record is dearer
        count_together(a, starts, lengths, entries, pool, first, count, together)
        for c in range(len(count)):
            if c == a or count[c] == 0 or groups[c] != groups[a]:
                continue
            size = sizes[a] + sizes[c]
            support = count[a] + count[c] - together[c]
            order = -1 if low < 0 else compare_losses(size, support, best_size, best_support)
            if order == 0:
                order = support - best_support
            if order == 0:
                order = min(a, c) - low if min(a, c) != low else max(a, c) - high
            if order < 0:
                low, high = min(a, c), max(a, c)
                best_size, best_support = size, support
    return low, high
