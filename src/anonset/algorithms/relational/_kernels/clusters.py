"""Grow clusters of k records around seeds, each with its nearest records: exact, over a tree of the distinct records.

The records are sorted by their attributes, those first in which unlike values cost most. A node of the tree is a common
beginning of records; what differs from the seed there costs as much in all of them, so a whole subtree is left out once
that is more than the dearest of the k-1 nearest found so far.
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Longs, Reals
from anonset.kernels.groups import RANGE, TREE, Quasi


@njit(cache=True, nogil=True)
def grow_clusters(
    q: Quasi,
    attributes: Longs,
    rows: Longs,
    seeds: Longs,
    k: int,
    rest: int,
    cluster: Longs,
    formed: int,
) -> int:
    """Form clusters, numbered on from `formed`, until at most `rest` or fewer than k records are left; return their number.

    `rows` are the records without a cluster, sorted by the attributes in the given order; the next seed is always the first
    of `seeds` without a cluster. cluster[r], -1 for none, is filled in place.
    """
    n, v = len(rows), len(attributes)
    value, child, level, left, above = _build(q, attributes, rows)
    leaf_of = np.full(len(q.values), -1, np.int64)
    for x in range(level[v - 1], level[v]):
        for p in range(child[x], child[x + 1]):
            leaf_of[rows[p - level[v]]] = x
    heap_cost, heap_leaf = np.empty(k + 1), np.empty(k + 1, np.int64)
    at = 0
    while n >= k and n > rest:
        while cluster[seeds[at]] >= 0:
            at += 1
        seed = seeds[at]
        cluster[seed] = formed
        _remove(left, above, leaf_of[seed])
        size = _nearest(q, attributes, seed, leaf_of[seed], value, child, level, left, above, k - 1, heap_cost, heap_leaf)
        _take(rows, child, left, above, cluster, heap_leaf, size, k - 1, formed)
        formed += 1
        n -= k
    return formed


@njit(cache=True, nogil=True)
def pair_costs(q: Quasi, a: Longs, b: Longs) -> Reals:
    """Return for each attribute j the loss of a[p] and b[p] published alike, summed over p."""
    costs = np.zeros(len(q.kind))
    for p in range(len(a)):
        for j in range(len(q.kind)):
            costs[j] += _pair_cost(q, j, q.values[a[p], j], q.values[b[p], j])
    return costs


@njit(cache=True, nogil=True, inline="always")
def _build(q: Quasi, attributes: Longs, rows: Longs) -> tuple[Reals, Longs, Longs, Longs, Longs]:
    """Return value, children, levels, records left and parent of each node.

    The nodes of level d are level[d] .. level[d + 1]-1 and the children of x are child[x] .. child[x + 1]-1: nodes of the next
    level or, below the last one, records, numbered on from there.
    """
    n, v = len(rows), len(attributes)
    differs = np.zeros(n, np.int64)  # the first level at which a record differs from the one before it
    level = np.zeros(v + 1, np.int64)
    for p in range(n):
        if p > 0:
            while differs[p] < v and q.values[rows[p], attributes[differs[p]]] == q.values[rows[p - 1], attributes[differs[p]]]:
                differs[p] += 1
        for d in range(differs[p], v):
            level[d + 1] += 1
    for d in range(v):
        level[d + 1] += level[d]
    total = level[v]
    value, child = np.empty(total), np.empty(total + 1, np.int64)
    left, above = np.zeros(total, np.int64), np.full(total, -1, np.int64)
    end = level[:v].copy()
    for p in range(n):
        for d in range(differs[p], v):
            x = end[d]
            value[x] = q.values[rows[p], attributes[d]]
            child[x] = end[d + 1] if d + 1 < v else total + p
            above[x] = end[d - 1] - 1 if d > 0 else -1
            end[d] += 1
        for d in range(v):
            left[end[d] - 1] += 1
    child[total] = total + n
    return value, child, level, left, above


@njit(cache=True, nogil=True)
def _remove(left: Longs, above: Longs, leaf: int) -> None:
    x = leaf
    while x >= 0:
        left[x] -= 1
        x = above[x]


@njit(cache=True, nogil=True, inline="always")
def _nearest(
    q: Quasi,
    attributes: Longs,
    seed: int,
    leaf: int,
    value: Reals,
    child: Longs,
    level: Longs,
    left: Longs,
    above: Longs,
    needed: int,
    heap_cost: Reals,
    heap_leaf: Longs,
) -> int:
    """Fill the heap (dearest on top) with the leaves whose records are the nearest; return its size."""
    v = len(attributes)
    size, found = 0, 0
    if needed == 0:
        return 0
    if left[leaf] > 0:
        heap_cost[0], heap_leaf[0] = 0.0, leaf
        size, found = 1, left[leaf]
    position, stop, paid = np.empty(v, np.int64), np.empty(v, np.int64), np.zeros(v + 1)
    own = leaf
    for base in range(v - 1, -1, -1):  # records that agree with the seed on the first `base` attributes, and on no more
        parent = above[own]
        position[base] = child[parent] if parent >= 0 else 0
        stop[base] = child[parent + 1] if parent >= 0 else level[1]
        d = base
        while d >= base:
            x = position[d]
            if x == stop[d]:
                d -= 1
                continue
            position[d] += 1
            if left[x] == 0 or x == own:
                continue
            cost = paid[d] + _pair_cost(q, attributes[d], q.values[seed, attributes[d]], value[x])
            if found >= needed and cost >= heap_cost[0]:
                continue
            if d < v - 1:
                paid[d + 1] = cost
                position[d + 1], stop[d + 1] = child[x], child[x + 1]
                d += 1
                continue
            _push(heap_cost, heap_leaf, size, cost, x)
            size += 1
            found += left[x]
            while found - left[heap_leaf[0]] >= needed:
                found -= left[heap_leaf[0]]
                size -= 1
                _pop(heap_cost, heap_leaf, size)
        own = parent
    return size


@njit(cache=True, nogil=True)
def _pair_cost(q: Quasi, j: int, a: float, b: float) -> float:
    if a == b:
        return 0.0
    if q.kind[j] == RANGE:
        return q.weight[j] * min(abs(a - b), 1.0)
    if q.kind[j] == TREE:
        node, leaf = q.first[j] + np.int64(a), q.low[q.first[j] + np.int64(b)]
        while leaf < q.low[node] or leaf >= q.high[node]:
            node = q.first[j] + q.parent[node]
        return q.weight[j] * q.cost[node]
    if a == q.size[j] or b == q.size[j]:
        return q.weight[j]
    return q.weight[j] * 2 / q.size[j]


@njit(cache=True, nogil=True, inline="always")
def _push(heap_cost: Reals, heap_leaf: Longs, size: int, cost: float, leaf: int) -> None:
    p = size
    while p > 0 and heap_cost[(p - 1) // 2] < cost:
        heap_cost[p], heap_leaf[p] = heap_cost[(p - 1) // 2], heap_leaf[(p - 1) // 2]
        p = (p - 1) // 2
    heap_cost[p], heap_leaf[p] = cost, leaf


@njit(cache=True, nogil=True, inline="always")
def _pop(heap_cost: Reals, heap_leaf: Longs, size: int) -> None:
    """Drop the top of a heap that has `size` entries afterwards."""
    cost, leaf = heap_cost[size], heap_leaf[size]
    p = 0
    while 2 * p + 1 < size:
        c = 2 * p + 1
        if c + 1 < size and heap_cost[c + 1] > heap_cost[c]:
            c += 1
        if heap_cost[c] <= cost:
            break
        heap_cost[p], heap_leaf[p] = heap_cost[c], heap_leaf[c]
        p = c
    heap_cost[p], heap_leaf[p] = cost, leaf


@njit(cache=True, nogil=True, inline="always")
def _take(
    rows: Longs,
    child: Longs,
    left: Longs,
    above: Longs,
    cluster: Longs,
    leaves: Longs,
    size: int,
    needed: int,
    formed: int,
) -> None:
    """Move `needed` records of the leaves into the cluster; only the dearest leaf, the first, may keep some."""
    for p in range(size - 1, -1, -1):
        leaf = leaves[p]
        for s in range(child[leaf] - len(above), child[leaf + 1] - len(above)):
            if needed > 0 and cluster[rows[s]] < 0:
                cluster[rows[s]] = formed
                _remove(left, above, leaf)
                needed -= 1
