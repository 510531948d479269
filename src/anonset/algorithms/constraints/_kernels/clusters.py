"""Sets of clusters that shrink as clusters merge, their supports up to a limit, and the cheapest pair of clusters to merge.

Sets, which are records or listed itemsets, are `rows` = (starts, lengths, entries): set r has the clusters
entries[starts[r] : starts[r] + lengths[r]], ascending. Which sets hold a cluster is `holders` = (pool, first, count): cluster c
is in the sets pool[first[c] : first[c] + count[c]]; lists that change are written behind the others, where the pool has room.
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs

Rows = tuple[Longs, Ints, Ints]
Holders = tuple[Ints, Longs, Longs]


@njit(cache=True, nogil=True)
def gather_holders(rows: Rows, d: int) -> tuple[Holders, int]:
    """Return the holders of d clusters in the sets as they are, and where the pool's room begins."""
    starts, lengths, entries = rows
    count = np.zeros(d, np.int64)
    for r in range(len(starts)):
        for p in range(starts[r], starts[r] + lengths[r]):
            count[entries[p]] += 1
    first = np.zeros(d, np.int64)
    total = 0
    for c in range(d):
        first[c] = total
        total += count[c]
    pool = np.empty(3 * total, np.int32)
    end = first.copy()
    for r in range(len(starts)):
        for p in range(starts[r], starts[r] + lengths[r]):
            pool[end[entries[p]]] = r
            end[entries[p]] += 1
    return (pool, first, count), total


@njit(cache=True, nogil=True)
def write(which: Ints, full: Ints, items: Ints, cluster_of: Ints, rows: Rows) -> None:
    """Write which sets from their original items: those of set r are items[starts[r] : starts[r] + full[r]]."""
    starts, lengths, entries = rows
    for r in which:
        end = starts[r]
        for c in np.sort(cluster_of[items[starts[r] : starts[r] + full[r]]]):
            if c >= 0 and (end == starts[r] or entries[end - 1] != c):
                entries[end] = c
                end += 1
        lengths[r] = end - starts[r]


@njit(cache=True, nogil=True)
def compact_pool(holders: Holders, room: int) -> tuple[Ints, int]:
    """Return a pool of the living lists alone with that much room behind them, and where the room begins."""
    pool, first, count = holders
    fresh = np.empty(count.sum() + room, np.int32)
    end = 0
    for c in range(len(first)):
        for p in range(count[c]):
            fresh[end + p] = pool[first[c] + p]
        first[c] = end
        end += count[c]
    return fresh, end


@njit(cache=True, nogil=True)
def join(keep: int, gone: int, rows: Rows, holders: Holders, used: int) -> int:
    """Replace cluster gone by keep (the smaller id) in every set; return where the pool's room begins now.

    The sets that held both are left at the beginning of the room.
    """
    starts, lengths, entries = rows
    pool, first, count = holders
    begin, both = used, used + count[keep] + count[gone]
    for p in range(first[keep], first[keep] + count[keep]):
        pool[used] = pool[p]
        used += 1
    for p in range(first[gone], first[gone] + count[gone]):
        r = pool[p]
        if _replace(keep, gone, starts[r], lengths, entries, r):
            pool[used] = r
            used += 1
        else:
            both -= 1
            pool[both] = r
    first[keep] = begin
    count[keep] = used - begin
    count[gone] = 0
    return used


@njit(cache=True, nogil=True)
def _replace(keep: int, gone: int, start: int, lengths: Ints, entries: Ints, r: int) -> bool:
    """Put keep in the place of gone; return whether keep is new to the set."""
    last = start + lengths[r] - 1
    p = start
    while entries[p] < keep:
        p += 1
    if entries[p] != keep:
        moved, entries[p] = entries[p], keep
        while moved != gone:
            p += 1
            moved, entries[p] = entries[p], moved
        return True
    while entries[p] != gone:
        p += 1
    while p < last:
        entries[p] = entries[p + 1]
        p += 1
    lengths[r] -= 1
    return False


