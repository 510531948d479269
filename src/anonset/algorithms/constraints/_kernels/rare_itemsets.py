"""Open sets of at most m clusters: those held by at least one record and fewer than k.

For each cluster the best open set whose smallest id it is, is kept up to date while clusters merge: `best` = (supports, sizes,
members, stale), where support 0 says that there is none, and stale that what is known is a bound only. Of two open sets the
better has the higher support (where they are ranked by it), then fewer clusters, then smaller ids. So only sets whose parts are
all protected matter, and the search never goes beyond an open set. `rows` and `holders` are as in `clusters`.

Searches go depth first with a stack of sets still to be extended: the cluster added last, the size, and where in `held` the
records are that hold the set. (A stack instead of recursion: a compiled function that calls itself does not survive the cache.)
"""

import numpy as np
from numba import njit

from anonset.algorithms.constraints._kernels.clusters import Holders, Rows, pair_counts
from anonset.kernels.arrays import Flags, Ints, Longs, with_room

Best = tuple[Ints, Ints, Ints, Flags]


@njit(cache=True, nogil=True)
def _beats(support: int, size: int, ids: Ints, a: int, best: Best, ranked: bool) -> int:
    """Return 1 where a set is better than the best of cluster a, 0 where it is the same, else -1."""
    supports, sizes, members, _ = best
    if supports[a] == 0:
        return 1
    if ranked and support != supports[a]:
        return 1 if support > supports[a] else -1
    if size != sizes[a]:
        return 1 if size < sizes[a] else -1
    for p in range(size):
        if ids[p] != members[a, p]:
            return 1 if ids[p] < members[a, p] else -1
    return 0


@njit(cache=True, nogil=True)
def _report(ids: Ints, size: int, support: int, ranked: bool, best: Best) -> None:
    """Keep ids[:size], ascending, if it is the best open set of its smallest cluster so far."""
    supports, sizes, members, stale = best
    a = ids[0]
    if _beats(support, size, ids, a, best, ranked) >= 0:
        supports[a] = support
        sizes[a] = size
        stale[a] = False
        members[a, :size] = ids[:size]


@njit(cache=True, nogil=True)
def _insert(cluster: int, ids: Ints, size: int, last: int, ascending: Ints) -> None:
    """Write cluster, ids[1:size] (ascending) and last (larger than those) into ascending, in order."""
    p = 0
    placed = False
    for q in range(1, size + 1):
        c = ids[q] if q < size else last
        if not placed and cluster < c:
            ascending[p] = cluster
            p += 1
            placed = True
        ascending[p] = c
        p += 1
    if not placed:
        ascending[p] = cluster


@njit(cache=True, nogil=True)
def _count_above(floor: int, skipped: int, records: Ints, rows: Rows, together: Ints, seen: Ints) -> int:
    """Count in together the clusters above floor in the records, but the skipped one; list them in seen, return how many."""
    starts, lengths, entries = rows
    n = 0
    for r in records:
        for p in range(starts[r] + lengths[r] - 1, starts[r] - 1, -1):
            c = entries[p]
            if c <= floor:
                break
            if c != skipped:
                if together[c] == 0:
                    seen[n] = c
                    n += 1
                together[c] += 1
    return n


@njit(cache=True, nogil=True)
def _deal_out(floor: int, held: Ints, begin: int, end: int, rows: Rows, places: Ints) -> None:
    """Write each record of held[begin:end] to held[places[c]], which moves on, for each cluster c above floor with a place."""
    starts, lengths, entries = rows
    for q in range(begin, end):
        r = held[q]
        for p in range(starts[r] + lengths[r] - 1, starts[r] - 1, -1):
            c = entries[p]
            if c <= floor:
                break
            if places[c] > 0:
                held[places[c]] = r
                places[c] += 1


@njit(cache=True, nogil=True)
def _push(stack: Ints, top: int, cluster: int, size: int, begin: int, end: int) -> Ints:
    """Write a set still to be extended to place `top`; return the stack, which may be a longer copy."""
    if top == len(stack):
        grown = np.empty((2 * top, 4), np.int32)
        grown[:top] = stack
        stack = grown
    stack[top, 0] = cluster
    stack[top, 1] = size
    stack[top, 2] = begin
    stack[top, 3] = end
    return stack


