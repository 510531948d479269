"""Open sets of at most m clusters: those held by at least one record and fewer than k.

For each cluster the best open set whose smallest id it is, is kept up to date while clusters merge. Of two open sets the
better has the higher support (where supports count), then fewer clusters, then smaller ids. So only sets whose parts are
all protected matter, and the search never goes beyond an open set.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Mask = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def _is_better(support: int, size: int, ids: Ints, best_support: int, best_size: int, best_ids: Ints, ranked: bool) -> int:
    """Return 1 where the first set is better than the second, 0 where they are the same, else -1."""
    if best_support == 0:
        return 1
    if ranked and support != best_support:
        return 1 if support > best_support else -1
    if size != best_size:
        return 1 if size < best_size else -1
    for p in range(size):
        if ids[p] != best_ids[p]:
            return 1 if ids[p] < best_ids[p] else -1
    return 0


@njit(cache=True, nogil=True)
def _report(ids: Ints, size: int, support: int, ranked: bool, supports: Ints, sizes: Ints, members: Ints, stale: Mask) -> None:
    a = ids[:size].min()
    if ranked and support < supports[a]:
        return
    found = np.sort(ids[:size])
    if _is_better(support, size, found, supports[a], sizes[a], members[a], ranked) >= 0:
        supports[a], sizes[a], stale[a] = support, size, False
        members[a, :size] = found


@njit(cache=True, nogil=True)
def _count_above(
    floor: int, skipped: int, records: Ints, starts: Longs, lengths: Ints, entries: Ints, together: Ints, seen: Ints
) -> int:
    """Count in together the clusters above floor in the records, but the skipped one; list them in seen, return how many."""
    n = 0
    for r in records:
        for p in range(starts[r], starts[r] + lengths[r]):
            c = entries[p]
            if c > floor and c != skipped:
                if together[c] == 0:
                    seen[n] = c
                    n += 1
                together[c] += 1
    return n


@njit(cache=True, nogil=True)
def _narrow(cluster: int, held: Ints, begin: int, end: int, starts: Longs, lengths: Ints, entries: Ints) -> tuple[Ints, int]:
    """Append the records of held[begin:end] that hold a cluster at end; return the list, grown as needed, and its end."""
    if 2 * end - begin > len(held):
        grown = np.empty(2 * (2 * end - begin), np.int32)
        grown[:end] = held[:end]
        held = grown
    last = end
    for q in range(begin, end):
        r = held[q]
        for p in range(starts[r], starts[r] + lengths[r]):
            if entries[p] >= cluster:
                if entries[p] == cluster:
                    held[last] = r
                    last += 1
                break
    return held, last


@njit(cache=True, nogil=True)
def _append(values: Ints, end: int, value: int) -> Ints:
    if end == len(values):
        grown = np.empty(2 * end + 16, np.int32)
        grown[:end] = values
        values = grown
    values[end] = value
    return values


@njit(cache=True, nogil=True)
def report_open_sets(
    cluster: int,
    floor: int,
    m: int,
    k: int,
    ranked: bool,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    records: Ints,
    together: Ints,
    supports: Ints,
    sizes: Ints,
    members: Ints,
    stale: Mask,
) -> None:
    """Report the open sets of a cluster, held by `records`, and clusters above floor; together is all 0 before and after.

    Depth first: ids[:size] is protected and held by held[begins[size] : begins[size + 1]]; the clusters still to be added
    to it are the last of `waiting`, from tops[size] on.
    """
    ids = np.empty(m, np.int32)
    ids[0] = cluster
    if len(records) < k:
        if len(records):
            _report(ids, 1, len(records), ranked, supports, sizes, members, stale)
        return
    if m == 1:
        return
    seen = np.empty(len(together), np.int32)
    held = records.copy()
    begins = np.zeros(m + 2, np.int64)
    begins[2] = len(records)
    waiting = np.empty(16, np.int32)
    tops = np.zeros(m + 1, np.int64)
    end, size, fresh = 0, 1, True
    while size > 0:
        if fresh:
            low = floor if size == 1 else ids[size - 1]
            inside = held[begins[size] : begins[size + 1]]
            n = _count_above(low, cluster, inside, starts, lengths, entries, together, seen)
            tops[size] = end
            for c in seen[:n]:
                if together[c] < k:
                    ids[size] = c
                    _report(ids, size + 1, together[c], ranked, supports, sizes, members, stale)
                elif size + 1 < m:
                    waiting = _append(waiting, end, c)
                    end += 1
                together[c] = 0
            fresh = False
        if end == tops[size]:
            size -= 1
            continue
        end -= 1
        ids[size] = waiting[end]
        held, last = _narrow(waiting[end], held, begins[size], begins[size + 1], starts, lengths, entries)
        size += 1
        begins[size + 1] = last
        fresh = True


@njit(cache=True, nogil=True)
def report_all_open_sets(
    m: int,
    k: int,
    ranked: bool,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    pool: Ints,
    first: Longs,
    count: Longs,
    together: Ints,
    supports: Ints,
    sizes: Ints,
    members: Ints,
    stale: Mask,
) -> None:
    """Report the best open set of every cluster."""
    for a in range(len(count)):
        records = pool[first[a] : first[a] + count[a]]
        report_open_sets(a, a, m, k, ranked, starts, lengths, entries, records, together, supports, sizes, members, stale)


@njit(cache=True, nogil=True)
def forget(cluster: int, supports: Ints, sizes: Ints, members: Ints, stale: Mask) -> None:
    """Mark what is known of sets with a cluster as a bound only: the cluster is going to change."""
    supports[cluster] = 0
    stale[cluster] = False
    for a in range(cluster):
        if supports[a] > 0 and not stale[a]:
            for p in range(sizes[a]):
                stale[a] |= members[a, p] == cluster


@njit(cache=True, nogil=True)
def best_cluster(ranked: bool, supports: Ints, sizes: Ints, members: Ints) -> int:
    """Return the cluster whose open set is best, stale or not; -1 where there is none."""
    best = -1
    for a in range(len(supports)):
        if supports[a] > 0 and (
            best < 0 or _is_better(supports[a], sizes[a], members[a], supports[best], sizes[best], members[best], ranked) > 0
        ):
            best = a
    return best


@njit(cache=True, nogil=True)
def list_rare_itemsets(
    m: int,
    k: int,
    starts: Longs,
    lengths: Ints,
    entries: Ints,
    pool: Ints,
    first: Longs,
    count: Longs,
    out: Ints,
    supports: Ints,
) -> int:
    """Write every set of at most m clusters held by 1..k-1 records, padded with -1, and its support, as far as there is room.

    Returns how many there are. Depth first, as above; but an open set is extended too.
    """
    out[:] = -1
    n = 0
    ids = np.empty(m, np.int32)
    together, seen = np.zeros(len(count), np.int32), np.empty(len(count), np.int32)
    begins, tops = np.zeros(m + 2, np.int64), np.zeros(m + 1, np.int64)
    waiting = np.empty(16, np.int32)
    for a in range(len(count)):
        ids[0] = a
        held = pool[first[a] : first[a] + count[a]].copy()
        begins[2] = len(held)
        end, size, fresh = 0, 1, len(held) > 0
        while size > 0:
            if fresh:
                support = begins[size + 1] - begins[size]
                if support < k:
                    if n < len(supports):
                        out[n, :size] = ids[:size]
                        supports[n] = support
                    n += 1
                tops[size] = end
                if size < m:
                    inside = held[begins[size] : begins[size + 1]]
                    for c in seen[: _count_above(ids[size - 1], -1, inside, starts, lengths, entries, together, seen)]:
                        waiting = _append(waiting, end, c)
                        end += 1
                        together[c] = 0
                fresh = False
            if end == tops[size]:
                size -= 1
                continue
            end -= 1
            ids[size] = waiting[end]
            held, last = _narrow(waiting[end], held, begins[size], begins[size + 1], starts, lengths, entries)
            size += 1
            begins[size + 1] = last
            fresh = True
    return n