@njit(cache=True, nogil=True)
def drop(cluster: int, rows: Rows, holders: Holders) -> None:
    """Remove a cluster from every set."""
    starts, lengths, entries = rows
    pool, first, count = holders
    for q in range(first[cluster], first[cluster] + count[cluster]):
        r = pool[q]
        last = starts[r] + lengths[r] - 1
        p = starts[r]
        while entries[p] != cluster:
            p += 1
        while p < last:
            entries[p] = entries[p + 1]
            p += 1
        lengths[r] -= 1
    count[cluster] = 0


@njit(cache=True, nogil=True)
def take_out(
    item: int, cluster: int, rest: int, full: Ints, items: Ints, cluster_of: Ints, rows: Rows, holders: Holders, used: int
) -> int:
    """Write the sets of a cluster anew, now that an item is one of its own and the others are called rest.

    Returns where the pool's room begins now. Where rest is still called as the cluster was, only the item's sets change.
    """
    starts, lengths, entries = rows
    pool, first, count = holders
    begin, n = first[cluster], count[cluster]
    changed = np.empty(n, np.int32)
    last = 0
    for r in pool[begin : begin + n]:
        here = rest != cluster
        for p in range(starts[r], starts[r] + full[r]):
            here |= items[p] == item
        if here:
            changed[last] = r
            last += 1
    write(changed[:last], full, items, cluster_of, rows)
    for c in (item, rest):
        start = used
        for r in pool[begin : begin + n]:
            for p in range(starts[r], starts[r] + lengths[r]):
                if entries[p] == c:
                    pool[used] = r
                    used += 1
        first[c] = start
        count[c] = used - start
    return used


@njit(cache=True, nogil=True)
def _holds(wanted: Ints, r: int, rows: Rows, a: int, b: int) -> bool:
    """Return whether record r holds all wanted clusters but a and b, which it may hold or not."""
    starts, lengths, entries = rows
    p, stop = starts[r], starts[r] + lengths[r]
    for c in wanted:
        if c in (a, b):
            continue
        while p < stop and entries[p] < c:
            p += 1
        if p == stop or entries[p] != c:
            return False
    return True


@njit(cache=True, nogil=True)
def _has(cluster: int, r: int, rows: Rows) -> bool:
    """Return whether record r holds a cluster."""
    starts, lengths, entries = rows
    for p in range(starts[r], starts[r] + lengths[r]):
        if entries[p] >= cluster:
            return entries[p] == cluster
    return False


@njit(cache=True, nogil=True)
def support_up_to(limit: int, wanted: Ints, alone: Longs, table: Ints, rows: Rows, holders: Holders) -> int:
    """Return the number of records that hold all of wanted (ascending, one or more), or limit where it is at least that."""
    pool, first, count = holders
    rarest = wanted[0]
    for c in wanted:
        if count[c] < count[rarest]:
            rarest = c
    if len(wanted) == 1:
        return min(limit, alone[rarest] + count[rarest])
    if len(table) == len(count):
        least = count[rarest]
        for c in wanted:
            least = min(least, table[rarest, c]) if c != rarest else least
        if len(wanted) == 2 or least == 0:
            return min(limit, least)
    support = 0
    for q in range(first[rarest], first[rarest] + count[rarest]):
        if _holds(wanted, pool[q], rows, -1, -1):
            support += 1
            if support == limit:
                break
    return support


@njit(cache=True, nogil=True)
def supports_up_to(
    limit: int,
    which: Ints,
    until_open: bool,
    sets: Rows,
    alone: Longs,
    table: Ints,
    rows: Rows,
    holders: Holders,
    supports: Ints,
) -> bool:
    """Set supports[q] for each q of which among the given sets; an empty set has 0. Return whether one is in 1..limit-1.

    Stops at the first such one if asked to.
    """
    starts, lengths, entries = sets
    found = False
    for q in which:
        wanted = entries[starts[q] : starts[q] + lengths[q]]
        supports[q] = support_up_to(limit, wanted, alone, table, rows, holders) if len(wanted) else 0
        found |= 0 < supports[q] < limit
        if found and until_open:
            break
    return found


