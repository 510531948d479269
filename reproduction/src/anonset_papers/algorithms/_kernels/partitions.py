"""Groups of records that show the same nodes, specialized from the root of a hierarchy down ([003] 2.4, Partition).

A group is a run of `rows`; all its records show the nodes of the group, and nothing else. Splitting a node of it into children
groups the records anew, by the children they hold. Node v stands for the leaves low[v] .. high[v] - 1.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ItemTable(NamedTuple):
    """Records with their items, ascending; a hierarchy; what one occurrence costs at each node; k."""

    offsets: Longs
    items: Ints
    parent: Ints
    low: Ints
    high: Ints
    weight: Longs
    k: int


class Stack(NamedTuple):
    """Groups to be specialized: rows[starts[g] : starts[g + 1]] show nodes[tops[g] : tops[g + 1]], frozen ones for good."""

    rows: Longs
    starts: Longs
    tops: Longs
    nodes: Ints
    frozen: Flags
    size: Longs  # the number of groups, in an array of one


@njit(cache=True, nogil=True)
def specialize(table: ItemTable, stack: Stack, shown: Ints, steps: int) -> int:
    """Specialize groups from the end of the stack, for some steps or until it is empty; return the number of records done.

    shown[p] becomes the node of item occurrence p where a record is done.
    """
    done = 0
    while steps > 0 and stack.size[0] > 0:
        steps -= 1
        g = stack.size[0] - 1
        rows = stack.rows[stack.starts[g] : stack.starts[g + 1]]
        nodes = stack.nodes[stack.tops[g] : stack.tops[g + 1]].copy()
        frozen = stack.frozen[stack.tops[g] : stack.tops[g + 1]].copy()
        best, best_gain = -1, np.int64(-1)
        for j in range(len(nodes)):
            if not frozen[j]:
                _, count, gain = _split(table, rows, nodes[j])
                worth = _worth(count, gain, table.k)
                frozen[j] = worth < 0
                if worth > best_gain:
                    best, best_gain = j, worth
        if best < 0:
            _finish(table, rows, nodes, shown)
            stack.size[0] = g
            done += len(rows)
        else:
            _replace(table, stack, g, nodes, frozen, best)
    return done


@njit(cache=True, nogil=True)
def _first(table: ItemTable, r: int, v: int) -> int:
    """The position of the first item of record r under v or beyond."""
    low, high = table.offsets[r], table.offsets[r + 1]
    while low < high:
        middle = (low + high) // 2
        if table.items[middle] < table.low[v]:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _child(table: ItemTable, v: int, i: int) -> int:
    """The child of v that item i is under."""
    u = i
    while table.parent[u] != v:
        u = table.parent[u]
    return u


@njit(cache=True, nogil=True)
def _split(table: ItemTable, rows: Longs, v: int) -> tuple[Ints, Longs, Longs]:
    """Group records by the children of v that they hold: the group of each record, and the size and the gain of each group.

    Groups are the ends of paths in a trie of children; its edges are in a hash table that compares whole keys.
    """
    occurrences = 0
    for r in rows:
        p = _first(table, r, v)
        while p < table.offsets[r + 1] and table.items[p] < table.high[v]:
            occurrences += 1
            p += 1
    bits = 4
    while (1 << bits) < 2 * occurrences + 2:
        bits += 1
    keys, ends = np.full(1 << bits, -1, np.int64), np.empty(1 << bits, np.int32)
    kind = np.empty(len(rows), np.int32)
    count, gain = np.zeros(occurrences + 1, np.int64), np.zeros(occurrences + 1, np.int64)
    n = 1
    for q in range(len(rows)):
        r = rows[q]
        at, saved = 0, np.int64(0)
        p = _first(table, r, v)
        while p < table.offsets[r + 1] and table.items[p] < table.high[v]:
            u = _child(table, v, table.items[p])
            while p < table.offsets[r + 1] and table.items[p] < table.high[u]:
                saved += table.weight[v] - table.weight[u]
                p += 1
            key = np.int64(at) << 32 | np.int64(u)
            slot = (at * 2654435 + u * 40503) & ((1 << bits) - 1)
            while keys[slot] >= 0 and keys[slot] != key:
                slot = (slot + 1) & ((1 << bits) - 1)
            if keys[slot] < 0:
                keys[slot], ends[slot] = key, n
                n += 1
            at = ends[slot]
        kind[q] = at
        count[at] += 1
        gain[at] += saved
    return kind, count[:n], gain[:n]


@njit(cache=True, nogil=True)
def _kept(count: Longs, gain: Longs, k: int) -> Longs:
    """How many records stay in each group of a split: the rest form a group that is not split, of k records or of none.

    Groups below k are given up. If they are fewer than k together, groups of more than k give records to them, those first
    that gain least from the split; if that is not enough, the group that gains least is given up, too.
    """
    kept = np.where(count >= k, count, 0)
    rest = count.sum() - kept.sum()
    while 0 < rest < k:
        giver, least = -1, np.inf
        for g in range(len(kept)):
            if kept[g] > k and gain[g] / count[g] < least:
                giver, least = g, gain[g] / count[g]
        if giver >= 0:
            given = min(k - rest, kept[giver] - k)
        else:
            for g in range(len(kept)):
                if kept[g] > 0 and gain[g] < least:
                    giver, least = g, gain[g]
            if giver < 0:
                break
            given = kept[giver]
        kept[giver] -= given
        rest += given
    return kept


@njit(cache=True, nogil=True)
def _worth(count: Longs, gain: Longs, k: int) -> int:
    """What a split saves; -1 where it should not be made."""
    kept = _kept(count, gain, k)
    saved, whole = np.int64(0), False
    for g in range(len(kept)):
        if kept[g] > 0:
            saved += gain[g] * kept[g] // count[g]
            whole |= kept[g] == count.sum()
    return saved if saved > 0 or whole else -1


@njit(cache=True, nogil=True)
def _replace(table: ItemTable, stack: Stack, g: int, nodes: Ints, frozen: Flags, j: int) -> None:
    """Replace group g, the last of the stack, by the groups of the split of its node j, and the rest that keeps the node."""
    rows, v = stack.rows[stack.starts[g] : stack.starts[g + 1]], nodes[j]
    kind, count, gain = _split(table, rows, v)
    kept = _kept(count, gain, table.k)
    ends = np.cumsum(kept)
    place, rest = ends - kept, ends[-1]
    moved, example = np.empty_like(rows), np.zeros(len(kept), np.int64)
    for q in range(len(rows)):
        a = kind[q]
        if place[a] < ends[a]:
            moved[place[a]] = rows[q]
            place[a] += 1
            example[a] = rows[q]
        else:
            moved[rest] = rows[q]
            rest += 1
    rows[:] = moved
    begin, top = stack.starts[g], stack.tops[g]
    for a in np.flatnonzero(kept):
        top = _put_nodes(stack, nodes, frozen, j, top)
        top = _put_children(table, stack, example[a], v, top)
        g += 1
        stack.starts[g], stack.tops[g] = begin + ends[a], top
    if ends[-1] < len(rows):
        top = _put_nodes(stack, nodes, frozen, j, top)
        stack.nodes[top], stack.frozen[top] = v, True
        g += 1
        stack.starts[g], stack.tops[g] = begin + len(rows), top + 1
    stack.size[0] = g


@njit(cache=True, nogil=True)
def _put_nodes(stack: Stack, nodes: Ints, frozen: Flags, without: int, top: int) -> int:
    """Write the nodes of a group, but for one, on the stack; return where they end."""
    for j in range(len(nodes)):
        if j != without:
            stack.nodes[top], stack.frozen[top] = nodes[j], frozen[j]
            top += 1
    return top


@njit(cache=True, nogil=True)
def _put_children(table: ItemTable, stack: Stack, r: int, v: int, top: int) -> int:
    """Write the children of v that record r holds on the stack, leaves as frozen; return where they end."""
    p = _first(table, r, v)
    while p < table.offsets[r + 1] and table.items[p] < table.high[v]:
        u = _child(table, v, table.items[p])
        stack.nodes[top], stack.frozen[top] = u, u == table.items[p]
        top += 1
        while p < table.offsets[r + 1] and table.items[p] < table.high[u]:
            p += 1
    return top


@njit(cache=True, nogil=True)
def _finish(table: ItemTable, rows: Longs, nodes: Ints, shown: Ints) -> None:
    """Publish every item of the records as the node it is under."""
    for r in rows:
        for v in nodes:
            p = _first(table, r, v)
            while p < table.offsets[r + 1] and table.items[p] < table.high[v]:
                shown[p] = v
                p += 1
