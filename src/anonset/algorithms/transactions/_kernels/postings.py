"""Records as one array of entries, and where each item or node occurs in it.

Entries are codes, ascending within a record; the negative number ~r follows record r, and a -1 opens the array.
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, sort_stretch, with_room
from anonset.kernels.records import places_of_items


@njit(cache=True, nogil=True)
def post_items(offsets: Longs, items: Ints, rows: Longs, d: int) -> tuple[Ints, Longs, Ints]:
    """Return the entries of the given rows, and starts and at: item i is at the positions at[starts[i] : starts[i + 1]]."""
    total = len(rows) + 1
    for r in rows:
        total += offsets[r + 1] - offsets[r]
    entries = np.empty(total, np.int32)
    entries[0] = -1
    end = 1
    for r in rows:
        for p in range(offsets[r], offsets[r + 1]):
            entries[end] = items[p]
            end += 1
        entries[end] = ~r
        end += 1
    starts, at = places_of_items(entries, d)
    return entries, starts, at


@njit(cache=True, nogil=True)
def rows_under(entries: Ints, starts: Longs, at: Ints, low: int, high: int) -> Longs:
    """Return the records that hold an item of low..high-1."""
    rows = np.empty(starts[high] - starts[low], np.int64)
    n = 0
    for p in at[starts[low] : starts[high]]:
        if entries[p - 1] < low:
            while entries[p] >= 0:
                p += 1
            rows[n] = ~entries[p]
            n += 1
    return rows[:n]


@njit(cache=True, nogil=True)
def node_supports(entries: Ints, parent: Ints) -> Longs:
    """Return the number of records under each node of a hierarchy whose leaves are the items."""
    support = np.zeros(len(parent), np.int64)
    last = np.full(len(parent), -1, np.int64)
    r = 0
    for i in entries[1:]:
        r += i < 0
        v = i
        while v >= 0 and last[v] != r:
            last[v] = r
            support[v] += 1
            v = parent[v]
    return support


def show(
    entries: Ints, parent: Ints, cut: Ints, order: Longs, fresh: Flags, above: bool
) -> tuple[Ints, Longs, Ints, Ints, int]:
    """Return the records as a cut shows them (above: and all nodes above it, but for the root), as ranks of nodes.

    Ranks follow `order`, a different number for each node, after all fresh nodes came first. Return entries, starts and at (by
    rank), the node of each rank and the number of fresh ones.
    """
    nodes = np.flatnonzero(_held(entries, parent, cut, above))
    node = nodes[np.lexsort((order[nodes], ~fresh[nodes]))].astype(np.int32)
    rank = np.full(len(parent), -1, np.int32)
    rank[node] = np.arange(len(node))
    shown = _show_above(entries, parent, cut, rank) if above else _show_cut(entries, rank[cut])
    starts, at = places_of_items(shown, len(node))
    return shown, starts, at, node, int(fresh[nodes].sum())


@njit(cache=True, nogil=True, inline="always")
def _show_cut(entries: Ints, rank: Ints) -> Ints:
    """Return entries with each item replaced by its rank: items of one node are neighbours, so repeats are."""
    shown = np.empty(len(entries), np.int32)
    shown[0] = -1
    begin, end = int(np.int64(1)), int(np.int64(1))
    for i in entries[1:]:
        if i < 0:
            sort_stretch(shown, begin, end)
            shown[end] = i
            begin = end = end + 1
        elif shown[end - 1] != rank[i]:
            shown[end] = rank[i]
            end += 1
    return shown[:end]


@njit(cache=True, nogil=True)
def _show_above(entries: Ints, parent: Ints, cut: Ints, rank: Ints) -> Ints:
    """Return entries with each item replaced by the ranks of its node and all above it, but for the root."""
    root = len(parent) - 1
    last = np.full(root + 1, -1, np.int32)  # the record that showed a node last
    shown = np.empty(4 * len(entries) + root + 2, np.int32)
    shown[0] = -1
    begin, end, r = int(np.int64(1)), int(np.int64(1)), 0
    for i in entries[1:]:
        if end + root + 1 >= len(shown):
            shown = with_room(shown, 2 * len(shown))
        if i < 0:
            sort_stretch(shown, begin, end)
            shown[end] = i
            begin = end = end + 1
            r += 1
            continue
        v = cut[i]
        while v >= 0 and (v != root or cut[i] == root) and last[v] != r:
            last[v] = r
            shown[end] = rank[v]
            end += 1
            v = parent[v]
    return shown[:end]


@njit(cache=True, nogil=True, inline="always")
def _held(entries: Ints, parent: Ints, cut: Ints, above: bool) -> Flags:
    """Return whether records show each node."""
    root = len(parent) - 1
    here = np.zeros(root + 1, np.bool_)
    for i in entries:
        if i >= 0:
            here[cut[i]] = True
    if above:
        for v in range(root - 1):
            if here[v] and parent[v] != root:
                here[parent[v]] = True
    return here
