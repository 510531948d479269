"""The cut of the item hierarchy for each of many small clusters, in one call: `aa` for sets of at most two items.

The records of a cluster are the bits of a word: a node is in the records of its leaves, and two nodes are in the bits that they
share. Open sets are closed in the order of `aa`, so the cut of each cluster is the one that `aa` finds for it alone.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, Words, bit_count, sort_stretch
from anonset.kernels.set_walk import SetLimits

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


class ClusterRecords(NamedTuple):
    """Cluster c has the records bounds[c] .. bounds[c + 1] - 1, each with its items and its sensitive ones, codes below n."""

    bounds: Longs
    offsets: Longs
    items: Ints
    secret_offsets: Longs
    secrets: Ints
    n: int


class ClusterCounts(NamedTuple):
    """Counts of one cluster, by node; `held` and `node` are by leaf, `secret` and `hidden` by sensitive item."""

    records: Words  # that hold a leaf of the node
    occurs: Longs  # how often leaves of the node occur
    spent: Longs  # what these occurrences cost now
    gone: Flags  # whether the cut is above the node
    fresh: Flags  # whether the cut moved to the node since the last visit
    node: Ints  # that the cut shows a held leaf as
    held: Longs  # the leaves that occur, ascending
    secret: Words  # the records that hold a sensitive item
    hidden: Ints  # the sensitive items that occur


@njit(cache=True, nogil=True)
def cluster_cuts(tree: HierarchyTree, clusters: ClusterRecords, limits: SetLimits) -> tuple[Ints, Flags]:
    """Return the node of each occurrence, and which clusters no cut protects; those of more than WORD records are skipped."""
    n_nodes = len(tree.parent)
    longest = int(np.int64(0))
    for c in range(len(clusters.bounds) - 1):
        longest = max(longest, clusters.offsets[clusters.bounds[c + 1]] - clusters.offsets[clusters.bounds[c]])
    room = ClusterCounts(
        np.zeros(n_nodes, np.uint64),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.bool_),
        np.zeros(n_nodes, np.bool_),
        np.zeros(n_nodes, np.int32),
        np.empty(longest, np.int64),
        np.zeros(clusters.n, np.uint64),
        np.empty(clusters.n, np.int32),
    )
    nodes = np.empty(len(clusters.items), np.int32)
    failed = np.zeros(len(clusters.bounds) - 1, np.bool_)
    for c in range(len(failed)):
        size = clusters.bounds[c + 1] - clusters.bounds[c]
        if size > WORD:
            continue
        leaves, hidden = _count_cluster(tree, clusters, room, c)
        counts = _first_entries(room, leaves, hidden)
        failed[c] = not _protect(tree, counts, limits, size)
        for p in range(clusters.offsets[clusters.bounds[c]], clusters.offsets[clusters.bounds[c + 1]]):
            nodes[p] = counts.node[clusters.items[p]]
        _forget_cluster(tree, counts)
    return nodes, failed


@njit(cache=True, nogil=True)
def _count_cluster(tree: HierarchyTree, clusters: ClusterRecords, room: ClusterCounts, c: int) -> tuple[int, int]:
    """Count the items of a cluster; return how many leaves occur, and how many sensitive items."""
    leaves, hidden = 0, 0
    first = clusters.bounds[c]
    for r in range(first, clusters.bounds[c + 1]):
        bit = np.uint64(1) << np.uint64(r - first)
        for p in range(clusters.offsets[r], clusters.offsets[r + 1]):
            v = np.int64(clusters.items[p])
            if room.records[v] == 0:
                room.held[leaves] = v
                room.node[v] = v
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
    sort_stretch(room.held, 0, leaves)
    return leaves, hidden


@njit(cache=True, nogil=True)
def _first_entries(room: ClusterCounts, leaves: int, hidden: int) -> ClusterCounts:
    """Return the counts with only the first held leaves and sensitive items."""
    return ClusterCounts(
        room.records,
        room.occurs,
        room.spent,
        room.gone,
        room.fresh,
        room.node,
        room.held[:leaves],
        room.secret,
        room.hidden[:hidden],
    )


@njit(cache=True, nogil=True)
def _forget_cluster(tree: HierarchyTree, room: ClusterCounts) -> None:
    """Set the counts of the cluster to 0."""
    for i in room.held:
        v = i
        while v >= 0 and room.records[v] != 0:
            room.records[v] = 0
            room.occurs[v] = 0
            room.spent[v] = 0
            room.gone[v] = False
            room.fresh[v] = False
            v = np.int64(tree.parent[v])
    for s in room.hidden:
        room.secret[s] = 0


@njit(cache=True, nogil=True)
def _protect(tree: HierarchyTree, room: ClusterCounts, limits: SetLimits, size: int) -> bool:
    """Move the cut up until no set of nodes is open; return whether that could be done."""
    most = int(np.int64(0))
    for s in room.hidden:
        most = max(most, bit_count(room.secret[s]))
    if limits.l > 1 and most * limits.l > size:
        return False
    limit = max(limits.k, limits.l * most) if limits.l > 1 else limits.k  # a set is closed from this support on
    while True:  # where l > 1, a union of closed sets may be open: all are looked at again
        moved = _close_nodes(tree, room, limits)
        more = _close_pairs(tree, room, limits, limit) if moved >= 0 and limits.m > 1 else min(moved, 0)
        if more < 0:
            return False
        if limits.l == 1 or moved + more == 0:
            return True


@njit(cache=True, nogil=True)
def _close_nodes(tree: HierarchyTree, room: ClusterCounts, limits: SetLimits) -> int:
    """Close the nodes that the cut shows, from left to right; return how many moved, -1 where that cannot be done."""
    moved = 0
    for v in _shown(room):
        if not room.gone[v] and not _is_closed(room, limits, room.records[v]):
            if not _move(tree, room, limits, v, int(np.int64(-1))):
                return -1
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def _close_pairs(tree: HierarchyTree, room: ClusterCounts, limits: SetLimits, limit: int) -> int:
    """Close pairs in the order of nodes, then those of the nodes moved to, and so on; return how often the cut moved, or -1."""
    for v in _shown(room):
        room.fresh[v] = True
    moved, now = 0, 1
    while now > 0:
        now = _visit(tree, room, limits, limit)
        if now < 0:
            return -1
        moved += now
    return moved


@njit(cache=True, nogil=True)
def _visit(tree: HierarchyTree, room: ClusterCounts, limits: SetLimits, limit: int) -> int:
    """Close the pairs of a fresh node and a later one, fresh ones first; return how often the cut moved, or -1."""
    ranked = _shown(room)
    n_nodes, n_fresh = len(tree.parent), 0
    for a in range(len(ranked)):
        v = ranked[a]
        n_fresh += room.fresh[v]
        ranked[a] = tree.order[v] if room.fresh[v] else n_nodes + tree.order[v]
        room.fresh[v] = False
    sort_stretch(ranked, 0, len(ranked))
    for a in range(len(ranked)):
        ranked[a] = tree.at[ranked[a] % n_nodes]
    moved = 0
    for a in range(n_fresh):
        u = ranked[a]
        for v in ranked[a + 1 :]:
            if room.gone[u]:
                break
            both = room.records[u] & room.records[v]
            if room.gone[v] or both == 0 or bit_count(both) >= limit or (limits.l > 1 and _is_closed(room, limits, both)):
                continue
            if not _move(tree, room, limits, u, v):
                return -1
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def _shown(room: ClusterCounts) -> Longs:
    """Return the nodes that the cut shows, from left to right."""
    shown = np.empty(len(room.held), np.int64)
    n = 0
    for i in room.held:
        if n == 0 or shown[n - 1] != room.node[i]:
            shown[n] = room.node[i]
            n += 1
    return shown[:n]


@njit(cache=True, nogil=True)
def _move(tree: HierarchyTree, room: ClusterCounts, limits: SetLimits, x: int, y: int) -> bool:
    """Move the cut up so that the set of the nodes x and y, or of x alone (y < 0), closes; return whether that could be done.

    Each stays or moves to a node above it, or both to one. The cheapest way; ties: fewer leaves, then smaller nodes.
    """
    best, then = int(np.int64(-1)), int(np.int64(-1))  # the nodes to move to, the smaller first
    best_cost, best_leaves = np.int64(2**62), np.int64(0)
    u = x
    while u >= 0 and (u == x or _price(tree, room, u) <= best_cost):
        v = u if y < 0 or (tree.low[u] <= tree.low[y] and tree.high[y] <= tree.high[u]) else y
        while v == u or (v >= 0 and (tree.high[v] <= tree.low[u] or tree.high[u] <= tree.low[v])):
            a = u if u != x else -1  # -1: it stays
            b = v if v != y and v != u else -1
            cost = (_price(tree, room, a) if a >= 0 else 0) + (_price(tree, room, b) if b >= 0 else 0)
            if cost > best_cost:
                break
            leaves = (tree.high[a] - tree.low[a] if a >= 0 else 0) + (tree.high[b] - tree.low[b] if b >= 0 else 0)
            first, second = (min(a, b), max(a, b)) if a >= 0 and b >= 0 else (max(a, b), -1)
            better = first >= 0 and (cost < best_cost or leaves < best_leaves)
            if cost == best_cost and leaves == best_leaves:
                better = first < best or (first == best and second < then)
            if better and _is_closed(room, limits, room.records[u] & room.records[v]):
                best, then = first, second
                best_cost, best_leaves = cost, leaves
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
                room.gone[u] = True
                room.fresh[u] = False
                u = np.int64(tree.parent[u])
            room.node[i] = v
    room.fresh[v] = True
    while v >= 0:
        room.spent[v] += price
        v = np.int64(tree.parent[v])


@njit(cache=True, nogil=True)
def _price(tree: HierarchyTree, room: ClusterCounts, v: int) -> int:
    """Return what it adds to the loss to show all leaves under v as v."""
    return room.occurs[v] * tree.weight[v] - room.spent[v]


@njit(cache=True, nogil=True)
def _is_closed(room: ClusterCounts, limits: SetLimits, records: int) -> bool:
    """Return whether these are k records and no sensitive item is in more than 1/l of them."""
    n = bit_count(records)
    if n < limits.k:
        return False
    if limits.l > 1:
        for s in room.hidden:
            if bit_count(records & room.secret[s]) * limits.l > n:
                return False
    return True
