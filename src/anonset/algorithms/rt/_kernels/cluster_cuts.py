"""The cut of the item hierarchy for each of many small clusters, in one call: `aa` for sets of at most two items.

The records of a cluster are the bits of a word: a node is in the records of its leaves, and two nodes are in the bits that they
share. It closes what is open in the order of `aa`, and finds what that finds for each cluster on its own.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]

WORD = 64  # records of a cluster, at most


class HierarchyTree(NamedTuple):
    """A hierarchy: node v stands for the leaves low[v] .. high[v] - 1; its place among nodes is order[v], and at[order[v]] = v.

    An occurrence published as v costs weight[v], which never falls towards the root.
    """

    parent: Ints
    low: Ints
    high: Ints
    weight: Longs
    order: Longs
    at: Ints


class ClusterGuarantee(NamedTuple):
    """Sets of at most m nodes are in k records, and no sensitive item is in more than 1/l of these."""

    k: int
    m: int
    l: int  # noqa: E741 - the papers' letter


class ClusterRecords(NamedTuple):
    """Cluster c has the records bounds[c] .. bounds[c + 1] - 1, each with its items and its sensitive ones, codes below n."""

    bounds: Longs
    offsets: Longs
    items: Ints
    secret_offsets: Longs
    secrets: Ints
    n: int


class ClusterCounts(NamedTuple):
    """What is known of one cluster; by node, but for `held`, `node` (by leaf), `secret` and `hidden` (by sensitive item)."""

    records: Words  # that hold a leaf of the node
    occurs: Longs  # how often leaves of the node occur
    spent: Longs  # what these occurrences cost now
    gone: Flags  # whether the cut is above the node
    fresh: Flags  # whether the cut moved to the node since the last look
    node: Ints  # that the cut shows a held leaf as
    held: Longs  # the leaves that occur, ascending
    secret: Words  # the records that hold a sensitive item
    hidden: Ints  # the sensitive items that occur


@njit(cache=True, nogil=True)
def cluster_cuts(tree: HierarchyTree, clusters: ClusterRecords, asked: ClusterGuarantee) -> tuple[Ints, Flags]:
    """Return the node of each occurrence, and which clusters no cut protects; those of more than WORD records are skipped."""
    n_nodes, longest = len(tree.parent), int(np.int64(0))
    for c in range(len(clusters.bounds) - 1):
        longest = max(longest, clusters.offsets[clusters.bounds[c + 1]] - clusters.offsets[clusters.bounds[c]])
    all_held, all_hidden = np.empty(longest, np.int64), np.empty(clusters.n, np.int32)
    words, longs = np.zeros(n_nodes, np.uint64), np.zeros((2, n_nodes), np.int64)
    flags, node, secret = np.zeros((2, n_nodes), np.bool_), np.zeros(n_nodes, np.int32), np.zeros(clusters.n, np.uint64)
    nodes, failed = np.empty(len(clusters.items), np.int32), np.zeros(len(clusters.bounds) - 1, np.bool_)
    for c in range(len(failed)):
        size = clusters.bounds[c + 1] - clusters.bounds[c]
        if size > WORD:
            continue
        room = ClusterCounts(words, longs[0], longs[1], flags[0], flags[1], node, all_held, secret, all_hidden)
        leaves, hidden = _enter(tree, clusters, room, c)
        room = ClusterCounts(
            words, longs[0], longs[1], flags[0], flags[1], node, all_held[:leaves], secret, all_hidden[:hidden]
        )
        failed[c] = not _protect(tree, room, asked, size)
        for p in range(clusters.offsets[clusters.bounds[c]], clusters.offsets[clusters.bounds[c + 1]]):
            nodes[p] = node[clusters.items[p]]
        _leave(tree, room)
    return nodes, failed


@njit(cache=True, nogil=True)
def _enter(tree: HierarchyTree, clusters: ClusterRecords, room: ClusterCounts, c: int) -> tuple[int, int]:
    """Look at the records of a cluster; return how many leaves occur, and how many sensitive items."""
    leaves, hidden, first = 0, 0, clusters.bounds[c]
    for r in range(first, clusters.bounds[c + 1]):
        bit = np.uint64(1) << np.uint64(r - first)
        for p in range(clusters.offsets[r], clusters.offsets[r + 1]):
            v = np.int64(clusters.items[p])
            if room.records[v] == 0:
                room.held[leaves], room.node[v] = v, v
                leaves += 1
            while v >= 0:
                room.records[v] |= bit
                room.occurs[v] += 1
                v = np.int64(tree.parent[v])
        for p in range(clusters.secret_offsets[r], clusters.secret_offsets[r + 1]):
            s = clusters.secrets[p]
            if room.secret[s] == 0:
                room.hidden[hidden] = s
                hidden += 1
            room.secret[s] |= bit
    _sort(room.held[:leaves])
    return leaves, hidden


@njit(cache=True, nogil=True)
def _leave(tree: HierarchyTree, room: ClusterCounts) -> None:
    """Forget the cluster."""
    for i in room.held:
        v = i
        while v >= 0 and room.records[v] != 0:
            room.records[v], room.occurs[v], room.spent[v] = 0, 0, 0
            room.gone[v], room.fresh[v] = False, False
            v = np.int64(tree.parent[v])
    for s in room.hidden:
        room.secret[s] = 0


@njit(cache=True, nogil=True)
def _protect(tree: HierarchyTree, room: ClusterCounts, asked: ClusterGuarantee, size: int) -> bool:
    """Move the cut up until no set of nodes is open; return whether that could be done."""
    most = int(np.int64(0))
    for s in room.hidden:
        most = max(most, _ones(room.secret[s]))
    if asked.l > 1 and most * asked.l > size:
        return False
    limit = max(asked.k, asked.l * most) if asked.l > 1 else asked.k  # what so many records hold is closed
    while True:  # where l > 1, a union of closed sets may be open: all are looked at again
        moved = _close_nodes(tree, room, asked)
        more = _close_pairs(tree, room, asked, limit) if moved >= 0 and asked.m > 1 else min(moved, 0)
        if more < 0:
            return False
        if asked.l == 1 or moved + more == 0:
            return True


@njit(cache=True, nogil=True)
def _close_nodes(tree: HierarchyTree, room: ClusterCounts, asked: ClusterGuarantee) -> int:
    """Close the nodes that the cut shows, from left to right; return how many moved, -1 where that cannot be done."""
    moved = 0
    for v in _shown(room):
        if not room.gone[v] and not _is_closed(room, asked, room.records[v]):
            if not _move(tree, room, asked, v, int(np.int64(-1))):
                return -1
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def _close_pairs(tree: HierarchyTree, room: ClusterCounts, asked: ClusterGuarantee, limit: int) -> int:
    """Close pairs in the order of nodes, then those of the nodes moved to, and so on; return how often the cut moved, or -1."""
    shown, moved, now = _shown(room), 0, 1
    for v in shown:
        room.fresh[v] = True
    while now > 0:
        now = _visit(tree, room, asked, limit)
        if now < 0:
            return -1
        moved += now
    return moved


@njit(cache=True, nogil=True)
def _visit(tree: HierarchyTree, room: ClusterCounts, asked: ClusterGuarantee, limit: int) -> int:
    """Close the pairs of a fresh node and a later one, fresh ones first; return how often the cut moved, or -1."""
    ranked, n_nodes, n_fresh, moved = _shown(room), len(tree.parent), 0, 0
    for a in range(len(ranked)):
        v = ranked[a]
        n_fresh += room.fresh[v]
        ranked[a] = tree.order[v] if room.fresh[v] else n_nodes + tree.order[v]
        room.fresh[v] = False
    _sort(ranked)
    for a in range(len(ranked)):
        ranked[a] = tree.at[ranked[a] % n_nodes]
    for a in range(n_fresh):
        u = ranked[a]
        for v in ranked[a + 1 :]:
            if room.gone[u]:
                break
            both = room.records[u] & room.records[v]
            if room.gone[v] or both == 0 or _ones(both) >= limit or (asked.l > 1 and _is_closed(room, asked, both)):
                continue
            if not _move(tree, room, asked, u, v):
                return -1
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def _shown(room: ClusterCounts) -> Longs:
    """Return the nodes that the cut shows, from left to right."""
    shown, n = np.empty(len(room.held), np.int64), 0
    for i in room.held:
        if n == 0 or shown[n - 1] != room.node[i]:
            shown[n] = room.node[i]
            n += 1
    return shown[:n]


@njit(cache=True, nogil=True)
def _move(tree: HierarchyTree, room: ClusterCounts, asked: ClusterGuarantee, x: int, y: int) -> bool:
    """Move the cut up so that the set of the nodes x and y, or of x alone (y < 0), closes; return whether that could be done.

    Each stays or moves to a node above it, or both to one. The cheapest way; ties: fewer leaves, then smaller nodes.
    """
    best, then, best_cost, best_leaves = int(np.int64(-1)), int(np.int64(-1)), np.int64(2**62), np.int64(0)
    u = x
    while u >= 0 and (u == x or _price(tree, room, u) <= best_cost):
        v = u if y < 0 or (tree.low[u] <= tree.low[y] and tree.high[y] <= tree.high[u]) else y
        while v == u or (v >= 0 and (tree.high[v] <= tree.low[u] or tree.high[u] <= tree.low[v])):
            a, b = u if u != x else -1, v if v != y and v != u else -1
            cost = (_price(tree, room, a) if a >= 0 else 0) + (_price(tree, room, b) if b >= 0 else 0)
            if cost > best_cost:
                break
            leaves = (tree.high[a] - tree.low[a] if a >= 0 else 0) + (tree.high[b] - tree.low[b] if b >= 0 else 0)
            first, second = (min(a, b), max(a, b)) if a >= 0 and b >= 0 else (max(a, b), -1)
            better = first >= 0 and (cost < best_cost or leaves < best_leaves)
            if cost == best_cost and leaves == best_leaves:
                better = first < best or (first == best and second < then)
            if better and _is_closed(room, asked, room.records[u] & room.records[v]):
                best, then, best_cost, best_leaves = first, second, cost, leaves
            v = -1 if v == u else np.int64(tree.parent[v])
        u = np.int64(tree.parent[u])
    if best >= 0:
        _commit(tree, room, best)
    if then >= 0:
        _commit(tree, room, then)
    return best >= 0


@njit(cache=True, nogil=True)
def _commit(tree: HierarchyTree, room: ClusterCounts, v: int) -> None:
    """Show every leaf under v as v."""
    price = _price(tree, room, v)
    for i in room.held:
        if tree.low[v] <= i < tree.high[v]:
            u = np.int64(room.node[i])
            while u != v:
                room.gone[u], room.fresh[u] = True, False
                u = np.int64(tree.parent[u])
            room.node[i] = v
    room.fresh[v] = True
    while v >= 0:
        room.spent[v] += price
        v = np.int64(tree.parent[v])


@njit(cache=True, nogil=True)
def _price(tree: HierarchyTree, room: ClusterCounts, v: int) -> int:
    """What it adds to the loss to show all leaves under v as v."""
    return room.occurs[v] * tree.weight[v] - room.spent[v]


@njit(cache=True, nogil=True)
def _is_closed(room: ClusterCounts, asked: ClusterGuarantee, records: int) -> bool:
    """Whether these are k records and no sensitive item is in more than 1/l of them."""
    n = _ones(records)
    if n < asked.k:
        return False
    if asked.l > 1:
        for s in room.hidden:
            if _ones(records & room.secret[s]) * asked.l > n:
                return False
    return True


@njit(cache=True, nogil=True)
def _ones(bits: int) -> int:
    """Return how many bits are set: in pairs, in fours, in eights, whose sum is what is left of 255s."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(bits % np.uint64(255))


@njit(cache=True, nogil=True)
def _sort(values: Longs) -> None:
    """Sort in place: by neighbours where it is short, as most are, else first by those further apart."""
    step = 1
    while 32 * step < len(values):
        step = 3 * step + 1
    while step > 0:
        for p in range(step, len(values)):
            value, q = values[p], p
            while q >= step and values[q - step] > value:
                values[q] = values[q - step]
                q -= step
            values[q] = value
        step //= 3