@njit(cache=True, nogil=True)
def report_open_sets(
    cluster: int,
    floor: int,
    m: int,
    k: int,
    ranked: bool,
    alone: int,
    row: Ints,
    records: Ints,
    rows: Rows,
    together: Ints,
    best: Best,
) -> None:
    """Report the open sets of a cluster and clusters above floor; together is all 0 before and after.

    The cluster is held by `alone` records with nothing else, and by `records`, row[c] of which hold c too.
    """
    supports, sizes, members, _ = best
    ids = np.empty(m + 1, np.int32)  # of the set looked at: the cluster, then others in ascending order
    ascending = np.empty(m + 1, np.int32)  # the same in order
    ids[0] = cluster
    support = alone + len(records)
    if 0 < support < k:
        _report(ids, 1, support, ranked, best)
    if support < k or m == 1:
        return
    stack = np.empty((16, 4), np.int32)
    top, end = 0, len(records)
    for c in range(floor + 1, len(row)):
        if row[c] == 0 or c == cluster:
            continue
        if row[c] < k:
            a, b = min(cluster, c), max(cluster, c)
            smaller = sizes[a] > 2 or (sizes[a] == 2 and b <= members[a, 1])
            if not ranked or row[c] > supports[a] or (row[c] == supports[a] and smaller):
                ascending[0], ascending[1] = a, b
                _report(ascending, 2, row[c], ranked, best)
        elif m > 2:
            stack = _push(stack, top, c, 2, end, end + row[c])
            together[c] = end
            top, end = top + 1, end + row[c]
    if top == 0:
        return
    held = np.empty(end, np.int32)
    held[: len(records)] = records
    _deal_out(floor, held, 0, len(records), rows, together)
    for p in range(top):
        together[stack[p, 0]] = 0
    seen = np.empty(len(together), np.int32)
    while top > 0:
        top -= 1
        last, size = stack[top, 0], stack[top, 1]
        begin, end = stack[top, 2], stack[top, 3]
        ids[size - 1] = last
        n = _count_above(last, cluster, held[begin:end], rows, together, seen)
        known = supports[min(cluster, ids[1])]
        place = end  # where the records of the next set to extend begin
        for c in seen[:n]:
            support = together[c]
            together[c] = 0
            if support < k:
                if support >= known or not ranked:
                    _insert(cluster, ids, size, c, ascending)
                    _report(ascending, size + 1, support, ranked, best)
            elif size + 1 < m:
                stack = _push(stack, top, c, size + 1, place, place + support)
                together[c] = place
                top, place = top + 1, place + support
        if place > end:
            held = with_room(held, place)
            _deal_out(last, held, begin, end, rows, together)
            together[seen[:n]] = 0


@njit(cache=True, nogil=True)
def best_open_set(
    m: int, k: int, ranked: bool, alone: Longs, rows: Rows, holders: Holders, table: Ints, together: Ints, best: Best
) -> int:
    """Return the cluster whose open set is best, -1 where there is none; bounds that come first are made exact.

    alone[a] counts the records that hold a and nothing else, table[a, c] those that hold a and c (or is room to count in).
    """
    pool, first, count = holders
    supports, sizes, members, stale = best
    found = -1
    for bounds in (False, True):
        for a in range(len(supports)):
            if supports[a] == 0 or (stale[a] and not bounds):
                continue
            if found >= 0 and ranked and supports[a] < supports[found] + int(found < a and sizes[found] <= sizes[a]):
                continue
            if found >= 0 and _beats(supports[a], sizes[a], members[a], found, best, ranked) <= 0:
                continue
            if stale[a]:
                records = pool[first[a] : first[a] + count[a]]
                row = pair_counts(a, rows, holders, table)
                supports[a] = 0
                stale[a] = False
                report_open_sets(a, a, m, k, ranked, alone[a], row, records, rows, together, best)
            better = found < 0 or _beats(supports[a], sizes[a], members[a], found, best, ranked) > 0
            if supports[a] > 0 and better:
                found = a
    return found


@njit(cache=True, nogil=True)
def forget(low: int, high: int, best: Best) -> None:
    """Mark the best sets that contain one of two clusters, which are about to change, as bounds only."""
    supports, sizes, members, stale = best
    for a in range(high):
        if supports[a] > 0 and not stale[a]:
            for p in range(1, sizes[a]):
                c = members[a, p]
                stale[a] |= c in (low, high)
    for a in (low, high):
        supports[a] = 0
        stale[a] = False


@njit(cache=True, nogil=True)
def list_rare_itemsets(m: int, k: int, alone: Longs, rows: Rows, holders: Holders, out: Ints, supports: Ints) -> int:
    """Write every set of at most m clusters held by 1..k-1 records, padded with -1, and its support, as far as there is room.

    Returns how many there are. Unlike above, an open set is extended too.
    """
    pool, first, count = holders
    out[:] = -1
    n = 0
    ids = np.empty(m, np.int32)
    together = np.zeros(len(count), np.int32)
    seen = np.empty(len(count), np.int32)
    stack = np.empty((16, 4), np.int32)
    held = np.empty(16, np.int32)
    for a in range(len(count)):
        held = with_room(held, count[a])
        held[: count[a]] = pool[first[a] : first[a] + count[a]]
        stack = _push(stack, 0, a, 1, 0, count[a])
        top = 1 if alone[a] + count[a] > 0 else 0
        while top > 0:
            top -= 1
            last, size = stack[top, 0], stack[top, 1]
            begin, end = stack[top, 2], stack[top, 3]
            ids[size - 1] = last
            support = end - begin + (alone[a] if size == 1 else 0)
            if support < k:
                if n < len(supports):
                    out[n, :size] = ids[:size]
                    supports[n] = support
                n += 1
            if size == m:
                continue
            found = _count_above(last, -1, held[begin:end], rows, together, seen)
            place = end
            for c in seen[:found]:
                stack = _push(stack, top, c, size + 1, place, place + together[c])
                top += 1
                end_of_next = place + together[c]
                together[c] = place
                place = end_of_next
            held = with_room(held, place)
            _deal_out(last, held, begin, end, rows, together)
            together[seen[:found]] = 0
    return n