@njit(cache=True, nogil=True)
def _index_only(new: int, old: int, rows: Rows, holders: Holders) -> tuple[int, Longs, Ints]:
    """Return the number of records with new but without old, and which of them hold each c: found[ends[c] : ends[c + 1]]."""
    starts, lengths, entries = rows
    pool, first, count = holders
    only = np.empty(count[new], np.int32)
    n = 0
    ends = np.zeros(len(count) + 2, np.int64)
    for r in pool[first[new] : first[new] + count[new]]:
        if not _has(old, r, rows):
            only[n] = r
            n += 1
            for p in range(starts[r], starts[r] + lengths[r]):
                ends[entries[p] + 2] += 1
    ends = np.cumsum(ends)
    found = np.empty(ends[-1], np.int32)
    for r in only[:n]:
        for p in range(starts[r], starts[r] + lengths[r]):
            found[ends[entries[p] + 1]] = r
            ends[entries[p] + 1] += 1
    return n, ends, found


@njit(cache=True, nogil=True)
def _gained(wanted: Ints, new: int, old: int, room: int, n: int, ends: Longs, found: Ints, rows: Rows) -> int:
    """Return the number (at most room) of the n records with new but without old that hold the rest of wanted."""
    rarest, least = -1, n
    rest = 0  # wanted clusters other than the two
    for c in wanted:
        if c not in (old, new):
            rest += 1
            if rarest < 0 or ends[c + 1] - ends[c] < least:
                rarest, least = c, ends[c + 1] - ends[c]
    if rest <= 1:
        return min(room, least)
    gained = 0
    for r in found[ends[rarest] : ends[rarest + 1]]:
        if _holds(wanted, r, rows, new, old):
            gained += 1
            if gained == room:
                break
    return gained


@njit(cache=True, nogil=True)
def raise_supports(
    a: int,
    b: int,
    limit: int,
    sets: Rows,
    set_holders: Holders,
    alone: Longs,
    rows: Rows,
    holders: Holders,
    supports: Ints,
) -> None:
    """Add to the supports of the sets with a or b, below limit, what the merge of a and b (still to come) gives them."""
    starts, lengths, entries = sets
    pool, first, count = set_holders
    for old, new in ((a, b), (b, a)):
        if count[old] == 0:
            continue
        n, ends, found = _index_only(new, old, rows, holders)
        for q in pool[first[old] : first[old] + count[old]]:
            room = limit - supports[q]
            if room > 0:
                wanted = entries[starts[q] : starts[q] + lengths[q]]
                gained = _gained(wanted, new, old, room, n, ends, found, rows)
                if len(wanted) == 1 or (len(wanted) == 2 and a in wanted and b in wanted):
                    gained = min(room, gained + alone[new])  # records of nothing but new, where there is no rest
                supports[q] += gained


@njit(cache=True, nogil=True)
def first_of_highest(supports: Ints, limit: int, ranked: bool) -> int:
    """Return the first position with the highest support in 1..limit-1 (unranked: with any), or -1 where there is none."""
    best = -1
    for q in range(len(supports)):
        if 0 < supports[q] < limit and (best < 0 or supports[q] > supports[best]):
            best = q
            if supports[q] == limit - 1 or not ranked:
                break
    return best


