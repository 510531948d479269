"""Move a cut of a hierarchy up until given itemsets of its nodes are not open.

An itemset is open in fewer than k records and, where l > 1, when some sensitive item is in more than 1/l of its records.
Records are arrays of `kernels.postings`. Node v stands for the leaves low[v] .. high[v] - 1. One occurrence published as v
costs weight[v], a whole number that never falls towards the root, so losses are compared exactly.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.kernels.arrays import Flags, Ints, Longs

Cells = NDArray[np.uint8] | Ints


class CutProblem(NamedTuple):
    """A hierarchy; records with the positions of leaf i, at[starts[i] : starts[i + 1]]; when an itemset is open.

    Leaf i occurs counts[i + 1] - counts[i] times in the data that pay for it, of which the records may be a part.
    Record r holds the sensitive items secrets[secret_offsets[r] : secret_offsets[r + 1]], codes below n_secrets.
    """

    parent: Ints
    low: Ints
    high: Ints
    weight: Longs
    entries: Ints
    starts: Longs
    at: Ints
    k: int
    l: int  # noqa: E741 - the papers' letter
    secret_offsets: Longs
    secrets: Ints
    n_secrets: int
    counts: Longs


class Cut(NamedTuple):
    """The published node of each leaf, what the leaves under each node cost now, the nodes moved to since `fresh` was cleared.

    A node is generalized when the cut is above it: node[low[v]] > v, since parents have greater ids.
    """

    node: Ints
    spent: Longs
    fresh: Flags


@njit(cache=True, nogil=True)
def close_items(problem: CutProblem, cut: Cut) -> bool:
    """Move leaves of the cut up until no published node alone is open; return whether that could be done."""
    itemset = np.empty(1, np.int32)
    for i in range(len(cut.node)):
        v = cut.node[i]
        if i == problem.low[v] and problem.starts[problem.high[v]] > problem.starts[i]:
            itemset[0] = v
            if not _is_closed(problem, itemset) and not _move(problem, cut, itemset):
                return False
    return True


@njit(cache=True, nogil=True)
def close_itemsets(problem: CutProblem, cut: Cut, itemsets: Ints) -> bool:
    """Close itemsets of nodes, one a row and all of them open where l is 1, in their order; return whether that could be done.

    An itemset is skipped when one of its nodes was generalized meanwhile.
    """
    itemset = np.empty(itemsets.shape[1], np.int32)
    for r in range(len(itemsets)):
        for j in range(len(itemset)):
            itemset[j] = itemsets[r, j]  # of the type that `close_items` has, so that what follows is compiled once
        gone = False
        for v in itemset:
            gone |= cut.node[problem.low[v]] > v
        if gone or (problem.l > 1 and _is_closed(problem, itemset)):
            continue
        if not _move(problem, cut, itemset):
            return False
    return True


@njit(cache=True, nogil=True)
def close_counted_pairs(
    problem: CutProblem, cut: Cut, starts: Longs, partner: Ints, cells: Cells, first: int, last: int, most: float
) -> bool:
    """Close pairs of leaves that the cut shows, in order, given their counts; return whether that could be done.

    Leaf i is with the greater leaves partner[starts[i] : starts[i + 1]], the p-th of all in the records that cells[p] counts
    from `first` to `last` - 1. It ends where the cut costs `most`.
    """
    itemset = np.empty(2, np.int32)
    for i in range(len(cut.node)):
        p = starts[i]
        while p < starts[i + 1] and cut.node[i] == i:
            j = partner[p]
            if cut.node[j] == j:
                count = 0
                for s in range(first, last):
                    count += cells[p, s]
                if 0 < count < problem.k:
                    itemset[0], itemset[1] = i, j
                    if not _move(problem, cut, itemset):
                        return False
                    if cut.spent[-1] >= most:
                        return True
            p += 1
    return True


@njit(cache=True, nogil=True)
def _move(problem: CutProblem, cut: Cut, itemset: Ints) -> bool:
    moves = _solve(problem, cut, itemset)
    for v in moves:
        _commit(problem, cut, int(np.int64(v)))
    return len(moves) > 0


@njit(cache=True, nogil=True, inline="always")
def _commit(problem: CutProblem, cut: Cut, v: int) -> None:
    """Publish every leaf under v as v."""
    price = _price(problem, cut, v)
    i = problem.low[v]
    while i < problem.high[v]:
        u = cut.node[i]
        i = problem.high[u]
        while u != v:
            cut.fresh[u] = False
            u = problem.parent[u]
    cut.node[problem.low[v] : problem.high[v]] = v
    cut.fresh[v] = True
    while v >= 0:
        cut.spent[v] += price
        v = problem.parent[v]


@njit(cache=True, nogil=True)
def _price(problem: CutProblem, cut: Cut, v: int) -> int:
    """Return what publishing all leaves under v as v adds to the loss."""
    return (problem.counts[problem.high[v]] - problem.counts[problem.low[v]]) * problem.weight[v] - cut.spent[v]


@njit(cache=True, nogil=True, inline="always")
def _solve(problem: CutProblem, cut: Cut, itemset: Ints) -> Ints:
    """Return the cheapest nodes to move items up to so that the itemset closes; none where nothing closes it.

    Ties: fewer leaves, then smaller ids. Each item stays or moves to a node above it; a node takes along all items under it.
    Going up never gets cheaper, so a branch ends where it costs more than the best so far. Staying is free, even where the
    cut is still below the item.
    """
    t = len(itemset)
    best, best_cost, best_leaves = np.empty(0, np.int32), np.int64(2**62), np.int64(0)
    picks, nothing = np.empty(t, np.int32), np.full(t, -1, np.int32)
    cost, leaves = np.zeros(t + 1, np.int64), np.zeros(t + 1, np.int64)
    j, v = int(np.int64(0)), int(np.int64(itemset[0]))
    while j >= 0:
        shared, clash = False, v < 0
        for u in picks[:j]:
            shared |= u == v
            clash = clash or (u != v and problem.low[u] < problem.high[v] and problem.low[v] < problem.high[u])
        if not clash:
            moves = not shared and v != itemset[j]
            cost[j + 1] = cost[j] + (_price(problem, cut, v) if moves else 0)
            leaves[j + 1] = leaves[j] + (problem.high[v] - problem.low[v] if moves else 0)
        if clash or cost[j + 1] > best_cost:  # and so does every node above v
            j -= 1
            v = _next(problem, picks, j)
            continue
        picks[j] = v
        if j + 1 < t:
            j += 1
            v = itemset[j]
            for u in picks[:j]:
                if problem.low[u] <= problem.low[v] and problem.high[v] <= problem.high[u]:
                    v = u
            continue
        moved = _distinct(picks, itemset)
        better = len(moved) > 0 and (cost[t] < best_cost or leaves[t] < best_leaves)
        if cost[t] == best_cost and leaves[t] == best_leaves:
            better = _comes_first(moved, best)
        if better and _is_closed(problem, _distinct(picks, nothing)):
            best, best_cost, best_leaves = moved, cost[t], leaves[t]
        v = _next(problem, picks, j)
    return best


@njit(cache=True, nogil=True)
def _distinct(picks: Ints, but: Ints) -> Ints:
    """Return the picks other than those at the same places of `but`, ascending and without repeats."""
    found, n = np.empty(len(picks), np.int32), 0
    for j in range(len(picks)):
        q = n
        while q > 0 and found[q - 1] > picks[j]:
            q -= 1
        if picks[j] != but[j] and (q == 0 or found[q - 1] < picks[j]):
            for p in range(n, q, -1):
                found[p] = found[p - 1]
            found[q] = picks[j]
            n += 1
    return found[:n]


@njit(cache=True, nogil=True)
def _next(problem: CutProblem, picks: Ints, j: int) -> int:
    """Return the next node to try for item j: the parent, or none where an earlier item decided for this one."""
    if j < 0:
        return -1
    for u in picks[:j]:
        if u == picks[j]:
            return -1
    return problem.parent[picks[j]]


@njit(cache=True, nogil=True, inline="always")
def _comes_first(moved: Ints, best: Ints) -> bool:
    for p in range(min(len(moved), len(best))):
        if moved[p] != best[p]:
            return bool(moved[p] < best[p])
    return len(moved) < len(best)


@njit(cache=True, nogil=True)
def _is_closed(problem: CutProblem, nodes: Ints) -> bool:
    if problem.l == 1:
        return len(_supporters(problem, nodes, problem.k)) == problem.k
    at = _supporters(problem, nodes, len(problem.at))
    return len(at) >= problem.k and not _reveals(problem, at)


@njit(cache=True, nogil=True)
def _supporters(problem: CutProblem, nodes: Ints, enough: int) -> Ints:
    """Return a position in each record that is under all the nodes, which do not overlap; not more than enough."""
    rare = nodes[0]
    for v in nodes:
        if (
            problem.starts[problem.high[v]] - problem.starts[problem.low[v]]
            < problem.starts[problem.high[rare]] - problem.starts[problem.low[rare]]
        ):
            rare = v
    low, first, last = problem.low[rare], problem.starts[problem.low[rare]], problem.starts[problem.high[rare]]
    found = np.empty(min(enough, last - first), np.int32)
    n = 0
    for p in problem.at[first:last]:
        here = problem.entries[p - 1] < low  # else the record was met at an earlier item
        for v in nodes:
            if here and v != rare:
                here = _in_record(problem.entries, p, problem.low[v], problem.high[v])
        if here:
            found[n] = p
            n += 1
            if n == enough:
                break
    return found[:n]


@njit(cache=True, nogil=True, inline="always")
def _in_record(entries: Ints, p: int, low: int, high: int) -> bool:
    """Return whether the record of position p has an item of low..high-1, a range that the item at p is outside of."""
    if entries[p] < low:
        q = p + 1
        while 0 <= entries[q] < low:
            q += 1
        return low <= entries[q] < high
    q = p - 1
    while entries[q] >= high:
        q -= 1
    return entries[q] >= low


@njit(cache=True, nogil=True, inline="always")
def _reveals(problem: CutProblem, at: Ints) -> bool:
    """Return whether some sensitive item is in more than 1/l of the records at the positions."""
    count = np.zeros(problem.n_secrets, np.int32)
    most = 0
    for p in at:
        while problem.entries[p] >= 0:
            p += 1
        r = ~problem.entries[p]
        for s in problem.secrets[problem.secret_offsets[r] : problem.secret_offsets[r + 1]]:
            count[s] += 1
            most = max(most, count[s])
    return most * problem.l > len(at)
