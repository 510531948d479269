"""Occurrences of items on their way up a hierarchy: offered to their records as labels, evened out, and with which other item
of its record each is rarest.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Nodes = NDArray[np.int32]
Counts = NDArray[np.int32]
Flags = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def unsettled(offsets: Offsets, placed: Flags) -> Offsets:
    """The records with an occurrence that is not placed."""
    rows, n = np.empty(len(offsets) - 1, np.int64), 0
    for r in range(len(offsets) - 1):
        p = offsets[r]
        while p < offsets[r + 1] and placed[p]:
            p += 1
        if p < offsets[r + 1]:
            rows[n] = r
            n += 1
    return rows[:n]


@njit(cache=True, nogil=True)
def offer(rows: Offsets, offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, offered: Flags) -> None:
    """Show in each of the records the nodes of its occurrences that are not placed yet, and mark them."""
    mark = np.zeros(len(offered), np.int64)
    for r in rows:
        end = offsets[r] + count[r]
        for p in range(offsets[r], end):
            mark[shown[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p] and mark[node[p]] != r + 1:
                shown[end], mark[node[p]], offered[node[p]] = node[p], r + 1, True
                end += 1
        count[r] = end - offsets[r]


@njit(cache=True, nogil=True)
def close_singles(
    bounds: Offsets, offsets: Offsets, shown: Nodes, count: Counts, fixed: Counts, watched: Flags, gone: Flags, k: int
) -> None:
    """Take away watched labels that are not fixed and in fewer than k records of their group, and mark them as gone."""
    single = np.zeros(len(watched), np.int32)
    for g in range(len(bounds) - 1):
        single[:] = 0
        for r in range(bounds[g], bounds[g + 1]):
            for p in range(offsets[r], offsets[r] + count[r]):
                single[shown[p]] += 1
        for r in range(bounds[g], bounds[g + 1]):
            end = offsets[r] + fixed[r]
            for p in range(end, offsets[r] + count[r]):
                if single[shown[p]] < k and watched[shown[p]]:
                    gone[shown[p]] = True
                else:
                    shown[end] = shown[p]
                    end += 1
            count[r] = end - offsets[r]


@njit(cache=True, nogil=True)
def settle(rows: Offsets, offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, above: Nodes) -> int:
    """Place the occurrences whose node their record still shows; the others move to the node above. Return how many can."""
    moved, mark = 0, np.zeros(len(above), np.int64)
    for r in rows:
        for p in range(offsets[r], offsets[r] + count[r]):
            mark[shown[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if not placed[p]:
                if mark[node[p]] == r + 1:
                    placed[p] = True
                elif above[node[p]] >= 0:
                    node[p] = above[node[p]]
                    moved += 1
    return moved


@njit(cache=True, nogil=True)
def sole(offsets: Offsets, node: Nodes, shown: Nodes, count: Counts, general: Flags) -> Flags:
    """Mark the places of general labels behind which there is one occurrence only."""
    marked = np.zeros(len(shown), np.bool_)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r] + count[r]):
            behind = 0
            for q in range(offsets[r], offsets[r + 1]):
                behind += node[q] == shown[p]
            marked[p] = general[shown[p]] and behind == 1
    return marked


@njit(cache=True, nogil=True)
def restart_others(offsets: Offsets, items: Nodes, node: Nodes, placed: Flags, general: Flags) -> None:
    """Of several occurrences behind one general label send all but the first back to their items."""
    for r in range(len(offsets) - 1):
        for p in range(offsets[r + 1] - 1, offsets[r], -1):
            if placed[p] and general[node[p]] and _is_among(node, offsets[r], p, node[p]):
                node[p] = items[p]
                placed[p] = False


@njit(cache=True, nogil=True)
def restart(offsets: Offsets, items: Nodes, node: Nodes, placed: Flags, shown: Nodes, count: Counts) -> None:
    """Send the occurrences whose node is not shown back to their item."""
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            if not (placed[p] and _is_among(shown, offsets[r], offsets[r] + count[r], node[p])):
                node[p] = items[p]
                placed[p] = False


@njit(cache=True, nogil=True)
def crown(offsets: Offsets, node: Nodes, shown: Nodes, count: Counts, fixed: Counts, root: int) -> None:
    """Show the root, and fix it, in the records that have an occurrence there; nothing else is fixed."""
    for r in range(len(offsets) - 1):
        start = offsets[r]
        fixed[r] = _is_among(node, start, offsets[r + 1], root)
        if fixed[r] > 0:
            at = start
            while at < start + count[r] and shown[at] != root:
                at += 1
            if at == start + count[r]:
                count[r] += 1
            shown[at] = shown[start]
            shown[start] = root


@njit(cache=True, nogil=True)
def uproot(offsets: Offsets, node: Nodes, placed: Flags, shown: Nodes, count: Counts, above: Nodes) -> None:
    """Send the occurrences whose node is no longer shown to the node above."""
    mark = np.zeros(len(above), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r] + count[r]):
            mark[shown[p]] = r + 1
        for p in range(offsets[r], offsets[r + 1]):
            if mark[node[p]] != r + 1:
                node[p] = above[node[p]]
                placed[p] = False


@njit(cache=True, nogil=True)
def pad(
    bounds: Offsets, offsets: Offsets, node: Nodes, shown: Nodes, count: Counts, root: int, k: int, gone: Flags, failed: Flags
) -> None:
    """Send whole records to the root in groups where some, but fewer than k, have an occurrence there: short records first.

    `gone` marks the labels they showed; a group with fewer than k records with items has failed.
    """
    for g in range(len(bounds) - 1):
        first, last = bounds[g], bounds[g + 1]
        rooted = 0
        for r in range(first, last):
            rooted += _is_among(node, offsets[r], offsets[r + 1], root)
        while 0 < rooted < k:
            best = -1
            for r in range(first, last):
                shorter = count[r] > 0 and (best < 0 or count[r] < count[best])
                if shorter and not _is_among(node, offsets[r], offsets[r + 1], root):
                    best = r
            if best < 0:
                failed[g] = True
                break
            for p in range(offsets[best], offsets[best + 1]):
                gone[node[p]] = True
                node[p] = root
            count[best] = 0
            rooted += 1


@njit(cache=True, nogil=True)
def too_frequent(
    bounds: Offsets,
    secret_offsets: Offsets,
    secrets: NDArray[np.int32],
    n_secrets: int,
    l: int,  # noqa: E741 - the papers' letter
    failed: Flags,
) -> None:
    """Mark the groups in which a secret is in more than 1/l of the records."""
    tally = np.zeros(n_secrets, np.int64)
    for g in range(len(bounds) - 1):
        tally[:] = 0
        for p in range(secret_offsets[bounds[g]], secret_offsets[bounds[g + 1]]):
            tally[secrets[p]] += 1
            failed[g] |= tally[secrets[p]] * l > bounds[g + 1] - bounds[g]


@njit(cache=True, nogil=True)
def _is_among(labels: Nodes, start: int, stop: int, label: int) -> bool:
    p = start
    while p < stop and labels[p] != label:
        p += 1
    return p < stop


Ids = NDArray[np.int32]
Longs = NDArray[np.int64]
Reals = NDArray[np.float64]

PRICE = 0.25  # how many wrong counts it takes to make up for an occurrence that was exact
SAME = 1e-9  # differences up to this are rounding


@njit(cache=True, nogil=True)
def lowest_nodes(paths: Ids, held: Reals, supports: Longs, low: Ids, high: Ids, sizes: Ids, least: float) -> Ids:
    """The lowest node that each item is shown as; paths[s, i] is the node s steps above item i, -1 above the root.

    held[s, i] is how often item i stands there now, and changes. A node takes all that stands below it where the counts of
    items with `least` occurrences, by reading a label of n items as 1/n of each, gain more than that costs.
    """
    d, shares = held.shape[1], np.zeros(len(sizes))  # what a node adds to the count of each of its items
    lowest = np.arange(d).astype(np.int32)
    for s in range(len(paths)):
        for i in range(d):
            if paths[s, i] >= 0:
                shares[paths[s, i]] += held[s, i] / sizes[paths[s, i]]
    for v in range(d, len(sizes) - 1):  # all but the root, from below
        total, cost, n = 0.0, 0.0, sizes[v]
        for i in range(low[v], high[v]):
            for s in range(_step(paths, i, v)):
                total += held[s, i]
                cost += held[s, i] * (1.0 / sizes[paths[s, i]] - 1.0 / n)
        gain = 0.0
        for i in range(low[v], high[v]):
            if supports[i] >= least:
                step, count, below = _step(paths, i, v), 0.0, 0.0
                for s in range(len(paths)):
                    if paths[s, i] >= 0:
                        count += shares[paths[s, i]]
                        below += shares[paths[s, i]] if s < step else 0.0
                gain += abs(count - supports[i]) - abs(count - below + total / n - supports[i])
        if gain > PRICE * cost + SAME:
            for i in range(low[v], high[v]):
                step, lowest[i] = _step(paths, i, v), v
                for s in range(step):
                    held[step, i] += held[s, i]
                    held[s, i] = shares[paths[s, i]] = 0.0
            shares[v] += total / n
    return lowest


@njit(cache=True, nogil=True)
def _step(paths: Ids, i: int, v: int) -> int:
    """How many steps node v is above item i; 0 where it is on no way up, as another one stands for the same items."""
    for s in range(len(paths)):
        if paths[s, i] == v:
            return s
    return 0


@njit(cache=True, nogil=True)
def rarest_partners(
    offsets: NDArray[np.int64], items: NDArray[np.int32], wanted: NDArray[np.bool_], told: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return for each wanted occurrence of the items to tell of the item of its record that fewest records hold beside it.

    And how many do. The partner is -1 for occurrences that are alone in their record, which count as in all records of their
    item, and for others than the wanted ones.
    """
    d = len(told)
    partner, support = np.full(len(items), -1, np.int32), np.zeros(len(items), np.int64)
    record, starts, places = _by_item(offsets, items, d)
    together, touched = np.zeros(d, np.int64), np.empty(d, np.int32)
    for i in np.flatnonzero(told):
        n = 0
        for s in range(starts[i], starts[i + 1]):
            for q in range(offsets[record[s]], offsets[record[s] + 1]):
                if together[items[q]] == 0:
                    touched[n] = items[q]
                    n += 1
                together[items[q]] += 1
        for s in range(starts[i], starts[i + 1]):
            p = places[s]
            if wanted[p]:
                support[p] = together[i]
                for q in range(offsets[record[s]], offsets[record[s] + 1]):
                    if q != p and (partner[p] < 0 or together[items[q]] < support[p]):
                        partner[p], support[p] = items[q], together[items[q]]
        for t in range(n):
            together[touched[t]] = 0
    return partner, support


@njit(cache=True, nogil=True)
def _by_item(
    offsets: NDArray[np.int64], items: NDArray[np.int32], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The records and the places of each item i, from starts[i] on."""
    starts = np.zeros(d + 1, np.int64)
    for i in items:
        starts[i + 1] += 1
    for i in range(d):
        starts[i + 1] += starts[i]
    free = starts[:-1].copy()
    record, places = np.empty(len(items), np.int64), np.empty(len(items), np.int64)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            record[free[items[p]]], places[free[items[p]]] = r, p
            free[items[p]] += 1
    return record, starts, places