Places = tuple[Ints, Ints, Longs]  # the node of each cluster (empty: spreads do not count), parent and leaves of each node


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
    """Return the same where size <= other_size."""
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
def count_pairs(rows: Rows, table: Ints) -> None:
    """Fill table[a, c], all 0 before, with the number of records that hold two different clusters."""
    starts, lengths, entries = rows
    for r in range(len(starts)):
        stop = starts[r] + lengths[r]
        for p in range(starts[r], stop):
            row = table[entries[p]]
            for q in range(p + 1, stop):
                row[entries[q]] += 1
    for a in range(len(table)):
        for c in range(a):
            table[a, c] = table[c, a]


@njit(cache=True, nogil=True)
def join_pairs(keep: int, gone: int, both: Ints, rows: Rows, table: Ints) -> None:
    """Count in the table the pairs of keep now that it stands for gone too; `both` are the records that held both."""
    starts, lengths, entries = rows
    joined = table[keep]
    joined += table[gone]
    for r in both:
        for p in range(starts[r], starts[r] + lengths[r]):
            joined[entries[p]] -= 1
    joined[keep] = 0
    joined[gone] = 0
    for c in range(len(table)):
        if joined[c] > 0:
            table[c, keep] = joined[c]
        if table[gone, c] > 0:
            table[c, gone] = 0
    table[gone] = 0


@njit(cache=True, nogil=True)
def pair_counts(cluster: int, rows: Rows, holders: Holders, table: Ints) -> Ints:
    """Return for each cluster the number of records that hold it and the given one: a row of the table where it is whole.

    A table of one row is room to count in; then the row is good until the next call. What stands for the cluster itself
    means nothing.
    """
    starts, lengths, entries = rows
    pool, first, count = holders
    if len(table) == len(count):
        return table[cluster]
    row = table[0]
    row[:] = 0
    for r in pool[first[cluster] : first[cluster] + count[cluster]]:
        for p in range(starts[r], starts[r] + lengths[r]):
            row[entries[p]] += 1
    return row


@njit(cache=True, nogil=True)
def spreads_with(node: int, parent: Ints, leaves: Longs) -> Longs:
    """Return for each node the leaves under the lowest node over it and the given one; parents have greater ids."""
    spread = np.zeros(len(parent), np.int64)
    above = node
    while above >= 0:
        spread[above] = leaves[above]
        above = parent[above]
    for v in range(len(parent) - 2, -1, -1):
        if spread[v] == 0:
            spread[v] = spread[parent[v]]
    return spread


@njit(cache=True, nogil=True)
def cheapest_merge(
    clusters: Ints, sizes: Longs, supports: Longs, groups: Ints, rows: Rows, holders: Holders, table: Ints, places: Places
) -> tuple[int, int]:
    """Return the pair (one of `clusters`, another cluster of its group) with the lowest loss when merged, smaller id first.

    Ties: the smaller support, then the smaller ids. (-1, -1) where no such pair exists.
    """
    low, high = -1, -1
    best_size, best_price = 0, 0
    best_support = 0
    node, parent, leaves = places
    spread = np.ones(1, np.int64)
    n = len(clusters)
    for p in np.sort(supports[clusters] * n + np.arange(n)):
        a = clusters[p % n]
        least = supports[a] * (leaves[node[a]] if len(node) else 1)
        if low >= 0 and compare_losses(sizes[a] + 1, least, best_size, best_price) > 0:
            continue  # even a partner of one item that adds no record costs more
        if len(node):
            spread = spreads_with(node[a], parent, leaves)
        row = pair_counts(a, rows, holders, table)
        for c in range(len(supports)):
            if c == a or supports[c] == 0 or groups[c] != groups[a]:
                continue
            size = sizes[a] + sizes[c]
            support = supports[a] + supports[c] - row[c]
            price = support * (spread[node[c]] if len(node) else 1)
            order = -1 if low < 0 else compare_losses(size, price, best_size, best_price)
            if order == 0:
                order = support - best_support
            if order == 0:
                order = min(a, c) - low if min(a, c) != low else max(a, c) - high
            if order < 0:
                low, high = min(a, c), max(a, c)
                best_size, best_price = size, price
                best_support = support
    return low, high
